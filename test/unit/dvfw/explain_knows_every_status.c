/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw explain against the lists of libibverbs, mlx5dv.h and the PRM: every status of a work completion,
 * every syndrome of a CQE and every status of a command has a meaning, causes and steps. And the patterns
 * of explain_line.def compile, with as many groups as they name.
 */
#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "explain.h"
#include "prm/table.h"

/* The first item of what explain says to @text. */
static struct json_object *first(struct json_object *top, const char *text)
{
	struct json_object *items = json_object_object_get(top, "explained");

	cr_assert_gt(json_object_array_length(items), 0, "nothing is known of: %s", text);
	return json_object_array_get_idx(items, 0);
}

static const char *fact(struct json_object *item, const char *name)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	for (size_t i = 0; i < json_object_array_length(facts); i++) {
		struct json_object *one = json_object_array_get_idx(facts, i);

		if (!strcmp(json_object_get_string(json_object_object_get(one, "name")), name))
			return json_object_get_string(json_object_object_get(one, "text"));
	}
	return "";
}

static void has_advice(struct json_object *item, const char *text)
{
	cr_expect_not_null(json_object_object_get(item, "causes"), "no causes: %s", text);
	cr_expect_not_null(json_object_object_get(item, "steps"), "no steps: %s", text);
}

static void status_is(const char *text, unsigned int status)
{
	struct json_object *top = explain_read(NULL, text, strlen(text)),
			   *item = first(top, text);
	char begin[16];

	snprintf(begin, sizeof(begin), "%u: ", status);
	cr_expect_eq(strncmp(fact(item, "status"), begin, strlen(begin)), 0, "%s: %s", text,
		     fact(item, "status"));
	json_object_put(top);
}

