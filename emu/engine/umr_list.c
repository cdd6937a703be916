/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a UMR work request, 16 bytes each:
 *
 *	KLM     byte_count 4, mkey 4, address 8
 *	KSM     reserved 4, mkey 4, address 8
 *	strided | byte_count 4, op 4 = 0x400, repeat_count 4, reserved 2, num_ent 2 | then
 *	        | stride 2, byte_count 2, mkey 4, address 8 | …		num_ent times
 *	pages   | address 8 | address 8		wr_en, rd_en in their low bits
 *
 *	inline		in the WQE, from unit 8 on, padded with zeroes to a multiple of 4
 *	by pointer	unit 8 is a data segment that points to the list
 *
 * klm_octowords is the number of entries, padding included. (rdma-core, mlx5dv.h: struct
 * mlx5_wqe_umr_klm_seg, mlx5_wqe_umr_repeat_block_seg; qp.c, umr_strided_seg_create.)
 */
#include <stdlib.h>

#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/sg.h"
#include "engine/umr.h"
#include "engine/wqe_report.h"
#include "prm/prm.h"

#define ENTRY	  16u
#define PADDED_TO 4u
#define ALL_BITS  31, 0

/* repeat block */
#define REPEAT_BYTES 0, ALL_BITS
#define REPEAT_OP    4, ALL_BITS
#define REPEAT_COUNT 8, ALL_BITS
#define REPEAT_RSVD  12, 31, 16
#define REPEAT_ENT   12, 15, 0
#define OP_REPEAT    0x400u
/* its entries */
#define STRIDE	     0, 31, 16
#define STRIDE_BYTES 0, 15, 0
/* a page */
#define PAGE_BITS    0xffull
#define PAGE_PRESENT 3u /* mtt.wr_en, mtt.rd_en */

static uint8_t refuse(const struct umr *u, const char *why)
{
	wqe_report_umr(CORE_MALFORMED_UMR, u->qp, u->index, why);
	return CQE_LOCAL_QP_OP;
}

static bool is_zero(const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (at[i])
			return false;
	return true;
}

static struct hca_klm klm_at(const uint8_t *at)
{
	return (struct hca_klm){ .len = PRM_GET(klm, at, byte_count),
				 .key = PRM_GET(klm, at, mkey),
				 .addr = PRM_GET(klm, at, address) };
}

static struct hca_klm strided_at(const uint8_t *at)
{
	struct hca_klm klm = klm_at(at);

	klm.len = core_bits(at, STRIDE_BYTES);
	klm.stride = core_bits(at, STRIDE);
	return klm;
}

/* Reads @n entries of which the first is a repeat block. */
static uint8_t read_strided(struct umr *u, const uint8_t *bytes, uint32_t n)
{
	uint32_t ent = core_bits(bytes, REPEAT_ENT), sum = 0;

	if (core_bits(bytes, REPEAT_RSVD) || ent >= n || !ent || u->from ||
	    !is_zero(bytes + (1 + ent) * (size_t)ENTRY, (n - 1 - ent) * (size_t)ENTRY))
		return refuse(u, "a repeat block and other entries in one list");
	for (uint32_t i = 0; i < ent; i++) {
		u->list[i] = strided_at(bytes + (1 + i) * ENTRY);
		sum += u->list[i].len;
	}
	/* assumed(repeat_block_adds_up): a repeat block whose byte count is not the sum of its
	 * entries', or with a repeat count of 0, ends in syndrome 0x02. */
	if (sum != core_bits(bytes, REPEAT_BYTES) || !core_bits(bytes, REPEAT_COUNT))
		return refuse(u,
			      "a repeat block with a wrong byte count or with repeat count 0");
	u->entries = ent;
	u->repeat = core_bits(bytes, REPEAT_COUNT);
	return 0;
}

/* Space in the key, when the first pages come: mlx5_ib has thousands of keys in its cache. */
static bool reserve(struct hca_mkey *m)
{
	struct hca_ring *pages = &m->pages;

	if (pages->pas)
		return true;
	pages->pas = malloc(2 * m->capacity * sizeof(*pages->pas));
	if (!pages->pas)
		return false;
	pages->npas = 2 * m->capacity;
	for (uint32_t i = 0; i < pages->npas; i++)
		pages->pas[i] = HCA_NO_PAGE;
	return true;
}

/* Reads the addresses of 2 * @n pages. */
static uint8_t read_pages(struct umr *u, const uint8_t *bytes, uint32_t n)
{
	u->pas = malloc(2 * n * sizeof(*u->pas));
	if (!u->pas || !reserve(u->m))
		return CQE_LOCAL_QP_OP;
	for (uint32_t i = 0; i < 2 * n; i++) {
		uint64_t page = core_be64(bytes + i * sizeof(page));

		u->pas[i] = page & PAGE_PRESENT ? page & ~PAGE_BITS : HCA_NO_PAGE;
	}
	u->entries = n;
	return 0;
}

