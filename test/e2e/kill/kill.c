/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_kill EMU [--seed N] [--moments N]
 *
 * Two processes stream to each other on a separate fabric; one of them is killed (kill -9) at
 * some moment. Guarantees of a network to the other one:
 *
 *	its oldest request ends with IBV_WC_RETRY_EXC_ERR, all others are flushed
 *	it comes (reported: within 4 T (retry_cnt + 1), T = 4.096 us * 2^timeout, after the last
 *		answer; InfiniBand specification, chapter 9: the timer is between T and 4 T)
 *	a process that gets the dead one's place on the fabric is not taken for it
 *
 * Nothing is left, whichever of the two is killed:
 *	its locks on the fabric, memfds, pipes	the kernel, when the process has ended
 *	the sysfs tree in TMPDIR		its launcher; if that was killed, the next launcher
 *
 * In a third of the moments the launcher is killed too, in a third there is a newcomer.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "kill.h"
#include "lib/clock.h"

#define TIMEOUT		 10
#define TIMEOUT_NEWCOMER 14 /* longer: it has to be there before the survivor gives up */
#define SLACK_NS	 5000000000ull
#define PATIENCE_MS	 40000

struct peer {
	pid_t launcher;
	int to, from;
	struct card card;
};

static const char *emu, *self;
static char fabric[64], work[] = "/tmp/dvkit-kill.XXXXXX";
static uint64_t seed;
static unsigned int moment;

static void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void remove_work(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", work);
	if (system(command))
		fprintf(stderr, "test_kill: %s stays\n", work);
}

static void fail(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "test_kill: moment %u of seed %" PRIu64 ": ", moment, seed);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static uint32_t below(uint32_t n)
{
	static uint64_t state;

	state = (state ? state : seed) * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 32) % n;
}

/* ---- peers ---- */

static void become(int in, int out, unsigned int timeout, bool newcomer)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", timeout);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl(emu, emu, "--fabric", fabric, "--", self, newcomer ? "newcomer" : "peer", number,
	      NULL);
	_exit(127);
}

static struct peer start(unsigned int timeout, bool newcomer)
{
	int to[2], from[2];
	struct peer p;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
	p.launcher = fork();
	if (!p.launcher)
		become(to[0], from[1], timeout, newcomer);
	close(to[0]);
	close(from[1]);
	p.to = to[1];
	p.from = from[0];
	return p;
}

static void hear(const struct peer *p, void *what, size_t len)
{
	struct pollfd fd = { .fd = p->from, .events = POLLIN };

	if (poll(&fd, 1, PATIENCE_MS) <= 0)
		fail("a peer hangs");
	if (read(p->from, what, len) != (ssize_t)len)
		fail("a peer ended without a word");
}

static void introduce(const struct peer *p, const struct card *other)
{
	if (write(p->to, other, sizeof(*other)) != sizeof(*other))
		fail("a peer does not listen");
}

static void stop(struct peer *p, bool should_end_well)
{
	int status;

	close(p->to);
	close(p->from);
	if (waitpid(p->launcher, &status, 0) != p->launcher)
		fail("waitpid: %s", strerror(errno));
	if (should_end_well && status)
		fail("the survivor ended with status 0x%x", status);
}

/* ---- what must hold ---- */

static void check_report(const struct report *r, uint64_t killed, unsigned int timeout)
{
	uint64_t bound = (4096ull << timeout) * 4 * (KILL_RETRY + 1);

	if (r->first != IBV_WC_RETRY_EXC_ERR)
		fail("the survivor's first error is %d (%s)", r->first,
		     ibv_wc_status_str(r->first));
	if (r->other)
		fail("%u completions are neither success nor flushed", r->other);
	if (!r->flushed)
		fail("nothing was flushed");
	/* Reported and not judged: a survivor that gets no processor time is later. */
	if (r->ns > killed + bound)
		printf("the error came %" PRIu64
		       " ms after the kill, on an idle machine at most %" PRIu64 "\n",
		       (r->ns - killed) / 1000000, bound / 1000000);
}

static void check_newcomer(struct peer *p, const struct card *dead)
{
	struct report r;

	close(p->to);
	p->to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	hear(p, &r, sizeof(r));
	if (p->card.qpn >> 16 != dead->qpn >> 16)
		fail("the newcomer has slot %u, not the free one", p->card.qpn >> 16);
	if (p->card.qpn == dead->qpn)
		fail("the newcomer has the dead one's QP number 0x%x", dead->qpn);
	if (r.first || r.touched)
		fail("the newcomer was taken for the dead one");
}

