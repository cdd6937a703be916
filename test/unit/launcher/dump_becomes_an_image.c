/* SPDX-License-Identifier: BSD-2-Clause */
/* --device FILE: what is left after a reading, and the file of the image. The texts that are
 * refused, and why, are in test/e2e/emu/devices.sh. */
#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel.h"
#include "launcher/dump.h"
#include "lib/steps.h"

#define DEVICE(fw_ver)                                                              \
	"\"device\": { \"name\": \"n\", \"board_id\": \"b\", \"fw_ver\": \"" fw_ver \
	"\", \"vendor_part_id\": \"0x101b\" }"
#define CAPS(members) "\"caps\": { \"GENERAL\": { \"current\": { " members " } } }"

static char home[] = "/tmp/dump.XXXXXX", file[40], made[40], why[200];
static struct fw_image img;

static void begin(void)
{
	close(0); /* the first number that is free */
	cr_assert(mkdtemp(home));
	snprintf(file, sizeof(file), "%s/dump", home);
}

static void end(void)
{
	unlink(file);
	cr_expect_eq(rmdir(home), 0);
}

TestSuite(dump, .init = begin, .fini = end);

static bool reads(const char *text)
{
	FILE *to = fopen(file, "w");

	fputs(text, to);
	fclose(to);
	memset(&img, 0xff, sizeof(img));
	errno = ERANGE; /* as an earlier strtoull() may leave it */
	return dump_read(&img, file, why, sizeof(why));
}

/* A hundred readings: an object of JSON has 1 KiB at least; malloc keeps a little. */
Test(dump, reading_leaves_nothing)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{ "{ " DEVICE("1.2.3") ", " CAPS("") " }", true },
		{ "{ " DEVICE("1.2.3") ", " CAPS("\"log_max_qp\": \"5\"") " }", true },
		{ "{ " DEVICE("1.2.3") ", " CAPS("\"log_max_qp\": 32") " }", false },
		{ "{ " DEVICE("1.2") ", " CAPS("") " }", false },
		{ "{ " DEVICE("1.2.3") " }", false },
		{ "{ " DEVICE("1.2.3"), false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t bytes = mallinfo2().uordblks;
		long allocations = steps.allocations;
		int descriptors = open_descriptors();

		for (int n = 0; n < 100; n++)
			cr_assert_eq(reads(rows[i].text), rows[i].good, "%s: %s", rows[i].text,
				     why);
		cr_expect_lt(mallinfo2().uordblks, bytes + 65536, "%s", rows[i].text);
		cr_expect_eq(steps.allocations, allocations, "%s", rows[i].text);
		cr_expect_eq(open_descriptors(), descriptors, "%s", rows[i].text);
	}
}

/* A field that is missing is 0, and so is what follows a text. */
Test(dump, image_has_only_what_the_file_has)
{
	static struct fw_image want = { .magic = FW_IMAGE_MAGIC,
					.name = "n",
					.fw_ver = "1.2.3",
					.board_id = "b",
					.pci_id = 0x101b,
					.groups = 1 };

	cr_assert(reads("{ " DEVICE("1.2.3") ", " CAPS("") " }"), "%s", why);
	cr_expect_eq(memcmp(&img, &want, sizeof(img)), 0);
}

/* The path with its NUL just fits; then each failure, and no descriptor is left. */
Test(dump, is_stored_once_and_whole)
{
	const struct rlimit few = { sizeof(img) - 1, RLIM_INFINITY };
	int descriptors = open_descriptors();
	struct rlimit was;
	size_t fits = strlen(home) + sizeof("/device");

	cr_expect_eq(dump_store(&img, home, made, fits - 1), ENAMETOOLONG);
	cr_expect_eq(dump_store(&img, home, made, fits), 0);
	cr_expect_str_eq(made + strlen(home), "/device");
	cr_expect_eq(dump_store(&img, home, made, fits), EEXIST);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	for (int full = 0; full < 2; full++) {
		cr_assert_eq(unlink(made), 0);
		setrlimit(RLIMIT_FSIZE, full ? &(struct rlimit){ 0, RLIM_INFINITY } : &few);
		cr_expect_eq(dump_store(&img, home, made, fits), full ? EFBIG : ENOSPC);
		setrlimit(RLIMIT_FSIZE, &was);
	}
	cr_assert_eq(unlink(made), 0);
	cr_expect_eq(open_descriptors(), descriptors);
}
