/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contained [OPTION...] COMMAND [ARGUMENT...]: a test that leaves nothing, however it ends.
 *
 *	ctest -> contained -> first process -> COMMAND
 *	               \-> supervisor
 *
 *	--huge-pages	4 GB of huge pages of 2 MB can be had (vm.nr_overcommit_hugepages)
 *	--network	the machine's network, in place of one that has a loopback interface only
 *	--limit S	after S seconds, 600 by default, it says where each thread of the test is,
 *			and ends it
 *
 * As root, COMMAND has separate namespaces: processes, mounts (/tmp, /run and /dev/shm are
 * empty), System V IPC and network. The kernel ends and removes what is in them when the first
 * process ends, and that one ends with contained. Where they are not permitted, only processes
 * are ended, one by one. The supervisor makes settings that have no namespace: it waits until
 * contained has ended, also by SIGKILL, and removes what it added. As it adds and subtracts,
 * several may do so at a time.
 *
 * A report of a sanitizer, by any process of the test, is a failure.
 *
 * Exit status: that of COMMAND, or 128 and its signal; 1 after a report or the time limit.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LIMIT = 600,
	GRACE = 300,	   /* seconds to say where it is */
	HUGE_PAGES = 2048, /* of 2 MB */
};

static struct {
	bool huge_pages, network;
	int limit;
} options = { .limit = LIMIT };

/* ---- the supervisor ---- */

#define OVERCOMMIT "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages"

/* Held until the process ends. An abstract address is known in each chroot of the machine. */
static void lock_settings(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX,
				    .sun_path = "\0dvkit/test/settings" };
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	while (s >= 0 && bind(s, (void *)&name, sizeof(name)) && errno == EADDRINUSE)
		usleep(1000);
}

/* In a separate process, which has the lock while it runs. False: we may not. */
static bool add_huge_pages(long more)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		FILE *f;
		long n;

		lock_settings();
		f = fopen(OVERCOMMIT, "r+e");
		if (!f || fscanf(f, "%ld", &n) != 1)
			_exit(1);
		rewind(f);
		fprintf(f, "%ld\n", n + more > 0 ? n + more : 0);
		_exit(fclose(f) != 0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* Without the test's standard output: who reads that waits until all have closed it. */
static void keep(int contained)
{
	char end;

	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	open("/dev/null", O_RDWR);
	dup(0);
	dup(0);
	if (!add_huge_pages(HUGE_PAGES))
		_exit(0);
	(void)!write(contained, "", 1);
	(void)!read(contained, &end, 1);
	add_huge_pages(-HUGE_PAGES);
	_exit(0);
}

/* Its process, or -1; *@end is to be closed to make it end. */
static pid_t start_supervisor(int *end)
{
	int both[2];
	char ready;
	pid_t pid;

	*end = -1;
	if (!options.huge_pages)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
		err(1, "socketpair");
	pid = fork();
	if (!pid) {
		close(both[0]);
		keep(both[1]);
	}
	close(both[1]);
	(void)!read(both[0], &ready, 1);
	*end = both[0];
	return pid;
}

/* ---- namespaces ---- */

static bool mounted(const char *type, const char *at, const char *how)
{
	return !mount(type, at, type, MS_NOSUID | MS_NODEV, how) || errno == ENOENT;
}

/* mkdir -p */
static bool made_folder(const char *path)
{
	char at[PATH_MAX];

	for (size_t n = 1; path[n - 1] && n < sizeof(at); n++) {
		if (path[n] && path[n] != '/')
			continue;
		snprintf(at, n + 1, "%s", path);
		if (mkdir(at, 0755) && errno != EEXIST)
			return false;
	}
	return true;
}

/* A folder, opened before something was mounted over it: it is to be at @path again. */
struct shown {
	const char *path;
	int fd;
};

static bool show(const struct shown *s)
{
	char from[40];

	if (!access(s->path, F_OK))
		return true;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", s->fd);
	return made_folder(s->path) && !mount(from, s->path, NULL, MS_BIND | MS_REC, NULL);
}

/* The sources, what is built, and where ctest starts the test may be in /tmp. */
static bool own_files(void)
{
	char here[PATH_MAX];
	struct shown shown[] = { { SOURCE_DIR, -1 },
				 { BINARY_DIR, -1 },
				 { getcwd(here, sizeof(here)), -1 } };
	bool ok = shown[2].path;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown) && ok; i++)
		ok = (shown[i].fd = open(shown[i].path, O_PATH | O_CLOEXEC)) >= 0;
	/* EINVAL in a chroot, where mounts could be seen from outside, and remain. */
	ok = ok && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	     mounted("proc", "/proc", NULL) && mounted("tmpfs", "/tmp", "mode=1777") &&
	     mounted("tmpfs", "/run", "mode=755") && mounted("tmpfs", "/dev/shm", "mode=1777");
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown) && ok; i++)
		ok = show(&shown[i]);
	return ok && !chdir(here); /* by its name: it may be another mount */
}

static bool own_network(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = s >= 0 && !ioctl(s, SIOCSIFFLAGS, &lo);

	close(s);
	return ok;
}

/* ---- waiting ---- */

/* Reaps children until @pid has ended, with SIGCHLD blocked. False: @seconds have passed (0: no
 * limit), or SIGTERM came, if that is blocked, too. */
