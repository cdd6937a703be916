/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network interface of the port: programs make it promiscuous, and with it the port
 * (mlx5_core does this by MODIFY_NIC_VPORT_CONTEXT). The kernel reports its changes on a route
 * socket (rtnetlink(7)), before the call that made them returns.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/inside.h"

#define PERIOD_NS 1000000 /* between two looks */

static void read_flags(struct net *n)
{
	struct ifreq r = { 0 };
	bool promisc;

	strcpy(r.ifr_name, n->netdev);
	if (ioctl(n->netdev_fd, SIOCGIFFLAGS, &r))
		return;
	promisc = r.ifr_flags & IFF_PROMISC;
	if (promisc == n->hca->port.promisc)
		return;
	n->hca->port.promisc = promisc;
	hca_port_publish(n->hca);
}

int net_netdev(struct net *n, const char *name)
{
	struct sockaddr_nl links = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	int fd;

	if (strlen(name) >= sizeof(n->netdev))
		return EINVAL;
	fd = core_own(
		socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
	if (fd < 0 || bind(fd, (struct sockaddr *)&links, sizeof(links))) {
		int err = errno;

		core_own_close(fd);
		return err;
	}
	strcpy(n->netdev, name);
	n->netdev_fd = fd;
	read_flags(n);
	return 0;
}

void netdev_poll(struct net *n, uint64_t now)
{
	char changes[8192];
	bool any = false;

	if (now - n->looked < PERIOD_NS)
		return;
	n->looked = now;
	/* The kind of change does not matter; ENOBUFS: the socket dropped some messages. */
	while (recv(n->netdev_fd, changes, sizeof(changes), 0) > 0 || errno == ENOBUFS)
		any = true;
	if (any)
		read_flags(n);
}
