/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each step by which a function comes up, in its order, what is taken back when one fails, and
 * its end. The modules are the test, but for hca and core.
 */
#include "modules.h"

/* ---- coming up ---- */

static void begin(void)
{
	text = "";
	alone = true;
	error = ENOSPC;
}

static void end(void)
{
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(boot, .init = begin, .fini = end);

/* The calls since the last one. */
static void expect_calls(const char *want)
{
	cr_expect_str_eq(calls, want);
	calls[0] = 0;
}

#define UNTIL_HOST   "wire(0) host(c0a80001) "
#define UNTIL_HCA    UNTIL_HOST "network hca(3) "
#define UNTIL_UVERBS UNTIL_HCA "fw(cx5,0) publish(c0a80001) uverbs "
#define UNTIL_UCMA   UNTIL_UVERBS "pcap ucma(c0a80001,601) "
#define ALL	     UNTIL_UCMA "signals net engine "
#define BACK	     "hca- wire- "
#define COPIES	     1 /* of the options by strdup(), which is not counted where it allocates */
#define NO_SPACE     "No space left on device' "

/* With each step that fails; a refusal lasts, and is said once. */
Test(boot, takes_back_what_was_made)
{
	static const struct {
		int error;
		const char *calls;
	} rows[] = {
		{ ENOSPC, "wire(0) 'fabric 0: 28' " },
		{ ENOSPC, UNTIL_HOST "'fabric 0: " NO_SPACE "wire- " },
		{ ENOSPC, UNTIL_HOST "network wire- " },
		{ EFBIG,
		  UNTIL_HCA "'device: the limit of file sizes (RLIMIT_FSIZE, ulimit -f) is "
			    "below 3 GiB, and cannot be raised' wire- " },
		{ ENOSPC, UNTIL_HCA "'device: " NO_SPACE "wire- " },
		{ ENOSPC, UNTIL_UVERBS "'probe: " NO_SPACE BACK },
		{ ENOSPC, UNTIL_UVERBS "pcap uverbs- " BACK },
		{ ENOSPC, UNTIL_UCMA "'rdma_cm: " NO_SPACE "uverbs- " BACK },
		{ ENOSPC, UNTIL_UCMA "signals net ucma- ucma-- uverbs- " BACK },
		{ ENOSPC, ALL "'engine: " NO_SPACE "net- ucma- ucma-- uverbs- " BACK },
	};
	static const uint8_t step[] = { 1, 2, 3, 4, 4, 5, 6, 7, 8, 9 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct boot *b = calloc(1, sizeof(*b));
		long allocations = steps.allocations;
		bool up;

		slot = 3;
		error = rows[i].error;
		steps.fail_at = step[i];
		up = bring_up(b);
		allocations -= steps.allocations;
		cr_expect_not(up, "row %zu", i);
		cr_expect_eq(allocations, COPIES, "row %zu: %ld", i, allocations);
		expect_calls(rows[i].calls);
		free(b);
	}
	error = ENOSPC;
	steps.fail_at = 2; /* after the memory of the function */
	for (int i = 0; i < 2; i++) {
		long allocations = steps.allocations;
		struct boot *b = boot_device(0);

		allocations -= steps.allocations;
		cr_expect_eq(errno, ENODEV);
		cr_expect_null(b);
		cr_expect_eq(allocations, i ? 0 : COPIES);
		expect_calls(i ? "" : "netlink wire(0) 'fabric 0: 28' ");
	}
	cr_expect_not(boot_any());
}

Test(boot, is_up_once)
{
	struct boot *b = boot_device(0);
	struct nldev_device d[OPTIONS_FUNCTIONS];

	expect_calls("netlink " ALL);
	cr_assert_not_null(b);
	cr_expect_eq(boot_device(0), b);
	expect_calls("");
	cr_expect(boot_any() && boot_running(0) == b && !boot_running(1));
	cr_expect(b->wire == WIRE && b->uverbs == UVERBS && b->ucma == UCMA);
	cr_expect(b->engine == ENGINE && b->net == NET);
	cr_expect_eq(b->log_fd, -1);
	cr_expect_eq(b->timeline_fd, -1);
	cr_expect(b->hca.present(&b->hca, 77) && !b->hca.present(&b->hca, 76));
	b->hca.catch_up(&b->hca, (void *)64);
	expect_calls("catch_up ");
	cr_expect_eq(b->hca.qps.shift, 0);
	cr_expect_eq(config.pci_id, 0x1017);
	cr_expect_str_eq(config.fw_ver, "16.35.2000");
	cr_expect(config.w == WIRE && config.pinned == &pinned && !config.no_memlock);
	cr_expect_eq(config.naddresses, 2); /* of the MAC, and IPv4 */
	cr_expect_eq(addresses[1][15], 1);
	cr_expect_eq(boot_identity(d), 1);
	cr_expect(d[0].uverbs == UVERBS && d[0].ucma == UCMA && !d[1].uverbs && !d[1].ucma);
	cr_expect_null(boot_device(1));
	expect_calls("fw(cx5,0) 'there is no mlx5_1' ");
}

/* Its first QP number, where another process may still send to one that had its slot. */
Test(boot, begins_at_other_numbers_where_it_is_not_alone)
{
	static struct boot b[2];

	alone = false;
	cr_assert(bring_up(&b[0]));
	alone = network = true;
	cr_assert(bring_up(&b[1]));
	for (int i = 0; i < 2; i++)
		cr_expect_neq(b[i].hca.qps.shift, 0, "%d", i);
}

Test(boot, has_a_device_that_exists)
{
	static const struct {
		const char *text, *calls;
	} rows[] = {
		{ "device=cx9", "'there is no device 'cx9'' " },
		{ "device=cx5,as=dpu", "'cx5 has one function, 'as' is for a DPU' " },
		{ "color=red", "'DVKIT_EMU: unknown key 'color'' " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nldev_device d[OPTIONS_FUNCTIONS];
		struct boot b = { 0 };

		text = rows[i].text;
		cr_expect_not(bring_up(&b));
		expect_calls(rows[i].calls);
		if (i)
			continue;
		cr_expect_eq(boot_identity(d), 1);
		cr_expect_null(d[0].name);
		cr_expect(refused);
		calls[0] = 0;
	}
}

/* Both functions of a DPU, before they are up: GUIDs by hand (options.h). */
Test(boot, is_identified_before_it_is_up)
{
	struct nldev_device d[OPTIONS_FUNCTIONS];
	long allocations;
	size_t n;

	text = "device=bf3,ip=10.0.0.7,fabric=f,netdev=eth5:eth6,kernel=6.12";
	allocations = steps.allocations;
	n = boot_identity(d);
	allocations -= steps.allocations;
	cr_assert_eq(n, 2);
	cr_expect_eq(allocations, 2 * COPIES);
	for (unsigned int i = 0; i < 2; i++) {
		cr_expect_str_eq(d[i].name, i ? "mlx5_1" : "mlx5_0");
		cr_expect_str_eq(d[i].uverbs_name, i ? "uverbs1" : "uverbs0");
		cr_expect_str_eq(d[i].netdev, i ? "eth6" : "eth5");
		cr_expect_str_eq(d[i].fw_ver, "32.43.1014");
		cr_expect_str_eq(d[i].fabric, "f");
		cr_expect_eq(d[i].node_guid, i ? 0x00d50afffe000007 : 0x00c50afffe000007);
		cr_expect_eq(d[i].sys_image_guid, 0x00c50afffe000007);
		cr_expect_eq(d[i].role, i ? HCA_ROLE_DPU : HCA_ROLE_HOST);
		cr_expect_eq(d[i].cap_flags, d[i].role + 100);
		cr_expect_eq(d[i].uverbs_node, makedev(231, 192 + i));
		cr_expect_eq(d[i].cm_node, makedev(10, 58));
		cr_expect_eq(d[i].ipv4, 0x0a000007);
		cr_expect_eq(d[i].counted, hw_counter_sum);
		cr_expect(!d[i].uverbs && !d[i].ucma);
	}
	cr_expect_eq(d[0].kernel, 0x60c);
	calls[0] = 0;
	cr_assert_eq(boot_identity(d), 2);
	expect_calls("");
}

/* A file of the launcher's. */
Test(boot, has_a_device_of_a_dump)
{
	static struct fw_image image = { .magic = "dvkitcap", .name = "n", .fw_ver = "1.2.3" };
	char path[] = "/tmp/image.XXXXXX", options[100], want[100];
	struct fw_device own;
	int fd = mkstemp(path);

	snprintf(options, sizeof(options), "image=%s,wire=eth0;020000000001;1500;10.0.0.1",
		 path);
	snprintf(want, sizeof(want), "'%s: not a device image of this dvkit-emu' ", path);
	text = options;
	for (int i = 0; i < 4; i++) {
		const struct fw_device *kind;
		struct boot *b = calloc(1, sizeof(*b));

		image.magic[0] = i == 2 ? 'D' : 'd';
		cr_assert_eq(pwrite(fd, &image, sizeof(image), 0), sizeof(image));
		cr_assert_eq(ftruncate(fd, sizeof(image) - (i == 1)), 0);
		if (i == 3)
			unlink(path);
		cr_assert(read_options(&b->options));
		cr_expect_eq(find_kind(b, &kind, &own), !i, "%d", i);
		expect_calls(i ? want : "");
		if (!i) {
			cr_expect_eq(kind, &own);
			cr_expect_eq(own.pci_id, 9);
			make_function(b, kind);
			expect_calls("fw(1.2.3) public ");
		}
		free(b);
	}
	close(fd);
}

/* ---- trace ---- */

static bool is_at(int fd, const char *path)
{
	struct stat a, b;

	return fd > 2 && !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino &&
	       fcntl(fd, F_GETFL) & O_APPEND && fcntl(fd, F_GETFD) & FD_CLOEXEC &&
	       core_own_has(fd);
}

/* The second function has the files of the first. */
Test(boot, is_traced_from_the_first_function_on)
{
	char dir[] = "/tmp/trace.XXXXXX", options[200], log[30], timeline[30];
	struct boot *b[2];

	cr_assert(mkdtemp(dir));
	snprintf(log, sizeof(log), "%s/log", dir);
	snprintf(timeline, sizeof(timeline), "%s/timeline", dir);
	snprintf(options, sizeof(options),
		 "device=bf3,trace=0x2,check=1,trace_file=%s,timeline=%s", log, timeline);
	text = options;
	b[0] = boot_device(0);
	cr_assert(strstr(calls, "publish(c0a80001) explain uverbs "));
	cr_assert(strstr(calls, " engine check0 ending0 "));
	cr_expect_eq(traced.mask, 0x102); /* TRACE_CHECK is bit 8 */
	cr_expect(traced.fd == b[0]->log_fd && is_at(traced.fd, log));
	cr_expect(traced.timeline == b[0]->timeline_fd && is_at(traced.timeline, timeline));
	calls[0] = 0;
	b[1] = boot_device(1);
	cr_assert_null(strstr(calls, "explain"));
	cr_assert_null(strstr(calls, "ucma"));
	cr_assert(strstr(calls, " engine check1 ending1 "));
	cr_expect_eq(b[1]->log_fd, b[0]->log_fd);
	cr_expect_eq(b[1]->timeline_fd, -1);
	cr_expect_eq(b[1]->hca.port.node_guid, 0x00d5c0fffea80001);
	cr_expect_eq(b[1]->hca.role, HCA_ROLE_DPU);
}

Test(boot, is_traced_to_standard_error)
{
	struct stat st[2];
	struct boot *b;

	text = "trace=0x2";
	b = boot_device(0);
	cr_assert_not_null(b);
	cr_expect_eq(traced.mask, 2);
	cr_expect_gt(b->log_fd, 2);
	cr_assert(!fstat(b->log_fd, &st[0]) && !fstat(2, &st[1]));
	cr_expect_eq(st[0].st_ino, st[1].st_ino);
	cr_expect(strstr(calls, "engine ") && !strstr(calls, "check") &&
		  !strstr(calls, "ending"));
}

Test(boot, needs_its_files)
{
	static const struct {
		const char *text, *calls;
	} rows[] = {
		{ "check=1,trace_file=/nix/a", "'/nix/a: No such file or directory' " },
		{ "timeline=/nix/b", "'/nix/b: No such file or directory' " },
	};

	for (int i = 0; i < 2; i++) {
		struct boot *b = calloc(1, sizeof(*b));

		text = rows[i].text;
		cr_expect_not(bring_up(b));
		cr_expect_str_eq(strchr(calls, '\''),
				 i ? "'/nix/b: No such file or directory' " BACK
				   : "'/nix/a: No such file or directory' " BACK);
		calls[0] = 0;
		free(b);
	}
	/* only standard error is missing: then there are no lines */
	close(2);
	text = "check=1,stats=1";
	cr_expect_not_null(boot_device(0));
	cr_expect_null(strstr(calls, "check"));
	cr_expect_null(strstr(calls, "explain"));
}

/* ---- two functions ---- */

static struct boot *both[2];

static void begin_both(void)
{
	begin();
	text = "device=bf3,stats=1,check=1";
	for (unsigned int i = 0; i < 2; i++)
		both[i] = boot_device(i);
	cr_assert(both[0] && both[1] && both[0] != both[1]);
	cr_expect_eq(both[1]->older, both[0]);
	calls[0] = 0;
}

TestSuite(functions, .init = begin_both, .fini = end);

static bool is_free(struct boot *b)
{
	bool it = !pthread_mutex_trylock(&b->hca.lock);

	if (it)
		pthread_mutex_unlock(&b->hca.lock);
	return it;
}

Test(functions, are_held_together)
{
	struct boot_held held;
	char want[60];

	boot_hold(&held);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(held.of[i], both[i]);
		cr_expect_not(is_free(both[i]));
	}
	boot_unmapped(&held);
	snprintf(want, sizeof(want), "unmapped(%u) unmapped(%u) ", both[0]->hca.slot,
		 both[1]->hca.slot);
	expect_calls(want);
	boot_release(&held);
	for (int i = 0; i < 2; i++)
		cr_expect(is_free(both[i]));
	held.of[0] = NULL;
	boot_unmapped(&held);
	snprintf(want, sizeof(want), "unmapped(%u) ", both[1]->hca.slot);
	expect_calls(want);
}

/* In the child there is no adapter until it opens one. */
Test(functions, are_the_parents_after_a_fork)
{
	pid_t pid;
	int status;

	core_trace_mask = 3;
	pinned = 7;
	pid = fork();
	if (!pid) {
		bool ok = !strcmp(calls, "files_fork pages_fork pages_done watch_child "
					 "files_child abandon0 abandon1 ") &&
			  !boot_any() && !core_inside() && !pinned && !core_trace_mask &&
			  is_free(both[0]) && is_free(both[1]);

		_exit(!(ok && boot_device(1) && !strstr(calls, "netlink")));
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	expect_calls("files_fork pages_fork pages_done files_parent ");
	cr_expect(boot_running(0) == both[0] && boot_running(1) == both[1]);
	cr_expect_eq(pinned, 7);
	cr_expect_eq(core_trace_mask, 3);
	core_enter(); /* the handler of a fault: nothing is done */
	pid = fork();
	if (!pid)
		_exit(*calls != 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	expect_calls("");
	core_leave();
}

Test(functions, end_once)
{
	core_enter();
	shut_down();
	expect_calls("");
	core_leave();
	shut_down();
	expect_calls("watch- ending- stats0 ucma- engine- stats1 ucma0- engine- "
		     "check0(0)- check1(0)- net- wire- net- wire- ");
	cr_expect(!boot_any() && !both[0]->hca.catch_up && !both[1]->hca.catch_up);
	shut_down();
	expect_calls("watch- ");
	cr_expect_null(boot_device(0));
	expect_calls("");
}