static bool ends(pid_t pid, int seconds, int *status)
{
	struct timespec left = { .tv_sec = seconds };
	sigset_t blocked;
	pid_t ended;
	int signal;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (;;) {
		while ((ended = waitpid(-1, status, WNOHANG)) > 0)
			if (ended == pid)
				return true;
		signal = sigtimedwait(&blocked, NULL, seconds ? &left : NULL);
		if (signal == SIGTERM || (signal < 0 && errno == EAGAIN))
			return false;
	}
}

static void block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ---- the first process ---- */

/* From here, as debuggers have to be in the same namespace. */
static void say_where(void)
{
	static const char script[] = SOURCE_DIR "/test/lib/where_it_hangs.sh";
	pid_t pid;

	printf("contained: not at its end after %d s\n", options.limit);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl(script, script, NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

/* 0: there is no such process. Its name, which is before, may have parentheses (proc(5)). */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512] = "";
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %d", &parent);
	if (f)
		fclose(f);
	return parent;
}

/* Those of ended processes become children of this one. */
static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc)))
		if (parent_of(e->d_name) == getpid())
			kill(atoi(e->d_name), SIGKILL);
	if (proc)
		closedir(proc);
}

static void end_all(void)
{
	do
		kill_children();
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* To the standard output, which ctest shows. */
static void copy_out(const char *path)
{
	FILE *f = fopen(path, "re");
	int c;

	while (f && (c = getc(f)) != EOF)
		putchar(c);
	if (f)
		fclose(f);
}

/* Prints the reports in folder @dir and removes them; how many there were. */
static int reports(const char *dir)
{
	char path[PATH_MAX];
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		printf("contained: a report of a sanitizer:\n");
		copy_out(path);
		unlink(path);
		n++;
	}
	if (d)
		closedir(d);
	rmdir(dir);
	return n;
}

/* Options of the environment count, too; the folder is ours. */
static void add_options(const char *name, const char *dir)
{
	const char *old = getenv(name);
	char *value;

	if (asprintf(&value, "halt_on_error=1:print_stacktrace=1:%s:log_path=%s/report",
		     old ? old : "", dir) < 0)
		err(1, "no memory");
	setenv(name, value, 1);
	free(value);
}

static void report_to(const char *dir)
{
	add_options("ASAN_OPTIONS", dir);
	add_options("LSAN_OPTIONS", dir);
	add_options("UBSAN_OPTIONS", dir);
	add_options("TSAN_OPTIONS", dir);
}

static int status_of(int status, const char *command)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("contained: %s: %s\n", command, strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

/* A child of the first process; what it inherits is as if ctest had started it. */
static pid_t start(char **command)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execvp(*command, command);
		err(127, "%s", *command);
	}
	return pid;
}

static void first_process(bool is_own, int ready, char **command)
{
	char dir[] = "/tmp/reports.XXXXXX";
	bool in_time;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is_own && !(own_files() && (options.network || own_network())))
		_exit(0);
	(void)!write(ready, "", 1);
	close(ready);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	block(SIGCHLD);
	block(SIGTERM);
	if (!mkdtemp(dir) || chmod(dir, 0777))
		err(1, "%s", dir);
	report_to(dir);
	in_time = ends(start(command), 0, &status);
	if (!in_time)
		say_where();
	end_all();
	status = in_time ? status_of(status, *command) : 1;
	if (reports(dir))
		status = 1;
	fflush(stdout);
	_exit(status);
}

/* Its process; -1: it cannot have separate namespaces. */
static pid_t start_first(bool is_own, int supervisor, char **command)
{
	long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC |
		     (options.network ? 0 : CLONE_NEWNET);
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		err(1, "pipe");
	pid = (pid_t)syscall(SYS_clone, (is_own ? flags : 0) | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		close(ready[0]);
		close(supervisor);
		first_process(is_own, ready[1], command);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

/* ---- contained itself ---- */

static int run(pid_t first)
{
	int status;

	if (ends(first, options.limit, &status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	kill(first, SIGTERM);
	if (!ends(first, GRACE, &status))
		kill(first, SIGKILL);
	return 1;
}

static void parse(int argc, char **argv)
{
	static const struct option known[] = { { "huge-pages", no_argument, NULL, 'h' },
					       { "network", no_argument, NULL, 'n' },
					       { "limit", required_argument, NULL, 'l' },
					       { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		options.huge_pages |= c == 'h';
		options.network |= c == 'n';
		if (c == 'l')
			options.limit = atoi(optarg);
		if (c == '?')
			exit(2);
	}
	if (optind == argc)
		errx(2,
		     "usage: contained [--huge-pages] [--network] [--limit SECONDS] COMMAND...");
}

int main(int argc, char **argv)
{
	pid_t supervisor, first;
	int end, status;

	parse(argc, argv);
	supervisor = start_supervisor(&end);
	first = start_first(true, end, argv + optind);
	if (first < 0)
		first = start_first(false, end, argv + optind);
	if (first < 0)
		err(1, "cannot start a process");
	block(SIGCHLD);
	status = run(first);
	if (supervisor > 0) {
		close(end);
		waitpid(supervisor, NULL, 0);
	}
	return status;
}
