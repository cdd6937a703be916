/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control, DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015; NVIDIA, DOCA SDK documentation, "DCQCN CC Parameters", "DCQCN CC Algorithm").
 *
 *	rate    decrease: rate -= rate * alpha / 2;  alpha = g alpha + (1 - g) at a CNP, g alpha without
 *	        increase, each TIME_RESET and each BYTE_RESET:  rate = (rate + target) / 2
 *	target  decrease: the rate before.  increase: the same in the first stage, + AI in the second,
 *	        + HAI, 2 HAI … in the third, when both time and bytes have passed THRESHOLD
 *
 * A QP without a CNP has no rate. One whose rate reached that of the port again has none, too.
 */
#include "engine/congestion.h"
#include "engine/qp.h"
#include "engine/tx.h"

#define US	  1000ull
#define MEGABIT	  1000000ull
#define PORT_RATE (100000 * MEGABIT) /* as sysfs says */
#define MIN_RATE  (HCA_RP_MIN_RATE * MEGABIT * HCA_CONGESTION_SLOWDOWN)
/* A rate is kept over this time: the engine runs every 50 us or so. */
#define BURST_NS (250 * US)

/* Have @us of slow time passed since @then? */
static bool passed(uint64_t then, uint64_t us, uint64_t now)
{
	return now >= then + us * US * HCA_CONGESTION_SLOWDOWN;
}

/* ---- notification point ---- */

/* assumed(cnps_are_limited_per_qp): a QP whose packets are marked sends a CNP for the first of
 * them, and for later ones as soon as min_time_between_cnps has passed since; CNPs are not ECN
 * capable, and there are none for UD. */
void congestion_marked(struct engine *e, struct hca_qp *qp, uint64_t now)
{
	struct hca_congestion *c = &qp->congestion;
	struct hca_congestion_counts *n = &e->hca->counted->congestion;
	struct wire_packet cnp;

	n->np_ecn_marked_roce_packets++;
	if (hca_is_datagram(qp) ||
	    (c->cnp_sent && !passed(c->cnp_sent, HCA_NP_MIN_TIME_BETWEEN_CNPS, now)) ||
	    !tx_has_space_to_peer(e, qp))
		return;
	c->cnp_sent = now;
	tx_address(e, qp, &cnp);
	cnp.opcode = WIRE_CNP;
	cnp.becn = true;
	cnp.tclass = HCA_NP_CNP_DSCP << 2;
	tx_send(e, &cnp);
	n->np_cnp_sent++;
}

/* ---- reaction point ---- */

static uint32_t lowest(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* assumed(rate_increases_as_802_1qau): the stages of an increase are those of IEEE 802.1Qau, of
 * which the parameters have the names: the second when time or bytes have reached
 * rpg_threshold, the third when both have. */
static void increase(struct hca_congestion *c)
{
	uint32_t low = lowest(c->time_stage, c->byte_stage);

	if (low >= HCA_RP_THRESHOLD)
		c->target += (low - HCA_RP_THRESHOLD + 1) * HCA_RP_HAI_RATE * MEGABIT;
	else if (c->time_stage >= HCA_RP_THRESHOLD || c->byte_stage >= HCA_RP_THRESHOLD)
		c->target += HCA_RP_AI_RATE * MEGABIT;
	if (c->target > PORT_RATE)
		c->target = PORT_RATE;
	c->rate = (c->rate + c->target) / 2;
	c->limited = PORT_RATE - c->rate >= MEGABIT;
}

static void increase_by_time(struct hca_congestion *c, uint64_t now)
{
	while (c->limited && passed(c->increased_at, HCA_RP_TIME_RESET, now)) {
		c->increased_at += HCA_RP_TIME_RESET * US * HCA_CONGESTION_SLOWDOWN;
		c->time_stage++;
		increase(c);
	}
}

/* Without CNPs alpha falls each period. */
static void decay(struct hca_congestion *c, uint64_t now)
{
	while (c->alpha && passed(c->alpha_at, HCA_RP_DCE_TCP_RTT, now)) {
		c->alpha_at += HCA_RP_DCE_TCP_RTT * US * HCA_CONGESTION_SLOWDOWN;
		c->alpha = c->alpha * HCA_RP_DCE_TCP_G >> 10;
	}
}

static void begin(struct hca_congestion *c, uint64_t now)
{
	c->limited = true;
	c->alpha = HCA_RP_INITIAL_ALPHA_VALUE;
	c->alpha_at = now;
	c->rate = c->target = PORT_RATE;
	c->time_stage = c->byte_stage = 0;
	c->reduced_at = 0;
	c->next = now;
}

/* Is the target set back to the rate? */
static bool is_clamped(const struct hca_congestion *c)
{
	return HCA_RP_CLAMP_TGT_RATE || c->byte_stage || !c->reduced_at ||
	       (HCA_RP_CLAMP_TGT_RATE_AFTER_TIME_INC && c->time_stage);
}

static void decrease(struct hca_congestion *c, uint64_t now)
{
	uint64_t least = c->rate / 100 * HCA_RP_MIN_DEC_FAC;

	if (is_clamped(c))
		c->target = c->rate;
	c->rate -= (c->rate >> HCA_RP_GD) * c->alpha;
	if (c->rate < least)
		c->rate = least;
	if (c->rate < MIN_RATE)
		c->rate = MIN_RATE;
	c->reduced_at = c->increased_at = now;
	c->bytes = c->time_stage = c->byte_stage = 0;
}

void congestion_notified(struct engine *e, struct hca_qp *qp, uint64_t now)
{
	struct hca_congestion *c = &qp->congestion;

	if (hca_is_datagram(qp)) {
		e->hca->counted->congestion.rp_cnp_ignored++;
		return;
	}
	e->hca->counted->congestion.rp_cnp_handled++;
	if (c->limited)
		increase_by_time(c, now);
	if (!c->limited)
		begin(c, now);
	decay(c, now);
	if (!c->reduced_at || passed(c->reduced_at, HCA_RP_RATE_REDUCE_MONITOR_PERIOD, now))
		decrease(c, now);
	c->alpha = (c->alpha * HCA_RP_DCE_TCP_G >> 10) + 1024 - HCA_RP_DCE_TCP_G;
	c->alpha_at = now;
}

/* ---- the rate ---- */

bool congestion_permits(struct engine *e, struct hca_qp *qp)
{
	struct hca_congestion *c = &qp->congestion;

	if (!c->limited)
		return true;
	increase_by_time(c, e->now);
	if (!c->limited || c->next <= e->now)
		return true;
	e->blocked = true;
	return false;
}

void congestion_sent(struct engine *e, struct hca_qp *qp, uint32_t len)
{
	struct hca_congestion *c = &qp->congestion;

	if (!c->limited)
		return;
	if (c->next + BURST_NS < e->now)
		c->next = e->now - BURST_NS;
	c->next += len * 8ull * 1000000000ull * HCA_CONGESTION_SLOWDOWN / c->rate;
	c->bytes += len;
	while (c->limited && c->bytes >= HCA_RP_BYTE_RESET) {
		c->bytes -= HCA_RP_BYTE_RESET;
		c->byte_stage++;
		increase(c);
	}
}
