/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of memory keys, what others may do with them, umems, signature PSVs and device memory. */
#include "fw/rows.h"

NUMBER(query_mkey, query_mkey_in, mkey_index);
NUMBER(destroy_mkey, destroy_mkey_in, mkey_index);

#define MKC(f) IN(create_mkey_in, memory_key_mkey_entry, mkc, f)
static const struct fw_bits create_mkey[] = {
	F(create_mkey_in, pg_access),
	F(create_mkey_in, mkey_umem_valid),
	F(create_mkey_in, mkey_umem_id),
	F(create_mkey_in, mkey_umem_offset),
	F(create_mkey_in, translations_octword_actual_size),
	MKC(free),
	MKC(access_mode_4_2),
	MKC(access_mode_1_0),
	MKC(relaxed_ordering_write),
	MKC(relaxed_ordering_read),
	MKC(umr_en), /* a permission for UMR work requests: engine, umr.c */
	MKC(a),
	MKC(rw),
	MKC(rr),
	MKC(lw),
	MKC(lr),
	MKC(qpn),
	MKC(mkey_7_0),
	MKC(length64),
	MKC(en_rinval),
	MKC(pd),
	MKC(start_addr),
	MKC(len),
	MKC(crossing_target_vhca_id),
	MKC(translations_octword_size),
	MKC(log_page_size),
	END,
};

#define UMEM(f) IN(create_umem_in, umem, umem, f)
static const struct fw_bits create_umem[] = {
	UMEM(log_page_size),
	UMEM(page_offset),
	UMEM(num_of_mtt),
	END,
};
NUMBER(destroy_umem, destroy_umem_in, umem_id);

static const struct fw_bits create_psv[] = {
	F(create_psv_in, num_psv),
	F(create_psv_in, pd),
	END,
};
NUMBER(destroy_psv, destroy_psv_in, psvn);

static const struct fw_bits allow_other_vhca_access[] = {
	F(allow_other_vhca_access_in, object_type_to_be_accessed),
	F(allow_other_vhca_access_in, object_id_to_be_accessed),
	BYTES(allow_other_vhca_access_in, access_key_raw, HCA_ACCESS_KEY_BYTES),
	END,
};

static const struct fw_bits alloc_memic[] = {
	F(alloc_memic_in, log_memic_addr_alignment),
	F(alloc_memic_in, range_start_addr),
	F(alloc_memic_in, range_size),
	F(alloc_memic_in, memic_size),
	END,
};
static const struct fw_bits dealloc_memic[] = {
	F(dealloc_memic_in, memic_start_addr),
	F(dealloc_memic_in, memic_size),
	END,
};

const struct fw_command fw_memory_commands[] = {
	CMD(CREATE_MKEY, create_mkey, LIST, create_mkey, fw_create_mkey),
	CMD(QUERY_MKEY, query_mkey, PLAIN, query_mkey, fw_query_mkey),
	CMD(DESTROY_MKEY, destroy_mkey, PLAIN, destroy_mkey, fw_destroy_mkey),
	CMD(ALLOW_OTHER_VHCA_ACCESS, allow_other_vhca_access, PLAIN, allow_other_vhca_access,
	    fw_allow_other_vhca_access),
	CMD(CREATE_UMEM, create_umem, LIST, create_umem, fw_create_umem),
	CMD(DESTROY_UMEM, destroy_umem, PLAIN, destroy_umem, fw_destroy_umem),
	CMD(CREATE_PSV, create_psv, PLAIN, create_psv, fw_create_psv),
	CMD(DESTROY_PSV, destroy_psv, PLAIN, destroy_psv, fw_destroy_psv),
	CMD(ALLOC_MEMIC, alloc_memic, DRIVER, alloc_memic, fw_alloc_memic),
	CMD(DEALLOC_MEMIC, dealloc_memic, DRIVER, dealloc_memic, fw_dealloc_memic),
	END_OF_COMMANDS,
};
