/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Life and content of the tree.
 *
 *	devices/pci0000:00/0000:00:02.0/0000:03:00.0/       the PCI function
 *	    vendor device modalias resource config …
 *	    net/lo                                          its network interface
 *	    driver                                          what DPDK asks whether it is bound
 *	    infiniband/mlx5_0/                              node_guid, ports/1/gids …
 *	    infiniband_verbs/uverbs0/                       ibdev, dev, abi_version
 *	    fwctl/fwctl0/                                   dev
 *	class/infiniband/mlx5_0           -> ../../devices/…
 *	class/infiniband_verbs/uverbs0    -> ../../devices/…
 *	bus/pci/devices/0000:03:00.0      -> ../../../devices/…
 *	bus/pci/drivers/mlx5_core/0000:03:00.0
 *	                                  -> ../../../../devices/…
 *	bus/pci/…, bus/pci/{devices,drivers}/…
 *	                                  -> /sys/bus/pci/…, what the machine has
 *	dpdk/0000:03:00.0                 -> ../devices/…, for DPDK, which uses all that it finds
 *	class/fwctl/fwctl0                -> ../../devices/…
 *	class/misc/rdma_cm/                                 dev, abi_version
 *	dev/infiniband/{uverbs0,rdma_cm}, dev/fwctl/fwctl0
 *	                                  what preload shows as character devices
 *
 * The links are real because UCX finds the PCI function by realpath() (ucx, ib_device.c).
 * Names and formats: kernel, Documentation/ABI/{stable/sysfs-class-infiniband,
 * testing/sysfs-bus-pci}. Counters are 0; preload has those of a process.
 *
 * A launcher holds a lock on its tree's "lock" file; a tree whose lock is free is unused.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "launcher/sysfs.h"
#include "launcher/tree.h"
#include "options/options.h"

/* In names of the tree # is the number of the function (tree.h). */
#define PCI_NAME "0000:03:00.#"
#define PCI_DIR	 "devices/pci0000:00/0000:00:02.0/" PCI_NAME
#define IB_DIR	 PCI_DIR "/infiniband/mlx5_#"
#define PORT_DIR IB_DIR "/ports/1"
#define VERBS	 PCI_DIR "/infiniband_verbs/uverbs#"
#define FWCTL	 PCI_DIR "/fwctl/fwctl#"

#define TREE_PREFIX "dvkit-emu."
#define GIDS	    255 /* size of the RoCE address table: mlx5's roce_address_table_size */

static void words(char *text, const uint8_t *bytes, int n)
{
	for (int i = 0; i < n; i += 2)
		text += sprintf(text, "%s%02x%02x", i ? ":" : "", bytes[i], bytes[i + 1]);
}

/* The cores of the machine as the kernel prints a mask: 32 bits a group. */
static void cpu_mask(struct tree *t)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	char text[600] = "";
	size_t at = 0;

	if (n < 1 || n > 2048)
		n = 1;
	for (long group = (n - 1) / 32; group >= 0; group--) {
		long bits = n - group * 32;

		at += sprintf(text + at, "%s%08x", at ? "," : "",
			      bits >= 32 ? 0xffffffffu : (1u << bits) - 1);
	}
	tree_file(t, PCI_DIR "/local_cpus", "%s\n", text);
	tree_file(t, PCI_DIR "/local_cpulist", "0-%ld\n", n - 1);
}

/* PCI local bus specification, configuration space header type 0: no BARs, since there are no
 * registers to map. PCI Express base specification, capability of an endpoint: what the files
 * current_link_speed and so on say. */
static void pci_config(struct tree *t, uint16_t id, bool several)
{
	const uint32_t dwords[][2] = {
		{ 0x00, 0x15b3 | (uint32_t)id << 16 },
		{ 0x04, 0x00100006 }, /* memory space, bus master; there are capabilities */
		{ 0x08, 0x02000000 }, /* network, Ethernet */
		{ 0x0c, several ? 0x00800000 : 0 }, /* further functions */
		{ 0x2c, 0x000015b3 },		    /* subsystem */
		{ 0x34, 0x00000060 },		    /* the first capability */
		{ 0x60, 0x00020010 },		    /* PCI Express, version 2, an endpoint */
		{ 0x64, 0x00008fe2 },		    /* payload up to 512, any latency */
		{ 0x68, 0x00002930 },		    /* payload 256, reads of 512 */
		{ 0x6c, 0x00000103 },		    /* at most 8.0 GT/s and 16 lanes */
		{ 0x70, 0x11030040 },		    /* which it has; a common clock */
		{ 0x8c, 0x0000000e },		    /* 2.5 to 8.0 GT/s */
		{ 0x90, 0x00000003 },		    /* 8.0 GT/s wanted */
	};
	uint8_t config[4096] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(dwords); i++)
		for (unsigned int byte = 0; byte < 4; byte++)
			config[dwords[i][0] + byte] = (uint8_t)(dwords[i][1] >> 8 * byte);
	tree_bytes(t, PCI_DIR "/config", config, sizeof(config));
}

