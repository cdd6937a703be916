/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RoCE on the network of this machine, for peers that are not processes of the fabric.
 *
 *	burst for slot 0 -> raw socket, IP header included -> routes and neighbours of the kernel
 *	                 -> of RoCE v1: packet socket      -> the interface, to the frame's MAC
 *	packet socket, with a filter: UDP port 4791, no fragment, or RoCE v1; and as destination
 *	    QP of this process (its slot), QP 1, or all QPs of a group     -> wire_next(), from slot 0
 *	UDP socket on port 4791 of each address: what it gets is dropped; without it the kernel would
 *	    answer frames with "port unreachable"
 *
 * A UDP socket would not do for receiving: it does not tell the identification of the IP
 * header, which the ICRC covers, nor the header itself, which UD delivers. The processes of the
 * host have a set of sockets each. The identification is never 0, as the kernel replaces 0 by
 * another number (raw(7)).
 *
 * The Ethernet header of RoCE v2 is the kernel's: here it has the addresses that the fabric
 * uses.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/network.h"

#define ETHERNET_LEN  14
#define IPV4_LEN      20
#define IPV6_LEN      40 /* and the GRH */
#define UDP_DPORT     2
#define UDP_LEN	      8
#define BTH_DQPN      4 /* a reserved byte and the number */
#define GSI_QPN	      1
#define MULTICAST_QPN 0xffffff
#define ALIGN	      2 /* puts the IP header on a multiple of 4 */
#define BUFFER	      (8 << 20)

/* The frames that one call received. */
struct network_in {
	unsigned int at, n;
	struct mmsghdr message[NETWORK_BATCH];
	struct iovec part[NETWORK_BATCH];
	struct sockaddr_ll from[NETWORK_BATCH];
	uint8_t bytes[NETWORK_BATCH][(ALIGN + WIRE_MAX_FRAME + 7) & ~7u];
};

bool network_is_own(const struct network *n, const uint8_t gid[16])
{
	for (unsigned int i = 0; i < n->nown; i++)
		if (!memcmp(n->own[i], gid, 16))
			return true;
	return false;
}

static socklen_t address(const struct network *n, const uint8_t gid[16], uint16_t port,
			 struct sockaddr_storage *to)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	if (hca_gid_is_ipv4(gid)) {
		memcpy(&in.sin_addr, gid + 12, 4);
		memcpy(to, &in, sizeof(in));
		return sizeof(in);
	}
	memcpy(&in6.sin6_addr, gid, 16);
	if (hca_gid_is_link_local(gid) || gid[0] == 0xff)
		in6.sin6_scope_id = n->ifindex;
	memcpy(to, &in6, sizeof(in6));
	return sizeof(in6);
}

/* ---- opening ---- */

#define LOAD(size, at)	    BPF_STMT(BPF_LD | BPF_ABS | (size), (at))
#define IS(k, yes, no)	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define HAS_BIT(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (k), (yes), (no))
#define ANCILLARY(what)	    LOAD(BPF_W, (uint32_t)(SKF_AD_OFF + (what)))
#define VERDICT(bytes)	    BPF_STMT(BPF_RET | BPF_K, (bytes))
#define TO(label, from)	    ((label) - (from)-1)

#define FILTER_V6   15
#define FILTER_UDP  19
#define FILTER_V1   22
#define FILTER_QPN  24
#define FILTER_DROP 30

