/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inboxes set field by field equal bytes written by hand, and those bytes decode to the same
 * fields. Only bytes that are not zero are written down: dwords at their offsets.
 */
#include <criterion/criterion.h>

#include "prm/prm.h"
#include "prm/table.h"

struct dword {
	unsigned int byte;
	uint8_t v[4];
};

static void expect(const uint8_t *p, size_t len, const struct dword *golden, size_t n)
{
	uint8_t want[512] = { 0 };

	cr_assert(len <= sizeof(want));
	for (size_t i = 0; i < n; i++)
		memcpy(want + golden[i].byte, golden[i].v, 4);
	for (size_t i = 0; i < len; i++)
		cr_expect_eq(p[i], want[i], "byte 0x%zx is %02x, not %02x", i, p[i], want[i]);
}

#define EXPECT(p, len, ...)                                                 \
	do {                                                                \
		static const struct dword golden[] = { __VA_ARGS__ };       \
		expect(p, len, golden, sizeof(golden) / sizeof(golden[0])); \
	} while (0)

static void expect_line(const char *name, const void *p, size_t len, const char *want)
{
	char line[1024];

	prm_format(line, sizeof(line), prm_struct(name), p, len, PRM_LINE);
	cr_expect_str_eq(line, want);
}

Test(inbox_bytes_are_those_of_the_prm, alloc_pd)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[PRM_SZ(alloc_pd_out)] = { 0 };

	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
	PRM_SET(alloc_pd_in, in, uid, 0x0102);
	EXPECT(in, sizeof(in), { 0x0, { 0x08, 0x00, 0x01, 0x02 } });
	expect_line("alloc_pd_in", in, sizeof(in), "opcode=0x800(ALLOC_PD) uid=0x102");

	memcpy(out + 8, (uint8_t[4]){ 0x00, 0x12, 0x34, 0x56 }, 4);
	cr_expect_eq(PRM_GET(alloc_pd_out, out, pd), 0x123456);
}

Test(inbox_bytes_are_those_of_the_prm, create_qp)
{
	uint8_t in[PRM_SZ(create_qp_in) + 16] = { 0 };
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);
	uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);

	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	PRM_SET(qpc, qpc, st, PRM_QPC_ST_UD);
	PRM_SET(qpc, qpc, pm_state, PRM_QPC_PM_STATE_MIGRATED);
	PRM_SET(qpc, qpc, pd, 0x123456);
	PRM_SET(qpc, qpc, log_rq_size, 9);
	PRM_SET(qpc, qpc, log_rq_stride, 2);
	PRM_SET(qpc, qpc, log_sq_size, 10);
	PRM_SET(qpc, qpc, uar_page, 0x41);
	PRM_SET(qpc, qpc, cqn_snd, 0x80);
	PRM_SET(qpc, qpc, cqn_rcv, 0x81);
	PRM_SET(qpc, qpc, dbr_addr, 0x00007f0011223040);
	PRM_SET(qpc, qpc, q_key, 0x11111111);
	PRM_SET(ads, path, vhca_port_num, 1);
	memcpy(PRM_ADDR(ads, path, rgid_rip) + 10, (uint8_t[]){ 0xff, 0xff, 10, 0, 0, 1 }, 6);
	PRM_SET_AT(create_qp_in, in, pas, 1, 0x00007f0011224000);

	EXPECT(in, sizeof(in), { 0x00, { 0x05, 0x00, 0x00, 0x00 } },
	       { 0x18, { 0x00, 0x02, 0x18, 0x00 } }, /* st 2, pm_state 3 */
	       { 0x1c, { 0x00, 0x12, 0x34, 0x56 } }, /* pd */
	       { 0x20,
		 { 0x00, 0x4a, 0x50, 0x00 } }, /* log_rq_size, log_rq_stride, log_sq_size */
	       { 0x24, { 0x00, 0x00, 0x00, 0x41 } },  /* uar_page */
	       { 0x48, { 0x00, 0x00, 0xff, 0xff } },  /* rgid_rip 8..11 */
	       { 0x4c, { 0x0a, 0x00, 0x00, 0x01 } },  /* rgid_rip 12..15 */
	       { 0x54, { 0x00, 0x01, 0x00, 0x00 } },  /* vhca_port_num */
	       { 0x94, { 0x00, 0x00, 0x00, 0x80 } },  /* cqn_snd */
	       { 0xb4, { 0x00, 0x00, 0x00, 0x81 } },  /* cqn_rcv */
	       { 0xb8, { 0x00, 0x00, 0x7f, 0x00 } },  /* dbr_addr */
	       { 0xbc, { 0x11, 0x22, 0x30, 0x40 } },  /* dbr_addr */
	       { 0xc0, { 0x11, 0x11, 0x11, 0x11 } },  /* q_key */
	       { 0x118, { 0x00, 0x00, 0x7f, 0x00 } }, /* pas[1] */
	       { 0x11c, { 0x11, 0x22, 0x40, 0x00 } });
	expect_line("create_qp_in", in, sizeof(in),
		    "opcode=0x500(CREATE_QP) qpc.st=0x2(UD) qpc.pm_state=0x3(MIGRATED) "
		    "qpc.pd=0x123456 qpc.log_rq_size=0x9 qpc.log_rq_stride=0x2 "
		    "qpc.log_sq_size=0xa qpc.uar_page=0x41 "
		    "qpc.primary_address_path.rgid_rip=0x00000000000000000000ffff0a000001 "
		    "qpc.primary_address_path.vhca_port_num=0x1 qpc.cqn_snd=0x80 "
		    "qpc.cqn_rcv=0x81 qpc.dbr_addr=0x7f0011223040 qpc.q_key=0x11111111 "
		    "pas[2]={0x0,0x7f0011224000}");
}

