/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ALLOW_OTHER_VHCA_ACCESS on one function, the alias on another one: inboxes as bytes, written
 * by hand, and each refusal.
 *
 *	owner: VHCA 7, PD 0x123456, umem 0x55, mkey 0x1842	access key a0 … bf
 *	hca: VHCA 5, PD 0x123456, the alias
 */
#include <stdlib.h>

#include "device.h"

#define HDR   PRM_SZ(general_obj_in_cmd_hdr)
#define ALIAS (HDR + PRM_SZ(alias_context))
#define PDN   0x123456u
#define UMEM  0x55u
#define INDEX 0x1842u

static struct hca owner;
static struct hca_vhca *vhcas;
static bool up[HCA_VHCAS];

static bool is_up(const struct hca *h, uint8_t vhca_id)
{
	(void)h;
	return up[vhca_id];
}

static void join(struct hca *h, const char *device, enum hca_role role, uint64_t epoch)
{
	h->vhcas = vhcas;
	h->present = is_up;
	h->role = role;
	up[h->slot] = true;
	atomic_store(&vhcas[h->slot].epoch, epoch);
	hca_vhca_publish(h, 0xc0a80001);
	fw_init(h, fw_device_find(device));
}

/* The next object of @t has number @n. */
static void next_is(struct core_ids *t, uint32_t n)
{
	core_ids_fini(t);
	core_ids_init(t, 0, 1u << 24);
	core_ids_shift(t, n - 1);
}

static enum fw_status execute_on_owner(void)
{
	memset(b.out, 0xee, sizeof(b.out));
	fw_exec(&owner, b.in, b.in_len, b.out, b.out_len);
	return b.out[0];
}

static void owner_executes(void)
{
	cr_assert_eq(execute_on_owner(), FW_OK, "0x%x", syndrome());
}

#define ON_OWNER(box) (box, owner_executes())

static void access_key(size_t at)
{
	for (int i = 0; i < 32; i++)
		b.in[at + i] = 0xa0 + i;
}

static uint32_t owner_umem(void)
{
	box(PRM_OP_CREATE_UMEM);
	PRM_SET(umem, PRM_ADDR(create_umem_in, b.in, umem), num_of_mtt, 4);
	for (int i = 0; i < 4; i++)
		pas(page(i) | 3);
	cr_assert_eq(execute_on_owner(), FW_OK, "0x%x", syndrome());
	return PRM_GET(create_umem_out, b.out, umem_id);
}

/* 16 KiB at 0x7f0011223000: all rights, tag 0x42, log_entity_size 12. */
static void umem_mkey_box(void)
{
	box(PRM_OP_CREATE_MKEY);
	b.in_len = 272;
	dwords(0x00, (uint32_t[]){ 0x02000000, 0, 0, 0xc0000000 });
	dwords(0x10, (uint32_t[]){ 0x00007d00, 0xffffff42, 0, PDN });
	dwords(0x20, (uint32_t[]){ 0x00007f00, 0x11223000, 0, 0x4000 });
	dwords(0x40, (uint32_t[]){ 0, 0, 0x0000000c, 0 });
	dwords(0x60, (uint32_t[]){ 1, UMEM, 0, 0 });
}

/* Two entries of 2 MiB of child mkey 0x1234. */
static void ksm_mkey_box(void)
{
	box(PRM_OP_CREATE_MKEY);
	b.in_len = 336;
	dwords(0x00, (uint32_t[]){ 0x02000000, 0, 0, 0 });
	dwords(0x10, (uint32_t[]){ 0x00003f00, 0xffffff00, 0, PDN });
	dwords(0x20, (uint32_t[]){ 0x00007f00, 0x11200000, 0, 0x00400000 });
	dwords(0x40, (uint32_t[]){ 0, 2, 0x15, 0 });
	dwords(0x60, (uint32_t[]){ 2, 0, 0, 0 });
	dwords(0x110, (uint32_t[]){ 0, 0x1234, 0x00007f00, 0x11200000 });
	dwords(0x120, (uint32_t[]){ 0, 0x1234, 0x00007f00, 0x11400000 });
}

static void allow_box(uint32_t index)
{
	box(PRM_OP_ALLOW_OTHER_VHCA_ACCESS);
	cr_assert_eq(b.in_len, 64);
	dwords(0x00, (uint32_t[]){ 0x0b160000, 0, 0, 0 });
	dwords(0x10, (uint32_t[]){ 0x0000ff01, index, 0, 0 });
	access_key(0x20);
}

