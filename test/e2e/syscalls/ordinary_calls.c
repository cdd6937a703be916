/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ordinary_calls [registered]: makes calls that the emulator has hooks on, of files, memory
 * and programs that are no device's, and prints what each answers and what it left:
 * the same without the emulator, with it, and on memory that is registered with the adapter.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

/* The answer of the call, and errno if that is -1. */
#define SAY(call)                                                                        \
	do {                                                                             \
		long ret_ = (errno = 0, (long)(call));                                   \
		printf("%s = %ld %s\n", #call, ret_, ret_ == -1 ? strerror(errno) : ""); \
	} while (0)

/* The status of a child that calls. */
#define CHILD(call)                                      \
	do {                                             \
		pid_t child_ = (fflush(stdout), fork()); \
		int status_;                             \
		if (!child_) {                           \
			call;                            \
			_exit(errno);                    \
		}                                        \
		waitpid(child_, &status_, 0);            \
		printf("%s: %x\n", #call, status_);      \
	} while (0)

ssize_t __read_chk(int fd, void *buf, size_t len, size_t size);
ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
		       __SOCKADDR_ARG name, socklen_t *name_len);
ssize_t __readlink_chk(const char *path, char *out, size_t len, size_t size);
char *__realpath_chk(const char *path, char *out, size_t size);
extern char **environ;

static char buf[64], *volatile nowhere;
static volatile int minus = -1;
static struct ibv_pd *pd;

/* ---- files ---- */

static long mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long)st.st_mode;
}

static long mode_of_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) || close(fd) ? -1 : (long)st.st_mode;
}

static void creates(void)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY);

	umask(0);
	close(open("a", O_CREAT | O_WRONLY, 0641));
	close(open64("b", O_CREAT | O_WRONLY, 0642));
	close(openat(dir, "c", O_CREAT | O_WRONLY, 0643));
	close(openat64(dir, "d", O_CREAT | O_WRONLY, 0644));
	for (const char *name = "a\0b\0c\0d"; *name; name += 2)
		SAY(mode_of(name));
	SAY(open("a", O_CREAT | O_EXCL | O_WRONLY, 0600));
	SAY(open("none", O_RDONLY));
	SAY(openat(dir, "none", O_RDONLY));
	SAY(mode_of_file(open(".", O_TMPFILE | O_RDWR, 0645)));
	SAY(mode_of_file(open64(".", O_TMPFILE | O_RDWR, 0646)));
	SAY(mode_of_file(openat(dir, ".", O_TMPFILE | O_RDWR, 0647)));
	SAY(mode_of_file(openat64(dir, ".", O_TMPFILE | O_RDWR, 0651)));
	SAY(access("a", R_OK));
	SAY(access("none", F_OK));
	SAY(faccessat(dir, "none", F_OK, 0));
	SAY(opendir("none"));
	SAY(fopen("none", "r"));
	SAY(fclose(fopen("a", "r+")));
	close(dir);
}

static void reads_and_writes(void)
{
	struct iovec two[2] = { { "ab", 2 }, { "cde", 3 } },
		     into[2] = { { buf, 4 }, { buf + 8, 4 } };
	int fd = open("rw", O_CREAT | O_TRUNC | O_RDWR, 0600);

	SAY(write(fd, "0123456789", 10));
	SAY(pwrite(fd, "xy", 2, 3));
	SAY(pwrite64(fd, "z", 1, 9));
	SAY(lseek(fd, -1, SEEK_END));
	SAY(lseek64(fd, 2, SEEK_SET));
	SAY(read(fd, buf, 4));
	SAY(__read_chk(fd, buf + 4, 2, sizeof(buf)));
	SAY(lseek(fd, -2, SEEK_CUR));
	puts(buf);
	SAY(pread(fd, buf, 5, 5));
	puts(buf);
	SAY(pread64(fd, buf, 5, 8));
	puts(buf);
	SAY(lseek(fd, 0, SEEK_CUR));
	SAY(writev(fd, two, 2));
	SAY(lseek(fd, 0, SEEK_SET));
	SAY(readv(fd, into, 2));
	printf("%.4s %.4s\n", buf, buf + 8);
	SAY(lseek(fd, -1, SEEK_SET));
	SAY(ftruncate(fd, 5));
	SAY(lseek(fd, 0, SEEK_END));
	SAY(ftruncate64(fd, 6));
	SAY(fallocate(fd, 0, 0, 9));
	SAY(lseek(fd, 0, SEEK_END));
	SAY(fallocate64(fd, 0, 0, 11));
	SAY(lseek(fd, 0, SEEK_END));
	SAY(read(fd, nowhere, 1));
	SAY(write(fd, nowhere, 1));
	SAY(readv(fd, into, minus));
	SAY(writev(fd, (void *)nowhere, 1));
	SAY(pread(fd, buf, 1, -1));
	SAY(pwrite(fd, buf, 1, -1));
	SAY(lseek(fd, 0, 99));
	SAY(ftruncate(fd, -1));
	SAY(fallocate(fd, 0, 0, 0));
	SAY(ioctl(fd, 0x12345678, nowhere));
	SAY(fcntl(fd, 12345, 0));
	SAY(fcntl(fd, F_DUPFD, -1));
	SAY(dup2(fd, -1));
	SAY(dup2(fd, 1 << 30));
	SAY(dup3(fd, 230, 77));
	SAY(dup3(fd, -1, 0));
	SAY(fcntl(230, F_GETFD));
	close(fd);
	CHILD(__read_chk(fd, buf, sizeof(buf) + 1, sizeof(buf)));
	CHILD(__recv_chk(fd, buf, sizeof(buf) + 1, sizeof(buf), 0));
	CHILD(__recvfrom_chk(fd, buf, sizeof(buf) + 1, sizeof(buf), 0, NULL, NULL));
	CHILD(__readlink_chk(".", buf, sizeof(buf) + 1, sizeof(buf)));
	CHILD(__realpath_chk(".", buf, sizeof(buf)));
}

