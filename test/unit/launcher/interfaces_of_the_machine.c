/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --wire: which interface has the address, and what the port gets of it; --netdev: an interface
 * that is there has the port's address, and another one is created. The test is the kernel.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel.h"
#include "launcher/interface.h"
#include "launcher/netdev.h"
#include "lib/steps.h"

/* A row per address, as getifaddrs(3) lists them; a MAC: its length and last byte. */
static const struct row {
	const char *name, *ip;
	unsigned int flags;
	uint8_t mac_len, mac;
} machine[] = {
	{ "lo", "127.0.0.1", IFF_UP | IFF_LOOPBACK, 0, 0 },
	{ "down0", "10.0.0.9", 0, 0, 0 },
	{ "none0", NULL, IFF_UP, 0, 0 },
	{ "eth0", "fe80::1", IFF_UP, 0, 0 },
	{ "eth0", "10.1.2.3", IFF_UP, 0, 0 },
	{ "eth1", "10.9.9.9", IFF_UP, 0, 0 },
	{ "eth0", NULL, IFF_UP, 6, 0xe0 },
	{ "eth1", NULL, IFF_UP, 20, 0xe1 },
	{ "eth0", "10.1.2.4", IFF_UP, 0, 0 },
	{ "eth1", "fd00::1", IFF_UP, 0, 0 },
};

static struct ifaddrs all[64];
static struct sockaddr_storage addresses[64];

static void put(int i, const struct row *row)
{
	struct sockaddr_in *four = (void *)&addresses[i];
	struct sockaddr_in6 *six = (void *)&addresses[i];
	struct sockaddr_ll *link = (void *)&addresses[i];

	all[i] = (struct ifaddrs){ .ifa_name = (char *)row->name, .ifa_flags = row->flags };
	if (i)
		all[i - 1].ifa_next = &all[i];
	if (row->ip || row->mac_len)
		all[i].ifa_addr = (struct sockaddr *)&addresses[i];
	if (row->mac_len) {
		link->sll_family = AF_PACKET;
		link->sll_halen = row->mac_len;
		memcpy(link->sll_addr, (uint8_t[8]){ 2, 3, 4, 5, 6, row->mac }, 8);
	} else if (row->ip && strchr(row->ip, ':')) {
		six->sin6_family = AF_INET6;
		inet_pton(AF_INET6, row->ip, &six->sin6_addr);
	} else if (row->ip) {
		four->sin_family = AF_INET;
		inet_pton(AF_INET, row->ip, &four->sin_addr);
	}
}

static int descriptors;

static void begin(void)
{
	close(0); /* the first number that is free */
	kernel = (struct kernel){ .interfaces = true, .addresses = all, .mtu = 1500 };
	for (int i = 0; i < 10; i++)
		put(i, &machine[i]);
	descriptors = open_descriptors();
}

static void end(void)
{
	cr_expect_eq(open_descriptors(), descriptors, "descriptors are left");
}

TestSuite(interface, .init = begin, .fini = end);

#define THERE                                                                             \
	"127.0.0.1 (lo) 10.0.0.9 (down0) fe80::1 (eth0) 10.1.2.3 (eth0) 10.9.9.9 (eth1) " \
	"10.1.2.4 (eth0) fd00::1 (eth1)"
#define IT_IS "it is udp, or udp:ADDRESS with an IPv4 or IPv6 address of this host; not "

