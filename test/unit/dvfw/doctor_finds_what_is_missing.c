/* SPDX-License-Identifier: BSD-2-Clause */
/* dvfw doctor: a machine on which all is well, and each thing that may be wrong with it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "doctor/doctor.h"
#include "machine.h"
#include "prm/prm.h"

static char text[8192];

static void begin(void)
{
	uint8_t *gen = machine.caps[0], *gen2 = machine.caps[1];

	machine_begin();
	PRM_SET(cmd_hca_cap, gen, log_max_umem, 1);
	PRM_SET(cmd_hca_cap, gen, fixed_buffer_size, 1);
	PRM_SET(cmd_hca_cap, gen, dma_mmo_sq, 1);
	PRM_SET(cmd_hca_cap, gen, access_register_user, 1);
	PRM_SET(cmd_hca_cap, gen, hca_cap_2, 1);
	PRM_SET(cmd_hca_cap_2, gen2, allowed_object_for_other_vhca_access, 1 << 2);
	PRM_SET(cmd_hca_cap_2, gen2, cross_vhca_object_to_object_supported, 1 << 8);
	machine_file("/proc/self/status", "Name:\tdvfw\nCapEff:\t22000\nSeccomp:\t0\n");
	machine_file("/proc/meminfo",
		     "MemTotal: 9 kB\nHugePages_Total:       5\n"
		     "HugePages_Free:        3\nHugepagesize:       2048 kB\n");
}

TestSuite(doctor, .init = begin, .fini = machine_end);

/* @expected: how many are ok, warnings and failures, and a part of the output, in which " -> "
 * begins a line. */
static void finds(const char *device, const char *expected)
{
	struct dvfw d = { .device = device };
	int status = machine_run(doctor_run, &d, "", text, sizeof(text)), at;
	const char *todo = strstr(expected, " -> ");
	unsigned int ok, warnings, failures;
	char end[128], part[2048];

	cr_assert_eq(sscanf(expected, "%u %u %u %n", &ok, &warnings, &failures, &at), 3);
	snprintf(part, sizeof(part), todo ? "%.*s\n                    %s" : "%.*s%s",
		 todo ? (int)(todo - expected - at) : 2000, expected + at, todo ? todo : "");
	snprintf(end, sizeof(end), "DevX is %s here: %u ok, %u warnings, %u failures\n",
		 failures ? "not usable" : "usable", ok, warnings, failures);
	cr_expect(strstr(text, part), "%s is not in %s", part, text);
	cr_expect_str_eq(strstr(text, "DevX is "), end, "%s: %s", expected, text);
	cr_expect_eq(status, failures ? DVFW_REFUSED : DVFW_OK);
	cr_expect_eq(machine.made, 0, "%d are left: %s", machine.made, machine.calls);
}

Test(doctor, all_is_well)
{
	int before = machine_descriptors();

	finds(NULL,
	      "23 0 0 ok    kernel         6.15.0-test: what the firmware refuses comes with status and syndrome\n"
	      "ok    page size      4096 bytes, the adapter's\nok    memlock        no limit\n"
	      "ok    CAP_NET_RAW    there: raw packet queues and flow rules are allowed\n"
	      "ok    CAP_SYS_RAWIO  there: internal resources of the device are allowed\n"
	      "ok    huge pages     3 of 5 free, 2048 KiB each\nok    driver         mlx5 device mlx5_0\n"
	      "ok    device node    /dev/infiniband/uverbs7 opens\nok    user context   DevX opens\n"
	      "ok    firmware       28.40.1000, device id 4129\n"
	      "ok    port 1         active, Ethernet, MTU 1024\nok    port 2         active, InfiniBand, MTU 4096\n"
	      "ok    refusals       not seen: the device answers for every group\n"
	      "ok    umem           a page can be registered\n"
	      "ok    doorbells      write-combining: BlueFlame of 256 bytes\n"
	      "ok    event queue    vector 0 is EQ 9: completion queues can be made\n"
	      "ok    umems          there\nok    KSM keys       there\nok    DMA (MMO)      there\n"
	      "ok    lending keys   there\nok    alias keys     there\nok    registers      there\n"
	      "ok    fwctl          /dev/fwctl/fwctl");
	cr_expect_eq(machine_descriptors(), before);
}

