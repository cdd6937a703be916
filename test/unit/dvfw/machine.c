/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "devx/uar.h"
#include "devx/umem.h"
#include "lib/capture.h"
#include "machine.h"

struct machine machine;
static char root[] = "/tmp/machine.XXXXXX";
static bool on;

bool machine_fails(const char *call)
{
	size_t used = strlen(machine.calls);

	snprintf(machine.calls + used, sizeof(machine.calls) - used, "%s ", call);
	if (!machine.fails || strcmp(call, machine.fails) || machine.after--)
		return false;
	machine.after = 0;
	errno = machine.err;
	return true;
}

/* ---- files ---- */

static const char *under(const char *path, char to[512])
{
	if (!on || (strncmp(path, "/sys/", 5) && strncmp(path, "/dev/fwctl/", 11) &&
		    strncmp(path, "/proc/", 6)))
		return path;
	snprintf(to, 512, "%s%s", root, path);
	return to;
}

void machine_file(const char *path, const char *text)
{
	char to[512], command[600], *slash = to;
	FILE *f;

	under(path, to);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(to, 0700);
		*slash = '/';
	}
	if (!text) {
		snprintf(command, sizeof(command), "rm -rf %s", to);
		cr_assert_eq(system(command), 0);
		return;
	}
	f = fopen(to, "w");
	fputs(text, f);
	fclose(f);
}

int machine_errno(const char *name)
{
	int err = 1;

	while (!strerrorname_np(err) || strcmp(strerrorname_np(err), name))
		cr_assert_lt(err++, 200);
	return err;
}

int machine_descriptors(void)
{
	DIR *all = opendir("/dev/fd");
	int n = 0;

	while (readdir(all))
		n++;
	closedir(all);
	return n;
}

/* ---- the linker's --wrap ---- */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#define INSTEAD(type, name, ...)         \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

#define BY_PATH(type, name, parameters, ...)                       \
	type __real_##name parameters;                             \
	type __wrap_##name parameters;                             \
	type __wrap_##name parameters                              \
	{                                                          \
		char to[512];                                      \
                                                                   \
		return __real_##name(under(path, to) __VA_ARGS__); \
	}
BY_PATH(FILE *, fopen, (const char *path, const char *mode), , mode)
BY_PATH(DIR *, opendir, (const char *path))
BY_PATH(int, access, (const char *path, int how), , how)
BY_PATH(int, stat, (const char *path, struct stat *s), , s)

INSTEAD(int, open, const char *path, int flags, ...)
{
	char to[512];

	return on && machine_fails("open") ? -1 : __real_open(under(path, to), flags);
}

INSTEAD(int, uname, struct utsname *u)
{
	snprintf(u->release, sizeof(u->release), "%s", machine.release);
	return 0;
}

INSTEAD(long, sysconf, int name)
{
	return name == _SC_PAGESIZE && on ? machine.page : __real_sysconf(name);
}

INSTEAD(int, getrlimit, int what, struct rlimit *limit)
{
	cr_assert_eq(what, RLIMIT_MEMLOCK);
	*limit = (struct rlimit){ machine.memlock, RLIM_INFINITY };
	return 0;
}

/* <fwctl/fwctl.h>: the numbers and the layout of both calls. */
INSTEAD(int, ioctl, int fd, unsigned long request, ...)
{
	static const char *const scopes[] = { "configuration", "read", "write" };
	uint32_t scope, *word;
	uint64_t *pointer;
	va_list args;

	va_start(args, request);
	word = va_arg(args, void *);
	va_end(args);
	pointer = (uint64_t *)(void *)word;
	if (!on || (request >> 8 & 0xff) != 0x9a)
		return __real_ioctl(fd, request, word);
	if (request == 0x9a00) {
		cr_assert(word[0] == 24 && word[3] == 8);
		word[2] = machine.type;
		memcpy((void *)(uintptr_t)pointer[2], (uint32_t[]){ 7, 5 }, 8);
		return machine_fails("info") ? -1 : 0;
	}
	scope = word[1];
	cr_assert(request == 0x9a01 && word[0] == 32 && scope < 3);
	if (machine_fails(scopes[scope]))
		return -1;
	if (!(machine.scopes >> scope & 1)) {
		errno = EBADMSG;
		return -1;
	}
	errno = machine.command((void *)(uintptr_t)pointer[2], word[2],
				(void *)(uintptr_t)pointer[3], word[3]);
	return errno ? -1 : 0;
}

