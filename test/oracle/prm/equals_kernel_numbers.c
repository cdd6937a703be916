/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opcodes and named values of include/prm against the enumerators of Linux' mlx5_ifc.h,
 * device.h, qp.h, cq.h, vport.h and driver.h, which were not written for dvkit:
 *
 *	PRM_CMD(CREATE_QP, 0x500, …)	MLX5_CMD_OP_CREATE_QP
 *	PRM_VALUE(OBJ, STC, 0x40, …)	MLX5_OBJ_TYPE_STC, or MLX5_GENERAL_OBJECT_TYPES_STC
 *	PRM_VALUE(QPC_ST, DCI, 5, …)	MLX5_QPC_ST_DCI: any other kind has its own name there
 *
 * Numbers that these headers do not name are in numbers_not_in_kernel.txt, with their value
 * once more and its source: a change of such a row needs two edits. A row that is missing
 * there, is there in vain, or is there and known, is an error.
 *
 *	equals_kernel_numbers LIST	prints differences, and how many were compared
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"
#include <mlx5_ifc.h>

#include "kernel_enums.h"

static const struct number {
	const char *kind, *name;
	unsigned long long value;
} ours[] = {
#define PRM_CMD(name, opcode, in, out, call) { "OP", #name, opcode },
#include "prm/opcode.def"
#undef PRM_CMD
#define PRM_VALUE(kind, name, value, text) { #kind, #name, value },
#include "prm/value.def"
};
#define OURS (sizeof(ours) / sizeof(ours[0]))

/* Named values, without opcodes, that the kernel's headers are known to have. */
#define VALUES_MIN 250

static const struct {
	const char *name;
	unsigned long long value;
} kernel[] = {
#define KERNEL_NUMBER(name) { #name, (unsigned long long)(name) },
#include "kernel_numbers.def"
};
#define KERNEL (sizeof(kernel) / sizeof(kernel[0]))

/* How the kernel spells them; any kind may also be MLX5_<kind>_<name>. */
static const struct {
	const char *kind, *prefix, *suffix;
} spellings[] = {
	{ "OP", "MLX5_CMD_OP_", "" },
	{ "STATUS", "MLX5_CMD_STAT_", "" },
	{ "STATUS", "MLX5_CMD_STAT_", "_ERR" },
	{ "OBJ", "MLX5_OBJ_TYPE_", "" },
	{ "OBJ", "MLX5_GENERAL_OBJECT_TYPES_", "" },
	{ "EVENT", "MLX5_EVENT_TYPE_", "" },
	{ "TS_FORMAT", "MLX5_TIMESTAMP_FORMAT_", "" },
	{ "WQ_END_PADDING_MODE", "MLX5_WQ_END_PADDING_MODE_END_PAD_", "" },
	{ "RQC_MEM_RQ_TYPE", "MLX5_RQC_MEM_RQ_TYPE_MEMORY_RQ_", "" },
	{ "CQC_ST", "MLX5_CQC_ST_NOTIFICATION_REQUEST_", "" },
	{ "CQC_PERIOD_MODE", "MLX5_CQ_PERIOD_MODE_START_", "" },
	{ "DEST_TYPE", "MLX5_IFC_FLOW_DESTINATION_TYPE_", "" },
	{ "REFORMAT", "MLX5_REFORMAT_TYPE_", "" },
	{ "ACTION", "MLX5_ACTION_TYPE_", "" },
	{ "SCHED_HIERARCHY", "SCHEDULING_HIERARCHY_", "" },
	{ "SCHED_ELEMENT", "SCHEDULING_CONTEXT_ELEMENT_TYPE_", "" },
	{ "TSAR", "TSAR_ELEMENT_TSAR_TYPE_", "" },
	{ "PORT_STATE", "VPORT_STATE_", "" },
	{ "PORT_TYPE", "MLX5_CAP_PORT_TYPE_", "" },
	{ "PORT_ADMIN", "MLX5_PORT_", "" },
	{ "PORT_OPER", "MLX5_PORT_", "" },
	{ "QPC_ST", "MLX5_QP_ST_", "" },
	{ "WQE_INLINE_MODE", "MLX5_CAP_INLINE_MODE_", "" },
	{ "WQE_OPCODE", "MLX5_OPCODE_", "" },
	{ "WQE_FENCE", "MLX5_FENCE_MODE_", "" },
	{ "WQE_UMR_CTRL_FLAG", "MLX5_UMR_", "" },
	{ "CQE_OPCODE", "MLX5_CQE_", "" },
	{ "CQE_FORMAT", "MLX5_", "" },
	{ "CQE_L4_HDR_TYPE", "CQE_L4_HDR_TYPE_", "" },
};

