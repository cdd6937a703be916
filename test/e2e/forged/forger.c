/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer that target has: it sends RoCE frames that are right, nearly right, or wrong, as
 * Ethernet frames on an interface.
 *
 *	forger FILE INTERFACE TO-MAC FROM TO [FRAMES [SEED]]	FROM, TO: IPv4 addresses
 *
 * It knows all that a peer knows: numbers of QPs, PSNs, keys. Most frames have the ICRC that
 * belongs to them, spoilt ones too. It does not get more than WINDOW frames ahead of the
 * target, which counts those that arrived.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "fuzz/chance.h"
#include "target.h"
#include "wire/wire.h"

#define WINDOW		512
#define IP_AT		14
#define BTH_AT		(14 + 20 + 8)
#define LONGEST_HEADERS (14 + 40 + 8 + 12 + 4) /* by IPv6, as a spoilt frame may say */
#define PATIENCE	20000 /* times 50 us without an arrival: the rest was lost */

static struct target *t;
static uint32_t psn[TARGET_QPS]; /* of the next request */
static uint8_t from[16], to[16], to_mac[6];

static uint8_t some_opcode(uint8_t type)
{
	uint8_t service = type == IBV_QPT_RC ? WIRE_RC : type == IBV_QPT_UC ? WIRE_UC : WIRE_UD;

	for (;;) {
		uint8_t opcode = one_in(8) ? chance() : service | below(0x18);

		if (wire_opcode_info(opcode)->name)
			return opcode;
	}
}

/* The PSNs that the target expects, has had, has sent; or not far from that. */
static uint32_t some_psn(unsigned int i, uint8_t opcode)
{
	uint8_t operation = opcode & WIRE_OPERATION_MASK;
	bool answer = operation >= WIRE_READ_RESPONSE_FIRST && operation <= WIRE_ATOMIC_ACK;
	uint32_t at = answer ? TARGET_SQ_PSN + below(24) : one_in(4) ? TARGET_RQ_PSN : psn[i];

	if (one_in(4))
		at += below(9) - 4;
	if (one_in(64))
		at = chance();
	if (!answer)
		psn[i] = at + 1;
	return at & 0xffffff;
}

static void some_memory(struct wire_packet *p)
{
	const uint64_t va[] = { t->open_va, t->open_va, t->open_va, t->closed_va,
				t->read_only_va };
	const uint32_t rkey[] = { t->open_rkey, t->open_rkey, t->open_rkey, t->closed_rkey,
				  t->read_only_rkey };
	uint32_t i = below(5);

	p->va = va[i] + below(t->open_len);
	p->rkey = one_in(8) ? rkey[below(5)] : rkey[i];
	p->dma_len = one_in(2) ? p->payload_len : below(5000);
	if (one_in(8))
		p->va = one_in(2) ? va[i] + t->open_len - below(16) : odd_number();
	if (one_in(8))
		p->rkey = one_in(2) ? p->rkey ^ 1u << below(32) : (uint32_t)odd_number();
	if (one_in(8))
		p->dma_len = odd_number();
}

static void fill(struct wire_packet *p, const uint8_t *payload)
{
	unsigned int i = below(TARGET_QPS);

	memset(p, 0, sizeof(*p));
	memcpy(p->sgid, from, 16);
	memcpy(p->dgid, to, 16);
	memcpy(p->dmac, to_mac, 6);
	p->smac[0] = 2;
	p->hop_limit = 64;
	p->tclass = one_in(8) ? chance() : 2;
	p->udp_sport = 0xc000 | below(0x4000);
	p->opcode = some_opcode(t->type[i]);
	p->solicited = one_in(2);
	p->ack_req = one_in(2);
	p->pkey = one_in(32) ? odd_number() : 0xffff;
	p->dqpn = one_in(32)   ? 1
		  : one_in(16) ? (t->qpn[i] & 0xff0000) | below(0x10000)
			       : t->qpn[i];
	p->psn = some_psn(i, p->opcode);
	p->payload_len = one_in(2) ? 1024 : one_in(2) ? below(1025) : below(1400);
	some_memory(p);
	p->swap_add = chance();
	p->compare = odd_number();
	p->syndrome = one_in(2) ? below(32) : one_in(2) ? 0x60 | below(6) : chance();
	p->msn = one_in(2) ? below(32) : odd_number() & 0xffffff;
	p->orig = chance();
	p->qkey = one_in(8) ? odd_number() : TARGET_QKEY;
	p->src_qpn = TARGET_PEER_QP + i;
	p->payload = payload;
	if (!(wire_opcode_info(p->opcode)->parts & WIRE_HAS_PAYLOAD))
		p->payload_len = 0;
}

