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

#include "explain.h"
#include "message.h"
#include "prm/prm.h"

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
	{ "inbox", "the inbox of a command", DV_RC },
	{ "outbox", "the outbox of a command", DV_RC },
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

/* Of a WQE alone is known what its control segment says. */
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

/* After the control segment a datagram has 48 bytes of address vector: 8 of Q_Key or access key, the number of
 * the destination with bit 31 set, at 16 bytes 4 that are zero. A Q_Key has 4 bytes. */
static enum dv_transport of_datagram(const uint8_t *p)
{
	bool sends = p[3] == MLX5_OPCODE_SEND || p[3] == MLX5_OPCODE_SEND_IMM;

	return sends && is_zero(p + DS + 4, 4) ? DV_UD : DV_DCI;
}

/* What the 16 bytes after the control segment are. As data segment or remote address of an RC QP those of the others
 * would have length, or address and key, 0. UC is as RC. */
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

enum dv_transport bytes_transport(const struct bytes_kind *kind, const uint8_t *p, size_t n)
{
	bool open = !strcmp(kind->name, "wqe") || !strcmp(kind->name, "ring");

	return open ? guess_transport(p, n) : kind->transport;
}

const char *bytes_transport_name(enum dv_transport t)
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

static void explain_cqes(struct facts *f, const uint8_t *p, size_t n)
{
	bool failed = false;

	for (size_t at = 0; at + BLOCK <= n && !failed; at += BLOCK) {
		const uint8_t *cqe = p + at;
		unsigned int opcode = cqe[63] >> 4;

		if (opcode != MLX5_CQE_REQ_ERR && opcode != MLX5_CQE_RESP_ERR)
			continue;
		if (!item_has(f->item, "qpn"))
			item_fact(f->item, "qpn", "0x%x",
				  cqe[57] << 16 | cqe[58] << 8 | cqe[59]);
		item_fact(f->item, "side", "%s",
			  opcode == MLX5_CQE_REQ_ERR
				  ? "requester: a work request of a send queue"
				  : "responder: a receive");
		fact_cqe_syndrome(f, cqe[55]);
		fact_vendor(f, cqe[54]);
		facts_end(f);
		failed = true;
	}
	if (!failed)
		item_list(f->item, "steps", "no error in it: the work request succeeded");
}

static void explain_wqe(struct facts *f, const struct bytes_kind *kind, const uint8_t *p,
			size_t n)
{
	struct dv_queue_facts q = facts_of(p, n, bytes_transport(kind, p, n));
	struct dv_finding found[8];
	size_t bytes = n < DV_WQE_MAX_BYTES ? n : DV_WQE_MAX_BYTES;
	size_t faults;

	if (n < DS)
		return;
	faults = dv_wqe_check(&q, p, bytes, (uint16_t)(p[1] << 8 | p[2]), found, 8);
	for (size_t i = 0; i < faults && i < 8; i++)
		item_list(f->item, "causes", found[i].text);
	item_list(f->item, "unknown",
		  "whether keys and addresses are right: only the device knows them");
}

static void explain_box(struct facts *f, bool out, const uint8_t *p, size_t n)
{
	unsigned int first = n >= 2 ? (unsigned int)p[0] << 8 | p[1] : 0;
	unsigned int opcode = f->opcode ? f->opcode : first;
	const struct prm_cmd *cmd = prm_cmd(opcode);
	const struct prm_struct *s = cmd ? out ? cmd->out : cmd->in : NULL;
	uint64_t status = 0, syndrome = 0;
	char text[8192], number[32];

	if (!s)
		return;
	if (!item_has(f->item, "command"))
		item_fact(f->item, "command", "%s (0x%x)", cmd->name, opcode);
	f->opcode = cmd->opcode;
	prm_format(text, sizeof(text), s, p, n, PRM_LINE);
	for (char *at = text; (at = strchr(at, ' '));)
		*at = '\n'; /* a field a line */
	item_list(f->item, "fields", text);
	if (!out || !prm_get(s, p, n, "status", &status) || !status)
		return;
	prm_get(s, p, n, "syndrome", &syndrome);
	snprintf(number, sizeof(number), "0x%llx", (unsigned long long)status);
	fact_add(f, "status", number);
	snprintf(number, sizeof(number), "0x%llx", (unsigned long long)syndrome);
	fact_add(f, "fw_syndrome", number);
}

void bytes_explain(struct facts *f, const char *name, const uint8_t *p, size_t n)
{
	const struct bytes_kind *kind = bytes_kind(name);

	if (!strcmp(name, "inbox") || !strcmp(name, "outbox")) {
		explain_box(f, *name == 'o', p, n);
		return;
	}
	if (!strncmp(name, "wqe", 3) || !strncmp(name, "ring", 4))
		item_fact(f->item, "transport", "%s%s",
			  bytes_transport_name(bytes_transport(kind, p, n)),
			  strchr(name, '-') ? ""
					    : " (it looks like that; --kind says what it is)");
	char *text = bytes_fields(kind, p, n);
	if (!text) {
		item_list(f->item, "unknown", "the dump is too short for this structure");
		return;
	}
	if (!strcmp(name, "cqe"))
		explain_cqes(f, p, n);
	else if (!strncmp(name, "wqe", 3))
		explain_wqe(f, kind, p, n);
	item_list(f->item, "fields", text);
	free(text);
}
