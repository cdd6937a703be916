/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core: the lowest layer. Lists, number tables, copies that cannot fault, the trace sink.
 *
 *	all modules -> core -> libc
 *
 * Knows no mlx5 and no verbs. Tables are guarded by their owner (in the emulator that is the
 * one device lock). core_peek()/core_poke() and core_trace() may be called
 * from any thread.
 */
#ifndef EMU_CORE_H
#define EMU_CORE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bus.h"
#include "core/bytes.h"
#include "core/fault.h"
#include "core/memory.h"

#define core_container(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Elements of an array. */
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- lists: intrusive, circular, doubly linked; a zeroed node is "on no list" ---- */

struct core_list {
	struct core_list *next, *prev;
};

static inline void core_list_init(struct core_list *head)
{
	head->next = head->prev = head;
}

static inline bool core_list_linked(const struct core_list *node)
{
	return node->next != NULL;
}

static inline bool core_list_empty(const struct core_list *head)
{
	return head->next == head;
}

/* Appends @node unless it is on a list already. */
static inline void core_list_add(struct core_list *head, struct core_list *node)
{
	if (core_list_linked(node))
		return;
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

/* Removes @node from its list, if it is on one. */
static inline void core_list_del(struct core_list *node)
{
	if (!core_list_linked(node))
		return;
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = node->prev = NULL;
}

/* Iterates over @head; the body may delete @pos, but no other node. */
#define core_list_for_each(pos, tmp, head) \
	for (pos = (head)->next, tmp = pos->next; pos != (head); pos = tmp, tmp = pos->next)

/* ---- number tables: object number -> object ---- */

/*
 * Numbers are base + index with 1 <= index < limit. They are assigned round robin, so that a
 * number that was just freed is not assigned next: uses of stale numbers are detected.
 */
struct core_ids {
	void **obj;
	uint32_t *place; /* in the trace: where the number was assigned, or freed */
	uint32_t base, limit, size, next, used, shift;
};

void core_ids_init(struct core_ids *t, uint32_t base, uint32_t limit);
void core_ids_fini(struct core_ids *t);
/* For an empty table: its numbers begin @by later, and wrap. */
void core_ids_shift(struct core_ids *t, uint32_t by);
/* Assigns a number to @obj; false if the table is full or out of memory. */
bool core_ids_add(struct core_ids *t, void *obj, uint32_t *id);
/* Assigns @n numbers to @obj, from *@id on; each is freed separately. */
bool core_ids_add_range(struct core_ids *t, void *obj, uint32_t n, uint32_t *id);

/* The index of @id; 0, which is never used, for a number that is not of this table. */
static inline uint32_t core_ids_index(const struct core_ids *t, uint32_t id)
{
	uint32_t i = id - t->base;

	if (!i || i >= t->limit)
		return 0;
	return i > t->shift ? i - t->shift : i + t->limit - 1 - t->shift;
}

/* NULL: no such number. */
static inline void *core_ids_get(const struct core_ids *t, uint32_t id)
{
	uint32_t i = core_ids_index(t, id);

	return i < t->size ? t->obj[i] : NULL;
}

void core_ids_del(struct core_ids *t, uint32_t id);
/* Where in the trace @id was assigned, or if it is free, freed; 0: it was never assigned. */
uint32_t core_ids_place(const struct core_ids *t, uint32_t id);
/* The object with the next number after @id, its number in *@id; NULL at the end. Start at
 * 0. */
void *core_ids_next(const struct core_ids *t, uint32_t *id);

/* ---- the machine's kernel (syscall.c) ---- */

/* core_syscall(number, ...): like syscall(2), without any function that a program can see or
 * replace. */
#define core_syscall(...) core_syscall_with(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define core_syscall_with(number, a, b, c, d, e, f, ...) \
	core_syscall_6(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
long core_syscall_6(long number, long a, long b, long c, long d, long e, long f);

/* Page size of the mapping at @va: more than 4096 for hugetlbfs. */
uint64_t core_page_size(uint64_t va);

/* ---- entering the emulated kernel (entry.c) ---- */

/* Between them no signal handler runs on this thread, and it is not cancelled. They nest. Every
 * lock of the emulator is taken inside; a wait without bound happens outside. */
void core_enter(void);
void core_leave(void);
bool core_inside(void);

/* Blocks all signals but those that report a fault of the current instruction, or of a
 * sandbox. */
void core_block_signals(sigset_t *old);

/* Enters and locks; unlocks and leaves. */
void core_lock(pthread_mutex_t *m);
void core_unlock(pthread_mutex_t *m);

/* ---- the emulator's own descriptors (own.c) ---- */

/* Takes over @fd, a new one: returns its new number, above those that a program uses, and sets
 * close-on-exec. A negative @fd and its errno are passed on. */
int core_own(int fd);
void core_own_close(int fd);
bool core_own_has(int fd);
/* The lowest from @from on; -1: none. */
int core_own_next(int from);
/* In the child of a fork: closes all of them. */
void core_own_forked(void);

/* ---- the limit of file sizes (file_limit.c) ---- */

struct rlimit;

/* Raises the limit for the moment, so that a file may have @want bytes, as far as that goes:
 * returns how many of them it may have. A write beyond the limit would be SIGXFSZ. */
uint64_t core_file_limit_raise(uint64_t want, struct rlimit *was);
void core_file_limit_restore(uint64_t want, const struct rlimit *was);

/* ---- what libc does with memory of the program's malloc() or by calls that it may replace
 * ---- */

/* The entries of a directory, in no order. */
struct core_dir {
	int fd; /* -1: it cannot be read */
	size_t at, len;
	_Alignas(8) char bytes[2048];
};

void core_dir_open(struct core_dir *d, const char *path);
/* The name of the next entry; NULL: there is none. */
const char *core_dir_next(struct core_dir *d);
void core_dir_close(struct core_dir *d);

/* A file that is read by lines. */
struct core_file {
	int fd; /* -1: it cannot be read */
	size_t n, at;
	char text[1024];
};

void core_file_open(struct core_file *f, const char *path);
/* The first bytes of the next line, without its end; false: there is none. */
bool core_file_line(struct core_file *f, char *line, size_t size);
void core_file_close(struct core_file *f);

/* The number of network interface @name; 0: there is none, errno says why. */
unsigned int core_interface_index(const char *name);
#define CORE_INTERFACE_NAME 16 /* bytes: IFNAMSIZ */
bool core_interface_name(unsigned int index, char name[CORE_INTERFACE_NAME]);

/* As mkdtemp(3): the last 6 characters of @path are XXXXXX. False: errno says why. */
bool core_dir_make(char *path);

/* As qsort(3), in place. */
void core_sort(void *at, size_t n, size_t size, int (*compare)(const void *, const void *));

/* ---- application memory that may not be there ---- */

/* Copies from/to address @va of this process. False, and never a signal, if a byte of it is
 * not mapped or not permitted; then nothing or a prefix was copied. */
bool core_peek(void *dst, uint64_t va, size_t len);
bool core_poke(uint64_t va, const void *src, size_t len);

/* ---- time ---- */

uint64_t core_now_ns(void); /* CLOCK_MONOTONIC */

/* The next number of Sebastiano Vigna's splitmix64, whose state may be any number. */
uint64_t core_random(uint64_t *state);

/* ---- trace: modules report events as raw bytes, the sink (explain) decodes and prints ---- */

enum core_trace_kind {
	TRACE_FW,	/* a command ran: in = inbox, out = outbox, obj = opcode */
	TRACE_DOORBELL, /* a register was rung: obj = UAR page, index = offset, in = 8 bytes */
	TRACE_WQE,	/* a WQE starts to execute: obj = QPN, index = WQE index, in = WQE,
			 * out = struct core_trace_queue */
	TRACE_CQE,     /* a CQE was written: obj = CQN, index = ci of the slot, in = 64 bytes */
	TRACE_EQE,     /* an EQE was written: obj = EQN, index = slot, in = 64 bytes */
	TRACE_WIRE_TX, /* a frame left: obj = slot of the peer, in = Ethernet frame */
	TRACE_WIRE_RX, /* a frame arrived: obj = slot of the sender, in = Ethernet frame */
	TRACE_STEER,   /* a packet in flow tables: in = struct steer_step (steer.h) */
	TRACE_CHECK,   /* a finding: obj = object, index = enum core_finding, in = text */
	TRACE_FAILED,  /* a send WQE ends in an error: like TRACE_WQE; enabled with findings */
	TRACE_KINDS
};

struct core_trace {
	enum core_trace_kind kind;
	uint32_t obj, index;
	const void *in, *out;
	size_t in_len, out_len;
};

/* Facts of the queue that a WQE does not contain. */
struct core_trace_queue {
	uint32_t blocks;  /* of the ring */
	uint8_t service;  /* qpc.st of the PRM */
	uint8_t syndrome; /* TRACE_FAILED: of the CQE */
};

/* Files for the user: trace and findings, or standard error in their place; the timeline; the
 * capture. */
enum core_output { CORE_LOG, CORE_TIMELINE, CORE_CAPTURE, CORE_OUTPUTS };

/* Appends. After a failure, which is said on standard error, nothing more is written. */
void core_output(int fd, enum core_output which, const void *bytes, size_t len);
void core_output_ends(enum core_output which, int err);

typedef void core_trace_sink(const struct core_trace *t);

/* preload sets both once, before the device opens. Bit k of the mask: kind k is enabled. */
extern core_trace_sink *core_trace_to;
extern unsigned int core_trace_mask;

/* Slot of the function that this thread works for, named in each line; set with its lock
 * held. */
extern __thread uint8_t core_trace_slot __attribute__((tls_model("initial-exec")));

/* The QP that this thread executes and, if is_wqe, the packet of its WQE @index; for
 * drawings. */
struct core_trace_work {
	uint32_t qpn; /* 0: none */
	uint16_t index;
	bool is_wqe;
};
extern __thread struct core_trace_work core_trace_work
	__attribute__((tls_model("initial-exec")));

/* Events reported so far: the place in the trace, by which one line refers to another. */
extern atomic_uint core_trace_place;

static inline bool core_trace_on(enum core_trace_kind kind)
{
	return core_trace_mask >> kind & 1;
}

static inline void core_trace(const struct core_trace *t)
{
	if (!core_trace_on(t->kind) || !core_trace_to)
		return;
	atomic_fetch_add(&core_trace_place, 1);
	core_trace_to(t);
}

/* The kinds of findings: rows of finding.def. */
#define FINDING(kind, remedy) CORE_##kind,
enum core_finding {
#include "core/finding.def"
	CORE_FINDINGS
};
#undef FINDING

/* Reports a finding (TRACE_CHECK) about @object @number: "QP", "CQ", "key" …. @fmt says what is
 * wrong, without a full stop; finding.def adds the remedy. */
void core_check(enum core_finding kind, const char *object, uint32_t number, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));

#endif
