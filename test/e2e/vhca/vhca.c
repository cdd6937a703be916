/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_vhca EMU SCENARIO [DEVICE]
 *
 * Starts both processes and waits for them.
 *
 *	EMU --device bf3 --as host -- test_vhca owner SCENARIO	--.
 *	EMU --device bf3 --as dpu -- test_vhca copier SCENARIO	--' a socket
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "vhca.h"

static uint64_t bytes_of(const char *scenario)
{
	if (!strcmp(scenario, "gigabyte"))
		return 1ull << 30;
	return !strcmp(scenario, "rate") ? 64ull << 20 : 2ull << 20;
}

static pid_t start(char **argv, const char *device, const char *as, const char *what, int fd)
{
	char fabric[32];
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	snprintf(fabric, sizeof(fabric), "vhca-%d", (int)getppid());
	dup2(fd, STDIN_FILENO);
	if (!strcmp(argv[2], "findings"))
		execl(argv[1], argv[1], "--fabric", fabric, "--device", device, "--as", as,
		      "--check", "--", argv[0], what, argv[2], NULL);
	execl(argv[1], argv[1], "--fabric", fabric, "--device", device, "--as", as, "--",
	      argv[0], what, argv[2], NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	const char *device = argc > 3 ? argv[3] : "bf3";
	int pair[2], status[2];
	pid_t owner, copier;

	if (argc == 3 && !strcmp(argv[1], "owner"))
		return owner_main(bytes_of(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "copier"))
		return copier_main(argv[2]);
	CHECK(argc >= 3, "usage: test_vhca EMU SCENARIO [DEVICE]");
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "%s", strerror(errno));
	owner = start(argv, device, "host", "owner", pair[0]);
	copier = start(argv, device, "dpu", "copier", pair[1]);
	close(pair[0]);
	close(pair[1]);
	CHECK(waitpid(copier, &status[1], 0) == copier &&
	      waitpid(owner, &status[0], 0) == owner);
	if (!strcmp(argv[2], "killed"))
		status[0] = 0;
	CHECK(!status[0] && !status[1], "owner 0x%x, copier 0x%x", status[0], status[1]);
	return 0;
}
