/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames to and from the kernel through a TAP interface. Its host is this machine: packet
 * sockets see what it receives, and send what it is to send. Everything in a network namespace
 * of the test's own.
 */
#include <errno.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "unit/net/port.h"

#define TYPE 0x88b5 /* IEEE 802: local experimental ethertype 1 */
#define LEN  60

static void enter_namespace(void)
{
	if (unshare(CLONE_NEWNET) || access("/dev/net/tun", R_OK | W_OK))
		cr_skip_test("needs CAP_SYS_ADMIN and /dev/net/tun");
}

static int packet_socket(const char *name)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htobe16(TYPE) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htobe16(TYPE));

	at.sll_ifindex = (int)if_nametoindex(name);
	cr_assert_neq(at.sll_ifindex, 0, "no interface %s", name);
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0, "%m");
	return fd;
}

/* Deletes interface @name, as "ip link del" does. */
static void delete_link(const char *name)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
	} m = { .head = { .nlmsg_len = sizeof(m),
			  .nlmsg_type = RTM_DELLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.link = { .ifi_index = (int)if_nametoindex(name) } };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	cr_assert_eq(send(fd, &m, sizeof(m), 0), sizeof(m), "%m");
	cr_assert_gt(recv(fd, &answer, sizeof(answer), 0), 0, "%m");
	cr_assert_eq(answer.error.error, 0, "%s", strerror(-answer.error.error));
	close(fd);
}

static void make(uint8_t *frame, uint8_t first, uint8_t to)
{
	frame_to(frame, LEN, first, to);
	frame[12] = TYPE >> 8;
	frame[13] = TYPE & 0xff;
}

static void expect_in_kernel(int fd, const uint8_t *frame)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t got[2 * LEN];

	cr_assert_eq(poll(&p, 1, 10000), 1, "the kernel received nothing");
	cr_expect_eq(recv(fd, got, sizeof(got), 0), LEN);
	cr_expect_arr_eq(got, frame, LEN);
}

static void expect_silence(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	cr_expect_eq(poll(&p, 1, 0), 0);
}

/* Until a frame of the test is there; the kernel sends others (IPv6 router solicitations). */
static void expect_from_kernel(struct port *at, struct port *tap, const uint8_t *frame)
{
	struct pollfd p = { .fd = net_fd(tap->n), .events = POLLIN };
	uint8_t got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	for (int tries = 0; tries < 100; tries++) {
		poll(&p, 1, 100);
		net_poll(tap->n, 0);
		wire_flush(tap->w);
		while (arrived(at, got, &how))
			if (!memcmp(got + 12, frame + 12, 2)) {
				cr_expect_arr_eq(got, frame, LEN);
				cr_expect_eq(how.local, 0);
				return;
			}
	}
	cr_assert_fail("no frame from the kernel");
}

static void drain(struct port *from, struct port *at)
{
	uint8_t got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	wire_flush(from->w);
	while (arrived(at, got, &how))
		;
}

Test(net, tap_carries_frames_both_ways)
{
	uint8_t frame[LEN];
	struct port a, b;
	int fd;

	enter_namespace();
	port_open(&a, 1);
	port_open(&b, 2);
	cr_assert_eq(net_tap(a.n, "dvtest0"), 0);
	fd = packet_socket("dvtest0");

	make(frame, 2, 0x55); /* no port has this address: it may be the kernel's */
	cr_expect(net_send(a.n, 1, frame, LEN));
	expect_in_kernel(fd, frame);
	make(frame, 2, 2);
	cr_expect(net_send(a.n, 1, frame, LEN));
	expect_silence(fd);
	drain(&a, &b);
	make(frame, 3, 0); /* of b, through a */
	cr_expect(net_send(b.n, 1, frame, LEN));
	wire_flush(b.w);
	expect_frame(&a, frame, LEN, false);
	expect_in_kernel(fd, frame);

	make(frame, 3, 1); /* of a, to all: to the kernel once, though it comes back to a */
	cr_expect(net_send(a.n, 1, frame, LEN));
	wire_flush(a.w);
	expect_in_kernel(fd, frame);
	expect_frame(&a, frame, LEN, true);
	expect_silence(fd);

	drain(&b, &b);
	make(frame, 2, 2);
	cr_assert_eq(send(fd, frame, LEN, 0), LEN);
	expect_from_kernel(&b, &a, frame);
	close(fd);
	port_close(&a);
	port_close(&b);
}

