/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the segments of a resource dump: fields, if the contents are published, otherwise
 * bytes.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "prm/prm.h"
#include "prm/visible.h"
#include "rscdump.h"

/* Resources that are the outbox of a query. */
static const struct {
	unsigned int type;
	uint16_t opcode;
} queries[] = {
	{ 0x4000, PRM_OP_QUERY_QP },
	{ 0x4008, PRM_OP_QUERY_VNIC_ENV },
	{ 0x4020, PRM_OP_QUERY_CQ },
	{ 0x4030, PRM_OP_QUERY_MKEY },
};

bool rscdump_next(const struct rscdump *dump, struct rscdump_segment *s, const char **why)
{
	const uint8_t *end = dump->bytes + dump->len;
	const uint8_t *p = s->p ? s->p + s->len : dump->bytes;
	size_t left = (size_t)(end - p);

	if (!left || s->type == RSCDUMP_TERMINATE)
		return false;
	s->len = left < PRM_SZ(resource_dump_segment_header)
			 ? 0
			 : 4 * (size_t)PRM_GET(resource_dump_segment_header, p, length_dw);
	if (s->len < PRM_SZ(resource_dump_segment_header) || s->len > left) {
		*why = "a segment is longer than the dump, or has no header";
		return false;
	}
	s->p = p;
	s->type = PRM_GET(resource_dump_segment_header, p, segment_type);
	return true;
}

/* @size bytes of the firmware. */
static const char *text_of(const uint8_t *from, size_t size, char *to, size_t space)
{
	char text[64] = "";

	memcpy(text, from, size < sizeof(text) ? size : sizeof(text) - 1);
	return prm_visible(to, space, text);
}

const char *rscdump_name(const uint8_t *record, size_t offset, char name[RSCDUMP_NAME_BYTES])
{
	return text_of(record + offset, RSCDUMP_NAME_BYTES - 1, name, RSCDUMP_NAME_BYTES);
}

/* ---- the menu ---- */

static void show_record(const struct dvfw *d, const uint8_t *m, struct json_object *list)
{
#define NAME(f, to) rscdump_name(m, PRM_OFF(resource_dump_menu_record, f) / 8, to)
#define HAS(f)	    PRM_GET(resource_dump_menu_record, m, f)
	char name[RSCDUMP_NAME_BYTES], index[2][RSCDUMP_NAME_BYTES];
	uint32_t type = HAS(segment_type);
	struct json_object *o;

	NAME(segment_name, name);
	NAME(index1_name, index[0]);
	NAME(index2_name, index[1]);
	if (!HAS(support_index1))
		index[0][0] = '\0';
	if (!HAS(support_index2))
		index[1][0] = '\0';
	if (!list) {
		printf("0x%04x  %s%s%s", type, dvfw_paint(d, DVFW_NAME), name,
		       dvfw_paint(d, DVFW_PLAIN));
		if (*index[0])
			printf("%*s%s", 17 - (int)strlen(name), "", index[0]);
		if (*index[1])
			printf(HAS(must_have_index2) ? " %s" : " [%s]", index[1]);
		putchar('\n');
		return;
	}
	o = json_object_new_object();
	json_set(o, "type", type);
	json_set(o, "name", name);
	json_set(o, "index1", index[0]);
	json_set(o, "index2", index[1]);
	json_object_array_add(list, o);
#undef HAS
#undef NAME
}

static void show_menu(const struct dvfw *d, const struct rscdump_segment *s,
		      struct json_object *list)
{
	const size_t record = PRM_SZ(resource_dump_menu_record);

	for (size_t at = PRM_SZ(resource_dump_menu_segment); at + record <= s->len;
	     at += record)
		show_record(d, s->p + at, list);
}

/* ---- resources ---- */

static const struct prm_cmd *query_of(unsigned int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++)
		if (queries[i].type == type)
			return prm_cmd(queries[i].opcode);
	return NULL;
}

static void show_payload(const struct dvfw *d, const struct rscdump_segment *s,
			 const struct rscdump_how *how, struct json_object *o)
{
	const size_t head = PRM_SZ(resource_dump_resource_segment);
	const struct prm_cmd *cmd = query_of(s->type);
	const uint8_t in[64] = { 0 };
	struct shown m = { .p = s->p + head, .len = s->len - head };

	if (cmd && m.len >= cmd->out->bytes && !how->hex) {
		m.s = cmd->out;
		m.cmd = cmd;
		m.in = in;
		m.in_len = sizeof(in);
		if (o)
			json_set(o, "fields", reading_json(&m));
		else
			reading_print_all(d, &m, how->all);
		return;
	}
	if (o)
		json_set(o, "hex", json_hex(m.p, m.len));
	else
		hex_print(m.p, m.len);
}

static void show_resource(const struct dvfw *d, const struct rscdump_segment *s,
			  const struct rscdump_how *how, struct json_object *list)
{
	const size_t head = PRM_SZ(resource_dump_resource_segment);
	struct json_object *o = list ? json_object_new_object() : NULL;
	unsigned int index1, index2;

	if (s->len < head)
		return;
	index1 = (unsigned int)PRM_GET(resource_dump_resource_segment, s->p, index1);
	index2 = (unsigned int)PRM_GET(resource_dump_resource_segment, s->p, index2);
	if (o) {
		json_set(o, "type", s->type);
		json_set(o, "index1", index1);
		json_set(o, "index2", index2);
		json_object_array_add(list, o);
	} else {
		printf("segment 0x%04x, index 0x%x, 0x%x, %zu bytes:\n", s->type, index1,
		       index2, s->len - head);
	}
	show_payload(d, s, how, o);
}

/* ---- all ---- */

/* Prints the firmware's remark on the dump: the text is 16 bytes after the header, in both. */
static int show_remark(const struct dvfw *d, const struct rscdump_segment *s)
{
	const size_t at = PRM_OFF(resource_dump_error_segment, error) / 8;
	char text[200] = "";
	unsigned int syndrome;

	if (s->len < PRM_SZ(resource_dump_error_segment))
		return DVFW_REFUSED;
	syndrome = (unsigned int)PRM_GET(resource_dump_error_segment, s->p, syndrome_id);
	text_of(s->p + at, PRM_SZ(resource_dump_error_segment) - at, text, sizeof(text));
	dvfw_refused(d, "the firmware's %s in the dump: 0x%x, %s",
		     s->type == RSCDUMP_ERROR ? "error" : "notice", syndrome, text);
	return s->type == RSCDUMP_ERROR ? DVFW_REFUSED : DVFW_OK;
}

int rscdump_show(const struct dvfw *d, const struct rscdump *dump,
		 const struct rscdump_how *how)
{
	struct json_object *list = d->json ? json_object_new_array() : NULL;
	struct rscdump_segment s = { 0 };
	const char *why = NULL;
	int status = DVFW_OK;

	while (rscdump_next(dump, &s, &why)) {
		if (s.type == RSCDUMP_MENU)
			show_menu(d, &s, list);
		else if (s.type == RSCDUMP_ERROR || s.type == RSCDUMP_NOTICE)
			status |= show_remark(d, &s);
		else if (s.type == RSCDUMP_REFERENCE || s.type < RSCDUMP_NOTICE)
			show_resource(d, &s, how, list);
	}
	if (list)
		dvfw_print_json(list);
	if (why)
		return dvfw_refused(d, "%s", why);
	return s.type == RSCDUMP_TERMINATE || status
		       ? status
		       : dvfw_refused(d, "the dump has no end: no segment TERMINATE");
}
