/* SPDX-License-Identifier: BSD-2-Clause */
/* own, file, bytes: the small services of core at their limits. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/core.h"

/* The first number is 1024, FD_SETSIZE, or half of a limit below 2048. */
Test(own, descriptors_are_above_those_of_the_program)
{
	static const struct {
		rlim_t limit;
		int lowest;
	} rows[] = { { 2048, 1024 }, { 2047, 1023 }, { 64, 32 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rlimit l;
		int fd, low;

		cr_assert_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
		l.rlim_cur = rows[i].limit;
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
		low = open("/dev/null", O_RDONLY);
		cr_assert_lt(low, rows[i].lowest);
		fd = core_own(low);
		cr_expect_eq(fd, rows[i].lowest, "limit %d: %d", (int)rows[i].limit, fd);
		cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
		cr_expect(fcntl(low, F_GETFD) < 0, "it was taken over");
		core_own_close(fd);
		cr_expect(fcntl(fd, F_GETFD) < 0);
		cr_expect_not(core_own_has(fd));
	}
}

/* A number below 3 is a standard stream that the program has closed: it gets no file of the
 * adapter, not even when no high number is free; unless there is no other at all. */
Test(own, descriptors_are_no_standard_streams)
{
	static const rlim_t limits[] = { 4096, 64, 3 };

	for (int full = 0; full < 3; full++)
		for (int number = 0; number < 3; number++) {
			struct rlimit l = { limits[full], 4096 }, all = { 4096, 4096 };
			int was = fcntl(number, F_DUPFD, 3), next, fd;

			close(number);
			cr_assert_eq(open("/dev/null", O_RDONLY), number);
			for (int i = full ? 32 : 64; i < 64; i++)
				dup2(number, i);
			next = fcntl(number, F_DUPFD, 3);
			close(next);
			cr_assert_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
			fd = core_own(number);
			cr_expect_eq(fd,
				     !full	? 1024
				     : full < 2 ? next
						: number,
				     "%d: %d", number, fd);
			cr_expect(core_own_has(fd));
			cr_expect_eq(fcntl(number, F_GETFD) < 0, full < 2);
			core_own_close(fd);
			dup2(was, number);
			close(was);
			cr_assert_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		}
}

Test(own, descriptors_are_found_in_order)
{
	int fd[70];

	for (int i = 0; i < 70; i++)
		fd[i] = core_own(open("/dev/null", O_RDONLY));
	for (int i = 0; i < 70; i++)
		cr_expect_eq(fd[i], fd[0] + i);
	for (int back = 0; back < 70; back += 23) {
		core_own_close(fd[back]);
		for (int i = 0; i < 70; i++)
			cr_expect_eq(core_own_has(fd[i]), fcntl(fd[i], F_GETFD) >= 0, "%d", i);
	}
	cr_expect_not(core_own_has(fd[0] - 1));
	cr_expect_not(core_own_has(fd[69] + 1));
	cr_expect_not(core_own_has(-1));
	cr_expect_not(core_own_has(65536));
	cr_expect_eq(core_own_next(-1), fd[1], "0 is closed");
	cr_expect_eq(core_own_next(fd[1]), fd[1]);
	cr_expect_eq(core_own_next(fd[23]), fd[24]);
	cr_expect_eq(core_own_next(fd[68]), fd[68]);
	cr_expect_eq(core_own_next(fd[69]), -1, "69 is closed, and the last");
	core_own_forked();
	cr_expect_eq(core_own_next(0), -1);
	cr_expect(fcntl(fd[1], F_GETFD) < 0);
	errno = EMFILE;
	cr_expect_eq(core_own(-1), -1);
	cr_expect_eq(errno, EMFILE);
}

/* Lines of each length around the size that is asked for, across the reader's own buffer. */
Test(file, lines_are_cut_to_the_size)
{
	char path[] = "/tmp/core-lines-XXXXXX", line[8];
	FILE *out = fdopen(mkstemp(path), "w");
	struct core_file f;

	for (int len = 0; len < 1200; len++)
		fprintf(out, "%.*s%s\n", len < 9 ? len : 9, "abcdefghi", len < 9 ? "" : "...");
	fprintf(out, "abcdefg%05000d\nnot ended", 0);
	fclose(out);
	core_file_open(&f, path);
	cr_expect_eq(fcntl(f.fd, F_GETFD), FD_CLOEXEC, "a child of another thread has it not");
	for (int len = 0; len < 1200; len++) {
		cr_assert(core_file_line(&f, line, sizeof(line)), "line %d", len);
		cr_expect_eq(strlen(line), (size_t)(len < 7 ? len : 7), "line %d", len);
		cr_expect_eq(strncmp(line, "abcdefghi", strlen(line)), 0);
	}
	cr_assert(core_file_line(&f, line, sizeof(line)));
	cr_expect_str_eq(line, "abcdefg", "longer than the buffer");
	cr_expect_not(core_file_line(&f, line, sizeof(line)), "without an end it is no line");
	core_file_close(&f);
	unlink(path);
	core_file_open(&f, "/nonexistent");
	cr_expect_not(core_file_line(&f, line, sizeof(line)));
	core_file_close(&f);
}

/* Each range of bits of a dword, by its definition: bit 31 is the first of the bytes. */
Test(bytes, each_range_of_bits)
{
	static const uint8_t from[8] = { 0, 0, 0x81, 0x23, 0xc5, 0x6e, 0, 0 };
	const uint32_t value = 0x8123c56e;

	for (unsigned int high = 0; high < 32; high++)
		for (unsigned int low = 0; low <= high; low++) {
			uint8_t to[8] = { 0x11, 0x22, 0xff, 0xff, 0xff, 0xff, 0x33, 0x44 };
			uint32_t expected = 0, all = 0xffffffff, got;

			for (unsigned int bit = low; bit <= high; bit++) {
				expected |= (value >> bit & 1) << (bit - low);
				if (!(0x5a5a5a5au >> (bit - low) & 1))
					all &= ~(1u << bit);
			}
			cr_expect_eq(core_bits(from, 2, high, low), expected, "%u:%u", high,
				     low);
			core_set_bits(to, 2, high, low, 0x5a5a5a5a);
			got = core_be32(to + 2);
			cr_expect_eq(got, all, "%u:%u: %#x", high, low, got);
			cr_expect(to[0] == 0x11 && to[1] == 0x22 && to[6] == 0x33 &&
				  to[7] == 0x44);
		}
}

Test(bytes, numbers_begin_with_the_highest)
{
	uint8_t b[9] = { 0xee, 1, 2, 3, 4, 5, 6, 7, 8 }, to[10];

	cr_expect_eq(core_be16(b + 1), 0x0102);
	cr_expect_eq(core_be32(b + 1), 0x01020304);
	cr_expect_eq(core_be64(b + 1), 0x0102030405060708);
	memset(to, 0xee, sizeof(to));
	core_put_be16(to + 1, 0x0102);
	cr_expect_arr_eq(to, b, 3);
	cr_expect_eq(to[3], 0xee);
	core_put_be32(to + 1, 0x01020304);
	cr_expect_arr_eq(to, b, 5);
	cr_expect_eq(to[5], 0xee);
	core_put_be64(to + 1, 0x0102030405060708);
	cr_expect_arr_eq(to, b, 9);
	cr_expect_eq(to[9], 0xee);
}

/* The text on standard error when @bytes are written to @fd. */
static const char *said(int fd, enum core_output which, const char *bytes)
{
	static char line[300];
	int end[2], was = dup(2);
	ssize_t n;

	cr_assert_eq(pipe2(end, O_NONBLOCK), 0);
	dup2(end[1], 2);
	core_output(fd, which, bytes, strlen(bytes));
	dup2(was, 2);
	n = read(end[0], line, sizeof(line) - 1);
	line[n > 0 ? n : 0] = 0;
	close(end[0]);
	close(end[1]);
	close(was);
	return line;
}

/* A pipe that is full loses, one that is closed ends, which is said once; others go on. */
Test(output, ends_with_its_first_failure)
{
	static char much[1 << 20];
	char got[8] = "";
	int end[2], other[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe2(end, O_NONBLOCK), 0);
	cr_assert_eq(pipe2(other, O_NONBLOCK), 0);
	memset(much, 'x', sizeof(much) - 1);
	while (write(end[1], much, 4096) > 0)
		;
	cr_expect_str_empty(said(end[1], CORE_LOG, "full"));
	while (read(end[0], much, sizeof(much)) > 0)
		;
	cr_expect_str_empty(said(end[1], CORE_LOG, "line"));
	cr_expect_eq(read(end[0], got, sizeof(got)), 4);
	cr_expect_str_eq(got, "line");
	close(end[0]);
	cr_expect_str_eq(
		said(end[1], CORE_LOG, "line"),
		"dvkit-emu: --trace-file: Broken pipe: the file ends here, the program "
		"goes on\n");
	cr_expect_str_empty(said(end[1], CORE_LOG, "line"));
	cr_expect_str_empty(said(other[1], CORE_LOG, "line"), "it has ended");
	cr_expect_lt(read(other[0], got, sizeof(got)), 0);
	cr_expect_str_empty(said(other[1], CORE_CAPTURE, "line"));
	cr_expect_eq(read(other[0], got, sizeof(got)), 4);
	cr_expect_not_null(strstr(said(open("/dev/full", O_WRONLY), CORE_TIMELINE, "line"),
				  "--timeline: No space left on device"));
}
