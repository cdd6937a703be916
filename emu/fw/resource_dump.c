/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register RESOURCE_DUMP: objects as segments, in parts. Kernel, diag/rsc_dump.c; mlx5ctl,
 * rscdump.c and the menu of an adapter in its README, from which types and names are.
 *
 *	info | command: what was asked | resource, or menu, or error | terminate
 *	'--- part: 208 bytes in the register, or as many as asked for by mkey ---'
 *
 * A part is the window of the dump from device_opaque on; what comes before it is made and
 * skipped, so a dump has no state here. The menu has what is published: commands' answers. The
 * types of the hardware's own contexts (HW_SQPC, FULL_QPC …) are not known.
 */
#include <stdlib.h>

#include "fw/register.h"
#include "mem/mem.h"

#define TYPE_COMMAND   0xfffa
#define TYPE_TERMINATE 0xfffb
#define TYPE_ERROR     0xfffc
#define TYPE_INFO      0xfffe
#define TYPE_MENU      0xffff

#define INLINE_BYTES  208
#define PART_MAX      (1u << 20)
#define PAYLOAD_MAX   0x400
#define NO_SUCH_INDEX 1 /* syndrome_id; the adapters' own are not published */

struct row {
	uint16_t type;
	const char *name, *index1;
	uint16_t opcode;       /* its payload is the outbox of this query */
	struct fw_bits number; /* in the inbox: index1 */
	uint16_t in_len, out_len;
	fw_handler *query;
};