/* ---- devices ---- */

static struct verbs_context context;
static struct ibv_device devices[] = {
	{ .name = "alien_0", .dev_name = "uverbs3", .ibdev_path = "/sys/alien" },
	{ .name = "mlx5_0", .dev_name = "uverbs7", .ibdev_path = "/sys/mlx5" },
};
struct ibv_context *const machine_context = &context.context;

INSTEAD(struct ibv_device **, ibv_get_device_list, int *n)
{
	static struct ibv_device *list[3];

	if (machine_fails("ibv_get_device_list"))
		return NULL;
	machine.made++;
	*n = machine.alien ? 1 : 2;
	list[0] = devices;
	list[1] = machine.alien ? NULL : devices + 1;
	return list;
}

INSTEAD(void, ibv_free_device_list, struct ibv_device **list)
{
	(void)list;
	machine.made--;
}

INSTEAD(bool, mlx5dv_is_supported, struct ibv_device *device)
{
	return device == devices + 1;
}

INSTEAD(struct ibv_context *, ibv_open_device, struct ibv_device *device)
{
	cr_assert_eq(device, devices + 1);
	if (machine_fails("ibv_open_device"))
		return NULL;
	machine.made++;
	return machine_context;
}

INSTEAD(int, ibv_close_device, struct ibv_context *ctx)
{
	cr_assert_eq(ctx, machine_context);
	machine.made--;
	return 0;
}

INSTEAD(int, devx_open, struct ibv_context **ctx, const char *name)
{
	if (machine_fails("devx_open"))
		return errno;
	cr_assert(!name || !strcmp(name, "mlx5_0"));
	machine.made++;
	*ctx = machine_context;
	return 0;
}

INSTEAD(int, ibv_query_device, struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	cr_assert_eq(ctx, machine_context);
	*attr = (struct ibv_device_attr){ .phys_port_cnt = 2, .vendor_part_id = 4129 };
	strcpy(attr->fw_ver, machine.firmware);
	return 0;
}

static int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t len)
{
	cr_assert(ctx == machine_context && len == sizeof(*attr));
	if (port < 1 || port > 2 || machine_fails("ibv_query_port"))
		return EINVAL;
	*attr = machine.port[port - 1];
	return 0;
}

INSTEAD(int, ibv_query_gid, struct ibv_context *ctx, uint8_t port, int i, union ibv_gid *gid)
{
	cr_assert(ctx == machine_context && port == 1);
	memset(gid, 0, sizeof(*gid));
	if (i == machine.port[0].gid_tbl_len - 1)
		memcpy(gid, machine.gid, sizeof(*gid));
	return machine_fails("ibv_query_gid");
}

/* ---- libdvkit ---- */

INSTEAD(int, devx_caps_query, uint8_t caps[DEVX_CAPS_BYTES], struct ibv_context *ctx,
	uint16_t group, enum prm_cap_mode mode)
{
	char call[16];

	cr_assert(ctx == machine_context && mode == PRM_CAP_CUR);
	snprintf(call, sizeof(call), "caps_0x%x", group);
	if (machine_fails(call))
		return errno;
	memcpy(caps, machine.caps[group == 0x20], DEVX_CAPS_BYTES);
	return 0;
}

INSTEAD(const struct devx_error *, devx_last_error, void)
{
	return on ? &machine.error : __real_devx_last_error();
}

INSTEAD(int, devx_umem_reg, struct devx_umem *umem, struct ibv_context *ctx, void *addr,
	size_t size, uint32_t how)
{
	(void)umem;
	cr_assert(ctx == machine_context && (uintptr_t)addr % size == 0 && how);
	cr_assert_eq(size, (size_t)machine.page);
	if (machine_fails("devx_umem_reg"))
		return errno;
	machine.made++;
	return 0;
}

INSTEAD(int, devx_umem_dereg, struct devx_umem *umem)
{
	(void)umem;
	machine.made--;
	return 0;
}

