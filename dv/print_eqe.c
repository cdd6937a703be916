/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EQEs as text (print.h): 64 bytes, of which
 *
 *	+1 type   +3 sub_type   +32 … 59 data, as the type has it   +62 signature   +63 owner
 *
 * Types and their data as in the kernel's include/linux/mlx5/device.h (enum mlx5_event, struct
 * mlx5_eqe_*); offsets below count from the data.
 */
#include "text.h"

enum {
	EQE = 64,
	DATA = 32,
	DATA_BYTES = 28,
};

/* clang-format off */
#define N(name, at, bytes, high, low, show) { name, at, bytes, high, low, show }
#define QP	  { N("qpn", 24, 4, 23, 0, HEX) }
#define SRQ	  { N("srqn", 24, 4, 23, 0, HEX) }

static const struct {
	const char *name;
	struct field field[4]; /* a NULL name ends them; none: the data as bytes */
} events[256] = {
	[0x00] = { "COMP", { N("cqn", 24, 4, 23, 0, HEX) } },
	[0x01] = { "PATH_MIG", QP },
	[0x02] = { "COMM_EST", QP },
	[0x03] = { "SQ_DRAINED", QP },
	[0x04] = { "CQ_ERROR", { N("cqn", 0, 4, 23, 0, HEX), N("syndrome", 11, 1, 7, 0, DEC) } },
	[0x05] = { "WQ_CATAS_ERROR", QP },
	[0x07] = { "PATH_MIG_FAILED", QP },
	[0x08] = { "INTERNAL_ERROR", { { 0 } } },
	[0x09] = { "PORT_CHANGE", { N("port", 8, 1, 7, 4, DEC) } },
	[0x0a] = { "CMD", { N("slots", 0, 4, 31, 0, HEX) } },
	[0x0b] = { "PAGE_REQUEST", { N("function", 2, 2, 15, 0, DEC), N("pages", 4, 4, 31, 0, DEC),
				     N("ec_function", 0, 2, 15, 15, RESERVED) } },
	[0x0c] = { "PAGE_FAULT", { { 0 } } },
	[0x0d] = { "NIC_VPORT_CHANGE", { N("vport", 2, 2, 15, 0, DEC) } },
	[0x0e] = { "ESW_FUNCTIONS_CHANGED", { { 0 } } },
	[0x0f] = { "VHCA_STATE_CHANGE", { N("function", 2, 2, 15, 0, DEC) } },
	[0x10] = { "WQ_INVAL_REQ_ERROR", QP },
	[0x11] = { "WQ_ACCESS_ERROR", QP },
	[0x12] = { "SRQ_CATAS_ERROR", SRQ },
	[0x13] = { "SRQ_LAST_WQE", QP },
	[0x14] = { "SRQ_RQ_LIMIT", SRQ },
	[0x15] = { "GPIO_EVENT", { N("lines", 8, 8, 63, 0, HEX) } },
	[0x16] = { "PORT_MODULE_EVENT", { N("module", 1, 1, 7, 0, DEC), N("status", 3, 1, 3, 0, DEC),
					  N("error", 6, 1, 3, 0, DEC) } },
	[0x17] = { "TEMP_WARN_EVENT", { N("sensors_high", 0, 8, 63, 0, HEX),
					N("sensors_low", 8, 8, 63, 0, HEX) } },
	[0x18] = { "XRQ_ERROR", { N("type", 20, 4, 31, 24, HEX), N("xrqn", 20, 4, 23, 0, HEX) } },
	[0x19] = { "REMOTE_CONFIG", { { 0 } } },
	[0x1a] = { "DB_BF_CONGESTION", { N("type", 0, 1, 7, 0, DEC), N("level", 2, 1, 7, 0, DEC) } },
	[0x1b] = { "STALL_EVENT", { N("port_vl", 3, 1, 7, 0, HEX) } },
	[0x1c] = { "DCT_DRAINED", { N("dctn", 24, 4, 23, 0, HEX) } },
	[0x1d] = { "DCT_KEY_VIOLATION", { N("dctn", 24, 4, 23, 0, HEX) } },
	[0x20] = { "FPGA_ERROR", { { 0 } } },
	[0x21] = { "FPGA_QP_ERROR", { { 0 } } },
	[0x22] = { "GENERAL_EVENT", { { 0 } } },
	[0x24] = { "MONITOR_COUNTER", { { 0 } } },
	[0x25] = { "PPS_EVENT", { N("pin", 3, 1, 7, 0, DEC), N("time", 8, 8, 63, 0, HEX) } },
	[0x26] = { "DEVICE_TRACER", { { 0 } } },
	[0x27] = { "OBJECT_CHANGE", { N("obj_type", 2, 2, 15, 0, HEX),
				      N("obj_id", 4, 4, 31, 0, HEX) } },
};
/* clang-format on */

static void put_head(struct text *t, const uint8_t *eqe)
{
	const char *name = events[eqe[1]].name;

	if (t->style == DV_FIELDS) {
		text_segment(t, "event");
		text_field(t, 1, "type", "0x%02x%s%s", eqe[1], name ? " " : "",
			   name ? name : "");
		text_field(t, 3, "sub_type", "0x%02x", eqe[3]);
		return;
	}
	if (name)
		text_put(t, "%s", name);
	else
		text_put(t, "type 0x%02x sub_type 0x%02x", eqe[1], eqe[3]);
	if (name && eqe[3])
		text_put(t, " sub_type 0x%02x", eqe[3]);
}

size_t dv_eqe_format(char *buf, size_t size, const void *eqe, size_t len, enum dv_style style)
{
	struct text t = text_start(buf, size, style);
	const uint8_t *p = eqe;
	const struct field *f;

	if (len < EQE) {
		text_put(&t, "EQE of %zu bytes: not 64%s", len, style == DV_FIELDS ? "\n" : "");
		return t.len;
	}
	put_head(&t, p);
	f = events[p[1]].field;
	if (f->name)
		text_fields(&t, f, p, DATA);
	else
		text_bytes(&t, DATA, "data", p + DATA, DATA_BYTES);
	if (style == DV_FIELDS)
		text_field(&t, 63, "owner", "%u", p[63] & 1);
	return t.len;
}