/* Spoils the bytes that BPF filter and IP check, the transport, or all; cuts or lengthens; the
 * lengths of IP and UDP are made right, or not. */
static size_t change(uint8_t *frame, size_t len)
{
	uint32_t icrc;

	if (one_in(8))
		spoil(frame + BTH_AT, len - BTH_AT > 40 ? 40 : len - BTH_AT);
	if (one_in(32))
		spoil(frame + IP_AT, len - IP_AT);
	if (one_in(16))
		len = IP_AT + below(len - IP_AT + 1);
	if (one_in(32))
		len += 4 * below(20);
	if (one_in(4) && len > BTH_AT) {
		uint16_t ip = htons(len - IP_AT), udp = htons(len - BTH_AT + 8);

		memcpy(frame + IP_AT + 2, &ip, 2);
		memcpy(frame + BTH_AT - 4, &udp, 2);
		wire_ipv4_checksum(frame + IP_AT);
	}
	if (!one_in(8) && len >= LONGEST_HEADERS) {
		icrc = wire_icrc(frame, len);
		memcpy(frame + len - 4, &icrc, 4);
	}
	return len;
}

/* Until the target is at most WINDOW frames late, of those that it gets at all. */
static void wait_for_target(uint64_t *base, uint64_t sent)
{
	uint64_t seen = t->frames;
	int patience = PATIENCE;

	while (sent - *base > WINDOW && patience-- > 0) {
		usleep(50);
		if (t->frames == seen)
			continue;
		seen = t->frames;
		patience = PATIENCE / 100;
	}
	*base = sent;
}

static void map(const char *path)
{
	int fd = open(path, O_RDWR);

	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void read_address(const char *text, uint8_t gid[16])
{
	gid[10] = gid[11] = 0xff;
	if (inet_pton(AF_INET, text, gid + 12) == 1)
		return;
	fprintf(stderr, "%s is not an IPv4 address\n", text);
	exit(1);
}

int main(int argc, char **argv)
{
	static uint8_t payload[4096], frame[WIRE_MAX_FRAME + 128];
	struct sockaddr_ll link = { .sll_family = AF_PACKET, .sll_halen = 6 };
	uint64_t frames = argc > 6 ? strtoull(argv[6], NULL, 0) : 20000, base = 0;
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (argc < 6 || fd < 0) {
		perror("forger FILE INTERFACE TO-MAC FROM TO [FRAMES [SEED]]");
		return 1;
	}
	map(argv[1]);
	sscanf(argv[3], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &to_mac[0], &to_mac[1], &to_mac[2],
	       &to_mac[3], &to_mac[4], &to_mac[5]);
	read_address(argv[4], from);
	read_address(argv[5], to);
	chance_seed(argc > 7 ? strtoull(argv[7], NULL, 0) : 1);
	link.sll_ifindex = if_nametoindex(argv[2]);
	for (uint64_t n = 0; n < frames; n++) {
		struct wire_packet p;
		size_t len;

		fill(&p, payload);
		len = change(frame, wire_pack(&p, frame, false));
		if (sendto(fd, frame, len, 0, (struct sockaddr *)&link, sizeof(link)) < 0)
			n--; /* the queue is full: once more */
		if (n % 64 == 0)
			wait_for_target(&base, n);
	}
	printf("%llu frames sent\n", (unsigned long long)frames);
	return 0;
}
