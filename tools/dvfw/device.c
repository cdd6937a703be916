/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a device for DevX, and saying what to do when that fails.
 *
 *	ENODEV       no such device: the names that there are
 *	EOPNOTSUPP   a device, but not an mlx5 one
 *	EINVAL       mlx5_ib, devx.c: the device offers no user contexts (log_max_uctx is 0)
 *	EPERM …      the device file
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "devx/devx.h"
#include "dvfw.h"

/* The names of all RDMA devices, for a message. */
static const char *device_names(char *buf, size_t size)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; list && i < n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "",
					 ibv_get_device_name(list[i]));
	if (list)
		ibv_free_device_list(list);
	return buf;
}

static int refuse_missing(const struct dvfw *d)
{
	char names[256];

	if (!*device_names(names, sizeof(names)))
		return dvfw_refused(d, "there is no RDMA device here; load mlx5_ib, or put "
				       "'dvkit-emu --' in front of the command");
	if (!d->device)
		return dvfw_refused(d, "none of the devices here is an mlx5 device: %s", names);
	return dvfw_refused(d, "there is no device '%s'; these are here: %s", d->device, names);
}

int dvfw_open(struct dvfw *d)
{
	const char *name = d->device ? d->device : "the device";
	int err;

	if (d->ctx)
		return DVFW_OK;
	err = devx_open(&d->ctx, d->device);
	switch (err) {
	case 0:
		return DVFW_OK;
	case ENODEV:
		return refuse_missing(d);
	case EOPNOTSUPP:
		return dvfw_refused(d, "%s is not an mlx5 device: DevX is mlx5's", name);
	case EINVAL:
		return dvfw_refused(d,
				    "%s opens, but not for DevX: its firmware offers no user "
				    "contexts (log_max_uctx is 0); try 'dvfw doctor'",
				    name);
	case EPERM:
	case EACCES:
		return dvfw_refused(d,
				    "%s: %s; may you read and write /dev/infiniband/uverbs*?",
				    name, strerror(err));
	default:
		return dvfw_refused(d, "%s does not open: %s; try 'dvfw doctor'", name,
				    strerror(err));
	}
}
