/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enumerators of value.def, opcode.def and register.def.
 *
 *	PRM_OP_CREATE_QP   PRM_STATUS_BAD_PARAM   PRM_QPC_STATE_RTS   PRM_OBJ_MKEY   PRM_REG_PTYS
 *
 * Their names at run time: prm_value_name() and prm_cmd() in table.h.
 */
#ifndef PRM_VALUE_H
#define PRM_VALUE_H

enum prm_op {
#define PRM_CMD(name, opcode, in, out, call) PRM_OP_##name = opcode,
#include <prm/opcode.def>
};

/* Values of all kinds in one enumeration; compare only values of the same kind. */
enum prm_value {
#define PRM_VALUE(kind, name, value, text) PRM_##kind##_##name = value,
#include <prm/value.def>
};

enum prm_register {
#define PRM_REGISTER(name, id, layout) PRM_REG_##name = id,
#include <prm/register.def>
};

/* op_mod of QUERY_HCA_CAP: maximum or current capabilities. */
enum prm_cap_mode { PRM_CAP_MAX = 0, PRM_CAP_CUR = 1 };
#define PRM_CAP_OP_MOD(group, mode) ((group) << 1 | (mode))

#endif
