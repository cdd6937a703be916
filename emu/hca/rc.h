/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of requester and responder of a QP; part of hca.h. The engine writes it, firmware
 * zeroes it at RESET and sets the first PSNs at RTR and RTS. Most of it is for the reliable
 * services, RC and XRC; a packet of UC and UD is complete when it is sent.
 *
 *	send queue   una           next          begun         pi
 *	(WQE index)   |--in flight--|--to resend--|--never sent--|
 *	PSN        una_psn         psn         high_psn
 *
 * From old to new: una <= next <= begun <= pi. A retransmission sets back next and psn, never
 * begun and high_psn.
 */
#ifndef EMU_HCA_RC_H
#define EMU_HCA_RC_H

#include <stdbool.h>
#include <stdint.h>

/* READs and atomics that one connection may have outstanding: 1 << log_max_ra_{req,res}_qp. */
#define HCA_RD_ATOMIC_MAX 16

/* A position in a list of data segments. */
struct hca_cursor {
	uint32_t unit; /* 16-byte unit of the list at which a segment starts */
	uint32_t off;  /* bytes of that segment already used */
};

enum hca_req_flag {
	HCA_REQ_SIGNALED = 1,
	HCA_REQ_SOLICITED = 2,
	HCA_REQ_FENCE = 4, /* starts only after all READs and atomics before it */
	HCA_REQ_RAN = 8,   /* was executed: not again by a retransmission */
};

/* One WQE between its start and its completion; kept at wqe_index & (cnt - 1). */
struct hca_req_wqe {
	uint32_t psn;  /* of its first packet */
	uint32_t npkt; /* PSNs: request packets, or response packets of a READ; 0: no packet */
	uint32_t len;  /* bytes of the message */
	uint32_t ssn;  /* its number among the messages of the QP; the first is 1 */
	uint8_t opcode, ds, nbb;
	uint8_t data;	/* 16-byte unit of the first data segment */
	uint8_t flags;	/* enum hca_req_flag */
	uint8_t status; /* CQE syndrome it ends with once all before it are complete; 0: none */
};

/* An MMO copy whose source or destination is another function's: a check of each range there,
 * then pieces, each a READ, a WRITE, or both. */
#define HCA_MMO_PIECES 32 /* at a time */

struct hca_mmo_piece {
	uint32_t serial; /* of the message that is to be answered */
	uint32_t off, len;
	uint8_t step;  /* engine, mmo.c: what it waits for; 0: the piece is not in use */
	uint64_t sent; /* ns */
};

/* The MMO WQE that is being executed. */
struct hca_mmo {
	bool running;
	bool far;		   /* not all of it is in this function's memory */
	bool checked;		   /* both ranges */
	uint8_t failed;		   /* CQE syndrome; 0: none */
	uint16_t index;		   /* of the WQE */
	uint32_t from, to, opaque; /* keys */
	uint64_t from_addr, to_addr, opaque_addr;
	uint64_t len;
	uint64_t next, done; /* bytes: of pieces that were begun; copied */
	uint64_t looked;     /* ns: when the other functions were seen last */
	struct hca_mmo_piece piece[HCA_MMO_PIECES];
};

struct hca_req {
	uint16_t pi;	/* producer index last read from the record */
	uint16_t rung;	/* without a send record: the producer index of the last doorbell */
	uint16_t begun; /* first WQE that was never started */
	uint16_t next;	/* WQE that is being sent or is next to be */
	uint16_t una;	/* oldest WQE that is not complete */
	uint32_t psn;	/* next PSN to use */
	uint32_t una_psn, high_psn; /* oldest not acknowledged, first never used */
	uint32_t ssn;		    /* of the message that was begun last */
	/* the peer sent end-to-end credits: it has receive WQEs up to message lsn */
	bool limited;
	uint32_t lsn;
	struct hca_cursor tx; /* in WQE next: what was sent */
	struct hca_mmo mmo;
	struct hca_cursor rx;	  /* in WQE una: what a READ has brought */
	uint32_t read_atomic_out; /* READs and atomics without a response */
	uint16_t window,
		window_acked; /* packets that may be in flight; acknowledged since it grew */
	uint8_t retries, rnr_retries;
	bool rewound; /* retransmitted because of a gap; once until there is progress */
	uint64_t timer, rnr_until; /* ns that the engine ran, ns of the clock; 0: off */
	uint8_t stretched;	   /* how often the timer was extended since it was started */
	uint32_t unsignaled;	   /* blocks completed since the last CQE */
	/* --check: a number for the UMR WQEs since the last fence, 0: no such WQE; and up to
	 * where WQEs were posted before the last of them was complete */
	uint32_t umr_batch;
	uint16_t umr_pi;
	struct hca_req_wqe *wqe; /* sq.cnt of them, owned; NULL until the first WQE starts */
};

/* A READ or an atomic whose response is not sent yet. */
struct hca_read_atomic {
	uint32_t psn, npkt, sent; /* sent: response packets */
	uint32_t rkey, len, msn;
	uint32_t srqn; /* XRC: whose PD the rkey belongs to */
	uint64_t va;
	uint64_t orig;
	bool atomic;
	bool duplicate; /* a response was sent before */
};

/* The pending reply of the responder. LAST and FATAL are sent by a QP in ERR too: an ACK of
 * earlier requests, a NAK with the reason. */
enum hca_resp_ack { HCA_ACK_NONE, HCA_ACK_DUE, HCA_ACK_NAK, HCA_ACK_LAST, HCA_ACK_FATAL };

struct hca_resp {
	uint32_t epsn;	  /* expected PSN */
	uint32_t unasked; /* packets since the last that ended a message or asked for an ACK */
	uint32_t msn;
	uint16_t ci;   /* next receive WQE */
	bool comm_est; /* the first packet has arrived */
	bool nak_sent; /* a NAK was sent: packets are dropped until epsn arrives */

	bool held;     /* the current message has taken WQE held_wqe of an SRQ */
	bool last_wqe; /* in ERR: the event SRQ_LAST_WQE was raised */
	uint16_t held_wqe;
	uint32_t srqn; /* of the current message (XRC), or of the WQE held */

	uint8_t msg; /* kind of the current message; 0: none */
	uint32_t off, len, rkey;
	uint64_t va;
	struct hca_cursor rx; /* in the receive WQE */

	uint8_t ack, syndrome; /* enum hca_resp_ack, AETH syndrome */
	uint32_t ack_psn;

	struct hca_read_atomic read_atomic[HCA_RD_ATOMIC_MAX]; /* a ring */
	uint8_t read_atomic_head, read_atomic_cnt;
	struct {
		uint32_t psn;
		bool valid, atomic;
		uint64_t orig;
	} replay[HCA_RD_ATOMIC_MAX]; /* the last READs and atomics, for duplicates of these */
	uint8_t replay_next;
};

#endif
