/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device, opened as the options say; its PCI Express link and its port as the models want
 * them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dv/endpoint.h>
#include <dvkit/emu.h>

#include "base/base.h"
#include "device.h"

static struct ibv_device *find(struct ibv_device **list, const char *name)
{
	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	return NULL;
}

bool device_present(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool found = find(list, NULL);

	if (list)
		ibv_free_device_list(list);
	return found;
}

static void set_or_not(const char *name, const char *value)
{
	static const char *ours[16];
	size_t i = 0;

	while (ours[i] && strcmp(ours[i], name))
		i++;
	if (value) {
		ours[i] = name;
		setenv(name, value, 1);
	} else if (ours[i]) {
		unsetenv(name);
	}
}

/* libmlx5 of rdma-core reads these variables when a device is opened. */
static void environment_before_open(const struct options *o)
{
	set_or_not("MLX_QP_ALLOC_TYPE", o->pages == PAGES_4K ? NULL : "HUGE");
	set_or_not("MLX_CQ_ALLOC_TYPE", o->pages == PAGES_4K ? NULL : "HUGE");
	/* a point of a sweep leaves nothing to the next one; the user's own settings stay */
	set_or_not("MLX5_SINGLE_THREADED", o->no_locks ? "1" : NULL);
	set_or_not("MLX5_SHUT_UP_BF", o->uar == UAR_NC ? "1" : NULL);
	set_or_not("MLX5_TOTAL_UUARS", o->uar == UAR_SHARED ? "1" : NULL);
	set_or_not("MLX5_NUM_LOW_LAT_UUARS", o->uar == UAR_SHARED ? "0" : NULL);
	/* libmlx5 copies a short message out of its CQE to the address in the receive: an
	 * offset */
	set_or_not("MLX5_SCATTER_TO_CQE", o->dm ? "0" : NULL);
}

static void open_port(struct device *dev, const struct options *o, const char *name)
{
	dev->port = (uint8_t)o->port;
	if (dev->attr.phys_port_cnt < o->port ||
	    ibv_query_port(dev->ctx, dev->port, &dev->port_attr))
		base_refuse("%s has no port %d", name, o->port);
	if (dev->port_attr.state != IBV_PORT_ACTIVE)
		base_refuse("port %d of %s is %s", o->port, name,
			    ibv_port_state_str(dev->port_attr.state));
	dev->gid_index = (uint8_t)o->gid_index;
	if (o->gid_index < 0 && dv_gid_default(&dev->gid_index, dev->ctx, dev->port))
		dev->gid_index = 0; /* the message names it */
	if (ibv_query_gid(dev->ctx, dev->port, dev->gid_index, &dev->gid) ||
	    (!dev->gid.global.interface_id && !dev->gid.global.subnet_prefix))
		base_refuse("port %d of %s has no GID %d", o->port, name, dev->gid_index);
	dev->mtu = dev->port_attr.active_mtu;
	if (o->mtu) /* IBV_MTU_256 is 1 and each step doubles */
		dev->mtu = (enum ibv_mtu)(__builtin_ctz((unsigned int)o->mtu) - 7);
	if (dev->mtu > dev->port_attr.active_mtu)
		base_refuse("an MTU of %d (-m) is more than the port's %d", o->mtu,
			    128 << dev->port_attr.active_mtu);
}

/* The firmware's limit, in powers of two up to 2 GiB; libmlx5 queries it by DevX. */
static void limit_of_copies(struct device *dev, const struct options *o, const char *name)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };

	if (!options_copies(o))
		return;
	base_ok(mlx5dv_query_device(dev->ctx, &dv));
	dev->max_copy = (uint32_t)dv.max_wr_memcpy_length;
	if (!dev->max_copy)
		base_refuse(
			"%s does not copy memory (--op=mmo): it has neither dma_mmo_qp nor dma_mmo_sq, "
			"or no DevX; BlueField-2 and -3 do, and dvkit-emu --device bf3%s",
			name, o->remote_vhca ? ": the DPU is the client" : "");
	if (o->chunk > dev->max_copy)
		base_refuse("%u bytes by one WQE (--chunk) are above the maximum of %s: %u",
			    o->chunk, name, dev->max_copy);
}

uint32_t device_chunk(const struct device *dev, const struct options *o)
{
	if (o->chunk)
		return o->chunk;
	/* a field of 31 bits, in which 0 is this */
	return dev && dev->max_copy ? dev->max_copy : 1u << 31;
}

static void limits(const struct device *dev, const struct options *o, const char *name)
{
	struct ibv_device_attr a = dev->attr;
	uint32_t wqes = options_wqes(o, device_chunk(dev, o));

	if (wqes > 1 && (uint64_t)(o->tx_depth + o->batch) * wqes > (uint64_t)a.max_qp_wr)
		base_refuse(
			"a send queue and a batch (-t, -l) of %u copies by %u WQEs each (-s, --chunk) "
			"are above the maximum of %s: %d",
			o->tx_depth + o->batch, wqes, name, a.max_qp_wr);
	if ((int)(o->tx_depth + o->batch) > a.max_qp_wr)
		base_refuse(
			"a send queue of %u and a batch of %u (-t, -l) are above the maximum of %s: %d",
			o->tx_depth, o->batch, name, a.max_qp_wr);
	if ((int)o->rx_depth > a.max_qp_wr)
		base_refuse("a receive queue of %u (-r) is above the maximum of %s: %d",
			    o->rx_depth, name, a.max_qp_wr);
	if ((int)o->outs > a.max_qp_rd_atom)
		base_refuse("%u READs under way (-o) are above the maximum of %s: %d", o->outs,
			    name, a.max_qp_rd_atom);
	if ((int)o->qps * o->threads > a.max_qp)
		base_refuse("%u QPs are above what %s has: %d",
			    o->qps * (unsigned int)o->threads, name, a.max_qp);
}

