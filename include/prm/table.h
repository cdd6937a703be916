/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prm at run time: the same rows as tables. Every structure and command by name, every field
 * by path, and a printer for whole commands.
 *
 *	const struct prm_cmd *cmd = prm_cmd(PRM_GET(mbox_in, in, opcode));
 *	prm_set(cmd->in, in, len, "qpc.primary_address_path.rgid_rip[15]", 1);
 *	prm_format(line, sizeof(line), cmd->in, in, len, PRM_LINE);
 *		opcode=0x500(CREATE_QP) qpc.pd=0x12 pas[2]={0x1000,0x2000}
 *
 * All data is constant: no locks, no allocation. No function reads beyond the length that it is
 * given. Access to fields by constants is in prm.h.
 */
#ifndef PRM_TABLE_H
#define PRM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <prm/value.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct prm_struct;

/* A row. width is that of one element; count is 0 for a trailing array (as many elements as the
 * buffer holds). */
struct prm_field {
	const char *name; /* NULL after the last field */
	uint32_t bit, width;
	uint16_t count;
	bool array, bytes;	       /* an array; of bytes in memory order */
	const struct prm_struct *type; /* of a nested structure */
};

/*
 * When a field or a member of a union is present: selector >> shift == value. Rules with the
 * same selector are alternatives, rules with different ones must all hold. No selector: the
 * field reads bits that another row names. in: the selector is a field of that inbox.
 */
struct prm_rule {
	const char *field;  /* NULL after the last rule */
	const char *member; /* row of the field's union; NULL: the field itself is meant */
	const char *selector;
	const struct prm_struct *in;
	uint32_t shift, value;
};

struct prm_struct {
	const char *name;
	uint32_t bytes; /* without trailing arrays */
	bool is_union;
	const struct prm_field *fields;
	const struct prm_rule *rules;
};

/* The mlx5dv call through which DevX accepts a command; see opcode.def. */
enum prm_call {
	PRM_CALL_KERNEL,
	PRM_CALL_CREATE,
	PRM_CALL_MODIFY,
	PRM_CALL_QUERY,
	PRM_CALL_GENERAL
};

struct prm_cmd {
	const char *name;
	uint16_t opcode;
	enum prm_call call;
	const struct prm_struct *in, *out;
	/* "cmd_hca_cap.pg": not 0, or the device refuses; NULL: always there */
	const char *needs;
};

/* Bits of an inbox or an outbox, counted like those of struct prm_field. */
struct prm_bits {
	uint16_t bit, width;
};

/* A command that creates an object, and the command that destroys it; see opcode_object.def. */
struct prm_create {
	uint16_t create, destroy; /* opcodes */
	uint16_t destroy_bytes;	  /* of the inbox of destroy */
	bool chosen; /* the number is in the inbox of create: the application chooses it */
	struct prm_bits number;	   /* in the outbox of create; if chosen, in its inbox */
	struct prm_bits destroyed; /* the number in the inbox of destroy */
};

/* A field that the inbox of the destroying command copies from that of @create. */
struct prm_copy {
	uint16_t create;
	struct prm_bits from, to;
};

/* A command that queries or modifies an object, the command that created it, and where the
 * inbox has the number. */
struct prm_use {
	uint16_t opcode, create;
	struct prm_bits number;
};

/* A group of QUERY_HCA_CAP (kind CAP of value.def). Groups 1, 5 and 6 have one layout. */
struct prm_cap_group {
	const char *name;
	uint16_t id;
	const struct prm_struct *layout;
};

/* A type of general object (kind OBJ), and what follows the header in its commands. Types of
 * kind OBJ that are not here have no public layout, or only other commands name them. */
struct prm_object {
	const char *name;
	uint16_t type;
	const struct prm_struct *layout;
};

/* A register of ACCESS_REG and ACCESS_REGISTER_USER. */
struct prm_reg {
	const char *name;
	uint16_t id;
	const struct prm_struct *layout;
};