/* Each call on the number of no file. */
static void without_file(int none)
{
	struct iovec part = { buf, sizeof(buf) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	SAY(read(none, buf, 1));
	SAY(write(none, buf, 1));
	SAY(readv(none, &part, 1));
	SAY(writev(none, &part, 1));
	SAY(pread(none, buf, 1, 0));
	SAY(pwrite(none, buf, 1, 0));
	SAY(lseek(none, 0, SEEK_SET));
	SAY(ftruncate(none, 0));
	SAY(fallocate(none, 0, 0, 1));
	SAY(ioctl(none, FIONREAD, buf));
	SAY(fcntl(none, F_GETFD));
	SAY(fcntl(none, F_DUPFD, 0));
	SAY(dup(none));
	SAY(dup2(none, 230));
	SAY(dup2(none, none));
	SAY(dup3(none, 230, 0));
	SAY(close(none));
	SAY(close_range((unsigned int)none, (unsigned int)none, 0));
	SAY(close_range(1, 0, 0));
	SAY(close_range(230, 230, 8));
	SAY(send(none, buf, 1, 0));
	SAY(sendto(none, buf, 1, 0, NULL, 0));
	SAY(sendmsg(none, &m, 0));
	SAY(recv(none, buf, 1, 0));
	SAY(recvfrom(none, buf, 1, 0, NULL, NULL));
	SAY(recvmsg(none, &m, 0));
	SAY(fstat(none, &(struct stat){ 0 }));
	SAY(openat(none, "a", O_RDONLY));
	SAY(faccessat(none, "a", F_OK, 0));
	SAY(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, none, 0));
}

