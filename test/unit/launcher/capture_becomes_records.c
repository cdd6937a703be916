/* SPDX-License-Identifier: BSD-2-Clause */
/* --inject: captures by hand (pcap-savefile(5)), and the records that the library reads. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel.h"
#include "launcher/inject.h"

#define MICROSECONDS 0xa1b2c3d4
#define NANOSECONDS  0xa1b23c4d
#define LONGEST	     10000 /* as emu/wire has it: MACs, two tags, an MTU of 9978 */

static char home[] = "/tmp/inject.XXXXXX", capture[64], made[64];
static int descriptors;

static void begin(void)
{
	close(0); /* the first number that is free */
	cr_assert(mkdtemp(home));
	snprintf(capture, sizeof(capture), "%s/capture", home);
	descriptors = open_descriptors();
}

static void end(void)
{
	unlink(capture);
	cr_expect_eq(open_descriptors(), descriptors);
	cr_expect_eq(rmdir(home), 0);
}

TestSuite(inject, .init = begin, .fini = end);

struct frame {
	uint32_t s, fraction, kept, len;
};

/* The byte at @at of frame @n. */
static uint8_t byte(unsigned int n, unsigned int at)
{
	return (uint8_t)(n * 77 + at * 3 + at / 256);
}

static void write_capture(uint32_t magic, uint32_t link, const struct frame *f, unsigned int n,
			  size_t cut)
{
	const uint32_t head[6] = { magic, 4 << 16 | 2, 0, 0, 65535, link };
	FILE *to = fopen(capture, "w");

	fwrite(head, sizeof(head), 1, to);
	for (unsigned int i = 0; i < n; i++) {
		fwrite(&f[i], sizeof(*f), 1, to);
		for (unsigned int at = 0; at < f[i].kept; at++)
			putc(byte(i, at), to);
	}
	fflush(to);
	cr_assert_eq(ftruncate(fileno(to), ftell(to) - (long)cut), 0);
	fclose(to);
}

static char why[400];

static bool store(void)
{
	*why = 0;
	return inject_store(capture, home, made, sizeof(made), why, sizeof(why));
}

/* The frames are there @ns after the first, with all bytes. */
static void expect_records(const struct frame *f, const uint64_t *ns, unsigned int n)
{
	static uint8_t bytes[LONGEST];
	struct {
		uint64_t ns;
		uint32_t len, magic;
	} r;
	char path[80];
	FILE *from;

	snprintf(path, sizeof(path), "%s/inject", home);
	cr_assert_str_eq(made, path);
	from = fopen(made, "r");
	for (unsigned int i = 0; i < n; i++) {
		cr_assert_eq(fread(&r, sizeof(r), 1, from), 1);
		cr_expect_eq(r.ns, ns[i], "frame %u", i);
		cr_expect_eq(r.magic, 0x64766e31);
		cr_assert_eq(r.len, f[i].len);
		cr_assert_eq(fread(bytes, 1, r.len, from), r.len);
		for (unsigned int at = 0; at < r.len; at++)
			cr_assert_eq(bytes[at], byte(i, at), "frame %u", i);
	}
	cr_expect_eq(getc(from), EOF);
	fclose(from);
	cr_assert_eq(unlink(made), 0);
}

/* The first is at 0, and so is one with an earlier time. */
Test(inject, keeps_distances_in_time)
{
	static const struct frame f[] = { { 5, 999999, 14, 14 },
					  { 6, 1, 60, 60 },
					  { 5, 999998, LONGEST, LONGEST },
					  { 2000000000, 7, 15, 15 } };
	static const uint64_t us[] = { 0, 2000, 0, 1999999994000008000 },
			      ns[] = { 0, 999000002, 0, 1999999994999000008 };

	write_capture(MICROSECONDS, 1, f, 4, 0);
	cr_assert(store(), "%s", why);
	expect_records(f, us, 4);
	write_capture(NANOSECONDS, 1, f, 4, 0);
	cr_assert(store(), "%s", why);
	expect_records(f, ns, 4);
}

static void refuses(const char *want)
{
	cr_expect_not(store());
	cr_expect_eq(strncmp(why, want, strlen(want)), 0, "'%s', not '%s'", why, want);
	unlink(made);
}

Test(inject, refuses_what_would_not_arrive)
{
#define SENT "; whole frames of 14 to 10000 bytes can be sent"
	static const struct {
		struct frame second;
		const char *why;
	} rows[] = {
		{ { 0, 0, 13, 13 }, "frame 2 has 13 bytes of 13" SENT },
		{ { 0, 0, 10001, 10001 }, "frame 2 has 10001 bytes of 10001" SENT },
		{ { 0, 0, 59, 60 }, "frame 2 has 59 bytes of 60" SENT },
	};
	struct frame f[2] = { { 0, 0, 60, 60 } };

	for (int i = 0; i < 3; i++) {
		f[1] = rows[i].second;
		write_capture(MICROSECONDS, 1, f, 2, 0);
		refuses(rows[i].why);
	}
	f[1] = f[0];
	write_capture(MICROSECONDS, 1, f, 2, 1);
	refuses("after frame 1: truncated dump file");
	write_capture(MICROSECONDS, 1, f, 0, 0);
	refuses("no frames");
	write_capture(MICROSECONDS, 113, f, 1, 0);
	refuses("link type LINUX_SLL, not Ethernet");
	write_capture(1, 1, f, 1, 0);
	refuses("unknown file format");
	unlink(capture);
	snprintf(made, sizeof(made), "%s", capture);
	snprintf(why, sizeof(why), "%s: No such file or directory", capture);
	refuses(strdupa(why));
}

/* Small ones are written when the file is closed, large ones before. */
Test(inject, says_that_it_could_not_write)
{
	static const struct frame small = { 0, 0, 60, 60 },
				  large[2] = { { 0, 0, 9000, 9000 }, { 0, 0, 9000, 9000 } };
	const struct rlimit few = { 50, RLIM_INFINITY };
	struct rlimit was;
	char want[100], small_path[20];

	write_capture(MICROSECONDS, 1, &small, 1, 0);
	cr_expect_not(
		inject_store(capture, home, small_path, sizeof(small_path), why, sizeof(why)));
	snprintf(made, sizeof(made), "%s/inject", home);
	cr_expect_neq(access(made, F_OK), 0);
	close(open(made, O_CREAT | O_WRONLY, 0600));
	snprintf(want, sizeof(want), "%s: File exists", made);
	refuses(want);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	setrlimit(RLIMIT_FSIZE, &few);
	snprintf(want, sizeof(want), "%s: File too large", made);
	refuses(want);
	setrlimit(RLIMIT_FSIZE, &was);
	write_capture(MICROSECONDS, 1, large, 2, 0);
	setrlimit(RLIMIT_FSIZE, &few);
	refuses("File too large");
	setrlimit(RLIMIT_FSIZE, &was);
}