Test(interface, has_the_address)
{
	static const struct {
		const char *text, *found; /* as key wire, or why not */
	} rows[] = {
		{ "udp", "eth0;0203040506e0;1500;10.1.2.3;fe80::1;10.1.2.4" },
		{ "udp:10.1.2.4", "eth0;0203040506e0;1500;10.1.2.4;fe80::1;10.1.2.3" },
		{ "udp:10.9.9.9", "eth1;000000000000;1500;10.9.9.9;fd00::1" },
		{ "udp:fd00::1", "eth1;000000000000;1500;fd00::1;10.9.9.9" },
		{ "udp:127.0.0.1", "lo;000000000000;1500;127.0.0.1" },
		{ "udp:10.0.0.9", "down0;000000000000;1500;10.0.0.9" },
		{ "udp:10.1.2.5",
		  "no network interface has the address 10.1.2.5; there are: " THERE },
		{ "tcp", IT_IS "'tcp'" },
		{ "", IT_IS "''" },
		{ "udp:", IT_IS "'udp:'" },
		{ "udp4", IT_IS "'udp4'" },
		{ "udp:10.1.2", IT_IS "'udp:10.1.2'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool is_found = strchr(rows[i].found, ';') < strchr(rows[i].found, ' ') ||
				!strchr(rows[i].found, ' ');
		char text[OPTIONS_WIRE_TEXT] = "";
		struct options_wire w;

		kernel.calls[0] = 0;
		kernel.given_back = 0;
		cr_assert_eq(interface_find(rows[i].text, &w, text, sizeof(text)), is_found,
			     "%s: %s", rows[i].text, text);
		if (is_found)
			options_wire_text(&w, text);
		cr_expect_str_eq(text, rows[i].found);
		cr_expect_eq(kernel.given_back, *rows[i].found != 'i', "%s", rows[i].text);
		if (is_found) /* a raw socket, IPPROTO_RAW; one for the MTU */
			cr_expect(strstr(kernel.calls, "socket(3,255) socket(2,0) ") ==
					  kernel.calls &&
				  strstr(kernel.calls, ":mtu "));
	}
}

Test(interface, cannot_be_used)
{
	char why[200];
	struct options_wire w;

	static const struct {
		unsigned int step;
		int error;
		const char *why;
	} rows[] = {
		{ 1, EPERM, OPTIONS_WIRE_EPERM },
		{ 1, EMFILE, "Too many open files" },
		{ 2, EMFILE, "the MTU of eth0 is 0, a path MTU of 256 needs 352" },
		{ 3, ENODEV, "the MTU of eth0 is 0, a path MTU of 256 needs 352" },
	};

	for (int i = 0; i < 4; i++) {
		steps.fail_at = rows[i].step;
		kernel.error = rows[i].error;
		cr_expect_not(interface_find("udp", &w, why, sizeof(why)));
		cr_expect_str_eq(why, rows[i].why);
	}
	kernel.mtu = 351;
	cr_expect_not(interface_find("udp", &w, why, sizeof(why)));
	cr_expect_str_eq(why, "the MTU of eth0 is 351, a path MTU of 256 needs 352");
	all[1].ifa_next = NULL;
	cr_expect_not(interface_find("udp", &w, why, sizeof(why)));
	cr_expect_str_eq(why, "no network interface but the loopback one has an IPv4 address; "
			      "there are: 127.0.0.1 (lo) 10.0.0.9 (down0)");
	kernel.addresses = NULL;
	cr_expect_not(interface_find("udp", &w, why, sizeof(why)));
	cr_expect_str_eq(why, strerror(ENOBUFS));
}

/* The port has 16; a list of more than 800 bytes is cut. */
Test(interface, has_many_addresses)
{
	struct options_wire w;
	char why[1200];

	for (int i = 0; i < 60; i++) {
		char ip[20];

		snprintf(ip, sizeof(ip), "10.200.200.%d", 100 + i);
		put(i, &(struct row){ "eth0", ip, IFF_UP, 0, 0 });
	}
	cr_assert(interface_find("udp:10.200.200.103", &w, why, sizeof(why)));
	cr_expect_eq(w.nips, OPTIONS_IPS);
	cr_expect_eq(w.ip[0][15], 103);
	for (int i = 1; i < OPTIONS_IPS; i++)
		cr_expect_eq(w.ip[i][15], 100 + i - (i < 4), "%d", i);
	cr_expect_not(interface_find("udp:10.0.0.1", &w, why, sizeof(why)));
	cr_expect_eq(strlen(strstr(why, " 10.200")), 799);
}

/* 96 bytes of headers and ICRC (ib_core, iboe_get_mtu). */
Test(interface, mtu_is_that_of_the_path)
{
	static const uint32_t rows[][2] = { { 65536, 4096 }, { 4192, 4096 }, { 4191, 2048 },
					    { 2144, 2048 },  { 2143, 1024 }, { 1120, 1024 },
					    { 1119, 512 },   { 608, 512 },   { 607, 256 },
					    { 352, 256 },    { 351, 0 },     { 0, 0 } };

	for (int i = 0; i < 12; i++)
		cr_expect_eq(interface_path_mtu(&(struct options_wire){ .mtu = rows[i][0] }),
			     rows[i][1], "%u", rows[i][0]);
}

Test(interface, fabric_is_that_of_the_namespace)
{
	char name[40], link[40] = "";

	interface_fabric(name, sizeof(name));
	cr_assert_gt(readlink("/proc/self/ns/net", link, sizeof(link) - 1), 0);
	cr_assert_eq(strncmp(name, "net-", 4), 0);
	cr_expect_eq(atoll(name + 4), atoll(link + strlen("net:[")), "%s, %s", name, link);
}

static const uint8_t mac[6] = { 2, 0xc5, 10, 0, 0, 7 };

/* ARPHRD_ETHER 1, IFF_TAP 2, IFF_NO_PI 0x1000, IFF_UP 1 */
Test(interface, is_created)
{
	static const char *const why[] = {
		"socket for a-name-of-15-ch", "create a-name-of-15-ch",
		"create a-name-of-15-ch",     "address of a-name-of-15-ch",
		"flags of a-name-of-15-ch",   "flags of a-name-of-15-ch",
	};
	char said[200], want[200];

	cr_expect(netdev_provide("a-name-of-15-ch", mac, said, sizeof(said)));
	cr_expect_str_eq(kernel.calls,
			 "socket(2,0) tun a-name-of-15-ch:made(0x1002) "
			 "a-name-of-15-ch:mac(1,02c50a000007) a-name-of-15-ch:flags "
			 "a-name-of-15-ch:flags(0x41) ");
	cr_expect_eq(open_descriptors(), ++descriptors, "it ends with its descriptor");
	for (unsigned int i = 0; i < 6; i++) {
		kernel.error = i % 2 ? EPERM : EBUSY;
		steps.fail_at = i + 1;
		cr_expect_not(netdev_provide("a-name-of-15-ch", mac, said, sizeof(said)));
		snprintf(want, sizeof(want), "%s: %s", why[i],
			 i % 2 ? "Operation not permitted (CAP_NET_ADMIN is required, or an "
				 "interface that exists)"
			       : "Device or resource busy");
		cr_expect_str_eq(said, want);
		descriptors += i > 2;
		cr_expect_eq(open_descriptors(), descriptors, "%u", i);
	}
}

Test(interface, exists_already)
{
	char said[200];

	kernel.exists = true;
	memcpy(kernel.mac, mac, 6);
	cr_expect(netdev_provide("eth0", mac, said, sizeof(said)));
	cr_expect_str_eq(kernel.calls, "socket(2,0) eth0:mac ");
	kernel.mac[5]++;
	cr_expect_not(netdev_provide("eth0", mac, said, sizeof(said)));
	cr_expect_str_eq(said, "the address of eth0 is 02:c5:0a:00:00:08, that of the port "
			       "02:c5:0a:00:00:07: ip link set dev eth0 address "
			       "02:c5:0a:00:00:07");
	steps.fail_at = 2;
	kernel.error = ENODEV;
	cr_expect_not(netdev_provide("eth0", mac, said, sizeof(said)));
	cr_expect_str_eq(said, "address of eth0: No such device");
}