static uint8_t parse(struct umr *u, const uint8_t *bytes, uint32_t n)
{
	if (!u->m->list)
		return read_pages(u, bytes, n);
	/* A window has one entry, padded. */
	if (u->m->window && !umr_is_drivers(u) &&
	    (u->from || !is_zero(bytes + ENTRY, (n - 1) * (size_t)ENTRY)))
		return refuse(u, "a memory window with more than one KLM");
	u->list = calloc(n, sizeof(*u->list));
	if (!u->list)
		return CQE_LOCAL_QP_OP;
	if (!u->m->window && !u->m->log_entity && core_bits(bytes, REPEAT_OP) == OP_REPEAT)
		return read_strided(u, bytes, n);
	for (uint32_t i = 0; i < n; i++)
		u->list[i] = klm_at(bytes + i * ENTRY);
	u->entries = n;
	return 0;
}

/* Reads the list from the address of the data segment at unit 8. */
static uint8_t read_pointed(struct umr *u, uint32_t n)
{
	const uint8_t *seg = u->wqe + UMR_AT_LIST;
	const struct hca_mkey *m = hca_mkey_find(u->e->hca, core_bits(seg, HWQE_DATA_LKEY));
	/* The driver's own QP is in no PD (mlx5_ib, qp.c, create_kernel_qp). */
	struct mem_ref ref = { .pd = u->qp->pd || !m ? u->qp->pd : m->pd,
			       .key = core_bits(seg, HWQE_DATA_LKEY),
			       .addr = hwqe_get64(seg, HWQE_DATA_ADDR),
			       .len = (uint64_t)n * ENTRY,
			       .qpn = u->qp->qpn,
			       .rights = HCA_LOCAL_READ };
	uint8_t *bytes, status = CQE_LOCAL_PROT;

	if (core_bits(seg, HWQE_DATA_INLINE) || core_bits(seg, HWQE_DATA_BYTE_COUNT) < ref.len)
		return refuse(u, "the data segment is shorter than the list that it points to");
	bytes = malloc(ref.len);
	if (bytes && mem_read(u->e->hca, &ref, bytes) == MEM_OK)
		status = parse(u, bytes, n);
	free(bytes);
	return status;
}

static uint32_t octowords(const struct umr *u)
{
	return core_bits(u->wqe + UMR_AT_CTRL, UMR_KLM_OCTOWORDS);
}

static bool is_inline(const struct umr *u)
{
	return core_bits(u->wqe + UMR_AT_CTRL, UMR_FLAGS) & UMR_INLINE;
}

uint8_t umr_list_shape(const struct umr *u)
{
	uint32_t n = octowords(u), units = u->ds - UMR_AT_LIST / HWQE_UNIT;

	if (!n)
		return units ? refuse(u, "a list, and klm_octowords is 0") : 0;
	if (n % PADDED_TO)
		return refuse(u, "klm_octowords is not a multiple of 4");
	return units != (is_inline(u) ? n : 1) ? refuse(u, "ds and klm_octowords disagree") : 0;
}

uint8_t umr_list_read(struct umr *u)
{
	const uint8_t *ctrl = u->wqe + UMR_AT_CTRL;
	uint32_t n = octowords(u);

	if (!n)
		return 0;
	if (core_bits(ctrl, UMR_FLAGS) & UMR_TRANSLATION_OFFSET)
		u->from = core_bits(ctrl, UMR_OFFSET);
	/* assumed(umr_list_is_bounded_by_the_key): a UMR with more entries than the mkey was
	 * created for (translations_octword_size) ends in syndrome 0x06, as a ConnectX of
	 * linux-rdma, 2023-07-19, "umem: Set iova in ODP flow", did: 0x06 with vendor syndrome
	 * 0x78. */
	if (u->from + n > u->m->capacity) {
		core_check(CORE_KEY_ENTRIES, "key", core_bits(u->wqe, HWQE_CTRL_IMM, 31, 0),
			   "QP 0x%x, the UMR WQE at 0x%x: entries up to %u, and the key has %u",
			   u->qp->qpn, u->index, u->from + n, u->m->capacity);
		return CQE_MW_BIND;
	}
	return is_inline(u) ? parse(u, u->wqe + UMR_AT_LIST, n) : read_pointed(u, n);
}

/* With a translation offset the other entries stay; without it the list is replaced. */
void umr_list_apply(const struct umr *u)
{
	struct hca_mkey *m = u->m;
	bool part = core_bits(u->wqe + UMR_AT_CTRL, UMR_FLAGS) & UMR_TRANSLATION_OFFSET;
	uint32_t end = u->from + u->entries;

	if (u->pas)
		memcpy(m->pages.pas + 2 * u->from, u->pas, 2 * u->entries * sizeof(*u->pas));
	/* assumed(bind_does_not_look_at_the_region): a bind ends well whatever its KLM names; a
	 * key that is wrong, lacks a right or is too short is found by the first access
	 * (google/rdma-unit-test, introspection_mlx5.h: "MW address not checked at bind"). */
	if (!u->list || (m->window && m->free))
		return;
	memcpy(m->list + u->from, u->list, u->entries * sizeof(*m->list));
	m->repeat = u->repeat;
	if (!part || end > m->entries)
		m->entries = end;
}

void umr_list_end(struct umr *u)
{
	free(u->list);
	free(u->pas);
}