static void open_xrcd(struct device *dev, const char *name)
{
	struct ibv_xrcd_init_attr init = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = -1,
					   .oflags = O_CREAT };

	dev->xrcd = ibv_open_xrcd(dev->ctx, &init);
	if (!dev->xrcd)
		base_refuse("%s has no XRC domain (-c XRC): %m", name);
}

/* One for whose objects firmware commands are needed. */
static struct ibv_context *open_devx(struct ibv_device *device, const char *name,
				     const char *option)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx = mlx5dv_open_device(device, &attr);

	if (!ctx)
		base_refuse("%s has no DevX (%s): %m", name, option);
	return ctx;
}

void device_open(struct device *dev, const struct options *o)
{
	struct ibv_device **list, *device;
	const char *name;

	environment_before_open(o);
	list = ibv_get_device_list(NULL);
	device = find(list, o->device);
	if (!device && o->device)
		base_refuse("there is no device %s here (ibv_devices lists them)", o->device);
	if (!device)
		base_refuse(
			"there is no mlx5 device here; without an adapter: dvkit-emu -- dvperf …");
	if (!mlx5dv_is_supported(device))
		base_refuse("%s is not an mlx5 device", o->device);
	name = ibv_get_device_name(device);
	*dev = (struct device){ .emulated = dvkit_emu_present() };
	if (o->collapsed || o->remote_vhca)
		dev->ctx =
			open_devx(device, name, o->collapsed ? "--collapsed" : "--remote-vhca");
	else
		dev->ctx = base_made(ibv_open_device(device));
	base_ok(ibv_query_device(dev->ctx, &dev->attr));
	limit_of_copies(dev, o, name);
	limits(dev, o, name);
	open_port(dev, o, name);
	dev->pd = base_made(ibv_alloc_pd(dev->ctx));
	if (o->service == SERVICE_XRC)
		open_xrcd(dev, name);
	ibv_free_device_list(list);
}

static bool is_of_adapter(struct ibv_device *device, __be64 sys_image_guid)
{
	struct ibv_context *ctx = ibv_open_device(device);
	struct ibv_device_attr attr = { 0 };
	bool is = ctx && !ibv_query_device(ctx, &attr) && attr.sys_image_guid == sys_image_guid;

	if (ctx)
		ibv_close_device(ctx);
	return is;
}

const char *device_sibling(const struct device *dev)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	static char name[IBV_SYSFS_NAME_MAX];

	name[0] = 0;
	for (int i = 0; list && list[i] && !*name; i++)
		if (mlx5dv_is_supported(list[i]) &&
		    strcmp(ibv_get_device_name(list[i]),
			   ibv_get_device_name(dev->ctx->device)) != 0 &&
		    is_of_adapter(list[i], dev->attr.sys_image_guid))
			snprintf(name, sizeof(name), "%s", ibv_get_device_name(list[i]));
	if (list)
		ibv_free_device_list(list);
	return *name ? name : NULL;
}

void device_close(struct device *dev)
{
	if (!dev->ctx)
		return;
	if (dev->xrcd)
		base_ok(ibv_close_xrcd(dev->xrcd));
	base_ok(ibv_dealloc_pd(dev->pd));
	base_ok(ibv_close_device(dev->ctx));
	dev->ctx = NULL;
}

uint32_t device_mtu(const struct options *o)
{
	struct device dev;

	device_open(&dev, o);
	device_close(&dev);
	return 128u << dev.mtu;
}

static double sysfs_number(const char *device, const char *file)
{
	char path[300];
	double value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/%s", device, file);
	f = fopen(path, "re");
	if (f && fscanf(f, "%lf", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

struct pcie_link device_link(const struct device *dev, const struct options *o, bool *known)
{
	static const double speeds[] = { 0, 2.5, 5, 8, 16, 32 };
	struct pcie_link link = { 3, 16 };
	double speed, width;

	*known = true;
	if (o->pcie) {
		pcie_parse(o->pcie, &link);
		return link;
	}
	if (dev->ctx && !dev->emulated) {
		speed = sysfs_number(ibv_get_device_name(dev->ctx->device),
				     "current_link_speed");
		width = sysfs_number(ibv_get_device_name(dev->ctx->device),
				     "current_link_width");
		for (unsigned int g = 1; width > 0 && g < ARRAY_SIZE(speeds); g++)
			if (speeds[g] == speed)
				return (struct pcie_link){ g, (unsigned int)width };
	}
	*known = false;
	return link;
}

static struct wire_link wire_link_of(const struct device *dev)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct wire_link link = { .ethernet =
					  dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET,
				  .mtu = 128u << dev->mtu };
	struct ibv_gid_entry entry;

	link.gbps = wire_gbps(link.ethernet, dev->port_attr.active_speed,
			      dev->port_attr.active_width);
	link.ipv6 = memcmp(dev->gid.raw, v4, sizeof(v4));
	/* between IB ports of one subnet there is no GRH (lane_connect()) */
	if (link.ethernet && !ibv_query_gid_ex(dev->ctx, dev->port, dev->gid_index, &entry, 0))
		link.grh = entry.gid_type == IBV_GID_TYPE_ROCE_V1;
	return link;
}

struct model_device device_model(const struct device *dev, const struct options *o)
{
	struct model_device m = { 0 };
	bool known;

	m.pcie = device_link(dev, o, &known);
	if (!dev->ctx)
		return m;
	m.wire = wire_link_of(dev);
	m.part = dev->attr.vendor_part_id;
	return m;
}
