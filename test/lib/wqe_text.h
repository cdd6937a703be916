/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs, CQEs and packets as a line of text. The bytes are templates of this folder, written by
 * hand after the PRM: neither the library's builders nor the emulator's readers.
 *
 * A WQE is its opcode, then words in any order:
 *
 *	"write 300 local=0x10 remote=0x2000 sig"
 *	"read 1025 local=0x4000 1535 local=0x6000 remote=0x20"	two data segments
 *	"send_imm inline=hello imm=0xdeadbeef solicited sig"
 *	"cas 8 local=0x3000 remote=0x2000 swap=77 compare=42 sig"
 *	"dma opaque=0x40 8 local=0x1000 8 local=0x200000 sig"	opaque buffer, source, destination
 *	"0x30"	an opcode without a name; with a remote address
 *
 * N: a data segment of N bytes, 0: none; local= and lkey= that follow are of it. local=,
 * remote= and opaque= are offsets in the memory of the keys, local_va= and remote_va=
 * addresses. lkey=wrong and rkey=wrong: the low 8 bits are others. Operands of atomics (add=
 * swap= compare= boundary= swap_mask= compare_mask=) are written in the order of the text.
 * Flags: sig, solicited, fence (READs and atomics before it are complete), small_fence. To be
 * wrong on purpose: index= qpn= opmod= ds=, or byteN= for any byte.
 *
 * A CQE is what happened, then what is expected of it:
 *
 *	"sent"			a request, whatever it was
 *	"sent write"		and all its fields, except for time, signature and owner
 *	"sent read 1025 wqe=3"	of 1025 bytes, in the ring at 3
 *	"received"		a SEND, however long
 *	"received 100 wqe=0"	of 100 bytes, and all its fields; also "received send_imm 18
 *				imm=0xdeadbeef solicited", "received write_imm 300 imm=1",
 *				"received send_inv 0 inv=0x142"
 *	"req_err rem_access wqe=0", "resp_err flushed wqe=2"
 *
 * qpn= and user= if they are not those of the queue; inline32, inline64: data in the CQE.
 */
#ifndef TEST_LIB_WQE_TEXT_H
#define TEST_LIB_WQE_TEXT_H

#include <stdint.h>

/* Values of words that the text does not have. */
struct wqe_context {
	uint32_t qpn;
	uint16_t index;
	uint32_t lkey, rkey;
	uint64_t va;	     /* of offset 0 */
	const uint8_t *head; /* an address vector or an XRC segment */
	unsigned int head_units;
};

struct cqe_context {
	uint32_t qpn, user_index;
};

enum { WQE_TEXT_MAX = 256 }; /* bytes */

/* Writes a send WQE; returns its length in units of 16 bytes. A word that is not known fails
 * the test. */
unsigned int wqe_from_text(uint8_t wqe[WQE_TEXT_MAX], const char *text,
			   const struct wqe_context *c);
/* Sets bytes of a UMR WQE: ds= umr_flags= octowords= offset= mask= access= len= byteN=. */
void wqe_change(uint8_t *wqe, const char *text);
/* "recv 128 local=0x2000": a receive WQE, terminated by the key 0x100. */
unsigned int recv_from_text(uint8_t wqe[WQE_TEXT_MAX], const char *text,
			    const struct wqe_context *c);
/* The first byte of the CQE that is not that of @text, or -1. */
int cqe_mismatch(const uint8_t cqe[64], const char *text, const struct cqe_context *c);
/* The BTH opcodes of "send_first send_last ack", of the service RC or of that which is named:
 * "ud: send_only"; returns how many. */
unsigned int bth_from_text(uint8_t *bth, unsigned int n, const char *text);

#endif