/* The packet begins with its IP header. Jumps are relative to the next instruction. */
static int attach(const struct network *n, uint8_t slot)
{
	struct sock_filter code[] = {
		/*  0 */ ANCILLARY(SKF_AD_PKTTYPE),
		/*  1 */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, PACKET_OTHERHOST, TO(FILTER_DROP, 1),
			 0), /* or outgoing */
		/*  2 */ ANCILLARY(SKF_AD_IFINDEX),
		/*  3 */ IS(n->ifindex, 1, 0),
		/*  4 */ IS(core_interface_index("lo"), 0, TO(FILTER_DROP, 4)),
		/*  5 */ ANCILLARY(SKF_AD_PROTOCOL),
		/*  6 */ IS(ETH_P_IP, 0, TO(FILTER_V6, 6)),
		/*  7 */ LOAD(BPF_H, 6),
		/*  8 */ HAS_BIT(0x3fff, TO(FILTER_DROP, 8), 0), /* a fragment */
		/*  9 */ LOAD(BPF_B, 0),
		/* 10 */ IS(0x45, 0, TO(FILTER_DROP, 10)),
		/* 11 */ LOAD(BPF_B, 9),
		/* 12 */ IS(IPPROTO_UDP, 0, TO(FILTER_DROP, 12)),
		/* 13 */ BPF_STMT(BPF_LDX | BPF_IMM, IPV4_LEN),
		/* 14 */ BPF_STMT(BPF_JMP | BPF_JA, TO(FILTER_UDP, 14)),
		/* 15 */ IS(ETH_P_IPV6, 0, TO(FILTER_V1, 15)),
		/* 16 */ LOAD(BPF_B, 6),
		/* 17 */ IS(IPPROTO_UDP, 0, TO(FILTER_DROP, 17)),
		/* 18 */ BPF_STMT(BPF_LDX | BPF_IMM, IPV6_LEN),
		/* 19 */ BPF_STMT(BPF_LD | BPF_H | BPF_IND, UDP_DPORT),
		/* 20 */ IS(WIRE_UDP_PORT, 0, TO(FILTER_DROP, 20)),
		/* 21 */ BPF_STMT(BPF_JMP | BPF_JA, TO(FILTER_QPN, 21)),
		/* 22 */ IS(WIRE_ETHERTYPE_ROCE, 0, TO(FILTER_DROP, 22)),
		/* 23 */ BPF_STMT(BPF_LDX | BPF_IMM, IPV6_LEN - UDP_LEN),
		/* 24 */ BPF_STMT(BPF_LD | BPF_W | BPF_IND, UDP_LEN + BTH_DQPN),
		/* 25 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffffff),
		/* 26 */ IS(GSI_QPN, 4, 0),
		/* 27 */ IS(MULTICAST_QPN, 3, 0),
		/* 28 */ BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16),
		/* 29 */ IS(slot, 1, 0),
		/* 30 */ VERDICT(0),
		/* 31 */ VERDICT(UINT32_MAX),
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(code), .filter = code };

	return setsockopt(n->packets, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ? errno
											 : 0;
}

/* More than the administrator's limit where that is allowed, else up to it. */
static void widen(int fd, int forced, int limited)
{
	int size = BUFFER;

	if (setsockopt(fd, SOL_SOCKET, forced, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, limited, &size, sizeof(size));
}

/* Frames for groups leave by the interface without a route. Copies for the own host are the
 * fabric's. */
static void send_to_groups(int fd, int family, unsigned int ifindex)
{
	struct ip_mreqn by = { .imr_ifindex = (int)ifindex };
	int loop = 0;

	if (family == AF_INET) {
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by));
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof(loop));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &ifindex, sizeof(ifindex));
		setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, &loop, sizeof(loop));
	}
}

static int open_raw(int family, unsigned int ifindex, int *fd)
{
	*fd = core_own(socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW));
	if (*fd < 0)
		return errno;
	widen(*fd, SO_SNDBUFFORCE, SO_SNDBUF);
	send_to_groups(*fd, family, ifindex);
	return 0;
}

