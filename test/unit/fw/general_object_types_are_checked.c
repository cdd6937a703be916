/* SPDX-License-Identifier: BSD-2-Clause */
/* objects: general objects of the types that are offered, and the refusal of all others. */
#include "objects.h"

/* cx5 does not have all types. */
static void begin(void)
{
	setup_as("cx6dx");
}

TestSuite(objects, .init = begin, .fini = teardown);

static uint8_t *definer_box(void)
{
	return create_box(PRM_OBJ_MATCH_DEFINER, PRM_SZ(match_definer));
}

Test(objects, a_definer_is_shown_as_it_was_made)
{
	uint8_t *obj = definer_box();
	const uint8_t *shown;
	uint32_t id;

	SET(match_definer, obj, F(format_id, 22), F(format_select_byte4, 9));
	PRM_SET_AT(match_definer, obj, match_mask, 15, 0xabcd);
	id = created();
	shown = queried(PRM_OBJ_MATCH_DEFINER, id, PRM_SZ(match_definer));
	cr_assert_eq(PRM_GET(general_obj_out_cmd_hdr, b.out, obj_id), id);
	cr_assert_eq(PRM_GET(match_definer, shown, format_id), 22);
	cr_assert_eq(PRM_GET(match_definer, shown, format_select_byte4), 9);
	cr_assert_eq(PRM_GET_AT(match_definer, shown, match_mask, 15), 0xabcd);
	cr_assert_eq(destroy(PRM_OBJ_ENCRYPTION_KEY, id), FW_BAD_RES_STATE, "of another type");
	cr_assert_eq(destroy(PRM_OBJ_MATCH_DEFINER, id), FW_OK);
	cr_assert_eq(destroy(PRM_OBJ_MATCH_DEFINER, id), FW_BAD_RES_STATE);
}

Test(objects, a_key_is_not_returned_and_holds_its_pd)
{
	uint32_t pd = new_pd(0), id;
	uint8_t *obj = create_box(PRM_OBJ_ENCRYPTION_KEY, PRM_SZ(encryption_key_obj));
	const uint8_t *shown;

	SET(encryption_key_obj, obj, F(pd, pd), F(key_purpose, 3),
	    F(opaque, 0x1122334455667788));
	memset(PRM_ADDR(encryption_key_obj, obj, key), 0x5a, 128);
	id = created();
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_BAD_RES_STATE);
	shown = queried(PRM_OBJ_ENCRYPTION_KEY, id, PRM_SZ(encryption_key_obj));
	cr_assert_eq(PRM_GET(encryption_key_obj, shown, opaque), 0x1122334455667788);
	for (unsigned int i = 0; i < 128; i++)
		cr_assert_eq(PRM_ADDR(encryption_key_obj, shown, key)[i], 0);
	cr_assert_eq(destroy(PRM_OBJ_ENCRYPTION_KEY, id), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_OK);
	obj = create_box(PRM_OBJ_ENCRYPTION_KEY, PRM_SZ(encryption_key_obj));
	PRM_SET(encryption_key_obj, obj, pd, pd);
	REFUSED(FW_BAD_RES, WHY_PD);
}

/* An ASO, an argument: its PD, and numbers in a row. */
static void range_of(uint32_t type, size_t bytes, uint32_t log)
{
	uint32_t pd = new_pd(0), id;

	prm_store(create_box(type, bytes), 0x10 * 8 + 8, 24, pd);
	PRM_SET(general_obj_in_cmd_hdr, b.in, log_obj_range, log);
	id = created();
	for (uint32_t i = 0; i < 1u << log; i++)
		cr_assert_not_null(core_ids_get(&hca.generals, id + i));
	cr_assert_eq(destroy(type, id + 1), FW_BAD_RES_STATE, "it goes as a whole");
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(type, id), FW_OK);
	cr_assert_eq(hca.generals.used, 0);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_OK);
	BOX_REFUSED(prm_store(create_box(type, bytes), 0x10 * 8 + 8, 24, pd), FW_BAD_RES,
		    WHY_PD);
	BAD_PARAM(WITH(create_box(type, bytes),
		       PRM_SET(general_obj_in_cmd_hdr, b.in, log_obj_range, 8)),
		  WHY_SIZE);
}

