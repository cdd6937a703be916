/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of Ethernet queues: an SQ of the host near whose ring, record and CQ are those
 * of a side, whose QP stays in RESET; far has another port, and either shows what arrives
 * there, or receives it: an RQ, to which a table with one entry leads.
 */
#ifndef TEST_UNIT_ENGINE_ETHERNET_H
#define TEST_UNIT_ENGINE_ETHERNET_H

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hex.h"
#include "rig.h"

#define NO_OFFLOAD "00000000 00000000 00000000 00000000"

extern struct side s;
extern struct hca_sq *sq;
extern struct side r; /* of far: its receive queue, record and CQ are those of the RQ */
extern struct hca_rq *rq;
extern struct hca_tir *tir; /* gets all packets that far receives */

void ethernet_open(void);

/* The control segment of a signaled WQE at the producer index. */
void start_wqe(uint8_t *wqe, uint8_t opcode, unsigned int ds);

/* A WQE of the text, "send 60 sig", with the Ethernet segment @eth, in hexadecimal. */
void post_eth(const char *eth, const char *text, ...) TEXT(2, 3);
/* The next frame that leaves near is @text, in hexadecimal, followed by zeros up to 60
 * bytes. */
void expect_wire(const char *text);
void expect_no_wire(void);
/* Sends @text, in hexadecimal, as one data segment of near, and lets far receive it. */
void send_to_rq(const char *text);
/* Field of the next CQE of the RQ, which has opcode 2: 32 bits at byte @at. */
const uint8_t *next_packet(void);
uint32_t word_at(const uint8_t *cqe, unsigned int at);

/* Puts bytes at @offset of the buffer of near. */
size_t fill(uint64_t offset, const char *text);

#endif
