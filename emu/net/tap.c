/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TAP interface: what the kernel sends on it comes from the network, and it receives what the
 * network has for it (Linux, Documentation/networking/tuntap.rst). Frames have no FCS on either
 * side.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/inside.h"

/* An interface that is down gives EIO. A user of a TAP may not always set it up: then the
 * administrator has to, and what he did is what counts. */
static int set_up(const char *name)
{
	struct ifreq r = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return errno;
	memcpy(r.ifr_name, name, strnlen(name, IFNAMSIZ - 1));
	err = ioctl(fd, SIOCGIFFLAGS, &r) ? errno : 0;
	if (!err && !(r.ifr_flags & IFF_UP)) {
		r.ifr_flags |= IFF_UP;
		err = ioctl(fd, SIOCSIFFLAGS, &r) ? errno : 0;
	}
	close(fd);
	return err;
}

static bool other_has_it(const struct net *n)
{
	for (unsigned int slot = 1; slot < HCA_VHCAS; slot++)
		if (slot != n->hca->slot &&
		    atomic_load(&n->hca->vhcas[slot].port) & HCA_PORT_TAP &&
		    wire_present(n->w, slot))
			return true;
	return false;
}

int net_tap(struct net *n, const char *name)
{
	struct ifreq r = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd, err;

	if (strlen(name) >= IFNAMSIZ)
		return EINVAL;
	strcpy(r.ifr_name, name);
	fd = core_own(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
	if (fd < 0)
		return errno;
	err = ioctl(fd, TUNSETIFF, &r) ? errno : set_up(name);
	if (err) {
		core_own_close(fd);
		return err == EBUSY && other_has_it(n) ? 0 : err;
	}
	n->tap = fd;
	n->hca->port.tap = true;
	hca_port_publish(n->hca);
	return 0;
}

void tap_write(struct net *n, const uint8_t *frame, size_t len)
{
	/* A kernel that cannot take it drops it. */
	if (write(n->tap, frame, len) < 0)
		return;
}

/* A descriptor without interface is never quiet: poll(2) returns POLLERR, read(2) EBADFD. The
 * port was at the other end of this link. */
static void interface_removed(struct net *n)
{
	core_own_close(n->tap);
	n->tap = -1;
	n->hca->port.tap = false;
	n->hca->port.unplugged = true;
	hca_port_publish(n->hca);
	if (n->hca->tap_gone)
		n->hca->tap_gone(n->hca);
}

bool tap_poll(struct net *n)
{
	unsigned int i = 0;
	ssize_t len = 0;

	for (; i < NET_BATCH && (len = read(n->tap, n->frame, sizeof(n->frame))) > 0; i++)
		net_forward(n, n->frame, len, false);
	if (len < 0 && errno == EBADFD)
		interface_removed(n);
	return i;
}
