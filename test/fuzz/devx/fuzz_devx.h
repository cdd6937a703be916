/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fuzzer of DevX: what its files share.
 *
 *	main.c    rounds: a seed, fresh contexts, some hundred calls, the end, what is left
 *	learn.c   the inboxes that the devx library sends when it behaves
 *	box.c     inboxes: learned, from prm's tables, or bytes; live numbers; one field spoilt
 *	call.c    the calls of libmlx5 that carry them, and what every answer has to be
 *	other.c   umems, UARs, event queues, events, queues of verbs
 *	live.c    what is alive: objects, umems, UARs, numbers
 *
 * Everything goes through the system's libmlx5, as a program's calls do. Requirements: no
 * crash, no hang, nothing written beyond an outbox; each answer is 0, or an errno that the
 * kernel gives, or a status with a syndrome; and when all contexts are closed, the firmware has
 * the objects that it had before.
 *
 * Built upon fuzz/chance.c: a seed means the same calls again.
 */
#ifndef TEST_FUZZ_DEVX_H
#define TEST_FUZZ_DEVX_H

#include <infiniband/mlx5dv.h>

#include <prm/prm.h>
#include <prm/table.h>

#include "fuzz/chance.h"
#include "fuzz/round.h"

enum { CONTEXTS = 2, BOX_MAX = 0x12000, GUARD = 64 };

/* ---- live.c ---- */

/* Kinds that no command makes; the others are the opcodes that make them. */
enum { KIND_UAR = 0x10000, KIND_UMEM, KIND_EQ };

struct live {
	uint32_t kind, number;
	uint16_t type;		     /* of a general object */
	struct mlx5dv_devx_obj *obj; /* NULL: of verbs, or no object */
	struct mlx5dv_devx_umem *umem;
	uint64_t addr, len; /* of the umem */
	unsigned int moves; /* of a QP: those that were executed */
	struct mlx5dv_devx_uar *uar;
};

enum { LIVE_MAX = 400 };

/* An open device. */
struct user {
	struct ibv_context *ctx;
	struct live live[LIVE_MAX];
	unsigned int n;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	struct mlx5dv_devx_cmd_comp *answers;
	struct mlx5dv_devx_event_channel *events;
	int eventfd;
};

void user_open(struct user *u);
/* Destroys everything, or leaves that to the kernel; closes the context. */
void user_close(struct user *u, bool destroy);
void live_add(struct user *u, const struct live *l);
/* One of @kind, of any if 0; NULL: none. */
struct live *live_find(struct user *u, uint32_t kind);
/* An object of DevX; NULL: none. */
struct live *live_object(struct user *u);
/* Destroys it: an errno. Then it is on the list no more. */
int live_destroy(struct user *u, struct live *l);

/* ---- learn.c ---- */

struct sample {
	uint16_t opcode;
	size_t in_len, out_len;
	uint8_t *in;
};

void learn(void);
/* Any sample of @opcode, of all if 0; NULL: none. */
const struct sample *learned(uint16_t opcode);
unsigned int learned_opcodes(void);
/* Commands that worked in this round are learned, too, until the next one. */
void learn_more(const uint8_t *in, size_t in_len, size_t out_len);
void learn_forget(void);

/* ---- box.c ---- */

struct box {
	uint16_t opcode;
	size_t in_len, out_len;
	uint8_t in[BOX_MAX], out[BOX_MAX + GUARD];
};

/* A command of that call; any if @any. */
void box_make(struct box *b, struct user *u, enum prm_call call, bool any);
/* A command of that call about @l. */
void box_about(struct box *b, struct user *u, enum prm_call call, const struct live *l);
/* Is there one? */
bool box_has_about(enum prm_call call, const struct live *l);
/* Where the number is that a box makes or names; NULL: it has none. */
const struct prm_field *box_number(const struct prm_struct *s);

/* ---- call.c, other.c ---- */

/* The answer; for the last line. */
struct tally {
	uint64_t calls, commands, done, firmware, kernel, objects;
};
extern struct tally tally;

/* A call that carries a command. */
void call_command(struct user *u, struct box *b);
/* Some other call. */
void call_other(struct user *u);
/* @err: 0 or an errno of the kernel's. */
void call_judge(const char *call, int err);

#endif