/* Without a protocol until the filter is attached, so that nothing bypasses it. */
static int open_packets(struct network *n, uint8_t slot)
{
	struct sockaddr_ll all = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int err, on = 1;

	n->packets = core_own(socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	if (n->packets < 0)
		return errno;
	err = attach(n, slot);
	if (err)
		return err;
	setsockopt(n->packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	widen(n->packets, SO_RCVBUFFORCE, SO_RCVBUF);
	return bind(n->packets, (struct sockaddr *)&all, sizeof(all)) ? errno : 0;
}

/* Holds the UDP port of an address. One that the kernel is still testing for duplicates cannot
 * be bound. */
static int hold_port(struct network *n, const uint8_t gid[16])
{
	struct sock_filter drop[] = { VERDICT(0) };
	struct sock_fprog prog = { .len = 1, .filter = drop };
	struct sockaddr_storage to;
	socklen_t len = address(n, gid, WIRE_UDP_PORT, &to);
	int on = 1, err = 0;
	int fd = core_own(socket(to.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));

	if (fd < 0)
		return errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ||
	    bind(fd, (struct sockaddr *)&to, len))
		err = errno;
	if (err) {
		core_own_close(fd);
		return err == EADDRNOTAVAIL ? 0 : err;
	}
	n->held[n->nheld++] = fd;
	return 0;
}

static void prepare(struct network_in *in)
{
	for (unsigned int i = 0; i < NETWORK_BATCH; i++) {
		in->part[i] = (struct iovec){ in->bytes[i] + ALIGN + ETHERNET_LEN,
					      WIRE_MAX_FRAME - ETHERNET_LEN };
		in->message[i].msg_hdr = (struct msghdr){ .msg_name = &in->from[i],
							  .msg_iov = &in->part[i],
							  .msg_iovlen = 1 };
	}
}

static int open_all(struct network *n, const struct options_wire *o, uint8_t slot)
{
	int err;

	n->ifindex = core_interface_index(o->netdev);
	if (!n->ifindex)
		return errno;
	n->in = calloc(1, sizeof(*n->in));
	if (!n->in)
		return ENOMEM;
	prepare(n->in);
	err = open_raw(AF_INET, n->ifindex, &n->send4);
	if (err)
		return err;
	open_raw(AF_INET6, n->ifindex, &n->send6); /* a kernel may have no IPv6 */
	err = open_packets(n, slot);
	for (unsigned int i = 0; !err && i < o->nips; i++)
		err = hold_port(n, o->ip[i]);
	return err;
}

/* Both sockets in one descriptor for poll(). */
static int join(struct wire *w)
{
	struct epoll_event event = { .events = EPOLLIN };

	w->poll_fd = core_own(epoll_create1(EPOLL_CLOEXEC));
	if (w->poll_fd < 0 || epoll_ctl(w->poll_fd, EPOLL_CTL_ADD, w->fd, &event) ||
	    epoll_ctl(w->poll_fd, EPOLL_CTL_ADD, w->network->packets, &event))
		return errno;
	return 0;
}

int wire_network(struct wire *w, const struct options_wire *o, const uint8_t (*own)[16],
		 unsigned int nown)
{
	struct network *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return ENOMEM;
	n->send4 = n->send6 = n->packets = -1;
	core_list_init(&n->groups);
	n->nown = nown;
	memcpy(n->own, own, nown * sizeof(*own));
	w->network = n;
	err = open_all(n, o, w->slot);
	return err ? err : join(w);
}

/* ---- groups ---- */

/* A membership lasts as long as its socket, which receives nothing; a socket may have only 20
 * of them (sysctl net.ipv4.igmp_max_memberships). */
struct network_group {
	struct core_list on_network;
	uint8_t gid[16];
	int fd;
};

static int join_group(const struct network *n, struct network_group *g)
{
	struct ipv6_mreq six = { .ipv6mr_interface = n->ifindex };
	struct ip_mreqn four = { .imr_ifindex = (int)n->ifindex };
	int ret;

	g->fd = core_own(socket(hca_gid_is_ipv4(g->gid) ? AF_INET : AF_INET6,
				SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	if (g->fd < 0)
		return errno;
	memcpy(&four.imr_multiaddr, g->gid + 12, 4);
	memcpy(&six.ipv6mr_multiaddr, g->gid, 16);
	if (hca_gid_is_ipv4(g->gid))
		ret = setsockopt(g->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four, sizeof(four));
	else
		ret = setsockopt(g->fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &six, sizeof(six));
	return ret ? errno : 0;
}

static void leave_group(struct network_group *g)
{
	core_own_close(g->fd);
	core_list_del(&g->on_network);
	free(g);
}

int wire_join(struct wire *w, const uint8_t gid[16])
{
	struct network_group *g;
	int err;

	if (!w->network)
		return 0;
	g = calloc(1, sizeof(*g));
	if (!g)
		return ENOMEM;
	memcpy(g->gid, gid, sizeof(g->gid));
	core_list_add(&w->network->groups, &g->on_network);
	err = join_group(w->network, g);
	if (err)
		leave_group(g);
	return err;
}

void wire_leave(struct wire *w, const uint8_t gid[16])
{
	struct core_list *pos, *tmp;

	if (!w->network)
		return;
	core_list_for_each(pos, tmp, &w->network->groups) {
		struct network_group *g = core_container(pos, struct network_group, on_network);

		if (!memcmp(g->gid, gid, sizeof(g->gid)))
			leave_group(g);
	}
}

void network_close(struct network *n)
{
	if (!n)
		return;
	while (!core_list_empty(&n->groups))
		leave_group(core_container(n->groups.next, struct network_group, on_network));
	core_own_close(n->send4);
	core_own_close(n->send6);
	core_own_close(n->packets);
	for (unsigned int i = 0; i < n->nheld; i++)
		core_own_close(n->held[i]);
	free(n->in);
	free(n);
}

bool wire_has_network(const struct wire *w)
{
	return w->network;
}

uint8_t wire_route(const struct wire *w, const uint8_t dgid[16], uint8_t slot)
{
	return !w->network || network_is_own(w->network, dgid) ? slot : WIRE_NETWORK;
}

/* The kernel chooses it when a socket is connected (RFC 6724). */
int wire_source(const struct wire *w, const uint8_t dgid[16], uint8_t sgid[16])
{
	struct sockaddr_storage to, from;
	socklen_t len = address(w->network, dgid, WIRE_UDP_PORT, &to), from_len = sizeof(from);
	int fd = core_own(socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0)), err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&to, len) ||
	    getsockname(fd, (struct sockaddr *)&from, &from_len))
		err = -errno;
	core_own_close(fd);
	if (err)
		return err;
	if (from.ss_family == AF_INET) {
		hca_gid_set_ipv4(sgid, &((struct sockaddr_in *)&from)->sin_addr);
	} else {
		memcpy(sgid, &((struct sockaddr_in6 *)&from)->sin6_addr, 16);
	}
	return 0;
}

