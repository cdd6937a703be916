/* SPDX-License-Identifier: BSD-2-Clause */
/* A slot belongs to one process at a time, is free again after it, and there are 255. */
#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

#include "unit/wire/fabric.h"
#include "wire/inside.h"

ONE_PROCESS(slots_of_one);
TWO_PROCESSES(slots_of_two);
THREE_PROCESSES(slots);

Test(slots, slots_are_lowest_free_first)
{
	cr_expect_eq(wire_slot(a), 1);
	cr_expect_eq(wire_slot(b), 2);
	cr_expect_eq(wire_slot(c), 3);
	wire_close(b);
	b = join_test_fabric();
	cr_expect_eq(wire_slot(b), 2, "free again after close");
}

Test(wire, a_killed_process_leaves_its_slot)
{
	struct wire *w;
	char fabric[32];
	pid_t child;

	snprintf(fabric, sizeof(fabric), "kill-%d", (int)getpid());
	child = fork();
	if (!child) {
		w = wire_open(fabric);
		_exit(w && wire_slot(w) == 1 ? 0 : 1);
	}
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	w = wire_open(fabric);
	cr_assert_not_null(w);
	cr_expect_eq(wire_slot(w), 1);
	wire_close(w);
}

Test(slots_of_two, a_child_that_lives_on_does_not_hold_the_slot_of_its_parent)
{
	int go[2];
	pid_t child;

	cr_assert_eq(pipe(go), 0);
	child = fork();
	if (!child) {
		wire_abandon(a);
		wire_abandon(b);
		close(go[1]);
		_exit(read(go[0], &child, 1));
	}
	wire_claim(a, "port/1");
	wire_close(a);
	a = NULL;
	close(go[0]);
	for (int tries = 0; wire_present(b, 1) && tries < 1000; tries++)
		usleep(10000); /* until the child has got this far */
	cr_expect_not(wire_present(b, 1));
	cr_expect_not(wire_claimed(b, "port/1"));
	wire_close(b);
	b = NULL;
	close(go[1]);
	waitpid(child, NULL, 0);
}

Test(wire, the_256th_process_finds_no_slot)
{
	struct wire *all[255];
	char fabric[32];

	for (int i = 0; i < 255; i++) {
		all[i] = join_test_fabric();
		cr_assert_eq(wire_slot(all[i]), i + 1);
	}
	snprintf(fabric, sizeof(fabric), "test-%d", (int)getpid());
	errno = 0;
	cr_expect_null(wire_open(fabric));
	cr_expect_eq(errno, EUSERS);
	for (int i = 0; i < 255; i++)
		wire_close(all[i]);
}

Test(slots_of_one, a_process_knows_that_it_is_alone)
{
	cr_expect(wire_alone(a));
	b = join_test_fabric();
	cr_expect_not(wire_alone(a));
	cr_expect_not(wire_alone(b));
	wire_close(a);
	a = NULL;
	cr_expect(wire_alone(b), "slot %d, the others are free", wire_slot(b));
}

Test(slots_of_one, fabrics_are_separate)
{
	char fabric[32];

	snprintf(fabric, sizeof(fabric), "other-%d", (int)getpid());
	b = wire_open(fabric);
	cr_assert_not_null(b);
	cr_expect_eq(wire_slot(b), 1);
}

Test(slots_of_one, namespaces_are_separate)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (unshare(CLONE_NEWNET))
			_exit(0);
		b = join_test_fabric_of(getppid());
		_exit(!b || wire_slot(b) != 1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
}

/* Rings and the file of an older build are others. When its processes have ended, the file may
 * be left. */
Test(wire, processes_of_another_format_are_not_joined)
{
	struct wire *other = join_test_fabric(), *w[2];

	atomic_fetch_xor(&other->fabric.entries[0].socket, 1);
	errno = 0;
	cr_expect_null(join_test_fabric_of(getpid()));
	cr_expect_eq(errno, EPROTO);
	cr_expect_eq(ftruncate(other->fabric.fd, 6144), 0); /* not even all entries */
	errno = 0;
	cr_expect_null(join_test_fabric_of(getpid()));
	cr_expect_eq(errno, EPROTO);
	fabric_abandon(&other->fabric); /* its locks end, and the file stays */
	for (int i = 0; i < 2; i++) {
		w[i] = join_test_fabric();
		cr_expect_eq(wire_slot(w[i]), i + 1);
	}
	wire_close(w[0]);
	wire_close(w[1]);
	wire_close(other);
}

Test(wire, a_fabric_name_that_does_not_fit_is_refused)
{
	static const struct {
		const char *name;
		size_t len; /* its first bytes */
		int error;
	} rows[] = {
		{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		  64, 0 },
		{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		  65, ENAMETOOLONG },
		{ "", 0, EINVAL },
		{ "../0", 4, EINVAL },
		{ "a/", 2, EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[80] = { 0 };
		struct wire *w;

		memcpy(name, rows[i].name, rows[i].len);
		errno = 0;
		w = wire_open(name);
		cr_expect_eq(!w, !!rows[i].error, "row %zu", i);
		cr_expect(w || errno == rows[i].error, "row %zu: %d", i, errno);
		wire_close(w);
	}
}

/* Each of five processes knows which numbers of processes are exceeded: by its own slot, or by
 * those after it. */
Test(wire, a_process_knows_how_many_slots_were_taken)
{
	struct wire *w[5];

	for (int i = 0; i < 5; i++)
		w[i] = join_test_fabric();
	for (int i = 0; i < 5; i++)
		for (unsigned int n = 0; n < 300; n++)
			cr_expect_eq(wire_has_more_than(w[i], n), n < 5, "slot %d, %u", i + 1,
				     n);
	wire_close(w[3]);
	for (unsigned int n = 0; n < 6; n++)
		cr_expect_eq(wire_has_more_than(w[0], n), n < 5, "the fifth is there: %u", n);
	wire_close(w[4]);
	for (unsigned int n = 0; n < 6; n++)
		cr_expect_eq(wire_has_more_than(w[0], n), n < 3, "%u", n);
	for (int i = 0; i < 3; i++)
		wire_close(w[i]);
}
