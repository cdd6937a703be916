/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion queues.
 *
 *	cqc: ring of 1 << log_cq_size entries | dbr {set_ci, arm} | c_eqn -> EQ | uar_page
 *
 * Ring and record are in page lists, or in umems (DevX).
 *
 * Moderation and resizing come later, by MODIFY_CQ (modify_cq.c). The context also says whether
 * the CQ ignores overruns, is collapsed into one entry, or compresses and how.
 */
#include <stdlib.h>

#include "fw/command.h"

#define DBR_ARM	  4 /* offset of the arm word in the doorbell record */
#define DBR_BYTES 8

static_assert(PRM_SZ(cqc) == HCA_CQC_SIZE, "cqc");

/* An EQ is named by everybody and owned by the driver: mlx5_ib hands its number out by
 * DEVX_QUERY_EQN so that applications can create CQs on it. */
static struct hca_eq *completion_eq(const struct fw_cmd *c, uint32_t eqn)
{
	struct hca_eq *eq = core_ids_get(&c->hca->eqs, eqn);

	return eq && (!eq->uid || eq->uid == FW_UID_SHARED || fw_may(c, eq->uid)) ? eq : NULL;
}

static uint8_t mini_format(const uint8_t *cqc)
{
	return PRM_GET(cqc, cqc, mini_cqe_res_format_ext) << 2 |
	       PRM_GET(cqc, cqc, mini_cqe_res_format);
}

static bool has_format(const struct hca *hca, uint8_t format)
{
	switch (format) {
	case PRM_CQC_MINI_CQE_HASH:
	case PRM_CQC_MINI_CQE_CSUM:
		return true;
	case PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX:
		return FW_GEN(hca, mini_cqe_resp_flow_tag);
	case PRM_CQC_MINI_CQE_CSUM_STRIDX:
		return FW_GEN(hca, mini_cqe_resp_stride_index);
	case PRM_CQC_MINI_CQE_L34H_STRIDX:
		return FW_GEN(hca, mini_cqe_resp_l3_l4_tag);
	default:
		return false;
	}
}

/* assumed(compression_needs_its_bit): a CQ context with a mini CQE format or a compression
 * layout and without cqe_comp_en is BAD_PARAM, as is a format that no capability promises. */
static bool compression_ok(const struct hca *hca, const uint8_t *cqc)
{
	uint32_t layout = PRM_GET(cqc, cqc, cqe_compression_layout);
	bool small = PRM_GET(cqc, cqc, cqe_sz) == PRM_CQC_CQE_SZ_64_BYTES;

	if (!PRM_GET(cqc, cqc, cqe_comp_en))
		return !mini_format(cqc) && !layout;
	if (!(small ? FW_GEN(hca, cqe_compression) : FW_GEN(hca, cqe_compression_128)))
		return false;
	if (layout != PRM_CQE_COMPRESS_LAYOUT_BASIC &&
	    (layout != PRM_CQE_COMPRESS_LAYOUT_ENHANCED ||
	     !FW_GEN(hca, enhanced_cqe_compression)))
		return false;
	/* Compression of a collapsed CQ is not publicly documented. */
	return has_format(hca, mini_format(cqc)) && !PRM_GET(cqc, cqc, cc);
}

bool fw_period_mode_fits(const struct hca *hca, const uint8_t *cqc)
{
	uint32_t mode = PRM_GET(cqc, cqc, cq_period_mode);

	return !mode ||
	       (mode == PRM_CQC_PERIOD_MODE_FROM_CQE && FW_GEN(hca, cq_period_start_from_cqe));
}

static enum fw_status check_context(struct fw_cmd *c, const uint8_t *cqc)
{
	uint32_t cqe_sz = PRM_GET(cqc, cqc, cqe_sz);