static void pci_function(struct tree *t, uint16_t id, bool several, const char *netdev)
{
	char name[64], target[64];
	char resource[13 * 57 + 1];

	for (int i = 0; i < 13; i++)
		sprintf(resource + 57 * i, "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
	tree_file(t, PCI_DIR "/vendor", "0x15b3\n");
	tree_file(t, PCI_DIR "/device", "0x%04x\n", id);
	tree_file(t, PCI_DIR "/subsystem_vendor", "0x15b3\n");
	tree_file(t, PCI_DIR "/subsystem_device", "0x0000\n");
	tree_file(t, PCI_DIR "/class", "0x020000\n");
	tree_file(t, PCI_DIR "/revision", "0x00\n");
	tree_file(t, PCI_DIR "/modalias", "pci:v000015B3d%08Xsv000015B3sd00000000bc02sc00i00\n",
		  id);
	tree_file(t, PCI_DIR "/uevent",
		  "DRIVER=mlx5_core\nPCI_CLASS=20000\nPCI_ID=15B3:%04X\n"
		  "PCI_SUBSYS_ID=15B3:0000\nPCI_SLOT_NAME=0000:03:00.%u\n",
		  id, t->function);
	tree_file(t, PCI_DIR "/resource", "%s", resource);
	tree_file(t, PCI_DIR "/irq", "0\n");
	tree_file(t, PCI_DIR "/numa_node", "-1\n");
	tree_file(t, PCI_DIR "/current_link_speed", "8.0 GT/s PCIe\n");
	tree_file(t, PCI_DIR "/current_link_width", "16\n");
	tree_file(t, PCI_DIR "/max_link_speed", "8.0 GT/s PCIe\n");
	tree_file(t, PCI_DIR "/max_link_width", "16\n");
	pci_config(t, id, several);
	cpu_mask(t);
	/* an interface that exists: pyverbs runs `ip addr show` on the name it finds here */
	snprintf(name, sizeof(name), PCI_DIR "/net/%s", netdev);
	snprintf(target, sizeof(target), "/sys/class/net/%s", netdev);
	tree_link(t, name, target);
	tree_link(t, PCI_DIR "/driver", "../../../../bus/pci/drivers/mlx5_core");
	tree_link(t, "bus/pci/devices/" PCI_NAME, "../../../" PCI_DIR);
	tree_link(t, "bus/pci/drivers/mlx5_core/" PCI_NAME, "../../../../" PCI_DIR);
	tree_link(t, SYSFS_DPDK "/" PCI_NAME, "../" PCI_DIR);
}

static void guid_file(struct tree *t, const char *path, const uint8_t mac[6])
{
	uint8_t raw[8];
	char text[24];

	core_put_be64(raw, options_guid(mac));
	words(text, raw, 8);
	tree_file(t, path, "%s\n", text);
}

static void ib_device(struct tree *t, const struct fw_device *kind, const struct options *o)
{
	uint8_t own[6], first[6];

	options_port_mac(o, options_is_dpu(o->as, t->function), own);
	options_port_mac(o, false, first);
	tree_file(t, IB_DIR "/node_type", "1: CA\n");
	guid_file(t, IB_DIR "/node_guid", own);
	guid_file(t, IB_DIR "/sys_image_guid", first);
	tree_file(t, IB_DIR "/node_desc", "dvkit-emu\n");
	tree_file(t, IB_DIR "/fw_ver", "%s\n", kind->fw_ver);
	tree_file(t, IB_DIR "/board_id", "%s\n", kind->board_id);
	tree_file(t, IB_DIR "/hca_type", "MT%u\n", kind->pci_id);
	tree_file(t, IB_DIR "/hw_rev", "0\n");
	tree_link(t, IB_DIR "/device", "../../../" PCI_NAME);
	tree_link(t, "class/infiniband/mlx5_#", "../../" IB_DIR);
}

/* Each address is two GIDs, as RoCE v1 and v2, in the order in which ib_core fills a table
 * (kernel, core/roce_gid_mgmt.c). The rest is zero. */
static void gids(struct tree *t, const struct options *o)
{
	static const char *const types[] = { "IB/RoCE v1", "RoCE v2" };
	uint8_t ip[OPTIONS_ADDRESSES][16];
	unsigned int n = options_addresses(o, options_is_dpu(o->as, t->function), ip);
	char path[200], unused[200], text[48];

	snprintf(unused, sizeof(unused), PORT_DIR "/gids/%u", 2 * n);
	for (unsigned int i = 0; i < GIDS; i++) {
		static const uint8_t none[16];

		snprintf(path, sizeof(path), PORT_DIR "/gids/%u", i);
		if (i > 2 * n && tree_same(t, path, unused))
			continue;
		words(text, i < 2 * n ? ip[i / 2] : none, 16);
		tree_file(t, path, "%s\n", text);
	}
	for (unsigned int i = 0; i < 2 * n; i++) {
		snprintf(path, sizeof(path), PORT_DIR "/gid_attrs/types/%u", i);
		tree_file(t, path, "%s\n", types[i & 1]);
		snprintf(path, sizeof(path), PORT_DIR "/gid_attrs/ndevs/%u", i);
		tree_file(t, path, "%s\n", options_netdev_of(o, t->function));
	}
}

/* Their values are preload's (hw_counter.h). */
static void hw_counters(struct tree *t, const struct options *o)
{
#define HW_COUNTER(f, since)                       \
	if (kernel_has(o->kernel, KERNEL_##since)) \
		tree_file(t, PORT_DIR "/hw_counters/" #f, "0\n");
#define HW_CONG_COUNTER(f) HW_COUNTER(f, ALWAYS)
#include "hca/hw_counter.def"
	tree_file(t, PORT_DIR "/hw_counters/lifespan",
		  "10\n"); /* ms, RDMA_HW_STATS_DEFAULT_LIFESPAN */
}

static void port_counters(struct tree *t)
{
#define PORT_ERROR(f)			       tree_file(t, PORT_DIR "/counters/" #f, "0\n");
#define PORT_TRAFFIC(f, dir, unit, uni, multi) PORT_ERROR(f)
#include "hca/port_counter.def"
}

static void ib_port(struct tree *t, const struct options *o)
{
	tree_file(t, PORT_DIR "/link_layer", "Ethernet\n");
	tree_file(t, PORT_DIR "/state", "4: ACTIVE\n");
	tree_file(t, PORT_DIR "/phys_state", "5: LinkUp\n");
	tree_file(t, PORT_DIR "/rate", "100 Gb/sec (4X EDR)\n");
	tree_file(t, PORT_DIR "/lid", "0x0\n");
	tree_file(t, PORT_DIR "/lid_mask_count", "0\n");
	tree_file(t, PORT_DIR "/sm_lid", "0x0\n");
	tree_file(t, PORT_DIR "/sm_sl", "0\n");
	tree_file(t, PORT_DIR "/cap_mask", "0x00010000\n"); /* IB_PORT_CM_SUP */
	tree_file(t, PORT_DIR "/pkeys/0", "0xffff\n");
	gids(t, o);
	hw_counters(t, o);
	port_counters(t);
}

static void verbs_device(struct tree *t)
{
	tree_file(t, VERBS "/ibdev", "mlx5_%u\n", t->function);
	tree_file(t, VERBS "/dev", "%d:%d\n", OPTIONS_UVERBS_MAJOR,
		  OPTIONS_UVERBS_MINOR + t->function);
	tree_file(t, VERBS "/abi_version", "1\n"); /* kernel, MLX5_IB_UVERBS_ABI_VERSION */
	tree_link(t, VERBS "/device", "../../../" PCI_NAME);
	tree_link(t, "class/infiniband_verbs/uverbs#", "../../" VERBS);
	tree_file(t, "dev/infiniband/uverbs#", "%s", "");
}

static void fwctl_device(struct tree *t)
{
	tree_file(t, FWCTL "/dev", "%d:%u\n", OPTIONS_FWCTL_MAJOR, t->function);
	tree_link(t, FWCTL "/device", "../../../" PCI_NAME);
	tree_link(t, "class/fwctl/fwctl#", "../../" FWCTL);
	tree_file(t, "dev/fwctl/fwctl#", "%s", "");
}

/* kernel, ucma.c: a misc device, which librdmacm asks for its version */
static void cm_device(struct tree *t)
{
	tree_file(t, "class/misc/rdma_cm/abi_version", "4\n"); /* RDMA_USER_CM_ABI_VERSION */
	tree_file(t, "class/misc/rdma_cm/dev", "%d:%d\n", OPTIONS_CM_MAJOR, OPTIONS_CM_MINOR);
	tree_file(t, "dev/infiniband/rdma_cm", "%s", "");
}

static void function(struct tree *t, const struct fw_device *kind, const struct options *o)
{
	pci_function(t, kind->pci_id, options_functions(o->as, kind->dpu) > 1,
		     options_netdev_of(o, t->function));
	ib_device(t, kind, o);
	ib_port(t, o);
	verbs_device(t);
	fwctl_device(t);
}

static int fill(int root, const struct fw_device *kind, const struct options *o)
{
	struct tree t = { .root = root };

	for (; t.function < options_functions(o->as, kind->dpu); t.function++)
		function(&t, kind, o);
	/* kernel, ib_user_verbs.h: IB_USER_VERBS_ABI_VERSION */
	tree_file(&t, "class/infiniband_verbs/abi_version", "6\n");
	cm_device(&t);
	tree_file(&t, "bus/pci/drivers/mlx5_core/module", "%s", "");
	tree_others(&t, "bus/pci", "/sys/bus/pci");
	tree_others(&t, "bus/pci/devices", "/sys/bus/pci/devices");
	tree_others(&t, "bus/pci/drivers", "/sys/bus/pci/drivers");
	return t.err;
}

/* Names of 256 bytes (IBV_SYSFS_PATH_MAX) are libibverbs' longest, "/dvkit-emu.PID.XXXXXX" and
 * "/class/infiniband/mlx5_0" included. */
#define PARENT_MAX 200

/* In memory, where a tree of 350 files costs a tenth of the time that it costs on a disk. */
#define IN_MEMORY     "/dev/shm"
#define IN_MEMORY_MIN (16ull << 20) /* bytes that have to be free; a tree takes about 2 MiB */

static const char *dir_of_user(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir == '/' ? dir : NULL;
}

static bool has_space(const char *dir)
{
	struct statvfs fs;

	return !access(dir, W_OK) && !statvfs(dir, &fs) &&
	       (uint64_t)fs.f_bavail * fs.f_frsize >= IN_MEMORY_MIN;
}

static const char *parent_dir(void)
{
	const char *dir = dir_of_user();

	if (dir)
		return dir;
	return has_space(IN_MEMORY) ? IN_MEMORY : "/tmp";
}

char *sysfs_create(const struct fw_device *kind, const struct options *o)
{
	char *path;
	int root, lock, err;

	if (strlen(parent_dir()) > PARENT_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	if (asprintf(&path, "%s/" TREE_PREFIX "%d.XXXXXX", parent_dir(), (int)getpid()) < 0)
		return NULL;
	if (!mkdtemp(path)) {
		free(path);
		return NULL;
	}
	/* other users' processes may run below us, in sudo for one */
	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* It gets its name once it is locked: a sweep in between would remove it. */
	lock = openat(root, "lock.new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (root < 0 || lock < 0 || flock(lock, LOCK_EX | LOCK_NB) ||
	    renameat(root, "lock.new", root, "lock") || fchmod(root, 0755))
		err = errno;
	else
		err = fill(root, kind, o);
	close(root);
	if (!err)
		return path;
	close(lock);
	sysfs_remove(path);
	free(path);
	errno = err;
	return NULL;
}

void sysfs_remove(const char *root)
{
	tree_remove(root);
}

/* A tree is unused when its lock is free. One without a lock file is just being made, or its
 * launcher was killed at that moment; after a minute it is unused too. */
static bool is_unused(int dir)
{
	struct stat st;
	int lock;
	bool free_lock;

	if (fstat(dir, &st) || st.st_uid != getuid())
		return false;
	lock = openat(dir, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0)
		return errno == ENOENT && time(NULL) - st.st_mtime > 60;
	free_lock = !flock(lock, LOCK_EX | LOCK_NB);
	close(lock);
	return free_lock;
}

static void sweep(const char *parent)
{
	DIR *all = opendir(parent);
	struct dirent *e;

	if (!all)
		return;
	while ((e = readdir(all))) {
		char path[4096 + 256];
		int dir;

		if (strncmp(e->d_name, TREE_PREFIX, strlen(TREE_PREFIX)))
			continue;
		dir = openat(dirfd(all), e->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir < 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, e->d_name);
		if (is_unused(dir))
			sysfs_remove(path);
		close(dir);
	}
	closedir(all);
}

void sysfs_sweep(void)
{
	if (dir_of_user()) {
		sweep(dir_of_user());
		return;
	}
	sweep(IN_MEMORY);
	sweep("/tmp");
}
