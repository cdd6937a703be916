/* SPDX-License-Identifier: BSD-2-Clause */
/* Work requests of steering: gta.h. */
#include <assert.h>
#include <string.h>

#include "engine/gta.h"
#include "steer/steer.h"

#define NUMBER	12 /* bytes of the control segment: imm */
#define CTRL_AT HWQE_UNIT
#define DATA_AT (CTRL_AT + STEER_GTA_CTRL)

static_assert(DATA_AT + STEER_GTA_DATA == GTA_UNITS * HWQE_UNIT, "FLOW_TBL_ACCESS");

uint8_t *gta_argument(struct hca *hca, const struct hca_pd *pd, uint32_t number)
{
	const struct hca_general *g = core_ids_get(&hca->generals, number);
	uint8_t *bytes = hca_argument(hca, number, HCA_ARGUMENT);

	return bytes && g->pd == pd ? bytes : NULL;
}

static enum cqe_syndrome wrong(const struct hca_sq *sq, const char *why)
{
	core_check(CORE_STE_WQE, "SQ", sq->sqn, "the WQE at 0x%x ends in an error: %s", sq->pi,
		   why);
	return CQE_LOCAL_QP_OP;
}

static enum cqe_syndrome write_argument(struct engine *e, const struct hca_sq *sq,
					const struct ethernet_wqe *w)
{
	uint8_t *to = gta_argument(e->hca, sq->pd, core_be32(w->bytes + NUMBER));

	if (!to)
		return wrong(sq, "the PD of the queue has no argument of that number");
	memcpy(to, w->bytes + DATA_AT, HCA_ARGUMENT);
	return 0;
}

/* assumed(an_ste_without_a_place_is_bit_31): a WQE whose STE finds no place, or is not there to
 * be taken away, ends without an error, and its CQE has bit 31 of byte_cnt (DPDK,
 * mlx5dr_send.c, mlx5dr_send_engine_update); there is one even where none was asked for. */
static enum cqe_syndrome write_ste(struct engine *e, const struct hca_sq *sq,
				   struct ethernet_wqe *w)
{
	const struct steer_gta g = { .rtc = core_be32(w->bytes + NUMBER),
				     .pd = sq->pd,
				     .ctrl = w->bytes + CTRL_AT,
				     .data = w->bytes + DATA_AT };
	const char *why = NULL;

	switch (steer_gta(e->hca, &g, &why)) {
	case STEER_GTA_DONE:
		return 0;
	case STEER_GTA_NOT:
		w->refused = true;
		return 0;
	default:
		return wrong(sq, why);
	}
}

enum cqe_syndrome gta_run(struct engine *e, const struct hca_sq *sq, struct ethernet_wqe *w)
{
	if (w->ds != GTA_UNITS)
		return wrong(sq, "its length (ds) is not 8");
	switch (core_bits(w->bytes, HWQE_CTRL_OPMOD)) {
	case HWQE_OPMOD_STE:
		return write_ste(e, sq, w);
	case HWQE_OPMOD_ARGUMENT:
		return write_argument(e, sq, w);
	default:
		return wrong(sq, "its modifier is neither 0, an STE, nor 1, an argument");
	}
}
