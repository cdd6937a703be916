/* SPDX-License-Identifier: BSD-2-Clause */
/* --vfio-user: each step in its order, what is said of one that fails, and the end by a signal.
 * The test is the function. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "explain/explain.h"
#include "kernel.h"
#include "launcher/command.h"
#include "launcher/function.h"
#include "lib/capture.h"
#include "lib/steps.h"
#include "pci/pci.h"

static const struct fw_device kind;
static const struct fw_image image;
static struct options options;
static char calls[200];
static uint64_t refused;
static int ends_by;

struct pci *pci_open(const struct pci_config *c, char *why, size_t len)
{
	cr_expect(c->options == &options && c->kind == &kind && c->image == &image);
	strcat(calls, "open ");
	snprintf(why, len, "no function");
	return step_fails() ? NULL : (void *)8;
}

void pci_close(struct pci *p)
{
	cr_expect_eq((uintptr_t)p, 8);
	strcat(calls, "close ");
}

int pci_control_open(struct pci *p, const char *path)
{
	cr_expect(p == (void *)8 && !strcmp(path, "/fifo"));
	strcat(calls, "control ");
	return step_fails() ? EEXIST : 0;
}

/* @stop is quiet before the signal. */
int pci_serve(struct pci *p, const char *path, int stop)
{
	struct pollfd f = { .fd = stop, .events = POLLIN };

	cr_expect(p == (void *)8 && !strcmp(path, "/socket"));
	strcat(calls, "serve ");
	cr_expect_eq(poll(&f, 1, 0), 0);
	if (ends_by)
		raise(ends_by);
	cr_expect_eq(poll(&f, 1, 0), ends_by != 0);
	return step_fails() ? EACCES : 0;
}

#pragma GCC visibility push(default) /* the linker's --wrap */
uint64_t __wrap_core_bus_refused(void);

uint64_t __wrap_core_bus_refused(void)
{
	return refused;
}
#pragma GCC visibility pop

static struct {
	int fd, timeline;
	unsigned int mask;
	char program[20];
	struct stat st[2];
} trace;

void explain_start(int fd, unsigned int mask, int timeline, const char *program)
{
	trace.fd = fd;
	trace.mask = mask;
	trace.timeline = timeline;
	snprintf(trace.program, sizeof(trace.program), "%s", program);
	for (int i = 0; i < 2; i++)
		if ((i ? timeline : fd) >= 0)
			cr_assert_eq(fstat(i ? timeline : fd, &trace.st[i]), 0);
}

static const char *control = "/fifo";

static int serve(char *said, size_t size)
{
	const struct function_request r = { .options = &options,
					    .kind = &kind,
					    .image = &image,
					    .socket = "/socket",
					    .control = control };
	struct capture c;
	int status;

	calls[0] = 0;
	memset(&trace, 0, sizeof(trace));
	capture_begin(&c, stderr);
	status = function_serve(&r);
	capture_end(&c, said, size);
	return status;
}

Test(function, takes_each_step)
{
	static const struct {
		unsigned int fails;
		const char *calls, *says;
	} rows[] = {
		{ 0, "open control serve close ", "" },
		{ 1, "open ", "dvkit-emu: --vfio-user: no function\n" },
		{ 2, "open control close ", "dvkit-emu: --control: /fifo: File exists\n" },
		{ 3, "open control serve close ",
		  "dvkit-emu: --vfio-user: /socket: Permission denied\n" },
	};
	int descriptors = open_descriptors();
	char said[200];

	for (int i = 0; i < 4; i++) {
		steps.fail_at = rows[i].fails;
		cr_expect_eq(serve(said, sizeof(said)), i ? COMMAND_FAILED : 0, "row %d", i);
		cr_expect_str_eq(calls, rows[i].calls);
		cr_expect_str_eq(said, rows[i].says);
		if (i != 1) /* then the process ends */
			cr_expect_eq(open_descriptors(), descriptors);
		descriptors = open_descriptors();
	}
	steps.fail_at = 0;
	control = NULL;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_str_eq(calls, "open serve close ");
}

Test(function, ends_by_a_signal)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	char said[200];

	for (int i = 0; i < 3; i++) {
		ends_by = signals[i];
		cr_expect_eq(serve(said, sizeof(said)), 0);
		signal(ends_by, SIG_IGN); /* it was not read: forget it */
		signal(ends_by, SIG_DFL);
	}
}

Test(function, says_what_was_refused)
{
	char said[200];

	refused = 0x100000002;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_str_eq(said, "");
	options.check = true;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_str_eq(said,
			 "dvkit-emu: check: 4294967298 DMA accesses to addresses that were "
			 "not mapped were refused\n");
	refused = 0;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_str_eq(said, "");
}

/* TRACE_CHECK is bit 8. The lines are for standard error, or are appended to a file. */
Test(function, is_traced)
{
	char dir[] = "/tmp/trace.XXXXXX", path[2][40], said[200];
	struct stat st;

	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_str_eq(trace.program, "", "there is no trace");
	options.trace = 3;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_eq(trace.mask, 3);
	cr_expect_eq(trace.timeline, -1);
	cr_expect_gt(trace.fd, 2);
	cr_expect_str_eq(trace.program, "dvkit-emu");
	options.check = true;
	cr_assert(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path[i], sizeof(path[i]), "%s/%d", dir, i);
		f = fopen(path[i], "w");
		fputs("before", f);
		fclose(f);
	}
	strcpy(options.trace_file, path[0]);
	strcpy(options.timeline, path[1]);
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_eq(trace.mask, 0x103);
	for (int i = 0; i < 2; i++) {
		int fd = i ? trace.timeline : trace.fd;

		cr_assert_eq(stat(path[i], &st), 0);
		cr_expect_eq(trace.st[i].st_ino, st.st_ino);
		cr_expect_eq(st.st_size, 6);
		cr_expect_eq(fcntl(fd, F_GETFL) & (O_APPEND | O_ACCMODE), O_APPEND | O_WRONLY);
		cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	options.trace = options.check = false;
	cr_expect_eq(serve(said, sizeof(said)), 0);
	cr_expect_eq(trace.fd, -1);
	cr_expect_geq(trace.timeline, 0);
}
