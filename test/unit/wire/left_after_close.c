/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes on a fabric that did something and left: no memory, mapping or descriptor is
 * left of them; nor of a process for which some step of joining failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/descriptors.h"
#include "lib/steps.h"
#include "unit/wire/fabric.h"
#include "wire/fabric.h"
#include "wire/ring.h"

TWO_PROCESSES(left_of_two);

/* ---- calls that fail ---- */

#pragma GCC visibility push(default) /* the linker's --wrap */
int __real_fcntl(int fd, int cmd, void *arg);
int __real_fstat(int fd, struct stat *st);
int __real_ftruncate(int fd, off_t len);
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
ssize_t __real_pwrite(int fd, const void *from, size_t len, off_t at);
int __wrap_fcntl(int fd, int cmd, ...);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_ftruncate(int fd, off_t len);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *from, size_t len, off_t at);
#pragma GCC visibility pop

static bool fails(void)
{
	if (!step_fails())
		return false;
	errno = EIO;
	return true;
}

/* Questions about locks, and giving them back, do not fail; nor does the question whether a
 * file of the directory is in use. */
int __wrap_fcntl(int fd, int cmd, ...)
{
	bool takes = cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW;
	va_list list;
	void *arg;

	va_start(list, cmd);
	arg = va_arg(list, void *);
	va_end(list);
	takes = takes && ((struct flock *)arg)->l_type != F_UNLCK &&
		(cmd == F_OFD_SETLKW || ((struct flock *)arg)->l_start);
	return (takes || cmd == F_ADD_SEALS) && fails() ? -1 : __real_fcntl(fd, cmd, arg);
}

int __wrap_fstat(int fd, struct stat *st)
{
	return fails() ? -1 : __real_fstat(fd, st);
}

int __wrap_ftruncate(int fd, off_t len)
{
	return fails() ? -1 : __real_ftruncate(fd, len);
}

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, len, prot, flags, fd, offset);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t len, off_t at)
{
	return fails() ? -1 : __real_pwrite(fd, from, len, at);
}

/* ---- what is left ---- */

static struct left {
	long allocations;
	unsigned int mappings; /* of files and rings */
	int descriptors;
} left(void)
{
	struct left l = { .allocations = steps.allocations, .descriptors = open_descriptors() };
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (fgets(line, sizeof(line), f))
		l.mappings += strstr(line, "memfd:") || strstr(line, "dvkit-emu");
	fclose(f);
	return l;
}

static void expect_left(const struct left *before, const char *name)
{
	struct left now = left();

	cr_expect_eq(now.allocations, before->allocations, "%s: %ld blocks are left", name,
		     now.allocations - before->allocations);
	cr_expect_eq(now.mappings, before->mappings, "%s: a mapping is left", name);
	cr_expect_eq(now.descriptors, before->descriptors, "%s: a descriptor is left", name);
}

/* ---- what they did ---- */

static void nothing(void)
{
}

static void frames_both_ways(void)
{
	send_one(a, b);
	send_one(b, a);
	send_one(a, a);
	cr_assert_eq(frames_at(a), 2);
	cr_assert_eq(frames_at(b), 1);
}

static void frames_that_are_not_read(void)
{
	send_one(a, b);
	send_one(b, a);
}

static void ring_of_a_process_that_came_again(void)
{
	for (int i = 0; i < 3; i++) {
		send_one(a, b);
		send_one(b, a);
		wire_close(b);
		b = join_test_fabric();
	}
	send_one(b, a);
	cr_assert_eq(frames_at(a), 2, "the last one's, and of those before one's");
}

static void frames_that_are_late(void)
{
	set_faults(a, "delay=1:10s");
	send_one(a, b);
	set_faults(a, "delay=1:10s:rx");
	send_one(b, a);
	frames_at(a);
	set_faults(a, "dup=1");
	send_one(a, b);
	wire_flush(a);
	set_faults(a, "dup=1:rx");
	send_one(b, a);
	frames_at(a);
}

static void captures(void)
{
	char path[] = "/tmp/wire-left.XXXXXX";

	close(mkstemp(path));
	cr_assert_eq(wire_pcap(a, path), 0);
	cr_assert_eq(wire_pcap(a, path), 0, "in place of the other");
	send_one(a, b);
	unlink(path);
}

static void names(void)
{
	cr_assert_eq(wire_claim(a, "one"), 0);
	cr_assert_eq(wire_claim(a, "two"), 0);
	cr_assert_eq(wire_claim(a, "three"), 0);
	wire_disclaim(a, "one");
	cr_assert_eq(wire_host(a, 0x0a000001), 0);
}

static void what_a_child_does(void)
{
	frames_both_ways();
	wire_abandon(a);
}

static void a_full_ring(void)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	for (int i = 0; i < 100000 && wire_has_space(a, wire_slot(b)); i++) {
		wire_send(a, wire_slot(b), &p);
		wire_flush(a);
	}
}