static void alias_box(void)
{
	box(PRM_OP_CREATE_GENERAL_OBJECT);
	b.in_len = b.out_len = 80;
	dwords(0x00, (uint32_t[]){ 0x0a000000, 0x0000ff01, 0, 0x80000000 });
	dwords(0x10, (uint32_t[]){ 0x00070000, INDEX, 0, 0 });
	access_key(0x20);
	dwords(0x40, (uint32_t[]){ PDN, 0, 0, 0 });
}

static void alias_number_box(uint32_t opcode, uint32_t id, uint32_t fourth)
{
	box(opcode);
	b.in_len = HDR;
	b.out_len = opcode == PRM_OP_QUERY_GENERAL_OBJECT ? ALIAS : HDR;
	dwords(0, (uint32_t[]){ opcode << 16, 0xff01, id, fourth });
}

static uint32_t owner_mkey(void (*make)(void))
{
	ON_OWNER(make());
	return PRM_GET(create_mkey_out, b.out, mkey_index);
}

static void open_both(const char *device)
{
	vhcas = calloc(HCA_VHCAS, sizeof(*vhcas));
	cr_assert_eq(hca_init(&owner, 7), 0);
	cr_assert_eq(hca_init(&hca, 5), 0);
	join(&owner, device, HCA_ROLE_HOST, 0x1111);
	join(&hca, device, HCA_ROLE_DPU, 0x2222);
	next_is(&owner.pds, PDN);
	next_is(&hca.pds, PDN);
	next_is(&owner.umems, UMEM);
	next_is(&owner.mkeys, INDEX);
	cr_assert_eq(new_pd(0), PDN);
	ON_OWNER(box(PRM_OP_ALLOC_PD));
	cr_assert_eq(owner_umem(), UMEM);
}

static void begin(void)
{
	open_both("bf3");
}

static void end(void)
{
	hca_fini(&owner);
	hca_fini(&hca);
	free(vhcas);
}

TestSuite(alias, .init = begin, .fini = end);

static void allowed(void)
{
	cr_assert_eq(owner_mkey(umem_mkey_box), INDEX);
	ON_OWNER(allow_box(INDEX));
}

static uint32_t aliased(uint32_t status)
{
	static const uint8_t none[32];
	const uint8_t *obj = b.out + HDR;

	cr_assert_eq(execute(), FW_OK, "0x%x", syndrome());
	EQUALS(E(obj[3] & 7, status), E(core_be32(obj) >> 16, 7),
	       E(core_be32(obj + 4) & 0xffff, INDEX));
	cr_expect_arr_eq(obj + 0x10, none, 32, "the access key stays secret");
	cr_expect_eq(PRM_GET(alias_context, obj, metadata_1), PDN);
	return PRM_GET(general_obj_out_cmd_hdr, b.out, obj_id);
}

static uint32_t new_alias(void)
{
	allowed();
	alias_box();
	return aliased(0);
}

static uint32_t queried(uint32_t id)
{
	BOX_OK(alias_number_box(PRM_OP_QUERY_GENERAL_OBJECT, id, 0x80000000));
	cr_expect_eq(PRM_GET(general_obj_out_cmd_hdr, b.out, obj_id), id);
	return b.out[HDR + 3] & 7;
}

static enum fw_status destroyed(uint32_t id, uint32_t fourth)
{
	alias_number_box(PRM_OP_DESTROY_GENERAL_OBJECT, id, fourth);
	return execute();
}

Test(alias, names_the_mkey_that_was_allowed)
{
	const struct hca_mkey *m;
	uint32_t id = new_alias();

	m = hca_mkey_find(&hca, id << 8);
	cr_assert_not_null(m, "its key has the low byte 0");
	EQUALS(E(m->target.vhca_id, 7), E(m->target.key, INDEX), E(m->pd->pdn, PDN));
	cr_expect_eq(queried(id), 0);
	cr_expect_eq(execute_on(PRM_OP_DEALLOC_PD, PDN), FW_BAD_RES_STATE,
		     "it refers to its PD");
	cr_expect_eq(execute_on(PRM_OP_DESTROY_MKEY, id), FW_BAD_RES_STATE,
		     "created as an object");
	cr_expect_eq(destroyed(id, 0), FW_OK, "the command of mlx5_ib has no alias bit");
	cr_expect_eq(destroyed(id, 0), FW_BAD_RES_STATE);
	cr_expect_eq(execute_on(PRM_OP_DEALLOC_PD, PDN), FW_OK);
}

Test(alias, is_destroyed_with_the_alias_bit_too)
{
	cr_expect_eq(destroyed(new_alias(), 0x80000000), FW_OK);
}

