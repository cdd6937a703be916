/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of Ethernet queues: an SQ of host 0 whose ring, record and CQ are those of a
 * side, whose QP stays in RESET; host 1 has another port, and either shows what arrives there,
 * or receives it: an RQ, to which a table with one entry leads.
 */
#ifndef TEST_UNIT_ENGINE_ETHERNET_H
#define TEST_UNIT_ENGINE_ETHERNET_H

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define NO_OFFLOAD "00000000 00000000 00000000 00000000"

extern struct host h[2];
extern struct side s;
extern struct hca_sq *sq;
extern struct side r; /* of host 1: its receive queue, record and CQ are those of the RQ */
extern struct hca_rq *rq;
extern struct hca_tir *tir; /* gets all packets that host 1 receives */
extern unsigned int checks;

void ethernet_open(void);
void ethernet_close(void);

/* Reads pairs of digits, skipping blanks; returns the number of bytes. */
size_t hex(uint8_t *to, const char *text);
/* The control segment of a signaled WQE at the producer index. */
void start_wqe(uint8_t *wqe, uint8_t opcode, unsigned int ds);

struct seg {
	uint32_t len, key;
	uint64_t offset; /* in the buffer */
};

/* A WQE with the Ethernet segment @eth, in hexadecimal, and data segments. */
void post_eth(uint8_t opcode, const char *eth, const struct seg *segs, unsigned int n);
/* The next frame that leaves host 0 is @text, in hexadecimal, followed by zeros up to 60
 * bytes. */
void expect_wire(const char *text);
void expect_no_wire(void);
/* Sends @text, in hexadecimal, as one data segment of host 0, and lets host 1 receive it. */
void send_to_rq(const char *text);
/* Field of the next CQE of the RQ, which has opcode 2: 32 bits at byte @at. */
const uint8_t *next_packet(void);
uint32_t word_at(const uint8_t *cqe, unsigned int at);

/* Puts bytes at @offset of the buffer of host 0. */
size_t fill(uint64_t offset, const char *text);

#endif