Test(doctor, json_is_one_object)
{
	struct dvfw d = { .json = true };

	machine.fails = "eqn";
	machine.err = EIO;
	cr_expect_eq(machine_run(doctor_run, &d, "", text, sizeof(text)), DVFW_REFUSED);
	cr_expect_eq(strncmp(text, "{\n  \"usable\": false,\n  \"findings\": [\n    {\n", 42),
		     0);
	cr_expect(strstr(text, "\"topic\": \"event queue\""));
	cr_expect_str_eq(text + strlen(text) - 6, "  ]\n}\n");
}

/* Release, page size, memlock, CapEff. */
Test(doctor, limits)
{
	static const char *const rows[] = {
		"5.18.0 4096 -1 22000 23 0 0 ok    kernel         5.18.0: ",
		"5.17.9 4096 -1 22000 22 1 0 warn  kernel         5.17.9: what the firmware refuses comes as an errno value only -> use Linux 5.18",
		"4.19.0 4096 -1 22000 22 1 0 warn  kernel         4.19.0: ",
		"6.1.0 4096 -1 22000 23 0 0 ok    kernel         6.1.0: ",
		"6.15 65536 -1 22000 22 1 0 warn  page size      65536 bytes -> log_page_size counts",
		"6.15 4096 67108864 22000 23 0 0 ok    memlock        64 MiB\n",
		"6.15 4096 67108863 22000 22 1 0 warn  memlock        65535 KiB: umems, keys and queues pin their pages, and beyond that they end in ENOMEM -> raise it: ",
		"6.15 4096 65536 22000 22 1 0 warn  memlock        64 KiB: ",
		"6.15 4096 65535 22000 22 0 1 fail  memlock        63 KiB: ",
		"6.15 4096 1024 26000 23 0 0 ok    memlock        1 KiB, but CAP_IPC_LOCK lifts the limit\n",
		"6.15 4096 -1 20000 22 1 0 warn  CAP_NET_RAW    missing: SQs, TIRs and flow rules are refused; RDMA queues are not -> only for raw",
		"6.15 4096 -1 2000 23 0 0 ok    CAP_SYS_RAWIO  missing: only internal resources of the device need it\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char release[16], capabilities[16], status[64];
		int at;

		cr_assert_eq(sscanf(rows[i], "%s %ld %ld %s %n", release, &machine.page,
				    (long *)&machine.memlock, capabilities, &at),
			     4);
		snprintf(status, sizeof(status), "CapEff:\t%s\n", capabilities);
		machine_file("/proc/self/status", status);
		machine.release = release;
		finds(NULL, rows[i] + at);
	}
}

Test(doctor, files_of_proc)
{
	machine_file("/proc/self/status", NULL);
	finds(NULL, "22 1 0 warn  CAP_NET_RAW    missing");
	machine_file("/proc/self/status", "CapEff:\t2000\n");
	machine_file("/proc/meminfo", "HugePages_Total: 5\nHugePages_Free: 0\n");
	finds(NULL,
	      "22 1 0 warn  huge pages     none free: translation tables of large memory have an entry for each small page -> for large umems");
	machine_file("/proc/meminfo", NULL);
	finds(NULL, "22 1 0 warn  huge pages     none: translation");
}

