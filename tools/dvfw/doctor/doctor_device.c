/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that need the driver and the device.
 *
 *	driver  ->  device node  ->  DevX context  ->  commands, umem, UAR, EQ number
 *	                                 '-> firmware, ports, capabilities
 *
 * A step that fails ends its branch.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "devx/caps.h"
#include "devx/devx.h"
#include "devx/uar.h"
#include "devx/umem.h"
#include "doctor/doctor.h"
#include "prm/prm.h"

#define MELLANOX "0x15b3"

/* ---- driver and device node ---- */

/* Functions of Mellanox or NVIDIA on the PCI bus. */
static unsigned int pci_functions(void)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	unsigned int found = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[512], vendor[16] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", entry->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(vendor, sizeof(vendor), f))
			found += !strncmp(vendor, MELLANOX, strlen(MELLANOX));
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

static void say_no_device(struct doctor *dr)
{
	unsigned int n = pci_functions();

	if (!n)
		doctor_say(dr, DOCTOR_FAIL, "adapter",
			   "put 'dvkit-emu --' in front of the command for an emulated one",
			   "no function of an NVIDIA adapter on the PCI bus");
	else if (!loaded("mlx5_core"))
		doctor_say(dr, DOCTOR_FAIL, "driver", "modprobe mlx5_core",
			   "%u functions on the PCI bus, but mlx5_core is not loaded", n);
	else if (!loaded("mlx5_ib"))
		doctor_say(dr, DOCTOR_FAIL, "driver", "modprobe mlx5_ib ib_uverbs",
			   "mlx5_core is loaded, mlx5_ib is not: no RDMA device");
	else
		doctor_say(
			dr, DOCTOR_FAIL, "driver",
			"look at 'dmesg | grep mlx5', 'rdma dev', 'rdma system show netns'; in "
			"a container the device may belong to another network namespace",
			"mlx5_core and mlx5_ib are loaded, but there is no mlx5 RDMA device");
}

/* The device that is asked for; the list is to be freed. */
static struct ibv_device *find_device(const struct dvfw *d, struct ibv_device ***list)
{
	int n = 0;

	*list = ibv_get_device_list(&n);
	for (int i = 0; *list && i < n; i++)
		if (mlx5dv_is_supported((*list)[i]) &&
		    (!d->device || !strcmp(d->device, ibv_get_device_name((*list)[i]))))
			return (*list)[i];
	return NULL;
}

/* Whether the device opens at all. */
static bool check_node(struct doctor *dr, struct ibv_device *device)
{
	struct ibv_context *ctx;

	errno = 0;
	ctx = ibv_open_device(device);
	if (ctx) {
		doctor_say(dr, DOCTOR_OK, "device node", NULL, "/dev/infiniband/%s opens",
			   device->dev_name);
		ibv_close_device(ctx);
		return true;
	}
	doctor_say(dr, DOCTOR_FAIL, "device node",
		   errno == EACCES || errno == EPERM
			   ? "let the user read and write it (udev gives 0666; containers: "
			     "--device /dev/infiniband)"
			   : "is ib_uverbs loaded, and the node there?",
		   "/dev/infiniband/%s: %s", device->dev_name, strerror(errno));
	return false;
}

static bool check_context(struct doctor *dr, struct ibv_device *device)
{
	int err = devx_open(&dr->dvfw->ctx, ibv_get_device_name(device));

	switch (err) {
	case 0:
		doctor_say(dr, DOCTOR_OK, "user context", NULL, "DevX opens");
		return true;
	case EINVAL:
		doctor_say(dr, DOCTOR_FAIL, "user context",
			   "newer firmware, or UCTX_EN with mlxconfig",
			   "the firmware offers none (log_max_uctx is 0)");
		return false;
	case EPROTONOSUPPORT:
	case EOPNOTSUPP:
		doctor_say(dr, DOCTOR_FAIL, "user context",
			   "kernel and rdma-core have to fit: one of them from MLNX_OFED, the "
			   "other not?",
			   "the kernel does not know it (%s)", strerror(err));
		return false;
	default:
		doctor_say(dr, DOCTOR_FAIL, "user context", "see 'dmesg | grep mlx5'",
			   "DevX does not open: %s", strerror(err));
		return false;
	}
}

/* ---- the calls ---- */