/* The file of the fabric, while it exists (emu/wire/fabric_dir.h). */
static int fabric_file(void)
{
	char pattern[256];
	glob_t found;
	int fd = -1;

	if (geteuid())
		snprintf(pattern, sizeof(pattern), "/tmp/dvkit-emu-%u*/%s.*",
			 (unsigned int)geteuid(), fabric);
	else
		snprintf(pattern, sizeof(pattern), "/run/dvkit-emu/%s.*", fabric);
	if (!glob(pattern, 0, NULL, &found)) {
		fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
		globfree(&found);
	}
	return fd;
}

/* Does a process hold the lock of @slot, or with 0 any of the fabric? */
static bool taken(unsigned int slot)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = fabric_file();
	bool locked;

	if (fd < 0)
		return false;
	l.l_start = slot;
	l.l_len = slot ? 1 : 256;
	locked = !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
	close(fd);
	return locked;
}

/* A killed process takes a moment to die. */
static void await_free(unsigned int slot)
{
	const struct timespec ts = { .tv_nsec = 2000000 };
	uint64_t end = now_ns() + SLACK_NS;

	while (taken(slot)) {
		if (now_ns() > end)
			fail("slot %u is still taken (0: any)", slot);
		nanosleep(&ts, NULL);
	}
}

static bool trees_left(void)
{
	char command[80];

	snprintf(command, sizeof(command), "test -z \"$(ls -A %s)\"", work);
	return system(command);
}

/* ---- one moment ---- */

static void kill_at(struct peer *victim, bool launcher_too)
{
	struct timespec ts = { .tv_nsec = below(40000000) };

	nanosleep(&ts, NULL);
	if (launcher_too)
		kill(victim->launcher, SIGKILL);
	kill(victim->card.pid, SIGKILL);
}

static void meet(struct peer *a, struct peer *b)
{
	hear(a, &a->card, sizeof(a->card));
	hear(b, &b->card, sizeof(b->card));
	introduce(a, &b->card);
	introduce(b, &a->card);
}

static void run_moment(void)
{
	bool launcher_too = !below(3), newcomer = !below(3);
	unsigned int timeout = newcomer ? TIMEOUT_NEWCOMER : TIMEOUT, dies = below(2);
	struct peer p[2] = { start(timeout, false), start(timeout, false) }, next;
	struct report r;
	uint64_t killed;

	meet(&p[0], &p[1]);
	kill_at(&p[dies], launcher_too);
	killed = now_ns();
	if (newcomer) {
		await_free(p[dies].card.qpn >> 16);
		next = start(timeout, true);
		hear(&next, &next.card, sizeof(next.card));
		introduce(&next, &p[!dies].card);
	}
	hear(&p[!dies], &r, sizeof(r));
	check_report(&r, killed, timeout);
	if (newcomer) {
		check_newcomer(&next, &p[dies].card);
		stop(&next, true);
	}
	stop(&p[dies], false);
	stop(&p[!dies], true);
	await_free(0);
}

/* A launcher sweeps what dead ones left. */
static void check_trees(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl(emu, emu, "--", "true", NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		fail("dvkit-emu -- true: status 0x%x", status);
	if (trees_left())
		fail("a tree is left in %s", work);
}

int main(int argc, char **argv)
{
	unsigned int moments = 20;

	if (argc == 3 && (!strcmp(argv[1], "peer") || !strcmp(argv[1], "newcomer")))
		return peer_main(atoi(argv[2]), !strcmp(argv[1], "newcomer"));
	seed = time(NULL);
	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--moments"))
			moments = atoi(argv[i + 1]);
	}
	if (argc < 2 || argc % 2 || !mkdtemp(work)) {
		fprintf(stderr, "usage: test_kill EMU [--seed N] [--moments N]\n");
		return 2;
	}
	emu = argv[1];
	self = argv[0];
	atexit(remove_work);
	setenv("TMPDIR", work, 1);
	snprintf(fabric, sizeof(fabric), "kill-%d", (int)getpid());
	signal(SIGPIPE, SIG_IGN);
	printf("seed %" PRIu64 ", %u moments\n", seed, moments);
	fflush(stdout);
	for (moment = 1; moment <= moments; moment++)
		run_moment();
	check_trees();
	printf("%u moments: every survivor knew\n", moments);
	return 0;
}