Test(inbox_bytes_are_those_of_the_prm, create_mkey_of_a_umem)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, pg_access, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, 0x55);
	PRM_SET(mkc, mkc, a, 1);
	PRM_SET(mkc, mkc, rw, 1);
	PRM_SET(mkc, mkc, rr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, mkey_7_0, 0x42);
	PRM_SET(mkc, mkc, pd, 0x123456);
	PRM_SET(mkc, mkc, start_addr, 0x00007f0011223000);
	PRM_SET(mkc, mkc, len, 2 << 20);
	PRM_SET(mkc, mkc, log_page_size, 12);
	PRM_SET(mkc, mkc, translations_octword_size, 0);

	EXPECT(in, sizeof(in), { 0x00, { 0x02, 0x00, 0x00, 0x00 } },
	       { 0x0c, { 0xc0, 0x00, 0x00, 0x00 } }, { 0x10, { 0x00, 0x00, 0x7d, 0x00 } },
	       { 0x14, { 0xff, 0xff, 0xff, 0x42 } }, { 0x1c, { 0x00, 0x12, 0x34, 0x56 } },
	       { 0x20, { 0x00, 0x00, 0x7f, 0x00 } }, { 0x24, { 0x11, 0x22, 0x30, 0x00 } },
	       { 0x2c, { 0x00, 0x20, 0x00, 0x00 } }, { 0x48, { 0x00, 0x00, 0x00, 0x0c } },
	       { 0x60, { 0x00, 0x00, 0x00, 0x01 } }, { 0x64, { 0x00, 0x00, 0x00, 0x55 } });
}

Test(inbox_bytes_are_those_of_the_prm, allow_other_vhca_access)
{
	uint8_t in[PRM_SZ(allow_other_vhca_access_in)] = { 0 };

	PRM_SET(allow_other_vhca_access_in, in, opcode, PRM_OP_ALLOW_OTHER_VHCA_ACCESS);
	PRM_SET(allow_other_vhca_access_in, in, object_type_to_be_accessed, PRM_OBJ_MKEY);
	PRM_SET(allow_other_vhca_access_in, in, object_id_to_be_accessed, 0x1842);
	for (unsigned int i = 0; i < 32; i++)
		PRM_ADDR(allow_other_vhca_access_in, in, access_key)[i] = 0xa0 + i;

	EXPECT(in, sizeof(in), { 0x00, { 0x0b, 0x16, 0x00, 0x00 } },
	       { 0x10, { 0x00, 0x00, 0xff, 0x01 } }, { 0x14, { 0x00, 0x00, 0x18, 0x42 } },
	       { 0x20, { 0xa0, 0xa1, 0xa2, 0xa3 } }, { 0x24, { 0xa4, 0xa5, 0xa6, 0xa7 } },
	       { 0x28, { 0xa8, 0xa9, 0xaa, 0xab } }, { 0x2c, { 0xac, 0xad, 0xae, 0xaf } },
	       { 0x30, { 0xb0, 0xb1, 0xb2, 0xb3 } }, { 0x34, { 0xb4, 0xb5, 0xb6, 0xb7 } },
	       { 0x38, { 0xb8, 0xb9, 0xba, 0xbb } }, { 0x3c, { 0xbc, 0xbd, 0xbe, 0xbf } });
	expect_line(
		"allow_other_vhca_access_in", in, sizeof(in),
		"opcode=0xb16(ALLOW_OTHER_VHCA_ACCESS) object_type_to_be_accessed=0xff01(MKEY) "
		"object_id_to_be_accessed=0x1842 access_key_raw="
		"0xa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");
}

Test(inbox_bytes_are_those_of_the_prm, create_alias_object)
{
	uint8_t in[PRM_SZ(create_alias_obj_in)] = { 0 };
	uint8_t *hdr = PRM_ADDR(create_alias_obj_in, in, hdr);
	uint8_t *alias = PRM_ADDR(create_alias_obj_in, in, alias_ctx);

	PRM_SET(general_obj_in_cmd_hdr, hdr, opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, hdr, obj_type, PRM_OBJ_MKEY);
	PRM_SET(general_obj_in_cmd_hdr, hdr, alias_object, 1);
	PRM_SET(alias_context, alias, vhca_id_to_be_accessed, 7);
	PRM_SET(alias_context, alias, object_id_to_be_accessed, 0x1842);
	PRM_SET(alias_context, alias, metadata_1, 0x123456);

	EXPECT(in, sizeof(in), { 0x00, { 0x0a, 0x00, 0x00, 0x00 } },
	       { 0x04, { 0x00, 0x00, 0xff, 0x01 } }, { 0x0c, { 0x80, 0x00, 0x00, 0x00 } },
	       { 0x10, { 0x00, 0x07, 0x00, 0x00 } }, { 0x14, { 0x00, 0x00, 0x18, 0x42 } },
	       { 0x40, { 0x00, 0x12, 0x34, 0x56 } });
}
