/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_MKEY of access mode 6, as bytes: a key of another function, without its permission.
 * And the commands by which a DPU's function learns of the host's.
 *
 *	hca: VHCA 5, the DPU	VHCA 7: the host
 */
#include "device.h"

static struct hca_vhca vhcas[HCA_VHCAS];
static bool host_is_up;

static bool is_up(const struct hca *h, uint8_t vhca_id)
{
	(void)h;
	return vhca_id == 7 && host_is_up;
}

static void open_as(enum hca_role role)
{
	cr_assert_eq(hca_init(&hca, 5), 0);
	memset(vhcas, 0, sizeof(vhcas));
	hca.vhcas = vhcas;
	hca.present = is_up;
	hca.role = role;
	hca_vhca_publish(&hca, 1);
	atomic_store(&vhcas[7].adapter, 1);
	atomic_store(&vhcas[7].role, HCA_ROLE_HOST);
	atomic_store(&vhcas[7].epoch, 0x7777);
	host_is_up = true;
	fw_init(&hca, fw_device_find("bf3"));
	pdn = new_pd(0);
}

static void begin(void)
{
	open_as(HCA_ROLE_DPU);
}

static void begin_as_host(void)
{
	open_as(HCA_ROLE_HOST);
}

static void end(void)
{
	hca_fini(&hca);
}

TestSuite(crossing, .init = begin, .fini = end);
TestSuite(crossing_host, .init = begin_as_host, .fini = end);

/* Function 7, its key 0x1800, length64. */
static void crossing_box(void)
{
	box(PRM_OP_CREATE_MKEY);
	b.in_len = 272;
	dwords(0x00, (uint32_t[]){ 0x02000000, 0, 0, 0 });
	dwords(0x10, (uint32_t[]){ 0x04007e00, 0xffffff42, 0, 0x80000000 | pdn });
	dwords(0x40, (uint32_t[]){ 0x00070000, 0x00001800, 0, 0 });
}

static const struct hca_mkey *created(void)
{
	const struct hca_mkey *m;

	m = hca_mkey_find(&hca, made() << 8 | 0x42);
	cr_assert_not_null(m);
	return m;
}

Test(crossing, names_a_key_of_the_host)
{
	const struct hca_mkey *m;

	crossing_box();
	m = created();
	EQUALS(E(m->target.kind, HCA_TARGET_CROSSING), E(m->target.vhca_id, 7),
	       E(m->target.key, 0x1800), E(m->target.epoch, 0x7777));
	cr_expect(m->length64);
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, m->index), FW_OK);
	cr_expect_eq(b.out[0x40], 0, "crossing_target_vhca_id, the high byte");
	cr_expect_eq(b.out[0x41], 7);
	cr_expect_eq(execute_on(PRM_OP_DESTROY_MKEY, m->index), FW_OK);
}

/* The kernel sets mkey_umem_valid, and there is no umem 0. */
Test(crossing, umem_bit_of_the_kernel_is_tolerated)
{
	crossing_box();
	b.in[0x0c] = 0x40;
	created();
}

Test(crossing, refusals)
{
	static const struct wrong_byte rows[] = {
		{ 0x41, 8, FW_BAD_PARAM, WHY_VHCA },
		{ 0x41, 5, FW_BAD_PARAM, WHY_VHCA },	       /* the own function */
		{ 0x0c, 0x80, FW_BAD_PARAM, WHY_VALUE },       /* pg_access */
		{ 0x10, 0x44, FW_BAD_PARAM, WHY_UNSUPPORTED }, /* free */
		{ 0x12, 0xfe, FW_BAD_PARAM, WHY_UNSUPPORTED }, /* umr_en */
		{ 0x10, 0, FW_BAD_PARAM, WHY_UNSUPPORTED },    /* mode 2 has no target */
	};

	bytes_refused(crossing_box, rows, ARRAY_SIZE(rows));
	host_is_up = false;
	BAD_PARAM(crossing_box(), WHY_VHCA);
}

Test(crossing_host, may_not)
{
	BAD_PARAM(crossing_box(), WHY_UNSUPPORTED);
	BAD_PARAM(box(PRM_OP_QUERY_ESW_FUNCTIONS), WHY_UNSUPPORTED);
	BAD_PARAM(box(PRM_OP_QUERY_ESW_VPORT_CONTEXT), WHY_UNSUPPORTED);
}

Test(crossing, e_switch_functions_are_the_host)
{
	BOX_OK(box(PRM_OP_QUERY_ESW_FUNCTIONS));
	/* host_params_context at 0x10: flags in its byte 1, host_pf_vhca_id at byte 8 */
	cr_expect_eq(b.out[0x11], 0x02, "host_pf_vhca_id_valid");
	cr_expect_eq(b.out[0x18] << 8 | b.out[0x19], 7);
	host_is_up = false;
	BOX_OK(box(PRM_OP_QUERY_ESW_FUNCTIONS));
	cr_expect_eq(b.out[0x11], 0x01, "host_pf_disabled");
	cr_expect_eq(b.out[0x19], 0);
}

Test(crossing, e_switch_vports)
{
	BOX_OK(box(PRM_OP_QUERY_ESW_VPORT_CONTEXT));
	b.in[8] = 0x80;
	b.in[10] = 0xff;
	b.in[11] = 0xfe;
	cr_expect_eq(execute(), FW_OK);
	b.in[10] = 0;
	b.in[11] = 1; /* a virtual function */
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
}

/* vhca_state_context at 0x10: the state in the low half of its byte 1 */
Test(crossing, vhca_state_of_the_host)
{
	BOX_OK(box(PRM_OP_QUERY_VHCA_STATE));
	cr_expect_eq(b.out[0x11], 3, "in use");
	host_is_up = false;
	BOX_OK(box(PRM_OP_QUERY_VHCA_STATE));
	cr_expect_eq(b.out[0x11], 2, "active");
	b.in[8] = 0x80; /* the DPU's own */
	cr_assert_eq(execute(), FW_OK);
	cr_expect_eq(b.out[0x11], 3);
	b.in[11] = 1; /* a virtual function */
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
}

/* num_of_entries at 0x3e, the first VUID at 0x40 */
static void vuid_is(uint8_t vhca_id, const char *text)
{
	box(PRM_OP_QUERY_VUID);
	b.in[0x0f] = vhca_id;
	b.out_len = 0xc0;
	cr_assert_eq(execute(), FW_OK);
	cr_expect_eq(b.out[0x3f], 1);
	cr_expect_str_eq((const char *)b.out + 0x40, text);
}

Test(crossing, vuid)
{
	hca.port.sys_image_guid = 0x00c5c0fffea80001;
	vuid_is(5, "DVKIT00C5C0FFFEA80001ECMLNXS0D0F0");
	vuid_is(7, "DVKIT00C5C0FFFEA80001MLNXS0D0F0");
	b.in[0x0f] = 6;
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
	b.out_len = 0xbf;
	cr_expect_eq(execute(), FW_BAD_OUTP_LEN);
}

Test(crossing_host, asks_for_its_own_only)
{
	BAD_PARAM(box(PRM_OP_QUERY_VHCA_STATE), WHY_UNSUPPORTED);
	vuid_is(5, "DVKIT0000000000000000MLNXS0D0F0");
	b.in[0x0f] = 7;
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
}
