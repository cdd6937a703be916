/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubts about a machine and its device, counters that moved, lists of CPUs, and what a device
 * is taken for where there is none. */
#include <criterion/criterion.h>

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "machine/machine.h"
#include "unit/dvperf/given.h"

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
