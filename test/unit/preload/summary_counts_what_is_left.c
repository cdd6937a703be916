/* SPDX-License-Identifier: BSD-2-Clause */
/* --check: findings by function, and objects that are left, without those of the driver. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "preload/check.h"
#include "preload/watch.h"

static struct boot b[2];
static int said[2], watches, printed, unfinished;
static bool watched;

bool watch_start(void)
{
	watches++;
	return watched;
}

void engine_unfinished(struct hca *hca)
{
	unfinished++;
	cr_expect(core_inside());
	if (hca == &b[1].hca) {
		core_trace_slot = hca->slot;
		core_check(CORE_NEVER_RUNG, "QP", 1, "at the end");
	}
}

static void print(const struct core_trace *t)
{
	printed += t->kind == TRACE_CHECK;
}

static void begin(void)
{
	static int object;
	uint32_t id;

	core_trace_mask = 1u << TRACE_CHECK | 1u << TRACE_FW;
	core_trace_to = print;
	for (unsigned int i = 0; i < 2; i++) {
		char path[] = "/tmp/summary.XXXXXX";

		said[i] = mkstemp(path);
		unlink(path);
		cr_assert_eq(hca_init(&b[i].hca, 3 + i), 0);
		b[i].function = i;
		b[i].log_fd = said[i];
		for (int k = 0; k < 2; k++)
			cr_assert(core_ids_add(&b[i].hca.pds, &object, &id));
		check_start(&b[i]);
	}
	cr_expect_eq(watches, 1, "the first function starts it");
}

static void end(void)
{
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(summary, .init = begin, .fini = end);

static void expect_lines(int i, const char *want)
{
	char got[4000] = "";

	cr_assert_geq(pread(said[i], got, sizeof(got) - 1, 0), 0);
	cr_expect_str_eq(got, want);
	cr_assert_eq(ftruncate(said[i], 0), 0);
	lseek(said[i], 0, SEEK_SET);
}

#define POLLED                                                                                  \
	"dvkit-emu: check: stores to doorbell registers are polled for here, and not seen one " \
	"by one\n"

Test(summary, has_findings_of_its_function)
{
	expect_lines(0, POLLED);
	expect_lines(1, "");
	core_trace_slot = 3;
	core_check(CORE_NEVER_RUNG, "QP", 1, "first");
	core_trace(&(struct core_trace){ .kind = TRACE_FW });
	check_finish(&b[0], 0);
	check_finish(&b[1], 0);
	expect_lines(0, "dvkit-emu: [3] check: 1 finding\n");
	expect_lines(1, "dvkit-emu: [4] check: 1 finding\n");
	cr_expect_eq(printed, 2);
	cr_expect_eq(unfinished, 2);
	check_finish(&b[1], 15);
	expect_lines(1, "dvkit-emu: [4] check: 2 findings, ended by signal 15\n");
	check_start(&b[1]); /* as in the child of a fork */
	check_finish(&b[0], 0);
	expect_lines(0, "dvkit-emu: [3] check: 1 finding\n");
	cr_expect_eq(watches, 1);
}

/* 20 of a kind are named, each with the place where it was made. */
Test(summary, names_what_is_left)
{
	static int object;
	char want[3000] = "", all[4000];
	uint32_t id;

	expect_lines(0, POLLED);
	for (int i = 0; i < 21; i++) {
		core_trace_place = 100 + i;
		cr_assert(core_ids_add(&b[0].hca.pds, &object, &id));
		if (i < 20)
			snprintf(want + strlen(want), 100,
				 "dvkit-emu: [3] not destroyed: pd 0x%x, made at [3:%u]\n", id,
				 core_ids_place(&b[0].hca.pds, id));
	}
	cr_assert(core_ids_add(&b[0].hca.uctx, &object, &id));
	core_trace_place = 0;
	check_finish(&b[0], 11);
	snprintf(
		want + strlen(want), 200, "%s",
		"dvkit-emu: [3] check: 0 findings, ended by signal 11; left at exit: 1 uctx, 21 "
		"pd\n");
	/* the uctx comes first */
	snprintf(all, sizeof(all),
		 "dvkit-emu: [3] not destroyed: uctx 0x%x, made at [3:%u]\n%s", id,
		 core_ids_place(&b[0].hca.uctx, id), want);
	expect_lines(0, all);
}