static void check_refusals(struct doctor *dr)
{
	uint8_t caps[DEVX_CAPS_BYTES];

	/* A group that no device has: reading it changes nothing. */
	if (!devx_caps_query(caps, dr->dvfw->ctx, 0x7f, PRM_CAP_CUR))
		doctor_say(dr, DOCTOR_OK, "refusals", NULL,
			   "not seen: the device answers for every group");
	else if (devx_last_error()->origin == DEVX_FROM_FIRMWARE)
		doctor_say(dr, DOCTOR_OK, "refusals", NULL,
			   "status and syndrome of the firmware arrive here");
	else
		doctor_say(dr, DOCTOR_WARN, "refusals", "Linux 5.18 or later",
			   "the kernel keeps the firmware's status and syndrome for itself");
}

static void check_umem(struct doctor *dr)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct devx_umem umem;
	void *page = NULL;
	int err = posix_memalign(&page, size, size);

	if (!err)
		err = devx_umem_reg(&umem, dr->dvfw->ctx, page, size, IBV_ACCESS_LOCAL_WRITE);
	if (!err) {
		doctor_say(dr, DOCTOR_OK, "umem", NULL, "a page can be registered");
		devx_umem_dereg(&umem);
	} else {
		doctor_say(dr, DOCTOR_FAIL, "umem",
			   err == ENOMEM ? "see memlock" : "see 'dvfw caps --grep umem'",
			   "a page cannot be registered: %s", strerror(err));
	}
	free(page);
}

static void check_uar(struct doctor *dr)
{
	struct devx_uar uar;
	int err = devx_uar_alloc(&uar, dr->dvfw->ctx, DEVX_UAR_BF);

	if (!err) {
		doctor_say(dr, DOCTOR_OK, "doorbells", NULL,
			   "write-combining: BlueFlame of %u bytes", uar.bf_size);
		devx_uar_free(&uar);
		return;
	}
	err = devx_uar_alloc(&uar, dr->dvfw->ctx, DEVX_UAR_NC);
	if (!err) {
		doctor_say(dr, DOCTOR_WARN, "doorbells",
			   "virtual machines: let the guest map write-combining (PAT); until "
			   "then ask for DEVX_UAR_NC",
			   "no write-combining: 8-byte doorbells work, BlueFlame does not");
		devx_uar_free(&uar);
		return;
	}
	doctor_say(dr, DOCTOR_FAIL, "doorbells",
		   err == ENOMEM ? "close other contexts, or more UARs with mlxconfig"
				 : "see 'dmesg | grep mlx5'",
		   "no UAR: %s", strerror(err));
}

static void check_eqn(struct doctor *dr)
{
	uint32_t eqn;
	int err = mlx5dv_devx_query_eqn(dr->dvfw->ctx, 0, &eqn);

	if (!err)
		doctor_say(dr, DOCTOR_OK, "event queue", NULL,
			   "vector 0 is EQ %u: completion queues can be made", eqn);
	else
		doctor_say(dr, DOCTOR_FAIL, "event queue", "see 'dmesg | grep mlx5'",
			   "no EQ number, so no completion queue: %s", strerror(err));
}

/* ---- what the device is and offers ---- */

static void check_firmware(struct doctor *dr)
{
	struct ibv_device_attr attr = { 0 };

	ibv_query_device(dr->dvfw->ctx, &attr);
	/* openucx/ucx issue 10541 */
	if (!strcmp(attr.fw_ver, "24.35.3502"))
		doctor_say(dr, DOCTOR_WARN, "firmware", "update it",
			   "%s: DMA of a BlueField-2 is known to fail with this version",
			   attr.fw_ver);
	else
		doctor_say(dr, DOCTOR_OK, "firmware", NULL, "%s, device id %u", attr.fw_ver,
			   attr.vendor_part_id);
}

static bool has_gid(struct ibv_context *ctx, uint8_t port, int n)
{
	union ibv_gid gid;

	for (int i = 0; i < n; i++)
		if (!ibv_query_gid(ctx, port, i, &gid) &&
		    (gid.global.subnet_prefix || gid.global.interface_id))
			return true;
	return false;
}

