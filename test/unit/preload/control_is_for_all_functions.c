/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface with no function, one and two: which of them are asked, sums, and the
 * lines of --stats and of refusals. The engines are the test: engine i of function i is at
 * 8 + i.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dvkit/emu.h"
#include "lib/capture.h"
#include "preload/boot.h"
#include "preload/outside.h"
#include "preload/stats.h"
#include "running.h"

struct boot *running[OPTIONS_FUNCTIONS];
static char calls[200];
static int answers[2]; /* of the engines and the link */
static uint64_t scale[2];

struct boot *boot_running(unsigned int function)
{
	return running[function];
}

bool boot_any(void)
{
	return running[0] || running[1];
}

static unsigned int note(const char *what, uintptr_t at)
{
	snprintf(calls + strlen(calls), sizeof(calls) - strlen(calls), "%s%zu ", what,
		 (size_t)at - 8);
	return at == 9;
}

void engine_pause(struct engine *e)
{
	note("pause", (uintptr_t)e);
}

void engine_resume(struct engine *e)
{
	note("resume", (uintptr_t)e);
}

bool engine_step(struct engine *e)
{
	return answers[note("step", (uintptr_t)e)];
}

int engine_retire(struct engine *e, uint32_t qpn)
{
	cr_expect_eq(qpn, 0x123456);
	return answers[note("retire", (uintptr_t)e)];
}

int engine_fail_qp(struct engine *e, uint32_t qpn)
{
	cr_expect_eq(qpn, 0x123456);
	return answers[note("fail", (uintptr_t)e)];
}

void engine_link(struct engine *e, bool up)
{
	note(up ? "up" : "down", (uintptr_t)e);
}

/* Without a fault at the start, by outside_net(). */
int wire_faults(struct wire *w, const struct options_fault *faults, unsigned int n)
{
	if (!n)
		return 0;
	cr_expect(n == 1 && faults->kind == OPTIONS_DROP && faults->chance == 1ull << 32);
	cr_expect(core_inside());
	return answers[note("faults", (uintptr_t)w)];
}

void uverbs_fail(struct uverbs *u)
{
	cr_expect(core_inside());
	note("device", (uintptr_t)u);
}

bool fw_executes(uint16_t opcode)
{
	return opcode == 0x100;
}

/* Each counter is a different multiple. */
void engine_counters(struct engine *e, struct engine_counters *c)
{
	uint64_t by = scale[(uintptr_t)e - 8];

	*c = (struct engine_counters){ by,	by * 2,	 by * 3,  by * 4, by * 5,
				       by * 6,	by * 7,	 by * 8,  by * 9, by * 10,
				       by * 11, by * 12, by * 13, by * 14 };
}

struct wire_fault_counts wire_fault_counts(const struct wire *w)
{
	uint64_t by = scale[(uintptr_t)w - 8];
	struct wire_fault_counts c = { { 0 } };

	c.frames[OPTIONS_DROP] = by * 20;
	c.frames[OPTIONS_DUP] = by * 21;
	c.frames[OPTIONS_REORDER] = by * 22;
	c.frames[OPTIONS_DELAY] = by * 23;
	c.frames[OPTIONS_CORRUPT] = by * 24;
	c.frames[OPTIONS_ECN] = by * 25;
	return c;
}

static void run(unsigned int i)
{
	running[i] = calloc(1, sizeof(**running));
	cr_assert_eq(hca_init(&running[i]->hca, 3 + i), 0);
	running[i]->function = i;
	running[i]->engine = (void *)(uintptr_t)(8 + i);
	running[i]->wire = (void *)(uintptr_t)(8 + i);
	running[i]->uverbs = (void *)(uintptr_t)(8 + i);
	running[i]->hca.counts.commands = 30 + i;
	scale[i] = i ? 0x100000000 : 1;
}

