/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control of RoCE v2, DCQCN: what one QP knows about its path, and the parameters of
 * the device.
 *
 *	data, ECN 11 --> notification point: counts, sends a CNP at most every MIN_TIME_BETWEEN_CNPS
 *	CNP          --> reaction point: the rate of the QP falls, and rises again with time and bytes
 *
 * Names, units and defaults of the parameters: NVIDIA, DOCA SDK documentation, "DCQCN CC
 * Parameters" (ConnectX-4 and later); the names are those of cong_control_r_roce_ecn_{np,rp}.
 *
 * An adapter sends a packet in a tenth of a microsecond, the emulator in several. With an
 * adapter's times there would be no more than a few packets between two events, and marks
 * without effect. So time is slower for all of this: HCA_CONGESTION_SLOWDOWN microseconds count
 * as one, and 100 Gb/s are a 32nd of that. Only the lowest rate is what its parameter says,
 * because the transport timer does not know of it.
 */
#ifndef EMU_HCA_CONGESTION_H
#define EMU_HCA_CONGESTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HCA_CONGESTION_SLOWDOWN 32

enum {
	HCA_NP_MIN_TIME_BETWEEN_CNPS = 4, /* us */
	HCA_NP_CNP_DSCP = 48,
	HCA_NP_CNP_802P_PRIO = 6,

	HCA_RP_CLAMP_TGT_RATE = 0,
	HCA_RP_CLAMP_TGT_RATE_AFTER_TIME_INC = 1,
	HCA_RP_TIME_RESET = 300,	       /* us between two increases */
	HCA_RP_BYTE_RESET = 32767,	       /* bytes between two increases */
	HCA_RP_THRESHOLD = 1,		       /* increases of a kind before the next stage */
	HCA_RP_MAX_RATE = 0,		       /* Mb/s; 0: the port's */
	HCA_RP_AI_RATE = 5,		       /* Mb/s */
	HCA_RP_HAI_RATE = 50,		       /* Mb/s */
	HCA_RP_GD = 11,			       /* log2; a decrease is by alpha / 2^GD */
	HCA_RP_MIN_DEC_FAC = 50,	       /* percent that remain at least */
	HCA_RP_MIN_RATE = 1,		       /* Mb/s */
	HCA_RP_RATE_TO_SET_ON_FIRST_CNP = 0,   /* Mb/s; 0: half of the present one */
	HCA_RP_DCE_TCP_G = 1019,	       /* of 1024: what remains of alpha in a period */
	HCA_RP_DCE_TCP_RTT = 1,		       /* us: this period */
	HCA_RP_RATE_REDUCE_MONITOR_PERIOD = 4, /* us between two decreases */
	HCA_RP_INITIAL_ALPHA_VALUE = 1023,     /* of 1024 */
};

/* Per QP. Times are ns of the clock, rates bits per second of slow time. */
struct hca_congestion {
	uint64_t cnp_sent; /* when; 0: never */

	bool limited;	/* false: the rest has no meaning */
	uint32_t alpha; /* of 1024 */
	uint64_t alpha_at;
	uint64_t rate, target;
	uint64_t reduced_at, increased_at; /* the latter: by time */
	uint32_t bytes;			   /* since the last increase by bytes */
	uint32_t time_stage, byte_stage;   /* increases since the last decrease */
	uint64_t next;			   /* when the next packet may leave */
};

/* Per port (QUERY_CONG_STATISTICS). */
struct hca_congestion_counts {
	_Atomic uint64_t rp_cnp_ignored, rp_cnp_handled;
	_Atomic uint64_t np_ecn_marked_roce_packets, np_cnp_sent;
};

#endif
