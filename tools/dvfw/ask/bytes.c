/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of queues: which structure they are, and its fields by the printers of the library.
 *
 *	64 bytes, byte 63 = 0xd. or 0xe., byte 55 a syndrome	an error CQE
 *	64 bytes, byte 1 an event, bytes 4 to 31 zero		an EQE
 *	byte 3 an opcode, byte 7 the length in 16 bytes		a WQE; several of them: a ring
 *	bytes 0 and 1 the opcode of a command			its inbox
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dv/check.h>
#include <dv/cqe.h>
#include <dv/print.h>

#include "base/base.h"
#include "bytes.h"
#include "prm/prm.h"
#include "prm/table.h"

enum {
	BLOCK = 64, /* of a ring; a CQE, an EQE */
	DS = 16,    /* unit of a WQE's length */
};

const struct bytes_kind bytes_kinds[] = {
	{ "cqe", "CQEs of 64 bytes", DV_RC },
	{ "eqe", "EQEs", DV_RC },
	{ "wqe", "a send WQE, of a QP of the transport that it looks like", DV_RC },
	{ "wqe-rc", "… of an RC QP", DV_RC },
	{ "wqe-uc", "… of a UC QP", DV_UC },
	{ "wqe-ud", "… of a UD QP", DV_UD },
	{ "wqe-dci", "… of a DC initiator", DV_DCI },
	{ "wqe-xrc", "… of an XRC initiator", DV_XRC },
	{ "wqe-eth", "… of a raw packet QP, or of an SQ", DV_ETH },
	{ "recv", "a receive WQE", DV_RC },
	{ "ring",
	  "a ring of send WQEs, from its first block on, of the transport that they look like",
	  DV_RC },
	{ "ring-rc", "… of an RC QP", DV_RC },
	{ "ring-uc", "… of a UC QP", DV_UC },
	{ "ring-ud", "… of a UD QP", DV_UD },
	{ "ring-dci", "… of a DC initiator", DV_DCI },
	{ "ring-xrc", "… of an XRC initiator", DV_XRC },
	{ "ring-eth", "… of a raw packet QP, or of an SQ", DV_ETH },
	{ NULL, NULL, DV_RC },
};

