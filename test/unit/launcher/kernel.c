/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernel.h"
#include "lib/steps.h"

struct kernel kernel;

static bool fails(void)
{
	bool it = step_fails();

	if (it)
		errno = kernel.error ? kernel.error : EPERM;
	return it;
}

static void __attribute__((format(printf, 1, 2))) called(const char *fmt, ...)
{
	size_t at = strlen(kernel.calls);
	va_list args;

	va_start(args, fmt);
	vsnprintf(kernel.calls + at, sizeof(kernel.calls) - at, fmt, args);
	va_end(args);
}

#pragma GCC visibility push(default) /* the linker's --wrap */
#define FAILING(name, parameters, ...)                            \
	int __real_##name parameters;                             \
	int __wrap_##name parameters;                             \
	int __wrap_##name parameters                              \
	{                                                         \
		return fails() ? -1 : __real_##name(__VA_ARGS__); \
	}
FAILING(setenv, (const char *name, const char *value, int over), name, value, over)
FAILING(flock, (int fd, int how), fd, how)
FAILING(fchmod, (int fd, mode_t mode), fd, mode)
FAILING(renameat, (int from, const char *old, int to, const char *name), from, old, to, name)

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
int __wrap_asprintf(char **to, const char *fmt, ...);
int __wrap_getifaddrs(struct ifaddrs **all);
void __wrap_freeifaddrs(struct ifaddrs *all);
unsigned int __wrap_if_nametoindex(const char *name);
int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __real_readlink(const char *path, char *to, size_t len);
ssize_t __wrap_readlink(const char *path, char *to, size_t len);
int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *arg);
long __real_sysconf(int name);
long __wrap_sysconf(int name);
int __real_statvfs(const char *path, struct statvfs *fs);
int __wrap_statvfs(const char *path, struct statvfs *fs);

char *__wrap_mkdtemp(char *path)
{
	return fails() ? NULL : __real_mkdtemp(path);
}

int __wrap_asprintf(char **to, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	*to = malloc((size_t)len + 1);
	va_start(args, fmt);
	len = *to ? vsnprintf(*to, (size_t)len + 1, fmt, args) : -1;
	va_end(args);
	return len;
}

int __wrap_getifaddrs(struct ifaddrs **all)
{
	*all = kernel.addresses;
	errno = ENOBUFS;
	return *all ? 0 : -1;
}

void __wrap_freeifaddrs(struct ifaddrs *all)
{
	cr_assert_eq(all, kernel.addresses);
	kernel.given_back++;
}

unsigned int __wrap_if_nametoindex(const char *name)
{
	(void)name;
	return kernel.exists ? 7 : 0;
}

int __wrap_socket(int domain, int type, int protocol)
{
	if (!kernel.interfaces)
		return __real_socket(domain, type, protocol);
	called("socket(%d,%d) ", type & ~SOCK_CLOEXEC, protocol);
	return fails() ? -1 : __real_open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (strcmp(path, "/dev/net/tun"))
		return __real_open(path, flags, mode);
	called("tun ");
	return fails() ? -1 : __real_open("/dev/null", flags);
}

/* The interface has the flags 0x40 at first. */
static int answer(unsigned long request, struct ifreq *r)
{
	const uint8_t *mac = (const uint8_t *)r->ifr_hwaddr.sa_data;

	called("%s:", r->ifr_name);
	switch (request) {
	case TUNSETIFF:
		called("made(%#hx) ", r->ifr_flags);
		break;
	case SIOCSIFHWADDR:
		called("mac(%u,%02x%02x%02x%02x%02x%02x) ", r->ifr_hwaddr.sa_family, mac[0],
		       mac[1], mac[2], mac[3], mac[4], mac[5]);
		break;
	case SIOCGIFHWADDR:
		called("mac ");
		memcpy(r->ifr_hwaddr.sa_data, kernel.mac, 6);
		break;
	case SIOCGIFFLAGS:
		called("flags ");
		r->ifr_flags = 0x40;
		break;
	case SIOCSIFFLAGS:
		called("flags(%#hx) ", r->ifr_flags);
		break;
	case SIOCGIFMTU:
		called("mtu ");
		r->ifr_mtu = kernel.mtu;
		break;
	default:
		cr_assert_fail("%lx", request);
	}
	return fails() ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return kernel.interfaces ? answer(request, arg) : __real_ioctl(fd, request, arg);
}

ssize_t __wrap_readlink(const char *path, char *to, size_t len)
{
	if (!kernel.self || strcmp(path, "/proc/self/exe"))
		return __real_readlink(path, to, len);
	errno = ENOENT;
	memcpy(to, kernel.self, strlen(kernel.self));
	return *kernel.self ? (ssize_t)strlen(kernel.self) : -1;
}

int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *arg)
{
	const char *const names[] = { "", "/lib/libc.so.6", kernel.asan, "/lib/libm.so.6" };
	int ret = 0;

	for (int i = 0; !ret && i < 4; i++)
		if (names[i])
			ret = each(&(struct dl_phdr_info){ .dlpi_name = names[i] }, 0, arg);
	return ret;
}

long __wrap_sysconf(int name)
{
	return kernel.processors && name == _SC_NPROCESSORS_CONF ? kernel.processors
								 : __real_sysconf(name);
}

int __wrap_statvfs(const char *path, struct statvfs *fs)
{
	int ret = __real_statvfs(path, fs);

	if (kernel.free_shm) {
		fs->f_frsize = 512;
		fs->f_bavail = kernel.free_shm / 512;
	}
	return ret;
}
#pragma GCC visibility pop
