/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface is only looked at: what the kernel sends on it goes nowhere, and it receives
 * nothing. (--tap is the one that connects the kernel with the network.)
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launcher/netdev.h"

#define MAC_TEXT  "%02x:%02x:%02x:%02x:%02x:%02x"
#define MAC_OF(m) (m)[0], (m)[1], (m)[2], (m)[3], (m)[4], (m)[5]

static int failed(const char *what, const char *name, char *why, size_t len)
{
	snprintf(why, len, "%s %s: %s%s", what, name, strerror(errno),
		 errno == EPERM ? " (CAP_NET_ADMIN is required, or an interface that exists)"
				: "");
	return -1;
}

/* The descriptor stays open: the interface ends with it. */
static int create(struct ifreq *r, char *why, size_t len)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	r->ifr_flags = IFF_TAP | IFF_NO_PI;
	if (fd >= 0 && !ioctl(fd, TUNSETIFF, r))
		return 0;
	failed("create", r->ifr_name, why, len);
	if (fd >= 0)
		close(fd);
	return -1;
}

static int set_up(int fd, struct ifreq *r, const uint8_t mac[6], char *why, size_t len)
{
	r->ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(r->ifr_hwaddr.sa_data, mac, 6);
	if (ioctl(fd, SIOCSIFHWADDR, r))
		return failed("address of", r->ifr_name, why, len);
	if (ioctl(fd, SIOCGIFFLAGS, r))
		return failed("flags of", r->ifr_name, why, len);
	r->ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, r) ? failed("flags of", r->ifr_name, why, len) : 0;
}

static int check_mac(int fd, struct ifreq *r, const uint8_t mac[6], char *why, size_t len)
{
	const uint8_t *own = (const uint8_t *)r->ifr_hwaddr.sa_data;

	if (ioctl(fd, SIOCGIFHWADDR, r))
		return failed("address of", r->ifr_name, why, len);
	if (!memcmp(own, mac, 6))
		return 0;
	snprintf(why, len,
		 "the address of %s is " MAC_TEXT ", that of the port " MAC_TEXT
		 ": ip link set dev %s address " MAC_TEXT,
		 r->ifr_name, MAC_OF(own), MAC_OF(mac), r->ifr_name, MAC_OF(mac));
	return -1;
}

bool netdev_provide(const char *name, const uint8_t mac[6], char *why, size_t len)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	struct ifreq r = { 0 };

	memcpy(r.ifr_name, name, strnlen(name, IFNAMSIZ - 1));
	if (fd < 0)
		return !failed("socket for", name, why, len);
	if (if_nametoindex(name))
		err = check_mac(fd, &r, mac, why, len);
	else
		err = create(&r, why, len) ? -1 : set_up(fd, &r, mac, why, len);
	close(fd);
	return !err;
}