/* Texts of libibverbs, in a line of a program that explain does not know. */
Test(dvfw_explain, texts_of_work_completions)
{
	char line[200];

	for (unsigned int i = IBV_WC_LOC_LEN_ERR; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
		snprintf(line, sizeof(line), "worker 3: request 17: %s, giving up",
			 ibv_wc_status_str((enum ibv_wc_status)i));
		status_is(line, i);
	}
	status_is("IBV_WC_RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR);
	status_is("wc: WC_REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR);
}

/* libmlx5's translation, by the names: MLX5_CQE_SYNDROME_x and IBV_WC_x. */
Test(dvfw_explain, syndromes_of_cqes)
{
	static const struct {
		uint8_t syndrome;
		const char *name;
	} all[] = {
		{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, "LOC_LEN_ERR" },
		{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, "LOC_QP_OP_ERR" },
		{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, "LOC_PROT_ERR" },
		{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, "WR_FLUSH_ERR" },
		{ MLX5_CQE_SYNDROME_MW_BIND_ERR, "MW_BIND_ERR" },
		{ MLX5_CQE_SYNDROME_BAD_RESP_ERR, "BAD_RESP_ERR" },
		{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, "LOC_ACCESS_ERR" },
		{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, "REM_INV_REQ_ERR" },
		{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, "REM_ACCESS_ERR" },
		{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, "REM_OP_ERR" },
		{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, "RETRY_EXC_ERR" },
		{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, "RNR_RETRY_EXC_ERR" },
		{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR, "REM_ABORT_ERR" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text), "%0110d%02x00000042000000d0", 0, all[i].syndrome);

		struct json_object *top = explain_read(NULL, text, strlen(text));
		struct json_object *item = first(top, text);

		cr_expect_str_eq(json_object_get_string(json_object_object_get(item, "kind")),
				 "cqe");
		cr_expect_not_null(strstr(fact(item, "syndrome"), all[i].name), "%s: %s",
				   all[i].name, fact(item, "syndrome"));
		has_advice(item, all[i].name);
		json_object_put(top);
	}
}

/* In the words of the kernel, with a number that is not in any list of syndromes. */
Test(dvfw_explain, statuses_of_commands)
{
	const struct prm_named_value *v = NULL;
	char line[200];

	while ((v = prm_value_next(v))) {
		if (strcmp(v->kind, "STATUS") || !v->value)
			continue;
		snprintf(line, sizeof(line),
			 "mlx5_cmd_out_err:808:(pid 1): CREATE_CQ(0x400) op_mod(0x0) failed, "
			 "status %s(0x%x), syndrome (0x123457), err(-22)",
			 strcmp(v->name, "BAD_SIZE_OUTS_CQES") ? v->text : "bad size",
			 v->value);

		struct json_object *top = explain_read(NULL, line, strlen(line));
		struct json_object *item = first(top, line);

		cr_expect_not_null(strstr(fact(item, "status"), v->name), "%s: %s", v->name,
				   fact(item, "status"));
		cr_expect_str_eq(fact(item, "command"), "CREATE_CQ (0x400)");
		cr_expect_not_null(json_object_object_get(item, "unknown"));
		has_advice(item, v->name);
		json_object_put(top);
	}
}

/* In the formats of their sources, of which no public report was found. Of iser 81 is 0x81. */
Test(dvfw_explain, lines_of_users_in_the_kernel)
{
	static const struct {
		const char *line, *name, *begin;
	} all[] = {
		{ "nvme nvme0: RECV for CQE 0x000000006d9f5e77 failed with status WR flushed (5)",
		  "status", "5: " },
		{ "nvme nvme0: MEMREG for CQE 0x00000000a1b2c3d4 failed with status memory management "
		  "operation error (6)",
		  "status", "6: " },
		{ "rpcrdma: LocalInv: WR flushed (5/0xf9)", "vendor", "0xf9 " },
		{ "LNetError: 12:0:(o2iblnd_cb.c:1000:kiblnd_tx_complete()) Tx -> 10.0.0.1@o2ib cookie "
		  "0x12 sending 1 waiting 1: failed 12",
		  "status", "12: " },
		{ "LNetError: 12:0:(o2iblnd_cb.c:480:kiblnd_rx_complete()) Rx from 10.1.1.1@o2ib "
		  "failed: 5",
		  "peer", "10.1.1.1@o2ib" },
		{ "iser: iser_err_comp: command failure: transport retry counter exceeded (12) vend_err "
		  "81",
		  "vendor", "0x81 " },
		{ "isert: isert_recv_done: recv failure: WR flushed (5) vend_err 0xf9",
		  "vendor", "0xf9 " },
		{ "scsi host12: ib_srp: failed RECV status WR flushed (5) for CQE 00000000a1b2c3d4",
		  "status", "5: " },
		{ "krping: cq completion failed with wr_id 0 status 10 opcode 0 vender_err 88",
		  "vendor", "0x88 " },
		{ "cq completion failed status 13", "status", "13: " },
		{ "cq completion in ERROR state 5", "status", "5: " },
		{ "handle_tx_event send work request returned error for buffer(94034) status(12): "
		  "transport retry counter exceeded",
		  "status", "12: " },
		{ "mlx5_core 0000:41:00.0: mlx5_pci_err_detected Device state = 1 health sensors: 1 "
		  "pci_status: 1. Enter, pci channel state = 2",
		  "channel", "2: frozen" },
		{ "mlx5_core 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), "
		  "type=Transaction Layer, (Requester ID)",
		  "type", "Transaction Layer" },
		{ "mlx5_core 0000:41:00.0: reclaim_pages:444:(pid 123): failed reclaiming pages: err "
		  "-5",
		  "error", "-5 " },
		{ "mlx5_core 0000:41:00.0 ens1: TX timeout on queue: 12, SQ: 0x1d4a, CQ: 0x12c, SQ "
		  "Cons: 0x3e5 SQ Prod: 0x7e4, usecs since last trans: 15960000",
		  "producer", "0x7e4" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct json_object *top = explain_read(NULL, all[i].line, strlen(all[i].line));
		struct json_object *item = first(top, all[i].line);

		cr_expect_eq(
			strncmp(fact(item, all[i].name), all[i].begin, strlen(all[i].begin)), 0,
			"%s: %s", all[i].line, fact(item, all[i].name));
		has_advice(item, all[i].line);
		json_object_put(top);
	}
}

static void is_well_formed(const char *word, const char *pattern, const char *names)
{
	size_t named = *names != '\0';
	regex_t re;

	cr_expect_neq(*word, '\0', "%s", pattern);
	cr_assert_eq(regcomp(&re, pattern, REG_EXTENDED | REG_ICASE), 0, "%s", pattern);
	for (const char *p = names; *p; p++)
		named += *p == ' ';
	cr_expect_leq(named, re.re_nsub, "%s has %zu groups, and names %zu", pattern,
		      re.re_nsub, named);
	regfree(&re);
}

Test(dvfw_explain, patterns)
{
#define EXPLAIN_LINE(kind, joins, dump, title, word, pattern, names, causes, steps) \
	is_well_formed(word, pattern, names);                                       \
	cr_expect(!(dump) || bytes_kind(dump), "no kind of dump: %s", title);
#include "explain_line.def"
}