Test(left, nothing)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} rows[] = {
		{ "nothing", nothing },
		{ "frames both ways", frames_both_ways },
		{ "frames that are not read", frames_that_are_not_read },
		{ "a process that came again", ring_of_a_process_that_came_again },
		{ "late frames", frames_that_are_late },
		{ "captures", captures },
		{ "names", names },
		{ "the child of a fork", what_a_child_does },
		{ "a full ring", a_full_ring },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct left before = left();

		a = join_test_fabric();
		b = join_test_fabric();
		rows[i].act();
		wire_close(a);
		wire_close(b);
		expect_left(&before, rows[i].name);
	}
	wire_close(NULL);
}

/* Each allocation and each call of the kernel fails in turn. */
static void fail_each_step(void)
{
	struct left before = left();
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		steps.fail_at = n;
		a = join_test_fabric_of(getpid());
		failed = !steps.fail_at;
		steps.fail_at = 0;
		cr_expect_eq(!a, failed, "step %u", n);
		cr_expect(a || errno == ENOMEM || errno == EIO, "step %u: %m", n);
		wire_close(a);
		expect_left(&before, "a step fails");
	}
}

/* The file of the fabric is new, or is there, but no process has a slot: it begins again. */
Test(left, nothing_when_a_step_fails)
{
	struct fabric kept;
	char name[32];

	fail_each_step();
	snprintf(name, sizeof(name), "test-%d", (int)getpid());
	cr_assert_eq(fabric_open(&kept, name), 0);
	fail_each_step();
	fabric_close(&kept);
}

/* The same for both ends of a ring; a second reader is refused. */
Test(left, nothing_of_a_ring)
{
	struct left before = left();
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		struct ring end[3] = { 0 };
		int fd, err;

		steps.fail_at = n;
		fd = ring_create(&end[0]);
		cr_assert(fd < 0 || fcntl(fd, F_GET_SEALS) > 0, "a ring's");
		err = fd < 0 ? errno : ring_attach(&end[1], fd);
		failed = !steps.fail_at;
		steps.fail_at = 0;
		cr_expect_eq(!err, !failed, "step %u", n);
		cr_expect(!failed || err == EIO || (fd >= 0 && err == EINVAL), "step %u: %d", n,
			  err);
		if (!failed)
			cr_expect_eq(ring_attach(&end[2], fd), EEXIST);
		cr_expect_null(end[2].memory);
		ring_unmap(&end[0]);
		ring_unmap(&end[1]);
		core_own_close(fd);
		expect_left(&before, "a ring");
	}
}

/* With each number of descriptors that is too few. */
Test(left, nothing_without_descriptors)
{
	struct left before = left();
	int taken[64], n = 0, fd;
	struct rlimit few;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	few.rlim_cur = 64;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	while ((fd = dup(0)) >= 0)
		taken[n++] = fd;
	for (a = NULL; !a; close(taken[--n])) {
		cr_assert_gt(n, 40, "it needs no more");
		a = join_test_fabric_of(getpid());
		cr_expect(a || errno == EMFILE, "%m");
		if (!a)
			cr_expect_eq(core_own_next(0), -1);
	}
	while (n)
		close(taken[--n]);
	wire_close(a);
	expect_left(&before, "without descriptors");
}

/* The file of a fabric is larger than the limit, which only an administrator raises: an error,
 * and no signal. */
Test(left, nothing_beyond_the_limit_of_file_sizes)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit few = { 1000, 1000 };
		struct ring r;

		if (setrlimit(RLIMIT_FSIZE, &few) || setresuid(65534, 65534, 65534))
			_exit(2);
		a = join_test_fabric_of(getpid());
		if (a || errno != EFBIG || core_own_next(0) >= 0)
			_exit(1);
		errno = 0;
		_exit(ring_create(&r) >= 0 || errno != EFBIG || core_own_next(0) >= 0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, geteuid() ? 2 << 8 : 0, "%#x", status);
}

/* A ring that the receiver had no memory for is offered again, and nothing in it is lost. */
Test(left_of_two, ring_comes_again)
{
	uint8_t from;
	size_t len;

	send_one(a, b);
	steps.fail_at = 1;
	cr_expect_null(wire_next(b, &len, &from));
	cr_expect_eq(steps.fail_at, 0);
	usleep(2000);
	send_one(a, b);
	cr_expect_eq(frames_at(b), 2);
}

/* A fault that there is no memory for loses the frame. */
Test(left_of_two, fault_without_memory)
{
	struct options_fault faults[OPTIONS_FAULTS];
	int n = options_faults("delay=1:1ms", faults);

	steps.fail_at = 1;
	cr_expect_eq(wire_faults(a, faults, (unsigned int)n), ENOMEM);
	cr_expect_eq(wire_fault_counts(a).frames[OPTIONS_DELAY], 0);
	send_one(a, b);
	cr_expect_eq(frames_at(b), 1, "there are no faults");
	cr_assert_eq(wire_faults(a, faults, (unsigned int)n), 0);
	steps.fail_at = 1;
	send_one(a, b);
	cr_expect_eq(steps.fail_at, 0);
	cr_expect_not(wire_flush(a), "nothing waits");
	cr_expect_eq(frames_at(b), 0);
}
