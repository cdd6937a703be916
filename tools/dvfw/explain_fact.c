/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What numbers in logs say. The name of a group of explain_line.def selects the function; a name that is
 * not in the table is shown as it is.
 */
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "devx/devx.h"
#include "explain.h"
#include "prm/table.h"

struct advice {
	unsigned int number, syndrome;
	const char *words, *causes, *steps;
};

static const struct advice statuses[] = {
#define EXPLAIN_STATUS(name, causes, steps) { PRM_STATUS_##name, 0, #name, causes, steps },
#include "explain_fact.def"
};

static const struct advice completions[] = {
#define EXPLAIN_WC(status, syndrome, causes, steps) \
	{ status, syndrome, #status, causes, steps },
#include "explain_fact.def"
};

static const struct advice healths[] = {
#define EXPLAIN_HEALTH(syndrome, words, causes, steps) { syndrome, 0, words, causes, steps },
#include "explain_fact.def"
};

static const struct advice vendors[] = {
#define EXPLAIN_VENDOR(vendor, causes, steps) { vendor, 0, "", causes, steps },
#include "explain_fact.def"
};

static const struct advice cq_errors[] = {
#define EXPLAIN_CQ_ERROR(syndrome, words, causes, steps) { syndrome, 0, words, causes, steps },
#include "explain_fact.def"
};

/* By the first letters of the call's name, and its errno. */
static const struct {
	const char *call;
	int error;
	struct advice advice;
} calls[] = {
#define EXPLAIN_CALL(call, error, causes, steps) { call, error, { 0, 0, call, causes, steps } },
#include "explain_fact.def"
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const struct advice *find(const struct advice *table, size_t rows, unsigned int number)
{
	for (size_t i = 0; i < rows; i++)
		if (table[i].number == number)
			return &table[i];
	return NULL;
}

static void give(struct facts *f, const struct advice *a)
{
	if (!a)
		return;
	item_list(f->item, "causes", a->causes);
	item_list(f->item, "steps", a->steps);
}

static unsigned int number_of(const char *text)
{
	return (unsigned int)strtoul(text, NULL, strncasecmp(text, "0x", 2) ? 10 : 16);
}

static void add_command(struct facts *f, const char *text)
{
	const struct prm_cmd *cmd = prm_cmd(number_of(text));

	f->opcode = (uint16_t)number_of(text);
	item_fact(f->item, "command", "%s (%s)", cmd ? cmd->name : "not in our tables", text);
	item_summary(f->item, "%s", cmd ? cmd->name : text);
}

static void add_status(struct facts *f, const char *text)
{
	const struct advice *a = find(statuses, ROWS(statuses), number_of(text));
	const char *words = "not in our tables";

	prm_value_name("STATUS", number_of(text), &words);
	const struct prm_cmd *cmd = f->opcode ? prm_cmd(f->opcode) : NULL;

	item_fact(f->item, "status", "%s (%s%s%s)", words, a ? a->words : "", a ? ", " : "",
		  text);
	item_summary(f->item, "%s%s%s", cmd ? cmd->name : "", cmd ? ": " : "", words);
	give(f, a);
}

static void unknown_syndrome(struct facts *f, uint32_t syndrome)
{
	char line[200];

	snprintf(
		line, sizeof(line),
		"syndrome 0x%x is not in our list; NVIDIA publishes none: their support can look it "
		"up, with the version of the firmware",
		syndrome);
	item_list(f->item, "unknown", line);
}

/* It says more than the status. */
static void known_syndrome(struct facts *f, uint16_t opcode, const char *words)
{
	const struct prm_cmd *cmd = prm_cmd(opcode);

	item_list_first(f->item, "causes", words);
	item_summary(f->item, "%s%s%s", cmd ? cmd->name : "", cmd ? ": " : "", words);
}

/* The syndromes of dvkit's emulator have the opcode in the middle (devx/syndrome.c). */
static void explain_syndrome(struct facts *f, uint32_t syndrome)
{
	uint16_t opcode = f->opcode ? f->opcode : (uint16_t)(syndrome >> 8);
	const char *words = devx_syndrome_str(opcode, syndrome);
	const struct devx_syndrome *s = NULL;

	item_fact(f->item, "syndrome", "0x%x%s%s", syndrome, words ? ": " : "",
		  words ? words : "");
	while (!words && (s = devx_syndrome_next(s)))
		if (s->syndrome == syndrome) {
			const struct prm_cmd *cmd = prm_cmd(s->opcode);

			words = s->text;
			opcode = s->opcode;
			item_fact(f->item, "known from", "%s: %s", cmd ? cmd->name : "?",
				  s->text);
		}
	if (words)
		known_syndrome(f, opcode, words);
	else if (syndrome)
		unknown_syndrome(f, syndrome);
}

static void add_fw_syndrome(struct facts *f, const char *text)
{
	explain_syndrome(f, number_of(text));
}

/* "QP", "DCT", "ALLOW_OTHER_VHCA_ACCESS": what UCX was about to make, or the command. */
static void add_object(struct facts *f, const char *text)
{
	const struct prm_cmd *cmd = NULL;
	char name[80];

	snprintf(name, sizeof(name), "CREATE_%.60s", text);
	while ((cmd = prm_cmd_next(cmd)))
		if (!strcasecmp(cmd->name, text) || !strcasecmp(cmd->name, name) ||
		    (isdigit((unsigned char)*text) && cmd->opcode == strtoul(text, NULL, 16)))
			break;
	if (!cmd) {
		item_fact(f->item, "object", "%s", text);
		return;
	}
	f->opcode = cmd->opcode;
	item_fact(f->item, "command", "%s (0x%x)", cmd->name, cmd->opcode);
	item_summary(f->item, "%s", cmd->name);
}

/* In hex without 0x. 0: the kernel refused, or the firmware did not answer. */
static void add_devx_syndrome(struct facts *f, const char *text)
{
	uint32_t syndrome = (uint32_t)strtoul(text, NULL, 16);

	if (syndrome) {
		explain_syndrome(f, syndrome);
		return;
	}
	item_fact(f->item, "syndrome", "0: the firmware did not answer, or was not asked");
	item_list(
		f->item, "causes",
		"the kernel refused the command, or it timed out: see the error, and the kernel "
		"log");
	item_list(f->item, "steps", "lines of mlx5_core at that time: 'dmesg | dvfw explain'");
}

static void add_error(struct facts *f, const char *text)
{
	item_fact(f->item, "error", "%s", text);
	if (strstr(text, strerror(EREMOTEIO)))
		item_list(
			f->item, "steps",
			"Remote I/O error means that the firmware refused: status and syndrome "
			"are in the outbox and in the kernel log");
}

static void add_errno(struct facts *f, const char *text)
{
	int err = abs(atoi(text));

	item_fact(f->item, "error", "%s (%s)", text, strerror(err));
}

static void add_wc(struct facts *f, unsigned int status)
{
	const struct advice *a = find(completions, ROWS(completions), status);

	const char *words = status <= IBV_WC_TM_RNDV_INCOMPLETE
				    ? ibv_wc_status_str((enum ibv_wc_status)status)
				    : "no such status";

	item_fact(f->item, "status", "%u: %s (%s)", status, words,
		  a ? a->words : "no name here");
	item_summary(f->item, "%s", words);
	give(f, a);
}

static void add_wc_status(struct facts *f, const char *text)
{
	add_wc(f, number_of(text));
}

static void add_wc_text(struct facts *f, const char *text)
{
	if (!fact_wc_text(f, text))
		item_fact(f->item, "message", "%s", text);
}

/* ---- calls of libibverbs ---- */

static void add_call(struct facts *f, const char *text)
{
	snprintf(f->call, sizeof(f->call), "%s", text);
	item_fact(f->item, "call", "%s", text);
}

/* What programs say instead of the name. */
static void add_call_word(struct facts *f, const char *text)
{
	add_call(f, strcasecmp(text, "modify") ? "ibv_reg_mr" : "ibv_modify_qp");
}

static void add_call_errno(struct facts *f, const char *text)
{
	f->error = atoi(text);
	item_fact(f->item, "error", "%d: %s", f->error, strerror(f->error));
}

/* The text of strerror(). */
static void add_call_error(struct facts *f, const char *text)
{
	for (int e = 1; e <= EHWPOISON; e++)
		if (!strcasecmp(strerror(e), text)) {
			f->error = e;
			item_fact(f->item, "error", "%d: %s", e, strerror(e));
			return;
		}
	item_fact(f->item, "error", "%s", text);
}

static void end_call(struct facts *f)
{
	item_summary(f->item, "%s%s%s", f->call, f->error ? ": " : "",
		     f->error ? strerror(f->error) : "");
	for (size_t i = 0; i < ROWS(calls); i++)
		if (!strncmp(f->call, calls[i].call, strlen(calls[i].call)) &&
		    (!calls[i].error || calls[i].error == f->error)) {
			give(f, &calls[i].advice);
			return;
		}
}

void facts_end(struct facts *f)
{
	const struct advice *a = f->vendor ? find(vendors, ROWS(vendors), f->vendor) : NULL;

	if (f->call[0])
		end_call(f);
	if (f->event[0])
		fact_cm_end(f);
	if (!a)
		return;
	item_list_first(f->item, "causes", a->causes);
	item_list_first(f->item, "steps", a->steps);
}

void fact_cqe_syndrome(struct facts *f, uint8_t syndrome)
{
	item_fact(f->item, "syndrome", "0x%02x: %s", syndrome, dv_syndrome_str(syndrome));
	item_summary(f->item, "%.*s", (int)strcspn(dv_syndrome_str(syndrome), "("),
		     dv_syndrome_str(syndrome));
	for (size_t i = 0; i < ROWS(completions); i++)
		if (completions[i].syndrome == syndrome) {
			give(f, &completions[i]);
			return;
		}
	item_list(f->item, "causes", dv_syndrome_hint(syndrome));
}

static void add_syndrome(struct facts *f, const char *text)
{
	unsigned int syndrome = number_of(text);

	if (syndrome <= UINT8_MAX)
		fact_cqe_syndrome(f, (uint8_t)syndrome);
	else
		item_fact(f->item, "syndrome", "%s: of an error CQE it has 8 bits", text);
}

void fact_vendor(struct facts *f, unsigned int vendor)
{
	if (vendor > UINT8_MAX) {
		item_fact(f->item, "vendor",
			  "0x%x: an mlx5 adapter has 8 bits: another vendor's", vendor);
		return;
	}
	item_fact(f->item, "vendor", "0x%02x (%u): %s", vendor, vendor,
		  dv_vendor_syndrome_str((uint8_t)vendor));
	f->vendor = (uint8_t)vendor;
}

static void add_vendor(struct facts *f, const char *text)
{
	fact_vendor(f, number_of(text));
}

static void add_vendor_hex(struct facts *f, const char *text)
{
	fact_vendor(f, (unsigned int)strtoul(text, NULL, 16));
}

static void add_event(struct facts *f, const char *text)
{
	const char *words = NULL, *name = prm_value_name("EVENT", number_of(text), &words);

	item_fact(f->item, "event", "%s: %s%s%s", text, name ? name : "not in our tables",
		  words ? ", " : "", words ? words : "");
}

/* The texts of ibv_event_type_str(). */
static void add_event_text(struct facts *f, const char *text)
{
	static const struct {
		const char *word, *causes, *steps;
	} events[] = {
		{ "GID",
		  "an IP address or MAC of the interface changed, or the link came up: GID "
		  "indices may mean other addresses now",
		  "keep addresses fixed while programs run; read the table again: show_gids" },
		{ "access",
		  "a peer's request was refused: key, range or rights; its side has a "
		  "completion with a remote error",
		  "compare rkey and range with the memory region" },
		{ "invalid request", "a peer's request was not accepted by this QP",
		  "compare opcode and length with what the QP allows" },
		{ "port error", "the link went down", "check cable, module and switch port" },
		{ "catastrophic", "the queue failed: its WQEs or its memory",
		  "look for the first completion with an error" },
		{ "fatal", "the device failed", "look for health messages in the kernel log" },
		{ "CQ error", "the CQ overran: it was not polled in time",
		  "make it larger, poll more often" },
		{ "last WQE", "the QP of an SRQ is in error: normal when a connection ends",
		  "" },
		{ "SRQ-attached",
		  "the QP is in error, and no receive of the SRQ belongs to it any more "
		  "(LAST_WQE_REACHED): normal when a connection ends",
		  "if it did not end on purpose: look for the first completion with an error" },
		{ "client reregistration", "the subnet manager started again", "" },
	};

	item_fact(f->item, "event", "%s", text);
	item_summary(f->item, "%s", text);
	for (size_t i = 0; i < ROWS(events); i++)
		if (strcasestr(text, events[i].word)) {
			item_list(f->item, "causes", events[i].causes);
			item_list(f->item, "steps", events[i].steps);
			return;
		}
}

static void add_health(struct facts *f, const char *text)
{
	const struct advice *a = find(healths, ROWS(healths), number_of(text));

	item_fact(f->item, "synd", "%s: %s", text, a ? a->words : "not in our tables");
	item_summary(f->item, "%s", a ? a->words : text);
	if (!a)
		return;
	item_list_first(f->item, "causes", a->causes);
	item_list(f->item, "steps", a->steps);
}

static void add_cq_syndrome(struct facts *f, const char *text)
{
	const struct advice *a = find(cq_errors, ROWS(cq_errors), number_of(text));

	item_fact(f->item, "syndrome", "%s: %s", text, a ? a->words : "not in our tables");
	item_summary(f->item, "%s", a ? a->words : text);
	give(f, a);
}

static void add_fw_ver(struct facts *f, const char *text)
{
	item_fact(f->item, "fw_ver", "%s", text);
	if (!strcmp(text, "65535.65535.65535"))
		item_list_first(
			f->item, "causes",
			"every register reads as ones: the device does not answer on PCI Express");
}

static const struct {
	const char *name;
	void (*add)(struct facts *f, const char *text);
} meanings[] = {
	{ "command", add_command },
	{ "status", add_status },
	{ "fw_syndrome", add_fw_syndrome },
	{ "object", add_object },
	{ "devx_syndrome", add_devx_syndrome },
	{ "error", add_error },
	{ "errno", add_errno },
	{ "wc_status", add_wc_status },
	{ "wc_text", add_wc_text },
	{ "call", add_call },
	{ "call_word", add_call_word },
	{ "call_errno", add_call_errno },
	{ "call_error", add_call_error },
	{ "spdk_type", fact_spdk_type },
	{ "pci_channel", fact_pci_channel },
	{ "flow_error", fact_flow_error },
	{ "ucx_wqe", fact_ucx_wqe },
	{ "mooncake_opcode", fact_mooncake_opcode },
	{ "syndrome", add_syndrome },
	{ "vendor", add_vendor },
	{ "vendor_hex", add_vendor_hex },
	{ "event", add_event },
	{ "event_text", add_event_text },
	{ "health_synd", add_health },
	{ "cq_syndrome", add_cq_syndrome },
	{ "cm_event", fact_cm_event },
	{ "cm_status", fact_cm_status },
	{ "fw_ver", add_fw_ver },
};

void fact_add(struct facts *f, const char *name, const char *text)
{
	for (size_t i = 0; i < ROWS(meanings); i++)
		if (!strcmp(meanings[i].name, name)) {
			meanings[i].add(f, text);
			return;
		}
	item_fact(f->item, name, "%s", text);
}

bool fact_wc_text(struct facts *f, const char *line)
{
	for (unsigned int i = IBV_WC_LOC_LEN_ERR; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
		const struct advice *a = find(completions, ROWS(completions), i);
		const char *name = a ? a->words : NULL;

		if (strcasestr(line, ibv_wc_status_str((enum ibv_wc_status)i)) ||
		    (name && strstr(line, name + strlen("IBV_")))) {
			add_wc(f, i);
			return true;
		}
	}
	return false;
}

/* The first group of @pattern in @line; "" if it is not there. */
static void search(const char *line, const char *pattern, char *text, size_t size)
{
	regmatch_t group[2];
	regex_t re;

	*text = '\0';
	if (regcomp(&re, pattern, REG_EXTENDED | REG_ICASE))
		return;
	if (!regexec(&re, line, 2, group, 0))
		snprintf(text, size, "%.*s", (int)(group[1].rm_eo - group[1].rm_so),
			 line + group[1].rm_so);
	regfree(&re);
}

void fact_vendor_text(struct facts *f, const char *line)
{
	char text[32] = "";
	const char *vend = strcasestr(line, "vend");
	const char *at = vend ? vend : strstr(line, "syndrom");

	if (at)
		search(at, "^[a-z _]*[ =:(]+(0x[0-9a-f]+|[0-9]+)", text, sizeof(text));
	if (*text)
		add_vendor(f, text);
}

void fact_device_text(struct facts *f, const char *line)
{
	char text[64] = "";

	if (strchr(line, '.'))
		search(line, "([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])", text,
		       sizeof(text));
	if (*text) {
		item_fact(f->item, "device", "%s", text);
		return;
	}
	if (strstr(line, "mlx5_"))
		search(line, "(mlx5_(bond_)?[0-9]+)", text, sizeof(text));
	if (*text)
		item_fact(f->item, "device", "%s", text);
}
