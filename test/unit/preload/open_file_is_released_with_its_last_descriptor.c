/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dup, dup2, close, close_range and fork in any order: the driver releases an open file
 * once, when no descriptor and no running ioctl holds it. The test is the driver.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "fwctl/fwctl.h"
#include "preload/files.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"

struct uverbs_file {
	int released;
};

void uverbs_release(struct uverbs_file *f)
{
	f->released++;
}

struct ucma_file {
	int released;
};

void ucma_release(struct ucma_file *f)
{
	f->released++;
}

struct fwctl_file {
	int released;
};

void fwctl_release(struct fwctl_file *f)
{
	f->released++;
}

static struct uverbs_file one, two;
static struct ucma_file cm;
static struct fwctl_file tools;

static void end(void)
{
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(files, .fini = end);

Test(files, of_each_device_are_distinguished)
{
	cr_assert_eq(files_add(5, &one, 0), 0);
	cr_assert_eq(files_add_cm(6, &cm), 0);
	cr_assert_eq(files_add_fwctl(7, &tools, 1), 0);
	for (int fd = 5; fd < 8; fd++) {
		struct device_file *f = files_get(fd);

		cr_expect_eq(files_has_cm(fd), fd == 6);
		cr_expect_eq(files_has_fwctl(fd), fd == 7);
		cr_expect_eq(files_function(fd), fd == 7);
		cr_expect_eq(files_uverbs(f), fd == 5 ? &one : NULL);
		cr_expect_eq(files_ucma(f), fd == 6 ? &cm : NULL);
		cr_expect_eq(files_fwctl(f), fd == 7 ? &tools : NULL);
		files_put(f);
		files_put(files_take(fd));
		cr_expect_eq(one.released + cm.released + tools.released, fd - 4);
	}
	cr_expect(one.released == 1 && cm.released == 1);
	cr_expect_not(files_has(7) || files_has_cm(7) || files_has_fwctl(7));
}

Test(files, a_duplicate_keeps_it)
{
	files_add(5, &one, 1);
	files_dup(5, 9);
	files_put(files_take(5));
	cr_assert_eq(one.released, 0);
	cr_assert(files_has(9) && !files_has(5));
	cr_assert_eq(files_function(9), 1);
	cr_assert_null(files_take(5));
	files_put(files_take(9));
	cr_assert_eq(one.released, 1);
}

Test(files, dup2_onto_a_descriptor_closes_it)
{
	files_add(5, &one, 0);
	files_add(6, &two, 0);
	files_dup(5, 6);
	cr_assert_eq(two.released, 1);
	files_dup(0, 5); /* not ours: 5 is standard input now */
	cr_assert(!files_has(5));
	cr_assert_eq(one.released, 0);
	files_dup(6, 6);
	cr_assert_eq(one.released, 0);
	files_put(files_take(6));
	cr_assert_eq(one.released, 1);
}

Test(files, a_running_call_keeps_it)
{
	struct device_file *held;

	files_add(5, &one, 0);
	held = files_get(5);
	cr_assert_eq(files_uverbs(held), &one);
	files_put(files_take(5));
	cr_assert_eq(one.released, 0);
	files_put(held);
	cr_assert_eq(one.released, 1);
}

/* A reference of a call that a handler left: the next call gives it back, once. */
Test(files, a_call_that_was_left_keeps_it_until_the_next)
{
	for (int call = 0; call < 3; call++) {
		struct device_file *held;

		one.released = two.released = 0;
		files_add(5, &one, 0);
		files_add(6, &two, 0);
		held = files_get(5);
		files_put(files_take(5));
		files_keep(held);
		if (call == 0)
			files_unkeep(NULL);
		else
			files_put(call == 1 ? files_get(6) : files_take(6));
		cr_expect_eq(one.released, 1);
		cr_expect_eq(two.released, call == 2);
		held = files_get(6);
		files_keep(held);
		files_unkeep(NULL);
		files_unkeep(NULL);
		cr_expect_eq(two.released, call == 2);
		files_put(files_take(6));
		cr_expect_eq(two.released, 1);
	}
}

Test(files, a_call_that_continues_has_it_again)
{
	struct device_file *held;

	files_add(5, &one, 0);
	held = files_get(5);
	files_keep(held);
	cr_expect_eq(files_kept(5, held), held);
	files_unkeep(NULL); /* it is the call's */
	files_put(files_take(5));
	cr_expect_eq(one.released, 0);
	files_put(held);
	cr_expect_eq(one.released, 1);
	files_add(5, &two, 0);
	held = files_get(5);
	files_put(held);
	cr_expect_eq(files_kept(5, held), held); /* a handler's call gave it back */
	files_put(held);
	cr_expect_null(files_kept(5, (struct device_file *)&one), "another file");
	files_put(files_take(5));
	cr_expect_eq(two.released, 1);
}

Test(files, close_range_drops_what_is_in_it)
{
	files_add(5, &one, 0);
	files_add(7, &two, 0);
	files_drop(6, ~0u);
	cr_assert_eq(one.released, 0);
	cr_assert_eq(two.released, 1);
	files_drop(0, 5);
	cr_assert_eq(one.released, 1);
}

Test(files, an_open_on_a_number_in_use_replaces_it)
{
	files_add(5, &one, 0);
	files_add(5, &two, 0);
	cr_assert_eq(one.released, 1);
	cr_assert_eq(two.released, 0);
	files_put(files_take(5));
}

Test(files, numbers_out_of_the_table_are_refused)
{
	cr_assert_eq(files_add(65536, &one, 0), EMFILE);
	cr_assert(!files_has(65536));
	cr_assert(!files_has(-1));
	cr_assert_null(files_get(-1));
}

static int in_child(void)
{
	struct device_file *f;

	files_fork_child();
	f = files_get(5);
	if (!f || files_uverbs(f))
		return 1;
	files_put(f);
	files_put(files_take(5));
	return one.released ? 2 : 0;
}

Test(files, after_fork_the_child_has_an_inherited_file)
{
	pid_t child;
	int status;

	files_add(5, &one, 0);
	files_fork_prepare();
	child = fork();
	if (!child)
		_exit(in_child());
	files_fork_parent();
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(one.released, 0);
	files_put(files_take(5));
	cr_assert_eq(one.released, 1);
}

/* As subprocess of Python does: close and dup2 between vfork() and exec. */
Test(files, a_vfork_child_leaves_its_parents_table_alone)
{
	pid_t child;

	files_add(5, &one, 0);
	child = vfork();
	if (!child) {
		files_drop(3, ~0u);
		files_put(files_take(5));
		files_dup(5, 1);
		files_dup(0, 5);
		_exit(files_has(5));
	}
	cr_assert_eq(waitpid(child, NULL, 0), child);
	cr_assert_eq(one.released, 0);
	cr_assert(files_has(5));
	cr_assert(!files_has(1));
	files_put(files_take(5));
	cr_assert_eq(one.released, 1);
}
