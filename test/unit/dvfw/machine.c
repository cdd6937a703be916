/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

#define BY_PATH(type, name, parameters, ...)  \
	type __real_##name parameters;        \
	FAKE(type, __wrap_##name, parameters, \
	     __real_##name(under(path, (char[512]){ 0 }) __VA_ARGS__))
BY_PATH(FILE *, fopen, (const char *path, const char *mode), , mode)
BY_PATH(DIR *, opendir, (const char *path))
BY_PATH(int, access, (const char *path, int how), , how)
BY_PATH(int, scandir,
	(const char *path, struct dirent ***all, int (*which)(const struct dirent *),
	 int (*order)(const struct dirent **, const struct dirent **)),
	, all, which, order)
BY_PATH(int, stat, (const char *path, struct stat *s), , s)

int __real_open(const char *path, int flags, ...);
FAKE(int, __wrap_open, (const char *path, int flags, ...),
     on &&machine_fails("open") ? -1 : __real_open(under(path, (char[512]){ 0 }), flags))
long __real_sysconf(int name);
FAKE(long, __wrap_sysconf, (int name),
     name == _SC_PAGESIZE && on ? machine.page : __real_sysconf(name))
FAKE(int, __wrap_uname, (struct utsname * u), strcpy(u->release, machine.release) == NULL)
FAKE(int, __wrap_getrlimit, (int what, struct rlimit *limit), limit->rlim_cur = machine.memlock,
     what != RLIMIT_MEMLOCK)

/* <fwctl/fwctl.h>: the numbers and the layout of both calls. */
int __real_ioctl(int fd, unsigned long request, void *arg);
int __wrap_ioctl(int fd, unsigned long request, uint32_t *word)
{
	static const char *const scopes[] = { "configuration", "read", "write" };
	uint64_t *pointer = (uint64_t *)(void *)word;

	if (!on || (request >> 8 & 0xff) != 0x9a)
		return __real_ioctl(fd, request, word);
	if (request == 0x9a00) {
		cr_assert(word[0] == 24 && word[3] == 8);
		word[2] = machine.type;
		memcpy((void *)(uintptr_t)pointer[2], (uint32_t[]){ 7, 5 }, 8);
		return machine_fails("info") ? -1 : 0;
	}
	cr_assert(request == 0x9a01 && word[0] == 32 && word[1] < 3);
	if (machine_fails(scopes[word[1]]))
		return -1;
	errno = machine.scopes >> word[1] & 1
			? machine.command((void *)(uintptr_t)pointer[2], word[2],
					  (void *)(uintptr_t)pointer[3], word[3])
			: EBADMSG;
	return errno ? -1 : 0;
}

/* ---- devices ---- */

static struct verbs_context context;
static struct ibv_device devices[] = {
	{ .name = "alien_0", .dev_name = "uverbs3", .ibdev_path = "/sys/alien" },
	{ .name = "mlx5_0", .dev_name = "uverbs7", .ibdev_path = "/sys/mlx5" },
};
struct ibv_context *const machine_context = &context.context;

#define MAKES(name) (machine_fails(name) ? errno : (machine.made++, 0))
static struct ibv_device *list[3];
FAKE(struct ibv_device **, __wrap_ibv_get_device_list, (int *n), *n = machine.alien ? 1 : 2,
     list[0] = devices, list[1] = *n > 1 ? devices + 1 : NULL,
     MAKES("ibv_get_device_list") ? NULL : list)
FAKE(void, __wrap_ibv_free_device_list, (struct ibv_device * *all), (void)machine.made--)
FAKE(bool, __wrap_mlx5dv_is_supported, (struct ibv_device * device), device == devices + 1)
FAKE(struct ibv_context *, __wrap_ibv_open_device, (struct ibv_device * device),
     device == devices || MAKES("ibv_open_device") ? NULL : machine_context)
FAKE(int, __wrap_ibv_close_device, (struct ibv_context * ctx), machine.made--,
     ctx != machine_context)
FAKE(int, __wrap_devx_open, (struct ibv_context * *ctx, const char *name),
     MAKES("devx_open") ? errno : (*ctx = machine_context, 0))
FAKE(int, __wrap_ibv_query_device, (struct ibv_context * ctx, struct ibv_device_attr *attr),
     *attr = (struct ibv_device_attr){ .phys_port_cnt = 2, .vendor_part_id = 4129 },
     strcpy(attr->fw_ver, machine.firmware) == NULL)

static int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t len)
{
	cr_assert(ctx == machine_context && len == sizeof(*attr));
	if (port < 1 || port > 2 || machine_fails("ibv_query_port"))
		return EINVAL;
	*attr = machine.port[port - 1];
	return 0;
}

int __wrap_ibv_query_gid(struct ibv_context *ctx, uint8_t port, int i, union ibv_gid *gid)
{
	cr_assert(ctx == machine_context && port == 1);
	memset(gid, 0, sizeof(*gid));
	if (i == machine.port[0].gid_tbl_len - 1)
		memcpy(gid, machine.gid, sizeof(*gid));
	return machine_fails("ibv_query_gid");
}

/* ---- libdvkit ---- */

int __wrap_devx_caps_query(uint8_t *caps, struct ibv_context *ctx, uint16_t group,
			   enum prm_cap_mode mode)
{
	char call[16];

	cr_assert(ctx == machine_context && mode == PRM_CAP_CUR);
	snprintf(call, sizeof(call), "caps_0x%x", group);
	memcpy(caps, machine.caps[group == 0x20], DEVX_CAPS_BYTES);
	return machine_fails(call) ? errno : 0;
}

const struct devx_error *__real_devx_last_error(void);
FAKE(const struct devx_error *, __wrap_devx_last_error, (void),
     on ? &machine.error : __real_devx_last_error())

/* Counters: the first of each source; that of the vport is above 2^32. */
static int count(const char *source, uint8_t *out, uint8_t high)
{
	memset(out, 0, 0x210);
	out[0x13] = high;
	out[0x17] = machine.counted;
	return machine_fails(source) ? errno : 0;
}
FAKE(int, __wrap_devx_vport_counter_query, (struct ibv_context * ctx, uint8_t port, void *out),
     port == 2 ? count("vport", out, 1) : EINVAL)
FAKE(int, __wrap_devx_vnic_env_query, (struct ibv_context * ctx, void *out),
     count("vnic", out, 0))
FAKE(int, __wrap_devx_reg_read,
     (struct ibv_context * ctx, uint16_t id, uint32_t argument, uint8_t *reg),
     id != 0x5008 || argument || reg[1] != 2)

FAKE(int, __wrap_devx_umem_reg,
     (struct devx_umem * umem, struct ibv_context *ctx, void *addr, size_t size, uint32_t how),
     (uintptr_t)addr % size || size != (size_t)machine.page || !how ? EFAULT
								    : MAKES("devx_umem_reg"))
FAKE(int, __wrap_devx_umem_dereg, (struct devx_umem * umem), (void)machine.made--, 0)
FAKE(int, __wrap_devx_uar_alloc,
     (struct devx_uar * uar, struct ibv_context *ctx, enum devx_uar_type type),
     uar->bf_size = type == DEVX_UAR_BF ? 256 : 0,
     machine_fails("uar") ? errno : MAKES(type == DEVX_UAR_BF ? "bf" : "nc"))
FAKE(void, __wrap_devx_uar_free, (struct devx_uar * uar), (void)machine.made--)
FAKE(int, __wrap_mlx5dv_devx_query_eqn,
     (struct ibv_context * ctx, uint32_t vector, uint32_t *eqn), *eqn = 9 + vector,
     machine_fails("eqn") ? errno : 0)

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
