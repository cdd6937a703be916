/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubts about a machine and its device, counters that moved, lists of CPUs, and what a device
 * is taken for where there is none. */
#include <criterion/criterion.h>

#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "machine/machine.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

static const char *const doubts[] = {
	"the device is the emulator: its speed is that of software",
	"no device: rings in ordinary memory, no PCI Express",
	"WRONG BARRIERS (--barriers): unsafe on every adapter",
	"unpinned: see --pin",
	"more threads than CPUs",
};

enum { EMULATED = 1, NO_DEVICE = 2, BARRIERS = 4, UNPINNED = 8, THREADS = 16 };

static const struct {
	const char *options;
	bool emulated, device;
	int more; /* threads than CPUs */
	unsigned int doubts;
} rows[] = {
	{ "", false, true, 0, UNPINNED },
	{ "", false, true, 1, UNPINNED | THREADS },
	{ "", true, true, -1, UNPINNED | EMULATED },
	{ "", true, true, 0, UNPINNED | EMULATED | THREADS },
	{ "mode=post", true, true, 0, UNPINNED | EMULATED },
	{ "mode=post", true, true, 1, UNPINNED | EMULATED | THREADS },
	{ "mode=post", false, false, 0, UNPINNED | NO_DEVICE },
	{ "pin=auto barriers=pre", false, true, 0, BARRIERS },
	{ "numa=0 barriers=none", false, true, 0, BARRIERS },
};

Test(machine, is_doubted)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options o = given(rows[i].options);
		struct ibv_context ctx;
		struct device dev = { .ctx = rows[i].device ? &ctx : NULL,
				      .emulated = rows[i].emulated };
		struct result r;

		o.threads = (int)sysconf(_SC_NPROCESSORS_ONLN) + rows[i].more;
		r = result_new(&o);
		environment_distrust(&r, &dev);
		for (unsigned int k = 0; k < ARRAY_SIZE(doubts); k++) {
			bool found = false;

			for (unsigned int n = 0; n < r.n_reasons; n++)
				found |= !strcmp(r.reasons[n], doubts[k]);
			cr_expect_eq(found, rows[i].doubts >> k & 1, "row %zu: %s", i,
				     doubts[k]);
		}
	}
}

Test(machine, counters_that_moved)
{
	struct json_object *moved = counters_moved(
		json_tokener_parse("{\"a\":5,\"b\":7,\"old\":1}"),
		json_tokener_parse("{\"a\":8589934597,\"b\":7,\"new\":3,\"none\":0}"));

	cr_expect_str_eq(json_object_to_json_string(moved),
			 "{ \"a\": 8589934592, \"new\": 3 }");
	json_object_put(moved);
	moved = counters_read(&(struct device){ .ctx = NULL });
	cr_expect_eq(json_object_object_length(moved), 0);
	json_object_put(moved);
}

