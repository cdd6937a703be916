/* SPDX-License-Identifier: BSD-2-Clause */
/* core_peek and core_poke: what memcpy would answer with SIGSEGV they answer with false. */
#include <criterion/criterion.h>
#include <string.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "lib/descriptors.h"

#define PAGE  4096
#define FORKS 77 /* bytes */

Test(peek, copies_what_is_there)
{
	char from[] = "payload", to[sizeof(from)] = "", back[sizeof(from)] = "";

	cr_assert(core_peek(to, (uintptr_t)from, sizeof(from)));
	cr_assert_str_eq(to, from);
	cr_assert(core_poke((uintptr_t)back, from, sizeof(from)));
	cr_assert_str_eq(back, from);
	cr_assert(core_peek(NULL, 0, 0), "nothing to copy needs no address");
}

Test(peek, refuses_what_is_not)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	char buf[2 * PAGE];

	cr_assert_neq(map, MAP_FAILED);
	munmap(map + PAGE, PAGE);
	cr_assert(core_peek(buf, (uintptr_t)map, PAGE));
	cr_assert_not(core_peek(buf, (uintptr_t)map, PAGE + 1), "runs into the hole");
	cr_assert_not(core_poke((uintptr_t)map + PAGE, buf, 1));
	cr_assert_not(core_peek(buf, 0, 8), "the null page");
	cr_assert_not(core_peek(buf, 0xdead000000000000, 8), "no canonical address");
	mprotect(map, PAGE, PROT_READ);
	cr_assert_not(core_poke((uintptr_t)map, buf, 1), "read-only");
	munmap(map, PAGE);
}

/* ---- without process_vm_readv(2) and process_vm_writev(2) ---- */

/* As a sandbox does: both are EPERM from now on; to write FORKS bytes is SIGSYS. */
static void refuse_them(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FORKS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(code), .filter = code };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog), 0);
}

/* Through a pipe, a page at a time: each length around its pages, to the end of the mapping,
 * and one byte beyond. After that failure the next copy has its own bytes, and at most the two
 * descriptors of the pipe are left. */
Test(peek, goes_through_a_pipe_in_a_sandbox)
{
	const size_t all = 3 * PAGE;
	uint8_t *map = mmap(NULL, all + PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint8_t here[4 * PAGE];
	int descriptors = open_descriptors();

	cr_assert_eq(mprotect(map + all, PAGE, PROT_NONE), 0);
	refuse_them();
	for (size_t i = 0; i < all; i++)
		map[i] = (uint8_t)(i * 7 + i / PAGE);
	for (size_t edge = 0; edge <= all; edge += PAGE)
		for (size_t len = edge ? edge - 1 : 0; len <= edge + 1 && len <= all; len++) {
			uint8_t *from = map + all - len;

			memset(here, 0xee, sizeof(here));
			cr_assert(core_peek(here, (uintptr_t)from, len), "%zu bytes", len);
			cr_assert_eq(memcmp(here, from, len), 0, "%zu bytes", len);
			cr_assert_eq(here[len], 0xee);
			cr_assert_not(core_peek(here, (uintptr_t)from, len + 1), "%zu",
				      len + 1);
			cr_assert_not(core_poke((uintptr_t)from, from, len + 1), "%zu",
				      len + 1);
			memset(here, len & 0xff, len);
			cr_assert(core_poke((uintptr_t)from, here, len));
			cr_assert_eq(memcmp(here, from, len), 0, "%zu bytes", len);
		}
	cr_expect_eq(open_descriptors(), descriptors + 2);
	cr_expect_not(core_peek(here, (uintptr_t)map, all + 1));
	cr_expect_eq(open_descriptors(), descriptors);
}

static int copied = -1; /* the status of the child */

static void copy_in_child(int sig)
{
	char to[8] = "";
	pid_t pid = fork();

	if (!pid) {
		alarm(20);
		_exit(!core_peek(to, (uintptr_t) "of it", 6) || strcmp(to, "of it"));
	}
	if (waitpid(pid, &copied, 0) != pid)
		copied = -sig;
}

/* In the child of a fork, while the parent copies. */
Test(peek, goes_through_a_pipe_in_a_child)
{
	char from[FORKS] = "", to[FORKS];

	cr_assert_neq(signal(SIGSYS, copy_in_child), SIG_ERR);
	refuse_them();
	cr_expect(core_peek(to, (uintptr_t)from, FORKS - 1), "it has a pipe");
	core_peek(to, (uintptr_t)from, FORKS);
	cr_expect_eq(copied, 0, "%#x", copied);
}
