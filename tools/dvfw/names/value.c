/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers, names and bytes out of text.
 *
 *	18  0x12  0b10010     numbers; a leading zero is a zero, not octal
 *	RC  RTS  CREATE_QP    what prm/value.def and prm/opcode.def call the field's values
 *	GENERAL.max           op_mod of QUERY_HCA_CAP: group and mode
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/names.h"
#include "prm/prm.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool parse_number(const char *text, uint64_t *value)
{
	int base = !strncasecmp(text, "0x", 2) ? 16 : !strncasecmp(text, "0b", 2) ? 2 : 10;
	uint64_t v = 0;

	if (base != 10)
		text += 2;
	if (!*text)
		return false;
	for (; *text; text++) {
		int d = digit(*text);

		if (d >= base || v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
			return false;
		v = v * (uint64_t)base + (uint64_t)d;
	}
	*value = v;
	return true;
}

/* The number that is too large for any field is a number nevertheless. */
static bool looks_like_number(const char *text)
{
	return isdigit((unsigned char)*text) && !strchr(text, ':');
}

/* op_mod of QUERY_HCA_CAP and SET_HCA_CAP: "GROUP", "GROUP.current", "GROUP.max". */
static bool parse_group(const char *text, uint64_t *value)
{
	size_t n = strcspn(text, ".");
	unsigned int mode = PRM_CAP_CUR;
	uint64_t group;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if (!prm_value("CAP", name, &group))
		return false;
	if (text[n] && !strcasecmp(text + n, ".max"))
		mode = PRM_CAP_MAX;
	else if (text[n] && strcasecmp(text + n, ".current") && strcasecmp(text + n, ".cur"))
		return false;
	*value = PRM_CAP_OP_MOD(group, mode);
	return true;
}

static bool is_opcode(const struct prm_field *f)
{
	return !strcmp(f->name, "opcode") && f->bit == 0 && f->width == 16;
}

static bool parse_register(const char *text, uint64_t *value)
{
	for (const struct prm_reg *reg = NULL; (reg = prm_reg_next(reg));)
		if (!strcasecmp(reg->name, text)) {
			*value = reg->id;
			return true;
		}
	return false;
}

static bool parse_name(const struct prm_struct *owner, const struct prm_field *f,
		       const char *text, uint64_t *value)
{
	enum word_form form;
	const char *kind = word_kind(owner, f, &form);
	const struct prm_cmd *cmd;

	if (word_is_group(owner, f))
		return parse_group(text, value);
	if (is_opcode(f)) {
		cmd = cmd_find(text);
		if (cmd)
			*value = cmd->opcode;
		return cmd != NULL;
	}
	if (!strcmp(f->name, "register_id"))
		return parse_register(text, value);
	if (!kind || !prm_value(kind, text, value))
		return false;
	if (form == WORD_BIT_NUMBERS)
		*value = 1ULL << *value;
	return true;
}

/* The names that are valid in place of @text. */
static void tell_names(const struct prm_struct *owner, const struct prm_field *f,
		       const char *text, char why[WHY_BYTES])
{
	enum word_form form;
	const char *kind = word_kind(owner, f, &form);
	const struct prm_named_value *v = NULL;
	size_t used = (size_t)snprintf(why, WHY_BYTES, "'%.60s' is not a number", text);
	struct near near;
	int shown = 0;

	if (!strcmp(f->name, "register_id")) {
		near_begin(&near, text);
		for (const struct prm_reg *reg = NULL; (reg = prm_reg_next(reg));)
			near_offer(&near, reg->name);
		snprintf(why + used, WHY_BYTES - used, " and no register%s", near_text(&near));
		return;
	}
	if (!kind)
		return;
	used += (size_t)snprintf(why + used, WHY_BYTES - used, " and none of");
	near_begin(&near, text);
	while ((v = named_next(kind, v))) {
		near_offer(&near, v->name);
		if (shown++ < 6)
			used += (size_t)snprintf(why + used, WHY_BYTES - used, "%s %s",
						 shown > 1 ? "," : "", v->name);
	}
	snprintf(why + used, WHY_BYTES - used, "%s%s", shown > 6 ? " …" : "", near_text(&near));
}

static bool parse_one(const struct prm_struct *owner, const struct prm_field *f,
		      const char *text, uint64_t *value)
{
	uint8_t mac[6];
	size_t n = sizeof(mac);

	if (parse_number(text, value) || parse_name(owner, f, text, value))
		return true;
	if (f->width < 48 || !strchr(text, ':') || !parse_bytes(text, mac, sizeof(mac), &n) ||
	    n != sizeof(mac))
		return false;
	*value = prm_load(mac, 0, 32) << 16 | prm_load(mac + 4, 0, 16);
	return true;
}

bool encode_number(const struct prm_struct *owner, const struct prm_field *f, const char *text,
		   uint64_t *value, char why[WHY_BYTES])
{
	uint64_t v = 0, part;
	char one[80];

	if (!*text || strchr("|+", text[strlen(text) - 1])) {
		snprintf(why, WHY_BYTES, "a value is missing");
		return false;
	}
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		size_t n = strcspn(at, "|+");

		end = at + n;

		snprintf(one, sizeof(one), "%.*s", (int)n, at);
		if (!parse_one(owner, f, one, &part)) {
			if (looks_like_number(one))
				snprintf(why, WHY_BYTES, "'%s' is not a number of 64 bits",
					 one);
			else
				tell_names(owner, f, one, why);
			return false;
		}
		v = at > text && at[-1] == '+' ? v + part : v | part;
	}
	if (f->width < 64 && v >> f->width) {
		snprintf(why, WHY_BYTES, "0x%llx needs %u bits, the field has %u",
			 (unsigned long long)v, 64 - (unsigned int)__builtin_clzll(v),
			 f->width);
		return false;
	}
	*value = v;
	return true;
}

bool parse_bytes(const char *text, uint8_t *bytes, size_t size, size_t *n)
{
	size_t want = *n, digits = 0;
	struct in_addr v4;

	if (want == 16 && inet_pton(AF_INET6, text, bytes) == 1)
		return true;
	if (want == 16 && inet_pton(AF_INET, text, &v4) == 1) {
		memset(bytes, 0, 10);
		memset(bytes + 10, 0xff, 2);
		memcpy(bytes + 12, &v4, sizeof(v4));
		return true;
	}
	if (!strncasecmp(text, "0x", 2))
		text += 2;
	for (; *text; text++) {
		if (*text == ':' && digits % 2 == 0 && digits)
			continue;
		if (digit(*text) > 15 || digits / 2 >= size)
			return false;
		if (digits % 2 == 0)
			bytes[digits / 2] = 0;
		bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | digit(*text));
		digits++;
	}
	*n = digits / 2;
	return digits && digits % 2 == 0;
}