static void set_promisc(const char *name, bool on)
{
	struct ifreq r = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strcpy(r.ifr_name, name);
	cr_assert_eq(ioctl(fd, SIOCGIFFLAGS, &r), 0);
	r.ifr_flags = on ? r.ifr_flags | IFF_PROMISC : r.ifr_flags & ~IFF_PROMISC;
	cr_assert_eq(ioctl(fd, SIOCSIFFLAGS, &r), 0);
	close(fd);
}

/* The port is what its interface is, from the start, and at a look once in a millisecond. */
Test(net, promiscuous_interface_makes_the_port_so)
{
	struct port a;

	enter_namespace();
	port_open(&a, 1);
	set_promisc("lo", true);
	cr_assert_eq(net_netdev(a.n, "lo"), 0);
	cr_expect(a.hca.port.promisc);
	cr_expect(atomic_load(&a.hca.vhcas[a.hca.slot].port) & HCA_PORT_PROMISC);
	set_promisc("lo", false);
	net_poll(a.n, 999999);
	cr_expect(a.hca.port.promisc, "not yet");
	net_poll(a.n, 1000000);
	cr_expect_not(a.hca.port.promisc);
	cr_expect_not(atomic_load(&a.hca.vhcas[a.hca.slot].port) & HCA_PORT_PROMISC);
	set_promisc("lo", true);
	net_poll(a.n, 1999999);
	cr_expect_not(a.hca.port.promisc);
	net_poll(a.n, 2000000);
	cr_expect(a.hca.port.promisc);
	cr_expect_eq(net_netdev(a.n, "a-name-of-16-chr"), EINVAL);
	port_close(&a);
}

Test(net, tap_of_another_process_is_shared)
{
	struct port a, b;

	enter_namespace();
	port_open(&a, 1);
	port_open(&b, 2);
	cr_expect_eq(net_tap(a.n, "dvtest0"), 0);
	cr_expect_eq(net_tap(b.n, "dvtest0"), 0, "through a");
	cr_expect_eq(net_fd(b.n), -1);
	port_close(&b);
	port_close(&a);
}

Test(net, tap_name_that_is_another_interface_is_refused)
{
	struct port a;

	enter_namespace();
	port_open(&a, 1);
	cr_expect_eq(net_tap(a.n, "lo"), EINVAL);
	cr_expect_eq(net_tap(a.n, "a-name-of-16-char"), EINVAL);
	port_close(&a);
}

static unsigned int reported;

static void tell(struct hca *hca)
{
	(void)hca;
	reported++;
}

/* A descriptor that is always ready would keep the engine awake. */
Test(net, tap_that_is_deleted_is_left)
{
	struct ifreq r = { .ifr_name = "dvtest0" };
	uint8_t frame[LEN];
	struct port a;
	int fd;

	enter_namespace();
	port_open(&a, 1);
	a.hca.tap_gone = tell;
	cr_assert_eq(net_tap(a.n, "dvtest0"), 0);

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	cr_assert_eq(ioctl(fd, SIOCGIFFLAGS, &r), 0);
	r.ifr_flags &= ~IFF_UP;
	cr_assert_eq(ioctl(fd, SIOCSIFFLAGS, &r), 0);
	for (int i = 0; i < 3; i++)
		net_poll(a.n, 0);
	cr_expect_geq(net_fd(a.n), 0, "it is down, and may come up again");
	cr_expect_not(a.hca.port.unplugged);

	delete_link("dvtest0");
	cr_expect_not(net_poll(a.n, 0), "nothing moved");
	cr_expect_eq(net_fd(a.n), -1);
	cr_expect(a.hca.port.unplugged);
	cr_expect_not(a.hca.port.tap);
	cr_expect_not(atomic_load(&a.hca.vhcas[a.hca.slot].port) & HCA_PORT_TAP);
	make(frame, 2, 0x55);
	for (int i = 0; i < 3; i++) {
		net_poll(a.n, 0);
		cr_expect(net_send(a.n, 1, frame, LEN));
	}
	cr_expect_eq(reported, 1);
	close(fd);
	port_close(&a);
}
