/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of libmlx5 that devx makes commands with, replaced: the inbox is kept for the
 * test, the outbox is what the test prepared. QUERY_HCA_CAP has a separate answer. Each
 * command is a step that may fail (lib/steps.h): ENOMEM.
 */
#ifndef TEST_UNIT_DEVX_FAKE_H
#define TEST_UNIT_DEVX_FAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/mlx5dv.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of the calls that are replaced */

struct fake_command {
	uint8_t in[512]; /* its beginning */
	size_t len;
};

struct fake {
	int calls;			 /* commands, capability queries not counted */
	int made, destroyed;		 /* objects */
	struct fake_command command[16]; /* the first ones, in order */
	uint8_t in[1 << 16];		 /* of the last one */
	size_t in_len, out_len;

	uint8_t answer[1 << 16], caps[0x1010];
	uint8_t caps_2[0x1010]; /* the answer for GENERAL_2, if two_groups is set */
	bool two_groups;
	uint16_t caps_op_mod; /* of the last capability query: group << 1 | 1 */
	int err;	      /* errno value of the next commands */
	uint16_t refused;     /* opcode of a command that the firmware refuses: BAD_PARAM */
};

extern struct fake fake;

/* Criterion's .init: nothing was sent, everything is answered by zeroes. */
void fake_reset(void);

/* libdvkit has to see it. */
#define INSTEAD __attribute__((visibility("default")))
/* A call of libmlx5 or libibverbs, replaced by an expression. */
#define FAKE(type, name, parameters, ...) \
	INSTEAD type name parameters      \
	{                                 \
		return __VA_ARGS__;       \
	}

/* @call is one more command, and is the first for sent(). */
#define AGAIN(call)                          \
	do {                                 \
		fake.calls = 0;              \
		cr_assert_eq((call), 0);     \
		cr_assert_eq(fake.calls, 1); \
	} while (0)

/* @call is refused, and the line is in the name of the call: there was no command. */
void refused_call(const char *call, int got, int err);
#define REFUSES(call, err) refused_call(#call, call, err)

/* An object that is alive, as devx_obj_create() makes one. */
struct mlx5dv_devx_obj *fake_handle(void);

/* One command was sent, of @len bytes, and these rows ("0010: 00007d00 ffffff42 …") are in
 * it; all rows that are not named are 0. The list ends with NULL. */
void sent(size_t len, const char *const *rows);
#define SENT(len, ...) sent(len, (const char *const[]){ __VA_ARGS__, NULL })

/* The same of command @n of several. */
void sent_nth(int n, size_t len, const char *const *rows);
#define SENT_NTH(n, len, ...) sent_nth(n, len, (const char *const[]){ __VA_ARGS__, NULL })

/* Puts a word at byte @off of the answer. */
void answer_word(size_t off, uint32_t word);

#endif
