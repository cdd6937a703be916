/* SPDX-License-Identifier: BSD-2-Clause */
/* Umems and memory keys. */
#include <sys/mman.h>
#include <devx/mkey.h>
#include <devx/psv.h>

#include "rig.h"

static struct devx_mkey mkey;
static struct devx_obj obj;
static struct devx_umem umem;

/* A key over all of r.umem, that nothing is wrong with. */
static struct devx_mkey_attr attr;

static void start(void)
{
	rig_start();
	attr = (struct devx_mkey_attr){ .pdn = r.pd.id,
					.access = IBV_ACCESS_LOCAL_WRITE,
					.start_addr = (uintptr_t)r.mem,
					.len = LEN,
					.umem_id = r.umem.id };
}

TestSuite(memory, .init = start, .fini = rig_stop);

Test(memory, nothing_is_wrong_with_it)
{
	cr_assert_eq(devx_mkey_create(&mkey, r.ctx, &attr), 0);
	cr_assert_eq(devx_mkey_destroy(&mkey), 0);
}

/* mistake: the umem has huge pages, and start_addr is not at the same place in one */
Test(memory, umem_page_trap)
{
	attr.start_addr = 0x1000;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_PARAM (0x3), syndrome 0x317175: page offset of "
	     "the umem and of start_addr differ: register the umem with pages no larger "
	     "than the address allows (devx_umem_reg)");
}

/* mistake: the PD of a key is no PD */
Test(memory, pd_that_does_not_exist)
{
	attr.pdn = 0xfffffe;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_RES (0x5), syndrome 0xe0020009: no such "
	     "protection domain in this context (pd)");
}

/* mistake: the PD of a key is of another context */
Test(memory, pd_of_another_context)
{
	attr.pdn = r.other_pd.id;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_RES (0x5), syndrome 0xe0020009: no such "
	     "protection domain in this context (pd)");
}

/* mistake: the umem of a key was deregistered before */
Test(memory, umem_that_was_deregistered)
{
	cr_assert_eq(devx_umem_dereg(&r.umem), 0);
	says(devx_mkey_create(&mkey, r.ctx, &attr), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_RES (0x5), syndrome 0xe002001e: no such umem in "
	     "this context, or it ends before the queue does");
}

/* mistake: the key reaches beyond the end of its umem */
Test(memory, umem_that_is_too_short)
{
	attr.len = LEN + 1;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_PARAM (0x3), syndrome 0xe0020010: a size that "
	     "the capabilities do not allow, or that the umem or the list does not have");
}

/* mistake: an mkey of no bytes */
Test(memory, key_of_length_0)
{
	attr.len = 0;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EINVAL, "CREATE_MKEY: EINVAL: len is 0");
}

/* mistake: pdn holds a pointer, or something else that is wider than the field */
Test(memory, pdn_that_is_too_wide)
{
	attr.pdn = 0x1000000;
	says(devx_mkey_create(&mkey, r.ctx, &attr), EINVAL,
	     "CREATE_MKEY: EINVAL: pdn has more than 24 bits");
}

/* mistake: a list of keys that is longer than an inbox */
Test(memory, list_longer_than_an_inbox)
{
	static struct devx_mkey_entry many[5000];

	attr = (struct devx_mkey_attr){ .pdn = r.pd.id };
	says(devx_mkey_create_klm(&mkey, r.ctx, &attr, many, 5000), EINVAL,
	     "CREATE_MKEY: EINVAL: the list does not fit an inbox: at most 4076 entries");
}

/* mistake: a KSM key that is longer than its entries, by a hand-made inbox */
Test(memory, ksm_that_does_not_cover)
{
	uint8_t in[PRM_SZ(create_mkey_in) + 64] = { 0 }, out[PRM_SZ(create_mkey_out)];
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_KSM);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, r.pd.id);
	PRM_SET(mkc, mkc, len, 2 * PAGE);
	PRM_SET(mkc, mkc, log_entity_size, 12);
	PRM_SET(mkc, mkc, translations_octword_size, 1);
	says(devx_obj_create(&obj, r.ctx, in, sizeof(in), out, sizeof(out)), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_PARAM (0x3), syndrome 0xe0020010: a size that "
	     "the capabilities do not allow, or that the umem or the list does not have");
}

/* mistake: an inbox of CREATE_MKEY without the list that its size announces */
Test(memory, list_that_is_not_there)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 }, out[PRM_SZ(create_mkey_out)];
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 4);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_KLMS);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, r.pd.id);
	PRM_SET(mkc, mkc, len, PAGE);
	PRM_SET(mkc, mkc, translations_octword_size, 4);
	says(devx_obj_create(&obj, r.ctx, in, sizeof(in), out, sizeof(out)), EREMOTEIO,
	     "CREATE_MKEY: firmware: BAD_INP_LEN (0x50), syndrome 0xe0020011: the page list: "
	     "an address that is 0 or misaligned, or bytes after the list");
}

/* mistake: a PSV in a PD that does not exist */
Test(memory, psv_in_no_pd)
{
	says(devx_psv_create(&obj, r.ctx, 0xfffffe), EREMOTEIO,
	     "CREATE_PSV: firmware: BAD_RES (0x5), syndrome 0xe0060009: no such "
	     "protection domain in this context (pd)");
}

/* mistake: a PD is destroyed before the key in it */
Test(memory, pd_in_use)
{
	cr_assert_eq(devx_mkey_create(&mkey, r.ctx, &attr), 0);
	says(devx_obj_destroy(&r.pd), EINVAL,
	     "devx_obj_destroy of what ALLOC_PD created: kernel: EINVAL: another object still "
	     "refers to it: destroy that one first");
	cr_assert_eq(devx_mkey_destroy(&mkey), 0);
}

/* mistake: a umem is deregistered before the key over it */
Test(memory, umem_in_use)
{
	cr_assert_eq(devx_mkey_create(&mkey, r.ctx, &attr), 0);
	says(devx_umem_dereg(&r.umem), EINVAL,
	     "devx_umem_dereg: kernel: EINVAL: an mkey or a queue still uses it: destroy "
	     "that one first");
	cr_assert_eq(devx_mkey_destroy(&mkey), 0);
}

/* mistake: remote atomics are asked of the umem and not of the key */
Test(memory, umem_for_atomics)
{
	says(devx_umem_reg(&umem, r.ctx, r.mem, LEN, IBV_ACCESS_REMOTE_ATOMIC), EINVAL,
	     "devx_umem_reg: EINVAL: REMOTE_ATOMIC is a right of the mkey, not of the umem");
}

/* mistake: memory that is not mapped is registered */
Test(memory, umem_of_nothing)
{
	says(devx_umem_reg(&umem, r.ctx, (void *)(uintptr_t)0x10000, PAGE, 0), EFAULT,
	     "devx_umem_reg: kernel: EFAULT: part of the range is not mapped, or not "
	     "writable as the access asks");
}

/* mistake: read-only memory is registered for the device to write */
Test(memory, umem_of_constants)
{
	void *mem = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	says(devx_umem_reg(&umem, r.ctx, mem, PAGE, IBV_ACCESS_LOCAL_WRITE), EFAULT,
	     "devx_umem_reg: kernel: EFAULT: part of the range is not mapped, or not "
	     "writable as the access asks");
}