/* A named value; see value.def. Rows of one kind are adjacent. */
struct prm_named_value {
	const char *kind, *name, *text;
	uint32_t value;
};

/* In C++ the functions hide the constructors of the structs with their names. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* NULL: no such name, no such opcode. The _next functions walk all; start with NULL. */
const struct prm_struct *prm_struct(const char *name);
const struct prm_struct *prm_struct_next(const struct prm_struct *s);
const struct prm_cmd *prm_cmd(unsigned int opcode);
const struct prm_cmd *prm_cmd_next(const struct prm_cmd *cmd);
const struct prm_field *prm_field(const struct prm_struct *s, const char *name);

const struct prm_create *prm_create(unsigned int opcode);
const struct prm_create *prm_create_next(const struct prm_create *c);
const struct prm_copy *prm_copy_next(const struct prm_copy *c);
const struct prm_use *prm_use(unsigned int opcode);
const struct prm_use *prm_use_next(const struct prm_use *use);

const struct prm_cap_group *prm_cap_group(unsigned int id);
const struct prm_cap_group *prm_cap_group_next(const struct prm_cap_group *group);
const struct prm_object *prm_object(unsigned int type);
const struct prm_object *prm_object_next(const struct prm_object *object);
const struct prm_reg *prm_reg(unsigned int id);
const struct prm_reg *prm_reg_next(const struct prm_reg *reg);

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/* "RTS" for ("QPC_STATE", 3), and *text, if wanted, its meaning; NULL: not named. The kinds
 * are those of value.def. */
const char *prm_value_name(const char *kind, uint64_t value, const char **text);
/* The kind of a field's values, NULL if they have no names. */
const char *prm_value_kind(const struct prm_struct *s, const char *field);
/* The inverse: 3 for ("QPC_STATE", "RTS"); case does not matter. False: no such name. */
bool prm_value(const char *kind, const char *name, uint64_t *value);
const struct prm_named_value *prm_value_next(const struct prm_named_value *value);
/* The unit of a field ("log2", "4.096 us * 2^n"); NULL: a plain number, or not a number. */
const char *prm_unit(const struct prm_struct *s, const char *field);

/* Bytes of an inbox (of the outbox that answers it) with the object or register that it names;
 * other trailing arrays count as empty. */
size_t prm_in_bytes(const struct prm_cmd *cmd, const void *in, size_t in_len);
size_t prm_out_bytes(const struct prm_cmd *cmd, const void *in, size_t in_len);

/* Where a path ("field", "field[2]", "nested.field") leads. */
struct prm_pos {
	const struct prm_struct *owner;
	const struct prm_field *field;
	size_t bit;
};

bool prm_find(const struct prm_struct *s, const char *path, struct prm_pos *pos);

/* A number of up to 64 bits. False: no such path, not a number, beyond @len, and for prm_set
 * also a value that does not fit. */
bool prm_get(const struct prm_struct *s, const void *p, size_t len, const char *path,
	     uint64_t *value);
bool prm_set(const struct prm_struct *s, void *p, size_t len, const char *path, uint64_t value);

/* Finds the first set bit in the @len bytes that no row names; false: every set bit is
 * named. Both readings of bits with two names count. */
bool prm_unnamed(const struct prm_struct *s, const void *p, size_t len, size_t *bit);

enum prm_style {
	PRM_LINE, /* one line, the fields that are not zero */
	PRM_LINES /* a line a field, with its byte offset and its unit, zero or not */
};

/*
 * Prints the fields of @s that lie within @len. As snprintf: @buf always ends in NUL (unless
 * @size is 0), and the result is the length that the whole text has.
 */
size_t prm_format(char *buf, size_t size, const struct prm_struct *s, const void *p, size_t len,
		  enum prm_style style);

/* Like prm_format(), for the outbox of @cmd: fields of the inbox select members of unions in it
 * (QUERY_HCA_CAP). */
size_t prm_format_out(char *buf, size_t size, const struct prm_cmd *cmd, const void *in,
		      size_t in_len, const void *out, size_t out_len, enum prm_style style);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