Test(machine, lists_of_cpus)
{
	static const char *const wrong[] = { "",    "a",    "-1",     "0-",    "1-0",
					     "0;1", "1024", "0-1024", "0-1-2", "0x" };
	static const char *const right[] = { "0", "0,0", "0-0", "0,", "auto" };
	struct options o = options_new(MODE_BW);
	cpu_set_t own;

	cr_expect_null(pin_check(&o));
	cr_assert_eq(sched_getaffinity(0, sizeof(own), &own), 0);
	if (!CPU_ISSET(0, &own))
		cr_skip_test("CPU 0 is not for this test");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		o.pin = wrong[i];
		cr_expect_str_eq(pin_check(&o), "--pin wants CPUs like 0,2,4-7, or auto", "%s",
				 wrong[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		o.pin = right[i];
		cr_expect_null(pin_check(&o), "%s: %s", right[i], pin_check(&o));
	}
	o.pin = "0,1023";
	cr_expect_str_eq(pin_check(&o), "--pin: there is no CPU 1023 for us");
	o.pin = "0,1000-1002";
	cr_expect_str_eq(pin_check(&o), "--pin: there is no CPU 1000 for us");
	o.pin = NULL;
	o.numa = 0;
	cr_expect_eq(!pin_check(&o), !access("/sys/devices/system/node/node0/cpulist", R_OK));
	o.numa = 1023;
	cr_expect_str_eq(pin_check(&o), "--numa: this machine has no node 1023");
}

static const char *text_in(struct json_object *j, const char *name)
{
	return json_object_get_string(json_object_object_get(j, name));
}

/* The first line that @command prints; NULL: none. */
static const char *line_of(const char *command)
{
	static char line[8192];
	FILE *f = popen(command, "r");
	bool have = fgets(line, sizeof(line), f);

	pclose(f);
	line[strcspn(line, "\n")] = 0;
	return have ? line : NULL;
}

/* As uname(1), getconf(1) and the files of proc(5) and sysfs say; what is not there is left
 * out. */
Test(machine, is_described)
{
#define CPU "/sys/devices/system/cpu/"
	static const char *const of[][2] = {
		{ "host", "uname -n" },
		{ "kernel", "uname -rm" },
		{ "cpus", "getconf _NPROCESSORS_ONLN" },
		{ "cpu", "sed -n 's/^model name.*: //p' /proc/cpuinfo" },
		{ "microcode", "sed -n 's/^microcode.*: //p' /proc/cpuinfo" },
		{ "thread_siblings", "cat " CPU "cpu*/topology/thread_siblings_list 2>&- | "
				     "sort -nu | paste -sd' '" },
		{ "virtual_machine", "grep -qw hypervisor /proc/cpuinfo && echo true || "
				     "echo false" },
		{ "governor", "cat " CPU "cpu0/cpufreq/scaling_governor 2>&- || echo unknown" },
		{ "smt_active", "cat " CPU "smt/active 2>&-" },
		{ "numa_nodes", "cat /sys/devices/system/node/online 2>&-" },
		{ "kernel_command_line", "cat /proc/cmdline" },
		{ "pin", "echo no" },
	};
	struct ibv_device device = { .name = "of_a_test" };
	struct ibv_context ctx = { .device = &device };
	struct device dev = { .ctx = &ctx,
			      .attr = { .fw_ver = "1.2.3", .vendor_part_id = 4125 } };
	struct options o = given("");
	struct json_object *e, *d, *v;

	for (size_t i = 0; i < 2; i++) {
		dev.port_attr.link_layer =
			i ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
		setenv("MLX5_TOTAL_UUARS", "12", 1);
		unsetenv("MLX5_SHUT_UP_BF");
		e = environment_json(&dev, &o);
		d = json_object_object_get(e, "device");
		v = json_object_object_get(e, "variables");
		cr_expect_str_eq(text_in(d, "name"), "of_a_test");
		cr_expect_str_eq(text_in(d, "firmware"), "1.2.3");
		cr_expect_str_eq(text_in(d, "part_id"), "0x101d");
		cr_expect_str_eq(text_in(d, "link_layer"), i ? "Ethernet" : "InfiniBand");
		cr_expect_str_eq(text_in(v, "MLX5_TOTAL_UUARS"), "12");
		cr_expect_null(json_object_object_get(v, "MLX5_SHUT_UP_BF"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		const char *want = line_of(of[i][1]), *got = text_in(e, of[i][0]);

		cr_expect_eq(!got, !want, "%s", of[i][0]);
		cr_expect(!got || !want || !strcmp(got, want), "%s: %s, not %s", of[i][0], got,
			  want);
	}
	json_object_put(e);
}

static jmp_buf refused;

static void come_back(int status, const char *text)
{
	(void)text;
	longjmp(refused, status);
}

/* Points of a sweep one after the other: what the options say, nothing of the one before, and
 * what the user has set. There is no device of that name. */
static void open_one_after_the_other(const void *unused)
{
	static const char *const names[] = { "MLX_QP_ALLOC_TYPE",    "MLX_CQ_ALLOC_TYPE",
					     "MLX5_SINGLE_THREADED", "MLX5_SHUT_UP_BF",
					     "MLX5_TOTAL_UUARS",     "MLX5_NUM_LOW_LAT_UUARS",
					     "MLX5_SCATTER_TO_CQE" };
	static const char *const points[] = { "",	    "pages=2m", "", "locks=off uar=nc",
					      "uar=shared", "dm=on",	"" };
	volatile size_t i;
	struct device dev;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
	setenv("MLX5_SHUT_UP_BF", "mine", 1);
	base_before_end(come_back);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		struct options o = given(points[i]);

		o.device = "none";
		if (!setjmp(refused))
			device_open(&dev, &o);
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			printf("%s ", getenv(names[k]) ? getenv(names[k]) : "-");
	}
}

Test(machine, device_is_opened_as_the_options_say)
{
	struct said s = said_by(open_one_after_the_other, NULL);

	cr_expect_str_eq(s.out,
			 "- - - mine - - - HUGE HUGE - mine - - - - - - mine - - - "
			 "- - 1 1 - - - - - - - 1 0 - - - - - - - 0 - - - - - - - ",
			 "%s%s", s.out, s.err);
}

/* The link of --pcie, or 3x16; as many bytes by a WQE as are asked for, the device's limit, or
 * 2 GiB. */
Test(machine, device_that_is_not_known)
{
	struct options o = given("pcie=4x8");
	struct device none = { .ctx = NULL }, dev = { .max_copy = 4096 };
	struct pcie_link link;
	bool known = false;

	link = device_link(&none, &o, &known);
	cr_expect(known && link.generation == 4 && link.width == 8);
	o = given("");
	link = device_link(&none, &o, &known);
	cr_expect(!known && link.generation == 3 && link.width == 16);
	cr_expect_eq(device_model(&none, &o).part, 0);
	cr_expect_eq(device_model(&none, &o).pcie.width, 16);
	cr_expect_eq(device_chunk(NULL, &o), 1u << 31);
	cr_expect_eq(device_chunk(&none, &o), 1u << 31);
	cr_expect_eq(device_chunk(&dev, &o), 4096);
	o = given("chunk=100 op=mmo");
	cr_expect_eq(device_chunk(&dev, &o), 100);
}

/* Whole pages, filled; and none of a size that is not there. */
Test(machine, pages)
{
	struct options o = given("");
	unsigned char *mem = pages_get(&o, 4097);

	cr_expect_eq((uintptr_t)mem % 4096, 0);
	for (int i = 0; i < 8192; i++)
		cr_assert_eq(mem[i], MEMORY_FILL);
	pages_put(&o, mem, 4097);
	cr_expect_eq(pages_count(PAGES_2M, "nosuch"), -1);
	if (pages_count(PAGES_1G, "nr_hugepages") < 0)
		cr_expect_eq(pages_left(PAGES_1G), -1);
	else
		cr_expect_geq(pages_left(PAGES_1G), 0);
}