Test(doctor, why_there_is_no_device)
{
	machine.alien = true;
	finds(NULL,
	      "6 0 1 fail  adapter        no function of an NVIDIA adapter on the PCI bus -> put 'dvkit-emu --'");
	machine_file("/sys/bus/pci/devices/0/vendor", "0x8086\n");
	machine_file("/sys/bus/pci/devices/1/vendor", "0x15b3\n");
	machine_file("/sys/bus/pci/devices/2/device", "0x15b3\n");
	machine_file("/sys/bus/pci/devices/3/vendor", "0x15b3\n");
	finds(NULL,
	      "7 0 1 fail  driver         2 functions on the PCI bus, but mlx5_core is not loaded -> modprobe mlx5_core\n");
	machine_file("/sys/module/mlx5_core/refcnt", "");
	finds(NULL,
	      "7 0 1 fail  driver         mlx5_core is loaded, mlx5_ib is not: no RDMA device -> modprobe mlx5_ib ib_uverbs\n");
	machine_file("/sys/module/mlx5_ib/refcnt", "");
	finds(NULL,
	      "7 0 1 fail  driver         mlx5_core and mlx5_ib are loaded, but there is no mlx5 RDMA device -> look at 'dmesg");
	machine.fails = "ibv_get_device_list";
	machine.err = ENOMEM;
	finds(NULL, "7 0 1 fail  driver         mlx5_core and");
}

Test(doctor, name_of_the_device)
{
	finds("alien_0",
	      "6 0 1 fail  adapter        there is no mlx5 device 'alien_0' -> 'ibv_devices' names");
	finds("mlx5_0", "23 0 0 ok    driver         mlx5 device mlx5_0\n");
	finds("fwctl4",
	      "7 0 1 fail  adapter        fwctl4 is a device of fwctl; DevX needs an RDMA device -> 'ibv_devices' names");
	finds("fwctl6",
	      "6 1 1 warn  fwctl          there is no /dev/fwctl/fwctl6 -> containers: --device /dev/fwctl;");
}

/* A call, and the error that it returns. */
Test(doctor, calls)
{
	static const char *const rows[] = {
		"ibv_open_device EACCES 8 0 1 fail  device node    /dev/infiniband/uverbs7: Permission denied -> let the user",
		"ibv_open_device EPERM 8 0 1 uverbs7: Operation not permitted -> let the user",
		"ibv_open_device ENOENT 8 0 1 uverbs7: No such file or directory -> is ib_uverbs loaded",
		"devx_open EINVAL 9 0 1 fail  user context   the firmware offers none (log_max_uctx is 0) -> newer firmware, or",
		"devx_open EPROTONOSUPPORT 9 0 1 fail  user context   the kernel does not know it (Protocol not supported) -> kernel and",
		"devx_open EOPNOTSUPP 9 0 1 does not know it (Operation not supported)\n",
		"devx_open EIO 9 0 1 fail  user context   DevX does not open: Input/output error -> see 'dmesg",
		"ibv_query_port EIO 21 2 0 warn  port 1         cannot be queried\nwarn  port 2",
		"ibv_query_gid EIO 22 1 0 warn  port 1         active, but no GID: RoCE queue pairs cannot be connected -> give the",
		"caps_0x7f EREMOTEIO 23 0 0 ok    refusals       status and syndrome of the firmware arrive here\n",
		"devx_umem_reg ENOMEM 22 0 1 fail  umem           a page cannot be registered: Cannot allocate memory -> see memlock",
		"devx_umem_reg EINVAL 22 0 1 registered: Invalid argument -> see 'dvfw caps --grep umem'",
		"bf EINVAL 22 1 0 warn  doorbells      no write-combining: 8-byte doorbells work, BlueFlame does not -> virtual",
		"uar ENOMEM 22 0 1 fail  doorbells      no UAR: Cannot allocate memory -> close other contexts",
		"uar EIO 22 0 1 no UAR: Input/output error -> see 'dmesg",
		"eqn EIO 22 0 1 fail  event queue    no EQ number, so no completion queue: Input/output error -> see 'dmesg",
		"caps_0x0 EIO 17 0 1 fail  capabilities   QUERY_HCA_CAP is refused -> see 'dvfw caps GENERAL'\nok    fwctl",
		"caps_0x20 EIO 21 2 0 warn  lending keys   missing: no key for another VHCA (allowed_object_for_other_vhca_access) -> another device",
		"open EACCES 22 1 0 warn  fwctl          /dev/fwctl/fwctl4: Permission denied: objects of other programs are not visible ('dvfw objects') -> run as root",
		"open EPERM 22 1 0 fwctl4: Operation not permitted: objects of other programs are not visible ('dvfw objects') -> run as root",
		"open EBUSY 22 1 0 warn  fwctl          /dev/fwctl/fwctl4 does not open: Device or resource busy -> see 'dmesg",
		"info EIO 22 1 0 /dev/fwctl/fwctl4 does not open: Input/output error -> see 'dmesg",
		"open ENOENT 22 1 0 warn  fwctl          none of mlx5_0: objects of other programs are not visible ('dvfw objects') -> modprobe mlx5_fwctl; 'ls",
	};
	int before = machine_descriptors();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char call[32], err[32];
		int at;

		cr_assert_eq(sscanf(rows[i], "%31s %31s %n", call, err, &at), 2);
		machine.fails = call;
		machine.err = machine_errno(err);
		finds("mlx5_0", rows[i] + at);
	}
	machine.fails = "caps_0x7f";
	machine.error.origin = DEVX_FROM_KERNEL;
	finds(NULL,
	      "22 1 0 warn  refusals       the kernel keeps the firmware's status and syndrome for itself -> Linux 5.18 or later\n");
	cr_expect_eq(machine_descriptors(), before);
}

