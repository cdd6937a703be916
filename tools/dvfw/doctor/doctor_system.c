/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that need no device.
 *
 *	uname               EREMOTEIO with the outbox since Linux 5.18
 *	sysconf             pages larger than the adapter's 4 KiB
 *	RLIMIT_MEMLOCK      what ib_umem_get() of the kernel may pin, unless CAP_IPC_LOCK
 *	/proc/self/status   capabilities that mlx5_ib, devx.c asks for
 *	/proc/meminfo       huge pages
 */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor/doctor.h"

/* Below: not even the rings of one CQ and one QP fit beside their doorbell records. */
#define MEMLOCK_TINY  (64ull << 10)
#define MEMLOCK_SMALL (64ull << 20)

static void check_kernel(struct doctor *dr)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	/* mlx5_core, cmd.c: mlx5_cmd_do() and its callers, 5.18 */
	if (major > 5 || (major == 5 && minor >= 18))
		doctor_say(dr, DOCTOR_OK, "kernel", NULL,
			   "%s: what the firmware refuses comes with status and syndrome",
			   u.release);
	else
		doctor_say(dr, DOCTOR_WARN, "kernel",
			   "use Linux 5.18 or later to learn why a command is refused",
			   "%s: what the firmware refuses comes as an errno value only",
			   u.release);
}

static void check_page_size(struct doctor *dr)
{
	long size = sysconf(_SC_PAGESIZE);

	if (size == 4096)
		doctor_say(dr, DOCTOR_OK, "page size", NULL, "4096 bytes, the adapter's");
	else
		doctor_say(
			dr, DOCTOR_WARN, "page size",
			"log_page_size counts from 4 KiB, the adapter's page: do not put the "
			"host's size there",
			"%ld bytes", size);
}

static unsigned long long effective_capabilities(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[128];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	fclose(f);
	return caps;
}

static bool may(unsigned int capability)
{
	return effective_capabilities() >> capability & 1;
}

static void check_memlock(struct doctor *dr)
{
	static const char todo[] =
		"raise it: 'ulimit -l unlimited', /etc/security/limits.conf, "
		"LimitMEMLOCK= of systemd, docker --ulimit memlock=-1; or "
		"give CAP_IPC_LOCK";
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		doctor_say(dr, DOCTOR_OK, "memlock", NULL, "no limit");
	else if (may(CAP_IPC_LOCK))
		doctor_say(dr, DOCTOR_OK, "memlock", NULL,
			   "%llu KiB, but CAP_IPC_LOCK lifts the limit",
			   (unsigned long long)limit.rlim_cur >> 10);
	else if (limit.rlim_cur < MEMLOCK_SMALL)
		doctor_say(dr, limit.rlim_cur < MEMLOCK_TINY ? DOCTOR_FAIL : DOCTOR_WARN,
			   "memlock", todo,
			   "%llu KiB: umems, keys and queues pin their pages, and beyond that "
			   "they end in ENOMEM",
			   (unsigned long long)limit.rlim_cur >> 10);
	else
		doctor_say(dr, DOCTOR_OK, "memlock", NULL, "%llu MiB",
			   (unsigned long long)limit.rlim_cur >> 20);
}

static void check_capabilities(struct doctor *dr)
{
	/* mlx5_ib_devx_create(): each adds a power to the user context */
	if (may(CAP_NET_RAW))
		doctor_say(dr, DOCTOR_OK, "CAP_NET_RAW", NULL,
			   "there: raw packet queues and flow rules are allowed");
	else
		doctor_say(
			dr, DOCTOR_WARN, "CAP_NET_RAW",
			"only for raw packet queues and flow rules: run as root or give the "
			"capability",
			"missing: SQs, TIRs and flow rules are refused; RDMA queues are not");
	if (may(CAP_SYS_RAWIO))
		doctor_say(dr, DOCTOR_OK, "CAP_SYS_RAWIO", NULL,
			   "there: internal resources of the device are allowed");
	else
		doctor_say(dr, DOCTOR_OK, "CAP_SYS_RAWIO", NULL,
			   "missing: only internal resources of the device need it");
}

static void check_huge_pages(struct doctor *dr)
{
	unsigned long total = 0, free_ones = 0, kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "HugePages_Total: %lu", &total);
		sscanf(line, "HugePages_Free: %lu", &free_ones);
		sscanf(line, "Hugepagesize: %lu", &kib);
	}
	if (f)
		fclose(f);
	if (free_ones)
		doctor_say(dr, DOCTOR_OK, "huge pages", NULL, "%lu of %lu free, %lu KiB each",
			   free_ones, total, kib);
	else
		doctor_say(
			dr, DOCTOR_WARN, "huge pages",
			"for large umems and keys: echo N > /proc/sys/vm/nr_hugepages",
			"%s: translation tables of large memory have an entry for each small "
			"page",
			total ? "none free" : "none");
}

void doctor_system(struct doctor *dr)
{
	check_kernel(dr);
	check_page_size(dr);
	check_memlock(dr);
	check_capabilities(dr);
	check_huge_pages(dr);
}
