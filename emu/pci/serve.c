/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket: one peer at a time. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pci/inside.h"

/* A socket of a server that has ended is replaced. */
static int listen_at(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(at.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(at.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		close(fd);
		errno = EADDRINUSE;
		return -1;
	}
	if (errno == ECONNREFUSED)
		unlink(path);
	if (!bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, 1))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Until @fd can be read; meanwhile requests for faults are served. False: @stop can be read, or
 * there is an error. */
static bool wait_for(struct pci *p, int fd, int stop)
{
	struct pollfd fds[] = { { .fd = stop, .events = POLLIN },
				{ .fd = fd, .events = POLLIN },
				{ .fd = p->control, .events = POLLIN } };
	int n;

	do {
		n = poll(fds, ARRAY_SIZE(fds), -1);
		if (n > 0 && fds[2].revents)
			pci_control_read(p);
	} while (n < 0 ? errno == EINTR : !fds[0].revents && !fds[1].revents);
	return n > 0 && !fds[0].revents;
}

int pci_serve(struct pci *p, const char *path, int stop)
{
	int listening = listen_at(path), peer;

	if (listening < 0)
		return errno;
	while (wait_for(p, listening, stop)) {
		peer = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (peer < 0)
			continue;
		while (wait_for(p, peer, stop) && pci_message(p, peer))
			;
		close(peer);
		pci_forget(p);
	}
	close(listening);
	unlink(path);
	return 0;
}