INSTEAD(int, devx_uar_alloc, struct devx_uar *uar, struct ibv_context *ctx,
	enum devx_uar_type type)
{
	cr_assert_eq(ctx, machine_context);
	uar->bf_size = type == DEVX_UAR_BF ? 256 : 0;
	if (machine_fails(type == DEVX_UAR_BF ? "bf" : "nc") ||
	    (machine.fails && !strcmp(machine.fails, "uar"))) {
		errno = machine.err;
		return errno;
	}
	machine.made++;
	return 0;
}

INSTEAD(void, devx_uar_free, struct devx_uar *uar)
{
	(void)uar;
	machine.made--;
}

INSTEAD(int, mlx5dv_devx_query_eqn, struct ibv_context *ctx, uint32_t vector, uint32_t *eqn)
{
	cr_assert(ctx == machine_context && !vector);
	*eqn = 9;
	return machine_fails("eqn") ? errno : 0;
}

INSTEAD(int, devx_cmd, struct ibv_context *ctx, const void *in, size_t in_len, void *out,
	size_t out_len)
{
	if (!on)
		return __real_devx_cmd(ctx, in, in_len, out, out_len);
	return machine_fails("devx_cmd") ? errno : machine.command(in, in_len, out, out_len);
}

INSTEAD(int, devx_obj_create, struct devx_obj *obj, struct ibv_context *ctx, const void *in,
	size_t in_len, void *out, size_t out_len)
{
	int err = machine_fails("devx_obj_create") ? errno
						   : machine.command(in, in_len, out, out_len);

	cr_assert_eq(ctx, machine_context);
	if (!err)
		machine.made++;
	obj->handle = err ? NULL : (struct mlx5dv_devx_obj *)&machine;
	return err;
}

INSTEAD(int, devx_obj_destroy, struct devx_obj *obj)
{
	cr_assert_not_null(obj->handle);
	if (machine_fails("devx_obj_destroy"))
		return errno;
	obj->handle = NULL;
	machine.made--;
	return 0;
}

/* ---- the whole ---- */

void machine_begin(void)
{
	static const struct ibv_port_attr port = { .state = IBV_PORT_ACTIVE,
						   .active_mtu = IBV_MTU_1024,
						   .gid_tbl_len = 3,
						   .link_layer = IBV_LINK_LAYER_ETHERNET };

	char path[512];

	machine = (struct machine){ .release = "6.15.0-test",
				    .page = 4096,
				    .memlock = RLIM_INFINITY,
				    .port = { port, port },
				    .gid = { 0, 1 },
				    .firmware = "28.40.1000",
				    .scopes = 7,
				    .type = 1,
				    .error = { .origin = DEVX_FROM_FIRMWARE } };
	machine.port[1].link_layer = IBV_LINK_LAYER_INFINIBAND;
	machine.port[1].active_mtu = IBV_MTU_4096;
	context =
		(struct verbs_context){ .sz = sizeof(context),
					.query_port = query_port,
					.context = { .device = devices + 1,
						     .abi_compat = __VERBS_ABI_IS_EXTENDED } };
	cr_assert_not_null(mkdtemp(root));
	on = true;
	machine_file("/sys/class/fwctl/fwctl4/device/of", "");
	machine_file("/sys/class/fwctl/fwctl5/device/of", "");
	machine_file("/sys/class/infiniband/mlx5_0/ports", "");
	machine_file("/dev/fwctl/fwctl4", "");
	machine_file("/dev/fwctl/fwctl5", "");
	cr_assert_eq(symlink("../../fwctl/fwctl4/device",
			     under("/sys/class/infiniband/mlx5_0/device", path)),
		     0);
}

void machine_end(void)
{
	char command[64];

	on = false;
	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_assert_eq(system(command), 0);
	cr_expect_eq(machine.made, 0, "%d objects are left of %s", machine.made, machine.calls);
}

int machine_run(int (*run)(struct dvfw *, int, char **), struct dvfw *d, const char *options,
		char *text, size_t size)
{
	static char name[] = "dvfw it";
	char words[256], *word[32] = { name }, *rest;
	struct capture out, err;
	int n = 1, status;
	size_t used;

	snprintf(words, sizeof(words), "%s", options);
	for (char *one = strtok_r(words, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
		word[n++] = one;
	capture_begin(&out, stdout);
	capture_begin(&err, stderr);
	status = run(d, n, word);
	used = capture_end(&out, text, size);
	capture_end(&err, text + used, size - used);
	dvfw_disconnect(d);
	return status;
}
