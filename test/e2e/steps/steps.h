/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call that makes something in steps, each step refused in turn: what the earlier ones made
 * must be taken back. The n-th command of the firmware is refused (dvkit_emu_fail_command()),
 * then the n-th allocation of memory; for every n. Afterwards the adapter has the objects and
 * the process has the descriptors that they had before. The same for the call that destroys it:
 * it may be refused, and then works when it is called again.
 */
#ifndef TEST_E2E_STEPS_STEPS_H
#define TEST_E2E_STEPS_STEPS_H

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

struct steps {
	const char *name;
	int (*make)(void); /* 0, or a positive errno value: then nothing is left */
	int (*unmake)(void);
	/* The destroying call returns nothing, or ignores refusals as the kernel does. */
	bool unmake_is_not_refused;
};

/* Criterion's .init and .fini: a device opened for DevX, and what most calls need. */
extern struct step_device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	uint32_t pdn;
	uint8_t port, gid_index;
	void *memory; /* 64 KiB at a page */
} d;
void steps_start(void);
void steps_stop(void);

void each_command_fails(const struct steps *s);
/* Only on this thread, and not under AddressSanitizer, which has another allocator. */
void each_allocation_fails(const struct steps *s);

/* The result of a call that returns NULL and errno. */
int pointer_made(const void *object);

#define EACH_STEP_FAILS(rows)                                           \
	for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) { \
		each_command_fails(&(rows)[i]);                         \
		each_allocation_fails(&(rows)[i]);                      \
	}

#endif