static void numbers(void)
{
	int fd = open("a", O_RDWR), pipes[2], n = 0;

	SAY(fcntl(fd, F_GETFD));
	SAY(dup2(fd, 200));
	SAY(dup2(fd, fd) == fd);
	SAY(dup3(fd, 201, O_CLOEXEC));
	SAY(dup3(fd, fd, 0));
	SAY(fcntl(200, F_GETFD));
	SAY(fcntl(201, F_GETFD));
	SAY(fcntl(fd, F_DUPFD, 210));
	SAY(fcntl(fd, F_DUPFD_CLOEXEC, 210));
	SAY(fcntl64(fd, F_DUPFD, 215));
	SAY(fcntl(211, F_GETFD));
	SAY(fcntl(fd, F_SETFL, O_APPEND));
	SAY(fcntl(210, F_GETFL) & O_APPEND);
	SAY(close(210));
	SAY(close(210));
	SAY(dup(210));
	SAY(dup2(210, 220));
	SAY(fcntl(210, F_GETFD));
	SAY(close_range(211, 215, CLOSE_RANGE_CLOEXEC));
	SAY(fcntl(215, F_GETFD));
	SAY(close_range(205, 213, 0));
	SAY(fcntl(211, F_GETFD));
	SAY(fcntl(215, F_GETFD));
	SAY(close_range(3, 2, 0));
	closefrom(201);
	SAY(fcntl(200, F_GETFD));
	SAY(fcntl(201, F_GETFD));
	SAY(close(200));
	if (pipe(pipes))
		exit(1);
	SAY(write(pipes[1], "abc", 3));
	SAY(ioctl(pipes[0], FIONREAD, &n));
	printf("%d bytes\n", n);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

static void sockets(void)
{
	struct iovec part = { buf, sizeof(buf) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	int s[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		exit(1);
	SAY(send(s[0], "one", 3, 0));
	SAY(recv(s[1], buf, sizeof(buf), 0));
	SAY(sendto(s[0], "four", 4, 0, NULL, 0));
	SAY(recvfrom(s[1], buf, sizeof(buf), 0, NULL, NULL));
	puts(buf);
	part.iov_len = 5;
	SAY(sendmsg(s[0], &m, 0));
	SAY(recvmsg(s[1], &m, MSG_TRUNC));
	SAY(recv(s[1], buf, sizeof(buf), MSG_DONTWAIT));
	SAY(recvfrom(s[1], buf, sizeof(buf), MSG_DONTWAIT, NULL, NULL));
	SAY(recvmsg(s[1], &m, MSG_DONTWAIT));
	SAY(socket(AF_UNIX, 77, 0));
	close(s[0]);
	close(s[1]);
	SAY(send(s[0], "x", 1, 0));
}

/* ---- memory ---- */

/* @pages pages, the n-th full of 'a' + n; registered with an adapter, if there is one. */
static char *memory(int pages)
{
	char *at = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < pages; i++)
		memset(at + i * PAGE, 'a' + i, PAGE);
	if (pd && !ibv_reg_mr(pd, at, (size_t)pages * PAGE, IBV_ACCESS_LOCAL_WRITE))
		exit(1);
	return at;
}

/* The first and last byte of each page; '-' of one that cannot be read, '.' of zero. */
static void pages(const char *at, int n)
{
	int p[2];

	if (pipe(p))
		exit(1);
	for (int i = 0; i < 2 * n; i++) {
		char c = '-';

		if (write(p[1], at + i / 2 * PAGE + i % 2 * (PAGE - 1), 1) == 1 &&
		    read(p[0], &c, 1) == 1)
			c = c ? c : '.';
		putchar(c);
	}
	putchar('\n');
	close(p[0]);
	close(p[1]);
}

static void maps(void)
{
	char *m = memory(4), *to = memory(4), *at;
	int fd = open("a", O_RDWR);

	SAY(munmap(m + PAGE, PAGE));
	pages(m, 4);
	SAY(mmap(m + PAGE, PAGE, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == m + PAGE);
	SAY(mmap(m + 2 * PAGE, PAGE, PROT_READ,
		 MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	pages(m, 4);
	SAY(mmap(m + 2 * PAGE, PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE, -1, 0));
	pages(m, 4);
	SAY(ftruncate(fd, PAGE) + pwrite(fd, "F", 1, 0));
	SAY(mmap64(m + 2 * PAGE, PAGE, PROT_READ, MAP_FIXED | MAP_SHARED, fd, 0) ==
	    m + 2 * PAGE);
	pages(m, 4);
	SAY(munmap(m + 1, PAGE));
	SAY(mremap(to, 4 * PAGE, 2 * PAGE, 0) == to);
	pages(to, 4);
	at = mremap(to, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	SAY(at != MAP_FAILED);
	pages(at, 3);
	SAY(mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, m) == m);
	pages(m, 4);
	pages(at, 3);
	SAY(mremap(at + 1, PAGE, PAGE, 0));
	SAY(mremap(m, PAGE, 2 * PAGE, 0));
	close(fd);
}

static void advice(void)
{
	char *m = memory(4);

	SAY(madvise(m + PAGE, PAGE, MADV_DONTNEED));
	pages(m, 4);
	SAY(madvise(m + 1, PAGE, MADV_DONTNEED));
	SAY(madvise(m, PAGE, 12345));
	SAY(madvise(m, PAGE, MADV_WILLNEED));
	SAY(syscall(SYS_madvise, m + 2 * PAGE, PAGE, MADV_DONTNEED));
	pages(m, 4);
	SAY(mprotect(m, PAGE, PROT_NONE));
	SAY(mprotect(m + 1, PAGE, PROT_NONE));
	SAY(mprotect(m + 3 * PAGE, PAGE, PROT_READ));
	pages(m, 4);
	SAY(mprotect(m, 4 * PAGE, PROT_READ | PROT_WRITE));
	memset(m, 'n', 4 * PAGE);
	SAY(syscall(SYS_mprotect, m, PAGE, PROT_NONE));
	SAY(pkey_mprotect(m + PAGE, PAGE, PROT_NONE, -1));
	pages(m, 4);
	SAY(syscall(SYS_munmap, m, 2 * PAGE));
	SAY(syscall(SYS_mmap, m, PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) == (long)m);
	SAY(syscall(SYS_mmap, NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	pages(m, 4);
	SAY(syscall(SYS_mremap, m + 2 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		    m + PAGE) == (long)(m + PAGE));
	pages(m, 4);
	SAY(syscall(SYS_mremap, m + 3 * PAGE, PAGE, 0, 0));
	SAY(syscall(12345, 1, 2, 3, 4, 5, 6));
}

static void segments_and_heap(void)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, 0600);
	char *s = shmat(id, NULL, 0), *end = sbrk(0);

	memset(s, 's', 2 * PAGE);
	if (pd && !ibv_reg_mr(pd, s, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE))
		exit(1);
	SAY(shmdt(s + PAGE));
	SAY(shmdt(s + 1));
	pages(s, 2);
	SAY(shmdt(s));
	SAY(shmdt(s));
	pages(s, 2);
	s = shmat(id, NULL, 0);
	pages(s, 2);
	SAY(syscall(SYS_shmdt, s));
	SAY(syscall(SYS_shmdt, s));
	shmctl(id, IPC_RMID, NULL);

	SAY(sbrk(3 * PAGE) == end);
	SAY((char *)sbrk(0) - end);
	SAY((char *)sbrk(-PAGE) - end);
	SAY(brk(end + PAGE));
	SAY((char *)sbrk(0) - end);
	SAY(syscall(SYS_brk, end + 2 * PAGE) == (long)(end + 2 * PAGE));
	SAY(syscall(SYS_brk, end) == (long)end);
	SAY(brk(end));
}

/* ---- programs ---- */

#define SCRIPT "echo $0 $1 $2 $NAME; exit 7"

static void programs(void)
{
	char *argv[] = { "sh", "-c", SCRIPT, "zero", "one", "two", NULL }, line[64] = "";
	char *name[] = { "NAME=given", "PATH=/bin", NULL }, **own = environ;
	int sh = open("/bin/sh", O_PATH), status;
	pid_t pid;
	FILE *f;

	setenv("NAME", "own", 1);
	own = environ;
	CHILD(execve("/bin/sh", argv, name));
	CHILD(execve("/none", argv, name));
	CHILD(execv("/bin/sh", argv));
	CHILD(execv("/none", argv));
	CHILD(execvp("sh", argv));
	CHILD(execvp("none", argv));
	CHILD(execvpe("sh", argv, name));
	CHILD(execvpe("none", argv, name));
	CHILD(fexecve(sh, argv, name));
	CHILD(fexecve(98, argv, name));
	CHILD(execl("/bin/sh", "sh", "-c", SCRIPT, "zero", "one", "two", NULL));
	CHILD(execl("/none", "none", NULL));
	CHILD(execlp("sh", "sh", "-c", SCRIPT, "zero", "one", NULL));
	CHILD(execlp("none", "none", NULL));
	CHILD(execle("/bin/sh", "sh", "-c", SCRIPT, "zero", "one", NULL, name));
	CHILD(execle("/none", "none", NULL, name));
	fflush(stdout);
	SAY(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, name));
	SAY(waitpid(pid, &status, 0) == pid);
	SAY(WEXITSTATUS(status));
	SAY(posix_spawnp(&pid, "sh", NULL, NULL, argv, own));
	SAY(waitpid(pid, &status, 0) == pid);
	SAY(WEXITSTATUS(status));
	SAY(posix_spawn(&pid, "/none", NULL, NULL, argv, name));
	SAY(posix_spawnp(&pid, "none", NULL, NULL, argv, name));
	fflush(stdout);
	SAY(system("echo in a shell; exit 5"));
	SAY(system(NULL));
	f = popen("echo from a pipe; exit 4", "r");
	SAY(fgets(line, sizeof(line), f) == line);
	fputs(line, stdout);
	SAY(pclose(f));
	SAY(popen("true", "no mode"));
	close(sh);
}

static void open_adapter(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && *list ? ibv_open_device(*list) : NULL;

	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	if (!pd) {
		fputs("there is no adapter\n", stderr);
		exit(1);
	}
	ibv_free_device_list(list);
}

int main(int argc, char **argv)
{
	(void)argv;
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	if (argc > 1)
		open_adapter();
	creates();
	reads_and_writes();
	numbers();
	close(0);
	reads_and_writes();
	numbers();
	without_file(-1);
	without_file(0);
	without_file(99);
	without_file(1 << 20);
	sockets();
	maps();
	advice();
	segments_and_heap();
	programs();
	return 0;
}