static void end(void)
{
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(control, .fini = end);

static void expect_calls(const char *want)
{
	cr_expect_str_eq(calls, want);
	calls[0] = 0;
}

Test(control, needs_a_function)
{
	struct dvkit_emu_counters c;
	char text[8] = "before";

	cr_expect_eq(dvkit_emu_pause(), ENODEV);
	cr_expect_eq(dvkit_emu_resume(), ENODEV);
	cr_expect_not(dvkit_emu_step());
	cr_expect_eq(dvkit_emu_query_counters(&c, sizeof(c)), ENODEV);
	cr_expect_eq(dvkit_emu_retire(1), ENODEV);
	cr_expect_eq(dvkit_emu_fail_qp(1), ENODEV);
	cr_expect_eq(dvkit_emu_faults(""), ENODEV);
	cr_expect_eq(dvkit_emu_link(true), ENODEV);
	cr_expect_eq(dvkit_emu_fail_command(1, 1, 0), ENODEV);
	cr_expect_eq(dvkit_emu_fail_command(1, 0, 0), EINVAL);
	cr_expect_eq(dvkit_emu_fail_device(), ENODEV);
	cr_expect_eq(dvkit_emu_objects(text, sizeof(text)), 0);
	cr_expect_str_eq(text, "");
	cr_expect(dvkit_emu_executes(0x100) && !dvkit_emu_executes(0x101));
	expect_calls("");
}

/* Those of all functions, or until one has the QP. */
Test(control, asks_each_function)
{
	static const struct {
		int answers[2], ret;
		const char *calls; /* of the second function */
	} rows[] = {
		{ { 0, 0 }, 0, "" },
		{ { EINVAL, 0 }, EINVAL, "" },
		{ { ENOENT, 0 }, 0, "1" },
		{ { ENOENT, ENOENT }, ENOENT, "1" },
		{ { ENOENT, EINVAL }, EINVAL, "1" },
	};

	run(1); /* the only one is not the first */
	cr_expect_eq(dvkit_emu_pause(), 0);
	cr_expect_eq(dvkit_emu_retire(0x123456), 0);
	cr_expect_eq(dvkit_emu_faults("drop=1"), 0);
	cr_expect_eq(dvkit_emu_fail_device(), 0);
	expect_calls("pause1 retire1 faults1 device1 ");
	run(0);
	cr_expect_eq(dvkit_emu_pause(), 0);
	cr_expect_eq(dvkit_emu_resume(), 0);
	cr_expect_eq(dvkit_emu_link(false), 0);
	cr_expect_eq(dvkit_emu_link(true), 0);
	cr_expect_eq(dvkit_emu_fail_device(), 0);
	expect_calls("pause0 pause1 resume0 resume1 down0 down1 up0 up1 device0 device1 ");
	for (int moved = 0; moved < 4; moved++) {
		answers[0] = moved & 1;
		answers[1] = moved >> 1;
		cr_expect_eq(dvkit_emu_step(), moved != 0);
		expect_calls("step0 step1 ");
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memcpy(answers, rows[i].answers, sizeof(answers));
		cr_expect_eq(dvkit_emu_retire(0x123456), rows[i].ret, "row %zu", i);
		expect_calls(*rows[i].calls ? "retire0 retire1 " : "retire0 ");
		cr_expect_eq(dvkit_emu_fail_qp(0x123456), rows[i].ret, "row %zu", i);
		expect_calls(*rows[i].calls ? "fail0 fail1 " : "fail0 ");
	}
	answers[0] = EINVAL;
	cr_expect_eq(dvkit_emu_faults("drop=1"), EINVAL);
	expect_calls("faults0 ");
	answers[0] = 0;
	answers[1] = ENOMEM;
	cr_expect_eq(dvkit_emu_faults("drop=1"), ENOMEM);
	expect_calls("faults0 faults1 ");
}

Test(control, refuses_a_command_of_each)
{
	run(0);
	run(1);
	cr_expect_eq(dvkit_emu_fail_command(3, 9, 0x12345678), 0);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(running[i]->hca.refusal.nth, 3);
		cr_expect_eq(running[i]->hca.refusal.status, 9);
		cr_expect_eq(running[i]->hca.refusal.syndrome, 0x12345678);
	}
	cr_expect_eq(dvkit_emu_fail_command(2, 0, 0), EINVAL);
	cr_expect_eq(running[1]->hca.refusal.nth, 3);
	cr_expect_eq(dvkit_emu_fail_command(0, 0, 0), 0);
	cr_expect_eq(running[1]->hca.refusal.nth, 0);
}

#define BOTH(n) 0x100000001 * (n)

/* A program may have fewer counters, or more. */
Test(control, adds_up_counters)
{
	static const struct dvkit_emu_counters want = {
		BOTH(1),  BOTH(2),  BOTH(3),  BOTH(4),	BOTH(5),  BOTH(6),  BOTH(7),
		BOTH(8),  BOTH(9),  BOTH(12), BOTH(20), BOTH(21), BOTH(22), BOTH(23),
		BOTH(24), BOTH(13), BOTH(14), BOTH(25), 61,
	};
	struct {
		struct dvkit_emu_counters c;
		uint64_t after;
	} got;

	run(0);
	run(1);
	for (size_t size = 0; size <= sizeof(got); size += 8) {
		memset(&got, 0xee, sizeof(got));
		cr_expect_eq(dvkit_emu_query_counters(&got.c, size), 0);
		for (size_t i = 0; i < sizeof(got) / 8; i++) {
			uint64_t has,
				is = i < sizeof(want) / 8 ? ((const uint64_t *)&want)[i] : 0;

			memcpy(&has, (uint8_t *)&got + 8 * i, 8);
			cr_expect_eq(has, i < size / 8 ? is : 0xeeeeeeeeeeeeeeee,
				     "size %zu, word %zu", size, i);
		}
	}
}

