/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * box: inboxes and outboxes: from text, checked, sent, read, shown.
 */
#ifndef DVFW_BOX_H
#define DVFW_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "caps/caps.h"
#include "names/names.h"
#include "prm/table.h"
#include "prm/walk.h"

/*
 * ---- encode.c ----
 *
 * Text to bytes: "qpc.st=RC" into a box of which the structure is known.
 *
 *	field = value
 *	|       '- 18, 0x12, 0b10, a name (RC, CREATE_QP, GENERAL.max), joined by | or +,
 *	|          for arrays {1,2} or 1,2, for bytes hex, a MAC, an IPv6 or IPv4 address
 *	'--------- a path (qpc.pas[2]), or its last part if only one place is meant
 *
 * Pure functions: no device, no output.
 */

/* All zero, and the opcode of @cmd in an inbox. @cmd may be NULL. */
void box_begin(struct box *b, const struct prm_struct *s, const struct prm_cmd *cmd);

/* Sets a field. False: @why says what is wrong with it, in one line. */
bool encode_field(struct box *b, const char *assignment, char why[WHY_BYTES]);

/* Sets the fields of @n words. A field that two of them set is refused, by its whole path. */
bool encode_fields(struct box *b, char *const *words, int n, char why[WHY_BYTES]);

/* The inverse of message_json(): @o names the structure and has its fields. */
bool encode_json(struct box *b, struct json_object *o, char why[WHY_BYTES]);

/*
 * ---- message.c ----
 *
 * Bytes to text: a box printed field by field, for people or as JSON.
 */

/* A box to show. in: of an outbox the inbox that it answers, or NULL. */
struct shown {
	const struct prm_struct *s;
	const struct prm_cmd *cmd; /* of an outbox; may be NULL */
	const uint8_t *p;
	size_t len;
	const uint8_t *in;
	size_t in_len;
};

struct show_options {
	bool all;     /* fields that are zero too */
	bool offsets; /* byte and bits of each */
	bool hex;     /* bytes only */
};

/* Prints the fields, then the set bits that no field names. */
void message_print(const struct dvfw *d, const struct shown *m, const struct show_options *o);

/* The same as an object: name, bytes, hex, fields [{name, bit_offset, width, value, word}],
 * unknown [{dword, bit}]. */
struct json_object *message_json(const struct shown *m, const struct show_options *o);

/* Writes the set bits that no field covers to @left, m->len bytes. False: there are none. */
bool message_unknown(const struct shown *m, uint8_t *left);

/* Bytes as the PRM prints them: offset, four dwords a line. */
void hex_print(const uint8_t *p, size_t len);

/*
 * ---- reading.c ----
 *
 * The fields of a box one by one, as people read them: the two halves of a 64-bit counter are
 * one number.
 *
 *	counter_set.….a_octets_received_ok_high = 1    ->  a_octets_received_ok = 4294967298
 *	counter_set.….a_octets_received_ok_low  = 2
 *
 * Pure functions: no device, no output.
 */

struct reading {
	struct prm_walk walk;
	const uint8_t *p; /* the box */
};

struct reading_value {
	char name[256];
	unsigned int bits;
	bool is_counter;      /* it was in two halves */
	const uint8_t *bytes; /* an array or text of @count bytes; NULL: a number */
	size_t count;
	uint64_t number;
	const char *word; /* of the number, or NULL */
	char text[512];
};

void reading_begin(struct reading *r, const struct shown *m);
/* False: no more fields. */
bool reading_next(struct reading *r, struct reading_value *v);

/* Is it worth a line: not zero, or a zero that has a name? */
bool reading_says(const struct reading_value *v);

/* "= 0x4 UP", a counter "= 4294967298". */
void reading_print(const struct dvfw *d, const struct reading_value *v);

/* All fields that say something, and how many do not; @all: all. As an object, name by name. */
void reading_print_all(const struct dvfw *d, const struct shown *m, bool all);
struct json_object *reading_json(const struct shown *m);

/*
 * ---- exchange.c ----
 *
 * A command and its answer: encoded from arguments, sent, shown.
 *
 *	words -> exchange_encode -> inbox -> exchange_send -> outbox -> exchange_show
 */

struct devx_obj;

struct exchange {
	const struct prm_cmd *cmd;
	struct box in, out;
	bool answered; /* the outbox came back */
};

/* Finds the command. DVFW_USAGE: there is none, or it is a structure. */
int exchange_begin(const struct dvfw *d, struct exchange *x, const char *name);

/* Encodes "field=value" words into the inbox. */
int exchange_encode(const struct dvfw *d, struct exchange *x, char **words, int n);

/* Makes the inbox as long as its contents want it, and the outbox ready. */
void exchange_fit(struct exchange *x);

/*
 * Sends it by the call of its command. @obj: created by a CREATE; for MODIFY and QUERY the
 * object it is about. DVFW_REFUSED: the refusal is printed. Writes of registers pass only
 * with @write.
 */
int exchange_send(struct dvfw *d, struct exchange *x, struct devx_obj *obj, bool write);

/* Prints or adds to @json, if that is not NULL, inbox and outbox. */
void exchange_show_in(const struct dvfw *d, const struct exchange *x,
		      const struct show_options *o, struct json_object *json);
void exchange_show_out(const struct dvfw *d, const struct exchange *x,
		       const struct show_options *o, struct json_object *json);

/*
 * ---- check.c ----
 *
 * Will this inbox be refused, and by which layer? The checks that need no device.
 */

/*
 * Prints a line for each error in the inbox of @cmd, or adds it to @list if that is not NULL,
 * and returns how many those are. Capabilities are compared if @caps knows any. @own: the
 * object it is about is there, so that MODIFY and QUERY can be sent.
 */
int check_inbox(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
		const struct capability_source *caps, bool own, struct json_object *list);

/* Does it depend on capabilities whether @cmd is refused? */
bool check_asks_capabilities(const struct prm_cmd *cmd);

/* A bound that a field has in a capability; for the test that all names exist. */
struct check_limit {
	uint16_t opcode;
	const char *field; /* of the inbox */
	uint16_t group;
	const char *cap; /* field of the group */
	enum {
		CHECK_AT_MOST, /* field <= cap */
		CHECK_LOG,     /* field <= 1 << cap */
		CHECK_BIT,     /* bit number field of cap is set */
		CHECK_USED,    /* cap is set if field is not 0 */
	} how;
};
/* Ends with opcode 0. */
extern const struct check_limit check_limits[];

/*
 * ---- input.c ----
 *
 * HEX|FILE|-: where subcommands take bytes from.
 */

/*
 * @text is hex digits, the name of a file, or - for standard input; what comes from there may
 * be a dump in hex (base.h) or raw bytes. Fills b->bytes and b->len. An exit status.
 */
int input_read(const struct dvfw *d, const char *text, struct box *b);

/* All of a file, or of standard input for "-", with a NUL after it; free(). NULL: the error is
 * printed; *status is the exit status. */
char *input_text(const struct dvfw *d, const char *name, size_t most, size_t *n, int *status);

#endif