Test(alias, of_a_list_of_keys)
{
	cr_assert_eq(owner_mkey(ksm_mkey_box), INDEX);
	ON_OWNER(allow_box(INDEX));
	alias_box();
	aliased(0);
}

Test(alias, of_a_list_of_keys_on_bluefield_2)
{
	end();
	open_both("bf2");
	owner_mkey(ksm_mkey_box);
	allow_box(INDEX);
	cr_assert_eq(execute_on_owner(), FW_BAD_PARAM);
	cr_assert_eq(syndrome() & 0xff, WHY_UNSUPPORTED);
	cr_assert_eq(owner_mkey(umem_mkey_box), INDEX + 1);
	ON_OWNER(allow_box(INDEX + 1));
}

Test(alias, outbox_may_be_the_header)
{
	allowed();
	BOX_OK(WITH(alias_box(), b.out_len = HDR));
	cr_expect_eq(b.out[HDR], 0xee, "nothing is written after it");
}

Test(alias, of_the_own_function)
{
	uint32_t id = owner_mkey(umem_mkey_box);

	ON_OWNER(allow_box(id));
	alias_box();
	b.in_len = b.out_len = 80;
	cr_assert_eq(execute_on_owner(), FW_OK, "0x%x", syndrome());
	cr_expect_eq(b.out[HDR + 3] & 7, 0);
}

Test(alias, is_bad_once_the_mkey_is_destroyed)
{
	uint32_t id = new_alias();

	CMD(DESTROY_MKEY, F(mkey_index, INDEX));
	cr_assert_eq(execute_on_owner(), FW_OK, "aliases do not hold it");
	cr_expect_neq(queried(id), 0);
	next_is(&owner.mkeys, INDEX);
	allowed(); /* another mkey of this number, with the same access key */
	cr_expect_neq(queried(id), 0);
	cr_expect_eq(destroyed(id, 0), FW_OK);
}

Test(alias, is_bad_once_the_process_of_the_owner_has_ended)
{
	uint32_t id = new_alias();

	up[7] = false;
	cr_expect_neq(queried(id), 0);
	up[7] = true;
	cr_expect_eq(queried(id), 0);
	atomic_store(&vhcas[7].epoch, 0x3333); /* another process in its slot */
	cr_expect_neq(queried(id), 0);
}

Test(alias, of_what_was_not_allowed)
{
	uint32_t id;

	owner_mkey(umem_mkey_box);
	alias_box();
	id = aliased(1);
	ON_OWNER(allow_box(INDEX));
	cr_expect_neq(queried(id), 0);
	cr_expect_eq(destroyed(id, 0), FW_OK);
}

Test(alias, access_key_can_be_replaced)
{
	uint32_t id = new_alias();

	allow_box(INDEX);
	b.in[0x20] = 0x11;
	cr_assert_eq(execute_on_owner(), FW_OK);
	cr_expect_eq(queried(id), 0, "made before");
	BAD_PARAM(alias_box(), WHY_ACCESS_KEY);
	alias_box();
	b.in[0x20] = 0x11;
	aliased(0);
}

Test(alias, refusals_of_key_and_function)
{
	static const struct wrong_byte rows[] = {
		{ 0x3f, 0xbe, FW_BAD_PARAM, WHY_ACCESS_KEY }, /* the last byte of the key */
		{ 0x11, 8, FW_BAD_PARAM, WHY_VHCA },	      /* no such function */
		{ 0x10, 1, FW_BAD_PARAM, WHY_VHCA },	      /* 0x107 */
		{ 0x11, 0, FW_BAD_PARAM, WHY_VHCA },
	};

	allowed();
	bytes_refused(alias_box, rows, ARRAY_SIZE(rows));
	hca_vhca_publish(&owner, 0xc0a80002); /* of another adapter */
	BAD_PARAM(alias_box(), WHY_VHCA);
	hca_vhca_publish(&owner, 0xc0a80001);
	up[7] = false;
	BAD_PARAM(alias_box(), WHY_VHCA);
	up[7] = true;
}