Test(control, counts_objects)
{
	static int object;
	char text[40], small[12], least[1] = "x";
	uint32_t id;

	run(0);
	run(1);
	cr_expect_eq(dvkit_emu_objects(text, sizeof(text)), 0);
	cr_expect_str_eq(text, "");
	for (int i = 0; i < 3; i++)
		cr_assert(core_ids_add(&running[i > 0]->hca.pds, &object, &id));
	cr_assert(core_ids_add(&running[1]->hca.cqs, &object, &id));
	cr_expect_eq(dvkit_emu_objects(text, sizeof(text)), 4);
	cr_expect(!strcmp(text, "pd 1; pd 2, cq 1") || !strcmp(text, "pd 1; cq 1, pd 2"), "%s",
		  text);
	cr_expect_eq(dvkit_emu_objects(small, sizeof(small)), 4);
	cr_expect_eq(strncmp(small, text, sizeof(small) - 1), 0);
	cr_expect_eq(strlen(small), sizeof(small) - 1);
	cr_expect_eq(dvkit_emu_objects(least, 1), 4);
	cr_expect_eq(*least, 0);
	cr_expect_eq(dvkit_emu_objects(least, 0), 4);
	cr_expect_eq(dvkit_emu_objects(NULL, 7), 4);
	core_ids_fini(&running[0]->hca.pds);
	free(running[0]);
	running[0] = NULL;
	cr_expect_eq(dvkit_emu_objects(text, sizeof(text)), 3);
	cr_expect_eq(strchr(text, ';'), NULL);
	core_ids_fini(&running[1]->hca.pds);
	core_ids_fini(&running[1]->hca.cqs);
}

/* ---- lines ---- */

static void expect_stats(struct boot *b, const char *want)
{
	char path[] = "/tmp/stats.XXXXXX", got[500] = "";
	int fd = mkstemp(path);

	unlink(path);
	b->log_fd = b->log_fd < 0 ? -1 : fd;
	stats_finish(b);
	cr_assert_geq(pread(fd, got, sizeof(got) - 1, 0), 0);
	cr_expect_str_eq(got, want);
	close(fd);
}

Test(control, has_a_line_for_each_kind_of_numbers)
{
	run(0);
	run(1);
	for (int i = 0; i < 2; i++)
		expect_stats(running[i], "");
	program_invocation_short_name = (char *)"me";
	running[0]->options.stats = running[1]->options.stats = true;
	scale[1] = 2;
	expect_stats(
		running[1],
		"dvkit-emu: [4] me, mlx5_1: 4 doorbells, 10 WQEs, 12 CQEs\n"
		"dvkit-emu: [4] messages: 26 of 28 bytes\n"
		"dvkit-emu: [4] frames: sent 14 of 20 bytes, 24 again; received 16 of 22, 18 "
		"not taken\n"
		"dvkit-emu: [4] faults: frames 40 dropped, 42 doubled, 44 reordered, 46 "
		"delayed, 48 corrupted, 50 marked\n");
	scale[0] = 0; /* without faults they are not spoken of */
	expect_stats(
		running[0],
		"dvkit-emu: [3] me, mlx5_0: 0 doorbells, 0 WQEs, 0 CQEs\n"
		"dvkit-emu: [3] messages: 0 of 0 bytes\n"
		"dvkit-emu: [3] frames: sent 0 of 0 bytes, 0 again; received 0 of 0, 0 not "
		"taken\n");
	running[0]->log_fd = -1;
	expect_stats(running[0], "");
}

static void complain(int err, const char *want)
{
	char got[400];
	struct capture c;

	capture_begin(&c, stderr);
	boot_complain_fabric("f", err);
	capture_end(&c, got, sizeof(got));
	cr_expect_str_eq(got, want);
}

Test(control, says_why_there_is_no_fabric)
{
	static const int files[] = { EROFS, ENOENT, ENOSPC, EDQUOT, EACCES };
	char want[300];

	complain(EUSERS,
		 "dvkit-emu: fabric f: 255 devices are open on it, and no more can be: end "
		 "a process, or choose another --fabric\n");
	complain(EPROTO,
		 "dvkit-emu: fabric f: processes of another version of dvkit-emu are on "
		 "it: end them, or choose another --fabric\n");
	complain(EPERM, "dvkit-emu: fabric f: Operation not permitted\n");
	for (int i = 0; i < 5; i++) {
		snprintf(want, sizeof(want),
			 "dvkit-emu: fabric f: %s: its file is in /run/dvkit-emu or "
			 "/tmp/dvkit-emu-UID, which has to be writable\n",
			 strerror(files[i]));
		complain(files[i], want);
	}
}