Test(doctor, ports_and_features)
{
	machine.gid[0] = 1;
	machine.gid[1] = 0;
	finds(NULL, "23 0 0 ok    port 1");
	machine.port[0].state = IBV_PORT_DOWN;
	machine.port[1].state = IBV_PORT_INIT;
	finds(NULL,
	      "21 2 0 warn  port 1         down: nothing is sent, and loopback may not work either -> cable, 'ip link set DEV up'\n"
	      "warn  port 2         init: nothing is sent, and loopback may not work either\n"
	      "                     -> cable, and a subnet");
	machine.firmware = "24.35.3502";
	PRM_SET(cmd_hca_cap, machine.caps[0], hca_cap_2, 0);
	finds(NULL,
	      "18 5 0 warn  firmware       24.35.3502: DMA of a BlueField-2 is known to fail with this version -> update it\n");
	memset(machine.caps, 0, sizeof(machine.caps));
	PRM_SET(cmd_hca_cap, machine.caps[0], dma_mmo_qp, 1);
	finds(NULL, "15 8 0 ok    DMA (MMO)      there\n");
	memset(machine.caps, 0xff, sizeof(machine.caps));
	PRM_SET(cmd_hca_cap_2, machine.caps[1], allowed_object_for_other_vhca_access, 0xfb);
	PRM_SET(cmd_hca_cap_2, machine.caps[1], cross_vhca_object_to_object_supported, 0xfeff);
	finds(NULL, "18 5 0 ok    registers      there\n");
}

Test(doctor, kernel_without_fwctl)
{
	static const char *const old[] = { "6.14.9", "5.18.0" }, *const new[] = { "6.15.0",
										  "7.0.0" };

	machine_file("/sys/class", NULL);
	for (int i = 0; i < 2; i++) {
		char expected[256];

		machine.release = old[i];
		snprintf(
			expected, sizeof(expected),
			"22 1 0 warn  fwctl          missing in Linux %s: objects of other programs are not visible ('dvfw objects') -> Linux 6.15 or later",
			old[i]);
		finds(NULL, expected);
		machine.release = new[i];
		finds(NULL,
		      "22 1 0 warn  fwctl          missing: mlx5_fwctl is not loaded: objects of other programs are not visible ('dvfw objects') -> modprobe mlx5_fwctl");
	}
}
