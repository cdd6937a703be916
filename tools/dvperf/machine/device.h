/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device and the memory of a run: plain verbs. Settings that libmlx5 takes from the
 * environment (pages of the rings, kind and number of the doorbell registers) are made before
 * the device is opened.
 */
#ifndef DVPERF_DEVICE_H
#define DVPERF_DEVICE_H

#include <stddef.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "options/options.h"
#include "model/model.h"

struct device {
	struct ibv_context *ctx; /* NULL: there is no device; rings are in memory */
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd; /* -c XRC */
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	union ibv_gid gid;
	uint8_t port, gid_index;
	enum ibv_mtu mtu;
	uint32_t max_copy; /* --op=mmo: bytes that a WQE copies, at most */
	bool emulated;
};

/* Opens the device that @o names, or refuses: none, not mlx5, no such port or GID, limits. */
void device_open(struct device *dev, const struct options *o);
void device_close(struct device *dev);

/* The name of another mlx5 device here that is a function of the same adapter; NULL: there is
 * none. The text is static. */
const char *device_sibling(const struct device *dev);

/* Bytes of a packet that @o's device takes; refuses as device_open() does. */
uint32_t device_mtu(const struct options *o);

/* Bytes that a WQE of --op=mmo copies, at most: --chunk, or the limit of @dev; NULL: of all
 * devices. */
uint32_t device_chunk(const struct device *dev, const struct options *o);

/* Whether an mlx5 device is there at all. */
bool device_present(void);

/* The link of the device: --pcie, or what sysfs says; *@known false: assumed. */
struct pcie_link device_link(const struct device *dev, const struct options *o, bool *known);

/* The device, or its absence, as the models want it. */
struct model_device device_model(const struct device *dev, const struct options *o);

/* The kernel's count of pages of this size (a file of /sys/kernel/mm/hugepages/…); -1:
 * nothing. */
long pages_count(enum pages pages, const char *file);
/* How many of them can be had; -1: there are none of this size. */
long pages_left(enum pages pages);

/* Memory in pages of --pages, on --numa; refuses where there are none, or not that much
 * memory. */
void *pages_get(const struct options *o, size_t bytes);
void pages_put(const struct options *o, void *mem, size_t bytes);

/* Binds what is allocated from now on, and the calling thread, to --numa. */
void numa_bind(const struct options *o);

/* Pins the calling thread, number @index, by --pin or --numa. */
void pin_thread(const struct options *o, int index);

/* NULL, or why --pin or --numa cannot be. The text is static. */
const char *pin_check(const struct options *o);

#endif