Test(objects, asos_and_arguments_come_in_ranges)
{
	range_of(PRM_OBJ_FLOW_HIT_ASO, PRM_SZ(flow_hit_aso), 6);
	range_of(PRM_OBJ_FLOW_METER_ASO, PRM_SZ(flow_meter_aso_obj), 3);
	range_of(PRM_OBJ_MODIFY_HEADER_ARG, PRM_SZ(modify_header_arg), 7);
}

Test(objects, reserved_qp_numbers_are_nobodys)
{
	struct needs n = new_needs();
	uint32_t id;

	create_box(PRM_OBJ_RESERVED_QPN, PRM_SZ(reserved_qpn));
	PRM_SET(general_obj_in_cmd_hdr, b.in, log_obj_range, 5);
	id = created();
	cr_assert_eq(id >> 16, 5, "numbers of QPs of this function");
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_null(core_ids_get(&hca.qps, id + i));
		cr_assert_null(core_ids_get(&hca.sqs, id + i));
		cr_assert_eq(execute_on(PRM_OP_QUERY_QP, id + i), FW_BAD_RES_STATE);
	}
	cr_assert_lt(new_qp(&n), id);
	cr_assert_eq(destroy(PRM_OBJ_RESERVED_QPN, id), FW_OK);
	cr_assert_eq(hca.reserved_qpns.used, 0);
}

Test(objects, counters_of_no_virtio_queue_are_zero)
{
	uint32_t id;

	create_box(PRM_OBJ_VIRTIO_Q_COUNTERS, 0x38); /* DPDK's length */
	id = created();
	cr_assert_eq(PRM_GET(virtio_q_counters, queried(PRM_OBJ_VIRTIO_Q_COUNTERS, id, 0x30),
			     completed_desc),
		     0);
	b.out_len--;
	REFUSED(FW_BAD_OUTP_LEN, WHY_OUT_LEN);
}

Test(objects, refusals_of_all_types)
{
	uint16_t u = new_uctx(), v = new_uctx();
	uint32_t id;

	BAD_PARAM(create_box(PRM_OBJ_VIRTIO_NET_Q, PRM_SZ(virtio_net_q)),
		  WHY_UNSUPPORTED); /* would have to act */
	BAD_PARAM(create_box(0xff01, PRM_SZ(match_definer)),
		  WHY_UNSUPPORTED); /* an alias' type */
	BAD_PARAM(WITH(definer_box(), PRM_SET(general_obj_in_cmd_hdr, b.in, alias_object, 1)),
		  WHY_UNSUPPORTED);
	BAD_PARAM(WITH(definer_box(), PRM_SET(general_obj_in_cmd_hdr, b.in, obj_id, 1)),
		  WHY_VALUE);
	BOX_REFUSED(create_box(PRM_OBJ_MATCH_DEFINER, PRM_SZ(match_definer) - 1),
		    FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(WITH_BYTE(create_box(PRM_OBJ_MATCH_DEFINER, PRM_SZ(match_definer) + 1),
			    b.in_len - 1, 1),
		  WHY_RESERVED);
	BAD_PARAM(definer_box()[8] = 1, WHY_RESERVED); /* no row */
	PRM_SET(match_definer, definer_box(), format_id, 60);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);		  /* the format is not offered */
	BAD_PARAM(definer_box()[7] = 1, WHY_UNSUPPORTED); /* modify_field_select */
	BAD_PARAM(WITH(definer_box(), PRM_SET(general_obj_in_cmd_hdr, b.in, log_obj_range, 1)),
		  WHY_SIZE);
	AS(u, definer_box());
	id = created();
	AS(v, query_box(PRM_OBJ_MATCH_DEFINER, id, PRM_SZ(match_definer)));
	REFUSED(FW_BAD_RES_STATE, WHY_OBJECT);
	BAD_PARAM(object_box(PRM_OP_MODIFY_GENERAL_OBJECT, PRM_OBJ_MATCH_DEFINER, id, 0),
		  WHY_UNSUPPORTED);
	PRM_SET(cmd_hca_cap, hca.caps[0], general_obj_types, 0);
	cr_assert_eq(destroy(PRM_OBJ_MATCH_DEFINER, id), FW_BAD_PARAM);
}