#define QUERY(t, segment, index, op, q, field)                                            \
	{                                                                                 \
		.type = t, .name = segment, .index1 = index, .opcode = PRM_OP_QUERY_##op, \
		.number = F(query_##q##_in, field), .in_len = PRM_SZ(query_##q##_in),     \
		.out_len = PRM_SZ(query_##q##_out), .query = fw_query_##q                 \
	}

/* assumed(dump_of_prm_query_is_an_outbox): the payload of the segments PRM_QUERY_QP,
 * PRM_QUERY_CQ, PRM_QUERY_MKEY and QUERY_VNIC_ENV is the outbox of these commands, without
 * lists. */
static const struct row rows[] = {
	QUERY(0x4000, "PRM_QUERY_QP", "QPN", QP, qp, qpn),
	QUERY(0x4020, "PRM_QUERY_CQ", "CQN", CQ, cq, cqn),
	QUERY(0x4030, "PRM_QUERY_MKEY", "MKEY_IDX", MKEY, mkey, mkey_index),
	{ .type = 0x4008,
	  .name = "QUERY_VNIC_ENV",
	  .opcode = PRM_OP_QUERY_VNIC_ENV,
	  .in_len = PRM_SZ(query_vnic_env_in),
	  .out_len = PRM_SZ(query_vnic_env_out),
	  .query = fw_query_vnic_env },
};

/* A window of the dump, while it is made from its first byte on. */
struct dump {
	const uint8_t *ask;
	uint64_t from, at;
	uint8_t *to;
	uint32_t capacity, n;
};

static void put(struct dump *d, const void *bytes, size_t len)
{
	uint64_t end = d->at + len, first = d->at > d->from ? d->at : d->from;
	uint64_t last = end < d->from + d->capacity ? end : d->from + d->capacity;

	if (first < last) {
		memcpy(d->to + (first - d->from), (const uint8_t *)bytes + (first - d->at),
		       last - first);
		d->n = (uint32_t)(last - d->from);
	}
	d->at = end;
}

/* @segment of @len bytes, of which all but the header is there, and @more bytes that follow
 * it. */
static void put_segment(struct dump *d, uint16_t type, uint8_t *segment, size_t len,
			size_t more)
{
	PRM_SET(resource_dump_segment_header, segment, segment_type, type);
	PRM_SET(resource_dump_segment_header, segment, length_dw, (len + more) / 4);
	put(d, segment, len);
}

/* assumed(dump_versions_are_0): the numbers of the segment INFO are 0; what they count is not
 * published. */
static void put_head(struct dump *d, const struct hca *hca)
{
	uint8_t info[PRM_SZ(resource_dump_info_segment)] = { 0 };
	uint8_t command[PRM_SZ(resource_dump_command_segment)] = { 0 };

	put_segment(d, TYPE_INFO, info, sizeof(info), 0);
#define COPY(f) \
	PRM_SET(resource_dump_command_segment, command, f, PRM_GET(resource_dump, d->ask, f))
	COPY(index1);
	COPY(index2);
	COPY(num_of_obj1);
	COPY(num_of_obj2);
#undef COPY
	PRM_SET(resource_dump_command_segment, command, vhca_id, hca->slot);
	PRM_SET(resource_dump_command_segment, command, segment_called,
		PRM_GET(resource_dump, d->ask, segment_type));
	put_segment(d, TYPE_COMMAND, command, sizeof(command), 0);
}

static void put_text(uint8_t *field, size_t size, const char *text)
{
	size_t len = strlen(text);

	memcpy(field, text, len < size ? len : size - 1);
}

#define NAME_BYTES 16

static void put_menu(struct dump *d)
{
	uint8_t head[PRM_SZ(resource_dump_menu_segment)] = { 0 };

	PRM_SET(resource_dump_menu_segment, head, num_of_records, ARRAY_SIZE(rows));
	put_segment(d, TYPE_MENU, head, sizeof(head),
		    ARRAY_SIZE(rows) * PRM_SZ(resource_dump_menu_record));
	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		uint8_t m[PRM_SZ(resource_dump_menu_record)] = { 0 };

		PRM_SET(resource_dump_menu_record, m, segment_type, r->type);
		PRM_SET(resource_dump_menu_record, m, support_index1, r->index1 != NULL);
		PRM_SET(resource_dump_menu_record, m, must_have_index1, r->index1 != NULL);
		put_text(PRM_ADDR(resource_dump_menu_record, m, segment_name), NAME_BYTES,
			 r->name);
		put_text(PRM_ADDR(resource_dump_menu_record, m, index1_name), NAME_BYTES,
			 r->index1 ? r->index1 : "N/A");
		put_text(PRM_ADDR(resource_dump_menu_record, m, index2_name), NAME_BYTES,
			 "N/A");
		put(d, m, sizeof(m));
	}
}

/* assumed(dump_of_nothing_is_an_error_segment): an index without an object is a segment ERROR
 * in a dump that succeeds. */
static void put_error(struct dump *d, const char *text)
{
	uint8_t e[PRM_SZ(resource_dump_error_segment)] = { 0 };

	PRM_SET(resource_dump_error_segment, e, syndrome_id, NO_SUCH_INDEX);
	put_text(PRM_ADDR(resource_dump_error_segment, e, error), 32, text);
	put_segment(d, TYPE_ERROR, e, sizeof(e), 0);
}

/* The answer of the query; false: it is refused. */
static bool query(const struct fw_cmd *c, const struct row *r, uint32_t index, uint8_t *out)
{
	uint8_t in[PAYLOAD_MAX] = { 0 };
	struct fw_cmd q = *c;

	if (r->number.width < 32 && index >> r->number.width)
		return false;
	PRM_SET(mbox_in, in, opcode, r->opcode);
	if (r->index1)
		prm_store(in, r->number.first, r->number.width, index);
	q.opcode = r->opcode;
	q.in = in;
	q.in_len = r->in_len;
	q.out = out;
	q.out_len = r->out_len;
	memset(out, 0, r->out_len);
	return r->query(&q) == FW_OK;
}

static void put_resource(struct dump *d, const struct fw_cmd *c, const struct row *r)
{
	uint8_t head[PRM_SZ(resource_dump_resource_segment)] = { 0 }, out[PAYLOAD_MAX];
	uint32_t index = PRM_GET(resource_dump, d->ask, index1);

	if (!query(c, r, index, out)) {
		put_error(d, "no such object");
		return;
	}
	PRM_SET(resource_dump_resource_segment, head, index1, index);
	put_segment(d, r->type, head, sizeof(head), r->out_len);
	put(d, out, r->out_len);
}

static const struct row *row_of(uint32_t type)
{
	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++)
		if (r->type == type)
			return r;
	return NULL;
}