/* Names that differ. */
static const struct {
	const char *kind, *name, *kernel;
} renamed[] = {
	{ "OBJ", "MODIFY_HEADER_ARG", "MLX5_OBJ_TYPE_HEADER_MODIFY_ARGUMENT" },
	{ "CQC_ST", "SOLICITED_ARMED", "MLX5_CQC_ST_SOLICITED_NOTIFICATION_REQUEST_ARMED" },
	/* qp.h, by which mlx5_ib and mlx5_core decode the state, and mlx5_ifc.h (SQD 7)
	 * differ. */
	{ "QPC_STATE", "SQD", "MLX5_QP_STATE_SQD" },
	{ "QPC_STATE", "SQ_DRAINING", "MLX5_QP_STATE_SQ_DRAINING" },
	{ "QPC_RQ_TYPE", "REGULAR", "MLX5_NON_ZERO_RQ" },
	{ "QPC_RQ_TYPE", "SRQ_RMP_XRC_SRQ_XRQ", "MLX5_SRQ_RQ" },
	{ "QPC_RQ_TYPE", "ZERO_SIZE", "MLX5_ZERO_LEN_RQ" },
	{ "CQC_CQE_SZ", "128_BYTES_PAD", "CQE_STRIDE_128_PAD" },
	{ "WQE_OPCODE", "TSO", "MLX5_OPCODE_LSO" },
	{ "WQE_CE", "ALWAYS", "MLX5_WQE_CTRL_CQ_UPDATE" },
	{ "WQE_CE", "CQE_AND_EQE", "MLX5_WQE_CTRL_CQ_UPDATE_AND_EQE" },
	{ "WQE_UMR_CTRL_FLAG", "TRNSLATION_OFFSET", "MLX5_UMR_TRANSLATION_OFFSET_EN" },
	{ "WQE_UMR_CTRL_FLAG", "CHECK_FREE", "MLX5_UMR_CHECK_NOT_FREE" },
};

/* Fields that the kernel's values have in their place within a byte. */
static const struct {
	const char *kind;
	unsigned int shift;
} shifted[] = {
	{ "WQE_FENCE", 5 },
	{ "WQE_CE", 2 },
};

/* Numbers of bits, of which the kernel has the masks. */
static const char *const bit_numbers[] = { "MKEY_MASK" };

static bool kernel_has(const char *name, unsigned long long *value)
{
	for (size_t i = 0; i < KERNEL; i++) {
		if (strcmp(kernel[i].name, name))
			continue;
		*value = kernel[i].value;
		return true;
	}
	return false;
}

static bool find(const struct number *n, unsigned long long *value)
{
	char name[160];

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (!strcmp(renamed[i].kind, n->kind) && !strcmp(renamed[i].name, n->name))
			return kernel_has(renamed[i].kernel, value);
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		snprintf(name, sizeof(name), "%s%s%s", spellings[i].prefix, n->name,
			 spellings[i].suffix);
		if (!strcmp(spellings[i].kind, n->kind) && kernel_has(name, value))
			return true;
	}
	snprintf(name, sizeof(name), "MLX5_%s_%s", n->kind, n->name);
	return kernel_has(name, value);
}

/* The value of @n as the kernel has it. */
static unsigned long long in_kernel(const struct number *n)
{
	for (size_t i = 0; i < sizeof(shifted) / sizeof(shifted[0]); i++)
		if (!strcmp(shifted[i].kind, n->kind))
			return n->value << shifted[i].shift;
	for (size_t i = 0; i < sizeof(bit_numbers) / sizeof(bit_numbers[0]); i++)
		if (!strcmp(bit_numbers[i], n->kind))
			return 1ULL << n->value;
	return n->value;
}

static bool listed[OURS];
static unsigned int wrong;

/* @line: kind, name, value, source. */
static void take_line(const char *line)
{
	unsigned long long value;
	char kind[64], name[64], source[64];

	if (*line == '#' || *line == '\n')
		return;
	if (sscanf(line, "%63s %63s %llx %63s", kind, name, &value, source) != 4) {
		printf("not understood: %s", line);
		wrong++;
		return;
	}
	for (size_t i = 0; i < OURS; i++) {
		if (strcmp(ours[i].kind, kind) || strcmp(ours[i].name, name))
			continue;
		listed[i] = true;
		if (ours[i].value == value)
			return;
		printf("%s %s: prm has 0x%llx, the list 0x%llx\n", kind, name, ours[i].value,
		       value);
		wrong++;
		return;
	}
	printf("%s %s: listed, and prm does not have it\n", kind, name);
	wrong++;
}

static void read_list(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), f))
		take_line(line);
	fclose(f);
}

int main(int argc, char **argv)
{
	unsigned int opcodes = 0, values = 0;

	if (argc != 2)
		return 2;
	read_list(argv[1]);
	for (size_t i = 0; i < OURS; i++) {
		const struct number *n = &ours[i];
		unsigned long long value;

		if (!find(n, &value)) {
			if (!listed[i])
				printf("%-20s %-34s 0x%llx\n", n->kind, n->name, n->value);
			wrong += !listed[i];
			continue;
		}
		*(strcmp(n->kind, "OP") ? &values : &opcodes) += 1;
		if (value != in_kernel(n))
			printf("%s %s: prm has 0x%llx, the kernel 0x%llx\n", n->kind, n->name,
			       in_kernel(n), value);
		else if (listed[i])
			printf("%s %s: the kernel knows it: take it off the list\n", n->kind,
			       n->name);
		wrong += value != in_kernel(n) || listed[i];
	}
	printf("prm: %u opcodes and %u named values compared with %s and the headers beside it; %zu "
	       "they do not name\n",
	       opcodes, values, MLX5_IFC, OURS - opcodes - values);
	if (values < VALUES_MIN)
		printf("fewer than %d values: an enum of the kernel is not found\n",
		       VALUES_MIN);
	return wrong != 0 || values < VALUES_MIN;
}