/* netdevice(7), arp(7) */
int wire_neighbour(const struct wire *w, const uint8_t gid[16], uint8_t mac[6])
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct arpreq r = { 0 };

	if (!hca_gid_is_ipv4(gid))
		return -EHOSTUNREACH;
	memcpy(&in.sin_addr, gid + 12, 4);
	memcpy(&r.arp_pa, &in, sizeof(in));
	core_interface_name(w->network->ifindex, r.arp_dev);
	if (ioctl(w->network->send4, SIOCGARP, &r) || !(r.arp_flags & ATF_COM))
		return -EHOSTUNREACH;
	memcpy(mac, r.arp_ha.sa_data, 6);
	return 0;
}

/* ---- sending ---- */

void network_seal(struct network *n, uint8_t *frame, size_t len)
{
	uint8_t *ip = frame + ETHERNET_LEN;
	uint32_t icrc;

	if (ip[0] >> 4 == 4) {
		if (!++n->id)
			n->id = 1;
		ip[4] = n->id >> 8;
		ip[5] = n->id;
		wire_ipv4_checksum(ip);
	}
	icrc = wire_icrc(frame, len);
	memcpy(frame + len - sizeof(icrc), &icrc, sizeof(icrc));
}

static void gid_of(const uint8_t *ip, uint8_t gid[16])
{
	if (ip[0] >> 4 == 6)
		memcpy(gid, ip + 24, 16);
	else
		hca_gid_set_ipv4(gid, ip + 16);
}

/* Frames of one socket. */
struct batch {
	unsigned int n;
	int fd;
	struct mmsghdr message[NETWORK_BATCH];
	struct iovec part[NETWORK_BATCH];
	struct sockaddr_storage to[NETWORK_BATCH];
	uint32_t end[NETWORK_BATCH]; /* where the next frame of the burst begins */
};