Test(alias, refusals_of_the_inbox)
{
	static const struct wrong_byte rows[] = {
		{ 0x14, 1, FW_BAD_PARAM, WHY_VALUE },		/* more than 24 bits */
		{ 0x43, (PDN + 1) & 0xff, FW_BAD_RES, WHY_PD }, /* no such PD */
		{ 0x40, 1, FW_BAD_PARAM, WHY_UNSUPPORTED },	/* after the PD */
		{ 0x4f, 1, FW_BAD_PARAM, WHY_UNSUPPORTED },	/* metadata_2 */
		{ 0x13, 1, FW_BAD_PARAM, WHY_UNSUPPORTED },	/* status */
		{ 0x18, 1, FW_BAD_PARAM, WHY_RESERVED },
		{ 0x0b, 1, FW_BAD_PARAM, WHY_VALUE },	       /* obj_id */
		{ 0x0c, 0x81, FW_BAD_PARAM, WHY_VALUE },       /* log_obj_range */
		{ 0x07, 0x15, FW_BAD_PARAM, WHY_UNSUPPORTED }, /* an alias of a flow table */
	};
	uint16_t u = new_uctx();

	allowed();
	bytes_refused(alias_box, rows, ARRAY_SIZE(rows));
	BOX_REFUSED(AS(u, alias_box()), FW_BAD_RES, WHY_PD); /* the PD of another context */
	BOX_REFUSED(SHORTER(alias_box(), 1), FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(LONGER(alias_box()), WHY_RESERVED);
	alias_box();
	aliased(0);
}

Test(alias, belongs_to_its_context)
{
	uint16_t u = new_uctx();
	uint32_t id = new_alias();

	AS(u, alias_number_box(PRM_OP_DESTROY_GENERAL_OBJECT, id, 0));
	REFUSED(FW_BAD_RES_STATE, WHY_OBJECT);
	AS(u, alias_number_box(PRM_OP_QUERY_GENERAL_OBJECT, id, 0x80000000));
	REFUSED(FW_BAD_RES_STATE, WHY_OBJECT);
	alias_number_box(PRM_OP_QUERY_GENERAL_OBJECT, id,
			 0); /* without the alias bit: no such type */
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	for (int bit = 0; bit < 16; bit++)
		BAD_PARAM(WITH(alias_number_box(PRM_OP_QUERY_GENERAL_OBJECT, id, 0x80000000),
			       b.in[6 + bit / 8] ^= 1 << bit % 8),
			  WHY_UNSUPPORTED); /* an alias of another type */
	BAD_PARAM(WITH(alias_number_box(PRM_OP_MODIFY_GENERAL_OBJECT, id, 0x80000000),
		       b.in_len = ALIAS),
		  WHY_UNSUPPORTED);
}

Test(alias, cannot_be_allowed_itself)
{
	uint32_t id = new_alias();

	BOX_REFUSED(allow_box(id), FW_BAD_RES_STATE, WHY_OBJECT);
}

static enum fw_status allow_as(uint16_t u, uint32_t index)
{
	allow_box(index);
	uid(u);
	return execute_on_owner();
}

Test(allow, refusals, .init = begin, .fini = end)
{
	uint16_t u;

	ON_OWNER(box(PRM_OP_CREATE_UCTX));
	u = PRM_GET(create_uctx_out, b.out, uid);
	owner_mkey(umem_mkey_box);
	cr_expect_eq(allow_as(u, INDEX), FW_BAD_RES_STATE, "the driver's own");
	cr_expect_eq(allow_as(0, INDEX + 1), FW_BAD_RES_STATE);
	cr_expect_eq(allow_as(0, INDEX | 1u << 24), FW_BAD_RES_STATE);
	allow_box(INDEX);
	b.in[0x13] = 8; /* a TIR */
	cr_expect_eq(execute_on_owner(), FW_BAD_PARAM);
	allow_box(INDEX);
	b.in[7] = 1; /* op_mod */
	cr_expect_eq(execute_on_owner(), FW_BAD_PARAM);
	cr_expect_eq(allow_as(0, INDEX), FW_OK);
}

Test(allow, as_many_as_there_is_space_for, .init = begin, .fini = end)
{
	uint32_t last = 0;

	for (int i = 0; i < HCA_GRANTS; i++) {
		last = owner_mkey(umem_mkey_box);
		cr_assert_eq(allow_as(0, last), FW_OK);
	}
	cr_expect_eq(allow_as(0, last), FW_OK, "again");
	cr_expect_eq(allow_as(0, owner_mkey(umem_mkey_box)), FW_NO_RES);
	ON_OWNER(CMD(DESTROY_MKEY, F(mkey_index, INDEX)));
	cr_expect_eq(allow_as(0, owner_mkey(umem_mkey_box)), FW_OK);
}

Test(allow, only_bluefields)
{
	static const char *const others[] = { "cx5", "cx6dx", "cx7", "cx8" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		setup_as(others[i]);
		BAD_PARAM(allow_box(1), WHY_UNSUPPORTED);
		BAD_PARAM(alias_box(), WHY_UNSUPPORTED);
		BAD_PARAM(alias_number_box(PRM_OP_DESTROY_GENERAL_OBJECT, 1, 0),
			  WHY_UNSUPPORTED);
		teardown();
	}
}