static void check_port(struct doctor *dr, uint8_t port)
{
	struct ibv_port_attr attr = { 0 };
	bool ethernet;
	char topic[16];

	snprintf(topic, sizeof(topic), "port %u", port);
	if (ibv_query_port(dr->dvfw->ctx, port, &attr)) {
		doctor_say(dr, DOCTOR_WARN, topic, NULL, "cannot be queried");
		return;
	}
	ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (attr.state != IBV_PORT_ACTIVE)
		doctor_say(dr, DOCTOR_WARN, topic,
			   ethernet ? "cable, 'ip link set DEV up'"
				    : "cable, and a subnet manager on the fabric",
			   "%s: nothing is sent, and loopback may not work either",
			   ibv_port_state_str(attr.state));
	else if (ethernet && !has_gid(dr->dvfw->ctx, port, attr.gid_tbl_len))
		doctor_say(dr, DOCTOR_WARN, topic, "give the network interface an address",
			   "active, but no GID: RoCE queue pairs cannot be connected");
	else
		doctor_say(dr, DOCTOR_OK, topic, NULL, "active, %s, MTU %d",
			   ethernet ? "Ethernet" : "InfiniBand", 128 << attr.active_mtu);
}

static void check_ports(struct doctor *dr)
{
	struct ibv_device_attr attr = { 0 };

	ibv_query_device(dr->dvfw->ctx, &attr);
	for (uint8_t port = 1; port <= attr.phys_port_cnt; port++)
		check_port(dr, port);
}

static void check_features(struct doctor *dr)
{
	uint8_t gen[DEVX_CAPS_BYTES] = { 0 }, gen2[DEVX_CAPS_BYTES] = { 0 };

	if (devx_caps_query(gen, dr->dvfw->ctx, PRM_CAP_GENERAL, PRM_CAP_CUR)) {
		doctor_say(dr, DOCTOR_FAIL, "capabilities", "see 'dvfw caps GENERAL'",
			   "QUERY_HCA_CAP is refused");
		return;
	}
	if (DEVX_CAP(GENERAL, gen, hca_cap_2) &&
	    devx_caps_query(gen2, dr->dvfw->ctx, PRM_CAP_GENERAL_2, PRM_CAP_CUR))
		memset(gen2, 0, sizeof(gen2));

	const struct {
		const char *topic, *without;
		bool there;
	} features[] = {
		{ "umems", "rings and keys over memory of the process cannot be made",
		  DEVX_CAP(GENERAL, gen, log_max_umem) },
		{ "KSM keys", "keys of keys of one size (fixed_buffer_size) cannot be made",
		  DEVX_CAP(GENERAL, gen, fixed_buffer_size) },
		{ "DMA (MMO)", "no memory copy by the device (dma_mmo_sq, dma_mmo_qp)",
		  DEVX_CAP(GENERAL, gen, dma_mmo_sq) || DEVX_CAP(GENERAL, gen, dma_mmo_qp) },
		{ "lending keys",
		  "no key for another VHCA (allowed_object_for_other_vhca_access)",
		  DEVX_CAP(GENERAL_2, gen2, allowed_object_for_other_vhca_access) >> 2 & 1 },
		{ "alias keys",
		  "no key of another VHCA (cross_vhca_object_to_object_supported)",
		  DEVX_CAP(GENERAL_2, gen2, cross_vhca_object_to_object_supported) >> 8 & 1 },
		{ "registers", "no ACCESS_REGISTER_USER (access_register_user)",
		  DEVX_CAP(GENERAL, gen, access_register_user) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].there)
			doctor_say(dr, DOCTOR_OK, features[i].topic, NULL, "there");
		else
			doctor_say(dr, DOCTOR_WARN, features[i].topic,
				   "another device or newer firmware, if you need it",
				   "missing: %s", features[i].without);
}

void doctor_device(struct doctor *dr)
{
	struct ibv_device **list, *device = find_device(dr->dvfw, &list);
	bool of_fwctl = dr->dvfw->device && !strncmp(dr->dvfw->device, "fwctl", 5);

	if (!device && of_fwctl)
		doctor_say(
			dr, DOCTOR_FAIL, "adapter", "'ibv_devices' names those that are here",
			"%s is a device of fwctl; DevX needs an RDMA device", dr->dvfw->device);
	else if (!device && dr->dvfw->device)
		doctor_say(dr, DOCTOR_FAIL, "adapter",
			   "'ibv_devices' names those that are here",
			   "there is no mlx5 device '%s'", dr->dvfw->device);
	else if (!device)
		say_no_device(dr);
	else
		doctor_say(dr, DOCTOR_OK, "driver", NULL, "mlx5 device %s",
			   ibv_get_device_name(device));
	if (device && check_node(dr, device) && check_context(dr, device)) {
		check_firmware(dr);
		check_ports(dr);
		check_refusals(dr);
		check_umem(dr);
		check_uar(dr);
		check_eqn(dr);
		check_features(dr);
	}
	if (device || of_fwctl || pci_functions())
		doctor_fwctl(dr);
	if (list)
		ibv_free_device_list(list);
}
