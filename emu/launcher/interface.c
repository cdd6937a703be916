/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port has all addresses of the interface, as the kernel makes GIDs of those of a RoCE
 * adapter (ib_core, roce_gid_mgmt.c); the chosen one comes first.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hca/hca.h"
#include "launcher/interface.h"

static bool gid_of(const struct ifaddrs *a, uint8_t gid[16])
{
	const struct sockaddr *s = a->ifa_addr;

	if (s && s->sa_family == AF_INET) {
		hca_gid_set_ipv4(gid, &((const struct sockaddr_in *)s)->sin_addr);
		return true;
	}
	if (s && s->sa_family == AF_INET6) {
		memcpy(gid, &((const struct sockaddr_in6 *)s)->sin6_addr, 16);
		return true;
	}
	return false;
}

/* The address that is wanted, or NULL; @any: the first that would do. */
static const struct ifaddrs *choose(const struct ifaddrs *all, const uint8_t *want)
{
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		uint8_t gid[16];

		if (!gid_of(a, gid))
			continue;
		if (want ? !memcmp(gid, want, 16)
			 : a->ifa_addr->sa_family == AF_INET && a->ifa_flags & IFF_UP &&
				    !(a->ifa_flags & IFF_LOOPBACK))
			return a;
	}
	return NULL;
}

static void list(const struct ifaddrs *all, char *text, size_t len)
{
	size_t at = 0;

	*text = '\0';
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		char ip[OPTIONS_ADDRESS_TEXT];
		uint8_t gid[16];

		if (!gid_of(a, gid) || at >= len)
			continue;
		options_address_text(gid, ip);
		at += snprintf(text + at, len - at, " %s (%s)", ip, a->ifa_name);
	}
}

static void collect(const struct ifaddrs *all, const struct ifaddrs *chosen,
		    struct options_wire *w)
{
	memset(w, 0, sizeof(*w));
	snprintf(w->netdev, sizeof(w->netdev), "%s", chosen->ifa_name);
	gid_of(chosen, w->ip[w->nips++]);
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		const struct sockaddr_ll *link = (const void *)a->ifa_addr;

		if (strcmp(a->ifa_name, chosen->ifa_name) || a == chosen)
			continue;
		if (link && link->sll_family == AF_PACKET && link->sll_halen == 6)
			memcpy(w->mac, link->sll_addr, 6);
		else if (w->nips < OPTIONS_IPS && gid_of(a, w->ip[w->nips]))
			w->nips++;
	}
}

static uint32_t read_mtu(const char *netdev)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = { 0 };
	uint32_t mtu = 0;

	if (fd < 0)
		return 0;
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", netdev);
	if (!ioctl(fd, SIOCGIFMTU, &r))
		mtu = r.ifr_mtu;
	close(fd);
	return mtu;
}

/* Checks a privilege that every process of the command needs. */
static bool has_privilege(char *why, size_t len)
{
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

	if (fd >= 0)
		close(fd);
	else
		snprintf(why, len, "%s", errno == EPERM ? OPTIONS_WIRE_EPERM : strerror(errno));
	return fd >= 0;
}

static bool find(const struct ifaddrs *all, const uint8_t *want, const char *text,
		 struct options_wire *w, char *why, size_t len)
{
	const struct ifaddrs *chosen = choose(all, want);
	char there[800];

	if (!chosen) {
		list(all, there, sizeof(there));
		snprintf(why, len, "%s%s; there are:%s",
			 want ? "no network interface has the address "
			      : "no network interface but the loopback one has an IPv4 address",
			 want ? text : "", there);
		return false;
	}
	collect(all, chosen, w);
	w->mtu = read_mtu(w->netdev);
	if (interface_path_mtu(w))
		return true;
	snprintf(why, len, "the MTU of %s is %u, a path MTU of 256 needs %u", w->netdev, w->mtu,
		 256 + HCA_ROCE_OVERHEAD);
	return false;
}

bool interface_find(const char *text, struct options_wire *w, char *why, size_t len)
{
	const char *address = !strncmp(text, "udp:", 4) ? text + 4 : NULL;
	struct ifaddrs *all;
	uint8_t want[16];
	bool ok;

	if ((!address && strcmp(text, "udp")) || (address && !options_address(address, want))) {
		snprintf(why, len,
			 "it is udp, or udp:ADDRESS with an IPv4 or IPv6 address of this "
			 "host; not '%s'",
			 text);
		return false;
	}
	if (!has_privilege(why, len))
		return false;
	if (getifaddrs(&all)) {
		snprintf(why, len, "%s", strerror(errno));
		return false;
	}
	ok = find(all, address ? want : NULL, address, w, why, len);
	freeifaddrs(all);
	return ok;
}

uint32_t interface_path_mtu(const struct options_wire *w)
{
	uint32_t mtu = 4096;

	while (mtu >= 256 && mtu + HCA_ROCE_OVERHEAD > w->mtu)
		mtu /= 2;
	return mtu >= 256 ? mtu : 0;
}

void interface_fabric(char *name, size_t size)
{
	struct stat st = { 0 };

	stat("/proc/self/ns/net", &st);
	snprintf(name, size, "net-%llu", (unsigned long long)st.st_ino);
}