const struct bytes_kind *bytes_kind(const char *name)
{
	for (const struct bytes_kind *k = bytes_kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

static bool is_error_cqe(const uint8_t *p)
{
	return (p[63] >> 4 == MLX5_CQE_REQ_ERR || p[63] >> 4 == MLX5_CQE_RESP_ERR) && p[55] &&
	       p[55] <= MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR;
}

static bool is_success_cqe(const uint8_t *p)
{
	return p[63] >> 4 <= MLX5_CQE_RESP_SEND_INV && (p[57] || p[58] || p[59]);
}

static bool is_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static bool is_eqe(const uint8_t *p)
{
	return !p[0] && !p[2] && prm_value_name("EVENT", p[1], NULL) && is_zero(p + 4, 28) &&
	       !is_zero(p + 32, 28) && p[63] <= 1;
}

/* A single WQE has only the facts in its control segment. */
static struct dv_queue_facts facts_of(const uint8_t *p, size_t n, enum dv_transport transport)
{
	struct dv_queue_facts q = { .transport = transport };

	if (n >= DS)
		q.qpn = (uint32_t)p[4] << 16 | (uint32_t)p[5] << 8 | p[6];
	return q;
}

/* Whether a WQE that makes sense is at the beginning of @n bytes. */
static bool is_wqe(const uint8_t *p, size_t n)
{
	struct dv_queue_facts q = facts_of(p, n, DV_RC);
	struct dv_finding found[4];
	size_t bytes = n >= DS ? (p[7] & 0x3fu) * DS : 0;

	if (!bytes || bytes > n || is_zero(p, DS))
		return false;
	size_t faults = dv_wqe_check(&q, p, bytes, (uint16_t)(p[1] << 8 | p[2]), found, 4);
	for (size_t i = 0; i < faults && i < 4; i++)
		if (found[i].fault == DV_FAULT_OPCODE || found[i].fault == DV_FAULT_DS_ZERO)
			return false;
	return p[4] || p[5] || p[6];
}

/* ---- the transport of send WQEs ---- */

/* Bytes from one WQE to the next, as its ds says, within @n. */
static size_t wqe_bytes(const uint8_t *p, size_t n)
{
	size_t bytes = (p[7] & 0x3fu) * DS;

	return bytes < DS ? DS : bytes > n ? n : bytes;
}

static size_t blocks_of(size_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

/* After the control segment a datagram has 48 bytes of address vector: 8 of Q_Key or access
 * key, the number of the destination with bit 31 set, at 16 bytes 4 that are zero. A Q_Key has
 * 4 bytes. */
static enum dv_transport of_datagram(const uint8_t *p)
{
	bool sends = p[3] == MLX5_OPCODE_SEND || p[3] == MLX5_OPCODE_SEND_IMM;

	return sends && is_zero(p + DS + 4, 4) ? DV_UD : DV_DCI;
}

/* Guesses the transport from the 16 bytes after the control segment. As data segment or remote
 * address of an RC QP those of the others would have length, or address and key, 0. UC is as
 * RC. */
static enum dv_transport of_wqe(const uint8_t *p, size_t bytes)
{
	if (p[3] == MLX5_OPCODE_TSO || p[3] == DV_OPCODE_ENHANCED_MPSW)
		return DV_ETH;
	if (bytes >= 4 * DS && p[24] == 0x80 && is_zero(p + 2 * DS, 4))
		return of_datagram(p);
	if (p[3] == MLX5_OPCODE_SEND && is_zero(p + DS, 4))
		return DV_ETH;
	return !p[16] && !is_zero(p + 17, 3) && is_zero(p + 20, 12) ? DV_XRC : DV_RC;
}

/* The transport that most of the WQEs look like. */
static enum dv_transport guess_transport(const uint8_t *p, size_t n)
{
	unsigned int votes[8] = { 0 };
	enum dv_transport most = DV_RC;

	for (size_t at = 0; at + 2 * DS <= n;) {
		size_t bytes = wqe_bytes(p + at, n - at);

		if (bytes >= 2 * DS && p[at + 3] != MLX5_OPCODE_NOP)
			votes[of_wqe(p + at, bytes)]++;
		at += blocks_of(bytes);
	}
	for (unsigned int t = 0; t < 8; t++)
		if (votes[t] > votes[most])
			most = t;
	return most;
}

static enum dv_transport bytes_transport(const struct bytes_kind *kind, const uint8_t *p,
					 size_t n)
{
	bool open = !strcmp(kind->name, "wqe") || !strcmp(kind->name, "ring");

	return open ? guess_transport(p, n) : kind->transport;
}

static const char *transport_name(enum dv_transport t)
{
	for (const struct bytes_kind *k = bytes_kinds; k->name; k++)
		if (!strncmp(k->name, "ring-", 5) && k->transport == t)
			return k->name + 5;
	return "?";
}

static bool is_inbox(const uint8_t *p, size_t n)
{
	return n >= DS && (p[0] || p[1]) && prm_cmd((unsigned int)p[0] << 8 | p[1]) &&
	       n >= prm_cmd((unsigned int)p[0] << 8 | p[1])->in->bytes;
}

/* Another WQE of the same queue follows the first one. */
static bool has_second(const uint8_t *p, size_t n)
{
	size_t at = blocks_of(wqe_bytes(p, n));

	return at < n && is_wqe(p + at, n - at) && !memcmp(p + 4, p + at + 4, 3);
}

const char *bytes_guess(const uint8_t *p, size_t n)
{
	bool blocks = n && n % BLOCK == 0;

	if (blocks && is_error_cqe(p))
		return "cqe";
	if (blocks && is_eqe(p))
		return "eqe";
	if (is_inbox(p, n))
		return "inbox";
	if (is_wqe(p, n))
		return n > 4 * BLOCK || (blocks && n > BLOCK && (p[7] & 0x3f) <= 4) ||
				       has_second(p, n)
			       ? "ring"
			       : "wqe";
	return blocks && n <= 2 * BLOCK && is_success_cqe(p) ? "cqe" : NULL;
}

/* ---- fields ---- */

typedef size_t format_one(char *buf, size_t size, const void *p, size_t n,
			  enum dv_transport transport);

static size_t format_cqe(char *buf, size_t size, const void *p, size_t n, enum dv_transport t)
{
	(void)t;
	return dv_cqe_format(buf, size, p, n < BLOCK ? n : BLOCK, DV_FIELDS);
}

static size_t format_eqe(char *buf, size_t size, const void *p, size_t n, enum dv_transport t)
{
	(void)t;
	return dv_eqe_format(buf, size, p, n < BLOCK ? n : BLOCK, DV_FIELDS);
}

static size_t format_wqe(char *buf, size_t size, const void *p, size_t n, enum dv_transport t)
{
	return dv_wqe_format(buf, size, p, n, t, DV_FIELDS);
}

static size_t format_recv(char *buf, size_t size, const void *p, size_t n, enum dv_transport t)
{
	(void)t;
	return dv_recv_wqe_format(buf, size, p, n, DV_RECV_PLAIN, DV_FIELDS);
}

static void put_one(FILE *out, format_one *format, const uint8_t *p, size_t n,
		    enum dv_transport transport)
{
	size_t size = format(NULL, 0, p, n, transport) + 1;
	char *text = malloc(size);

	if (text && format(text, size, p, n, transport) < size)
		fputs(text, out);
	free(text);
}

static void put_all(FILE *out, format_one *format, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < n; at += BLOCK) {
		if (n > BLOCK)
			fprintf(out, "# %zu\n", at / BLOCK);
		put_one(out, format, p + at, n - at, DV_RC);
	}
}

/* That are zero at @p. */
static size_t zero_bytes(const uint8_t *p, size_t n)
{
	size_t bytes = 0;

	while (bytes < n && !p[bytes])
		bytes++;
	return bytes;
}

/* WQE after WQE, as their lengths say. */
static void put_ring(FILE *out, const uint8_t *p, size_t n, enum dv_transport transport)
{
	for (size_t at = 0; at + DS <= n;) {
		size_t bytes = wqe_bytes(p + at, n - at), unused = zero_bytes(p + at, n - at);

		if (unused >= BLOCK) {
			fprintf(out, "# block %zu: zero, %zu bytes\n", at / BLOCK, unused);
			at += unused / BLOCK * BLOCK;
			continue;
		}
		fprintf(out, "# block %zu\n", at / BLOCK);
		put_one(out, format_wqe, p + at, bytes, transport);
		at += blocks_of(bytes);
	}
}

char *bytes_fields(const struct bytes_kind *kind, const uint8_t *p, size_t n)
{
	char *text = NULL;
	enum dv_transport transport;
	size_t size;
	FILE *out;

	if (n < (kind->name[0] == 'c' || kind->name[0] == 'e' ? BLOCK : DS))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	transport = bytes_transport(kind, p, n);
	if (!strcmp(kind->name, "cqe"))
		put_all(out, format_cqe, p, n);
	else if (!strcmp(kind->name, "eqe"))
		put_all(out, format_eqe, p, n);
	else if (!strncmp(kind->name, "ring", 4))
		put_ring(out, p, n, transport);
	else
		put_one(out, !strcmp(kind->name, "recv") ? format_recv : format_wqe, p,
			n < DV_WQE_MAX_BYTES ? n : DV_WQE_MAX_BYTES, transport);
	fclose(out);
	return text;
}

/* ---- what they say ---- */

/* The first CQE with an error: { "qpn", "side", "syndrome", "syndrome_text", "vendor", … };
 * NULL: all are good. */
static struct json_object *first_error(const uint8_t *p, size_t n)
{
	for (size_t at = 0; at + BLOCK <= n; at += BLOCK) {
		const uint8_t *cqe = p + at;
		unsigned int opcode = cqe[63] >> 4;

		if (opcode != MLX5_CQE_REQ_ERR && opcode != MLX5_CQE_RESP_ERR)
			continue;
		struct json_object *e = json_object_new_object();
		json_object_object_add(e, "qpn",
				       dvfw_json_number((unsigned int)cqe[57] << 16 |
							(unsigned int)cqe[58] << 8 | cqe[59]));
		json_object_object_add(e, "side",
				       json_object_new_string(opcode == MLX5_CQE_REQ_ERR
								      ? "requester"
								      : "responder"));
		json_object_object_add(e, "syndrome", dvfw_json_number(cqe[55]));
		json_object_object_add(e, "syndrome_text",
				       json_object_new_string(dv_syndrome_str(cqe[55])));
		json_object_object_add(e, "hint",
				       json_object_new_string(dv_syndrome_hint(cqe[55])));
		json_object_object_add(e, "vendor", dvfw_json_number(cqe[54]));
		json_object_object_add(e, "vendor_text",
				       json_object_new_string(dv_vendor_syndrome_str(cqe[54])));
		return e;
	}
	return NULL;
}

/* The findings of <dv/check.h> in the WQE. */
static struct json_object *wqe_findings(const uint8_t *p, size_t n, enum dv_transport transport)
{
	struct dv_queue_facts q = facts_of(p, n, transport);
	struct json_object *list = json_object_new_array();
	size_t bytes = n < DV_WQE_MAX_BYTES ? n : DV_WQE_MAX_BYTES;
	struct dv_finding found[8];
	size_t faults = dv_wqe_check(&q, p, bytes, (uint16_t)(p[1] << 8 | p[2]), found, 8);

	for (size_t i = 0; i < faults && i < 8; i++)
		json_object_array_add(list, json_object_new_string(found[i].text));
	return list;
}

static struct json_object *list_of_lines(const char *text)
{
	struct json_object *list = json_object_new_array();

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			json_object_array_add(list, json_object_new_string_len(text, (int)n));
		text += n + (text[n] == '\n');
	}
	return list;
}

struct json_object *bytes_json(const struct bytes_kind *kind, const uint8_t *p, size_t n)
{
	struct json_object *top = json_object_new_object(), *error = NULL;
	enum dv_transport transport = bytes_transport(kind, p, n);
	char *text = bytes_fields(kind, p, n);
	bool wqe = !strncmp(kind->name, "wqe", 3);

	json_object_object_add(top, "kind", json_object_new_string(kind->name));
	json_object_object_add(top, "bytes", dvfw_json_number(n));
	if (wqe || !strncmp(kind->name, "ring", 4))
		json_object_object_add(top, "transport",
				       json_object_new_string(transport_name(transport)));
	if (wqe)
		json_object_object_add(top, "findings", wqe_findings(p, n, transport));
	if (!strcmp(kind->name, "cqe"))
		error = first_error(p, n);
	if (error)
		json_object_object_add(top, "error", error);
	json_object_object_add(top, "fields", list_of_lines(text ? text : ""));
	free(text);
	return top;
}