/* The socket that sends @frame, and where to. */
static int route(const struct network *n, const uint8_t *frame, struct sockaddr_storage *to,
		 socklen_t *len)
{
	struct sockaddr_ll link = { .sll_family = AF_PACKET,
				    .sll_protocol = htons(WIRE_ETHERTYPE_ROCE),
				    .sll_ifindex = n->ifindex,
				    .sll_halen = 6 };
	const uint8_t *ip = frame + ETHERNET_LEN;
	uint8_t gid[16];

	if (core_be16(frame + 12) == WIRE_ETHERTYPE_ROCE) {
		memcpy(link.sll_addr, frame, 6);
		memcpy(to, &link, sizeof(link));
		*len = sizeof(link);
		return n->packets;
	}
	gid_of(ip, gid);
	*len = address(n, gid, 0, to);
	return ip[0] >> 4 == 4 ? n->send4 : n->send6;
}

/* The frames of one socket from b->pos on, up to the size of the batch. */
static void gather(const struct network *n, struct burst *b, struct batch *out)
{
	uint32_t pos = b->pos;

	out->n = 0;
	while (out->n < NETWORK_BATCH) {
		struct msghdr *m = &out->message[out->n].msg_hdr;
		struct sockaddr_storage *to = &out->to[out->n];
		size_t len;
		uint8_t *frame = burst_at(b, &pos, &len);
		socklen_t to_len;
		int fd;

		if (!frame)
			return;
		fd = route(n, frame, to, &to_len);
		if (out->n && fd != out->fd)
			return;
		out->fd = fd;
		out->part[out->n] = (struct iovec){ frame + ETHERNET_LEN, len - ETHERNET_LEN };
		*m = (struct msghdr){ .msg_name = to,
				      .msg_namelen = to_len,
				      .msg_iov = &out->part[out->n],
				      .msg_iovlen = 1 };
		out->end[out->n++] = pos;
	}
}

/* A frame that the kernel refuses is lost: too long for the interface, no route, a local
 * filter. */
bool network_send(struct network *n, struct burst *b)
{
	struct batch out;
	int sent;

	for (gather(n, b, &out); out.n; gather(n, b, &out)) {
		sent = sendmmsg(out.fd, out.message, out.n, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM))
			return false;
		b->pos = out.end[sent > 0 ? sent - 1 : 0];
	}
	return true;
}

/* ---- receiving ---- */

/* For an address of the port, or a group? Frames to other hosts pass a machine that routes. One
 * of IPv4 that has a BTH is longer than a header of IPv6, too. */
static bool is_for_us(const struct network *n, const uint8_t *ip, size_t len)
{
	uint8_t gid[16];

	if (len < IPV6_LEN)
		return false;
	gid_of(ip, gid);
	return network_is_own(n, gid) || hca_is_multicast(gid);
}

static bool receive(struct network *n)
{
	struct network_in *in = n->in;
	int got;

	for (unsigned int i = 0; i < NETWORK_BATCH; i++)
		in->message[i].msg_hdr.msg_namelen = sizeof(in->from[i]);
	do
		got = recvmmsg(n->packets, in->message, NETWORK_BATCH, MSG_DONTWAIT, NULL);
	while (got < 0 && errno == EINTR);
	in->at = 0;
	in->n = got > 0 ? got : 0;
	return in->n;
}

/* Its Ethernet header has the sender's address, and the type. */
uint8_t *network_next(struct network *n, size_t *len)
{
	struct network_in *in = n->in;

	while (in->at < in->n || receive(n)) {
		unsigned int i = in->at++;
		uint8_t *frame = in->bytes[i] + ALIGN, *ip = frame + ETHERNET_LEN;

		*len = in->message[i].msg_len;
		if (in->message[i].msg_hdr.msg_flags & MSG_TRUNC || !is_for_us(n, ip, *len))
			continue;
		memset(frame, 0, 6);
		memcpy(frame + 6, in->from[i].sll_addr, 6);
		memcpy(frame + 12, &in->from[i].sll_protocol, 2);
		*len += ETHERNET_LEN;
		return frame;
	}
	return NULL;
}