	if (cqe_sz > (FW_GEN(c->hca, cqe_128_always) ? PRM_CQC_CQE_SZ_128_BYTES_PAD
						     : PRM_CQC_CQE_SZ_128_BYTES) ||
	    !compression_ok(c->hca, cqc) || !fw_period_mode_fits(c->hca, cqc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(cqc, cqc, log_cq_size) > FW_GEN(c->hca, log_max_cq_sz))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (!fw_uar(c, PRM_GET(cqc, cqc, uar_page)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UAR);
	if (!completion_eq(c, PRM_GET(cqc, cqc, c_eqn_or_apu_element)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_EQ);
	if (fw_at_limit(&c->hca->cqs, FW_GEN(c->hca, log_max_cq)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

/*
 * libmlx5 zeroes the record before CREATE_CQ, and its first arm word can be 0 again (rdma-core,
 * providers/mlx5/verbs.c create_cq, cq.c mlx5_arm_cq). The model knows an arm by the change
 * of the word, as plain memory keeps no count of writes: so the word starts with a value that
 * no arm can have.
 */
/* Hardware differs: it leaves the word alone. A program that reads it before the first arm
 * finds bits that no arm sets. */
static bool stamp_record(struct hca_cq *cq)
{
	cq->arm_last = 0xffffffff;
	return core_bus_write(cq->dbrec + DBR_ARM, &cq->arm_last, sizeof(cq->arm_last));
}

/* False: no memory. */
static bool compress(struct hca_cq *cq, const uint8_t *cqc)
{
	if (!PRM_GET(cqc, cqc, cqe_comp_en))
		return true;
	cq->session = calloc(1, sizeof(*cq->session));
	if (!cq->session)
		return false;
	cq->session->cq = cq;
	cq->session->enhanced =
		PRM_GET(cqc, cqc, cqe_compression_layout) == PRM_CQE_COMPRESS_LAYOUT_ENHANCED;
	cq->session->format = mini_format(cqc);
	return true;
}

static void fill(struct fw_cmd *c, struct hca_cq *cq, const uint8_t *cqc)
{
	cq->eq = completion_eq(c, PRM_GET(cqc, cqc, c_eqn_or_apu_element));
	cq->uar = fw_uar(c, PRM_GET(cqc, cqc, uar_page));
	cq->log_size = PRM_GET(cqc, cqc, log_cq_size);
	cq->cqe_size_log = PRM_GET(cqc, cqc, cqe_sz) == PRM_CQC_CQE_SZ_64_BYTES ? 6 : 7;
	cq->overrun_ignore = PRM_GET(cqc, cqc, oi);
	cq->collapsed = PRM_GET(cqc, cqc, cc);
	cq->period = PRM_GET(cqc, cqc, cq_period);
	cq->max_count = PRM_GET(cqc, cqc, cq_max_count);
	cq->from_cqe = PRM_GET(cqc, cqc, cq_period_mode);
	memcpy(cq->cqc, cqc, HCA_CQC_SIZE);
	fw_begin(c, cq);
}

static struct fw_record record_of(const uint8_t *cqc)
{
	return (struct fw_record){ .addr = PRM_GET(cqc, cqc, dbr_addr),
				   .bytes = DBR_BYTES,
				   .in_umem = PRM_GET(cqc, cqc, dbr_umem_valid),
				   .umem_id = PRM_GET(cqc, cqc, dbr_umem_id) };
}

enum fw_status fw_create_cq(struct fw_cmd *c)
{
	const uint8_t *cqc = PRM_ADDR(create_cq_in, c->in, cq_context);
	uint32_t cqe = PRM_GET(cqc, cqc, cqe_sz) == PRM_CQC_CQE_SZ_64_BYTES ? 64 : 128;
	struct fw_layout layout = { .list = PRM_SZ(create_cq_in),
				    .log_page_size = PRM_GET(cqc, cqc, log_page_size),
				    .page_offset = PRM_GET(cqc, cqc, page_offset),
				    .bytes = (uint64_t)cqe << PRM_GET(cqc, cqc, log_cq_size),
				    .entry = cqe,
				    .written = true,
				    .in_umem = PRM_GET(create_cq_in, c->in, cq_umem_valid),
				    .umem_id = PRM_GET(create_cq_in, c->in, cq_umem_id),
				    .umem_offset =
					    PRM_GET(create_cq_in, c->in, cq_umem_offset) };
	enum fw_status status = check_context(c, cqc);
	struct fw_record record = record_of(cqc);
	struct hca_ring ring;
	struct hca_cq *cq;
	uint64_t dbrec;

	if (status == FW_OK)
		status = fw_record(c, &record, &dbrec);
	if (status == FW_OK)
		status = fw_ring(c, &layout, &ring);
	if (status != FW_OK)
		return status;
	cq = hca_cq_new(c->hca);
	if (!cq) {
		free(ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	cq->ring = ring;
	cq->dbrec = dbrec;
	if (!stamp_record(cq)) {
		hca_cq_free(c->hca, cq);
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DBR);
	}
	if (!compress(cq, cqc)) {
		hca_cq_free(c->hca, cq);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	cq->umems = fw_settle(c, &layout, &record);
	fill(c, cq, cqc);
	PRM_SET(create_cq_out, c->out, cqn, cq->cqn);
	return FW_OK;
}

static uint32_t consumer_counter(const struct hca_cq *cq)
{
	uint8_t ci[4] = { 0 };

	if (!core_bus_read(ci, cq->dbrec, sizeof(ci)))
		return 0;
	return (uint32_t)ci[1] << 16 | ci[2] << 8 | ci[3];
}

static uint32_t arm_state(const struct hca_cq *cq)
{
	if (!cq->armed)
		return PRM_CQC_ST_FIRED;
	return cq->armed_solicited ? PRM_CQC_ST_SOLICITED_ARMED : PRM_CQC_ST_ARMED;
}

enum fw_status fw_query_cq(struct fw_cmd *c)
{
	struct hca_cq *cq = fw_cq(c, PRM_GET(query_cq_in, c->in, cqn));
	uint8_t *cqc = PRM_ADDR(query_cq_out, c->out, cq_context);

	if (!cq)
		return fw_absent(c);
	memcpy(cqc, cq->cqc, HCA_CQC_SIZE);
	PRM_SET(cqc, cqc, status, cq->overrun ? PRM_CQC_STATUS_CQ_OVERFLOW : PRM_CQC_STATUS_OK);
	/* assumed(fresh_cq_reads_as_fired): a CQ that was never armed shows st FIRED. */
	PRM_SET(cqc, cqc, st, arm_state(cq));
	PRM_SET(cqc, cqc, last_solicit_index,
		cq->solicited_end ? (cq->solicited_end - 1) & 0xffffff : 0);
	PRM_SET(cqc, cqc, last_notified_index,
		cq->notified ? (cq->notified - 1) & 0xffffff : 0);
	PRM_SET(cqc, cqc, consumer_counter, consumer_counter(cq));
	PRM_SET(cqc, cqc, producer_counter, cq->pi & 0xffffff);
	fw_put_pas(c, PRM_SZ(query_cq_out), &cq->ring);
	return FW_OK;
}

enum fw_status fw_destroy_cq(struct fw_cmd *c)
{
	return fw_destroy(c, fw_cq(c, PRM_GET(destroy_cq_in, c->in, cqn)));
}
