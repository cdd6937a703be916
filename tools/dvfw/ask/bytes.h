/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of queues, which are no structure of the tables since their length and parts vary:
 * CQEs, EQEs, WQEs, rings.
 */
#ifndef DVFW_BYTES_H
#define DVFW_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <dv/print.h>

struct json_object;

/* A name that "dvfw decode" takes in place of a structure's. */
struct bytes_kind {
	const char *name, *help;
	enum dv_transport transport; /* of WQEs */
};
extern const struct bytes_kind bytes_kinds[];
/* NULL: there is no such kind. */
const struct bytes_kind *bytes_kind(const char *name);

/* The most likely kind of the bytes, or "inbox", which is not a kind; NULL: unknown. */
const char *bytes_guess(const uint8_t *p, size_t n);

/* The text of dv_*_format() in one piece, for all kinds; free(). NULL: @n bytes are too few. */
char *bytes_fields(const struct bytes_kind *kind, const uint8_t *p, size_t n);

/* The document that "decode --json" prints; at least as many bytes as bytes_fields() needs. */
struct json_object *bytes_json(const struct bytes_kind *kind, const uint8_t *p, size_t n);

#endif