/* All of it. False: there is no such type of segment. */
static bool make(struct dump *d, const struct fw_cmd *c)
{
	uint32_t type = PRM_GET(resource_dump, d->ask, segment_type);
	uint8_t end[PRM_SZ(resource_dump_terminate_segment)] = { 0 };
	const struct row *r = row_of(type);

	if (!r && type != TYPE_MENU)
		return false;
	put_head(d, c->hca);
	if (r)
		put_resource(d, c, r);
	else
		put_menu(d);
	put_segment(d, TYPE_TERMINATE, end, sizeof(end), 0);
	return true;
}

/* Writes @len bytes where the register says. */
static uint8_t write_part(const struct fw_cmd *c, const uint8_t *ask, const uint8_t *bytes,
			  uint32_t len)
{
	uint32_t key = PRM_GET(resource_dump, ask, mkey);
	const struct hca_mkey *m = fw_mkey(c, key >> 8);
	struct mem_ref ref = { .key = key,
			       .addr = PRM_GET(resource_dump, ask, address),
			       .len = len,
			       .rights = HCA_LOCAL_WRITE };

	if (!m)
		return FW_WHY_OBJECT;
	ref.pd = m->pd;
	return mem_write(c->hca, &ref, bytes) == MEM_OK ? 0 : FW_WHY_RIGHTS;
}

static uint8_t check(const struct fw_cmd *c, const uint8_t *ask)
{
	uint32_t vhca = PRM_GET(resource_dump, ask, vhca_id);
	bool is_inline = PRM_GET(resource_dump, ask, inline_dump);
	uint32_t size = PRM_GET(resource_dump, ask, size);

	if (c->uid && !c->tools)
		return FW_WHY_UID;
	if (vhca && vhca != c->hca->slot)
		return FW_WHY_VHCA;
	/* How many objects: no type of the menu supports it. */
	if (PRM_GET(resource_dump, ask, num_of_obj1) ||
	    PRM_GET(resource_dump, ask, num_of_obj2))
		return FW_WHY_UNSUPPORTED;
	return is_inline || (size && size % 4 == 0) ? 0 : FW_WHY_SIZE;
}

static uint8_t read_resource_dump(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	bool is_inline = PRM_GET(resource_dump, ask, inline_dump);
	uint32_t size = PRM_GET(resource_dump, ask, size);
	struct dump d = { .ask = ask, .from = PRM_GET(resource_dump, ask, device_opaque) };
	uint8_t why = check(c, ask);

	if (why)
		return why;
	d.capacity = is_inline ? INLINE_BYTES : size < PART_MAX ? size : PART_MAX;
	d.to = malloc(d.capacity);
	if (!d.to)
		return FW_WHY_FULL;
	if (!make(&d, c) || d.from >= d.at)
		why = FW_WHY_VALUE;
	else if (is_inline)
		memcpy(PRM_ADDR(resource_dump, reg, inline_data), d.to, d.n);
	else
		why = write_part(c, ask, d.to, d.n);
	free(d.to);
	if (why)
		return why;
	PRM_SET(resource_dump, reg, size, d.n);
	PRM_SET(resource_dump, reg, seq_num, (PRM_GET(resource_dump, ask, seq_num) + 1) & 0xf);
	PRM_SET(resource_dump, reg, more_dump, d.from + d.n < d.at);
	PRM_SET(resource_dump, reg, device_opaque, d.from + d.n);
	return 0;
}

/* The kernel writes the register, and mlx5ctl reads it: the answer is the same. */
static uint8_t write_nothing(struct fw_cmd *c, const uint8_t *reg)
{
	(void)c;
	(void)reg;
	return 0;
}

static const struct fw_bits fields[] = {
	F(resource_dump, more_dump),   F(resource_dump, inline_dump),
	F(resource_dump, seq_num),     F(resource_dump, segment_type),
	F(resource_dump, vhca_id),     F(resource_dump, index1),
	F(resource_dump, index2),      F(resource_dump, num_of_obj1),
	F(resource_dump, num_of_obj2), F(resource_dump, device_opaque),
	F(resource_dump, mkey),	       F(resource_dump, size),
	F(resource_dump, address),     END,
};

const struct fw_register fw_dump_registers[] = {
	{ .id = FW_REGISTER_RESOURCE_DUMP,
	  .layout = "resource_dump",
	  .bytes = PRM_SZ(resource_dump),
	  .ask = fields,
	  .set = fields,
	  .read = read_resource_dump,
	  .write = write_nothing },
	{ 0 },
};
