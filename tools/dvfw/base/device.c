/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a device for DevX or for fwctl, and saying what to do when that fails.
 *
 *	ENODEV       no such device: the names that there are
 *	EOPNOTSUPP   a device, but not an mlx5 one
 *	EINVAL       mlx5_ib, devx.c: the device offers no user contexts (log_max_uctx is 0)
 *	EPERM …      the device file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/base.h"
#include "devx/devx.h"
#include "prm/prm.h"
#include "prm/table.h"

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

static int refuse_devx(const struct dvfw *d, int err)
{
	const char *name = d->device ? d->device : "the device";

	switch (err) {
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

static bool is_fwctl(const char *device)
{
	return device && !strncmp(device, "fwctl", 5);
}

static bool wants_fwctl(const struct dvfw *d)
{
	return d->via ? !strcmp(d->via, "fwctl") : is_fwctl(d->device);
}

bool dvfw_by_fwctl(const struct dvfw *d)
{
	return d->fwctl || (!d->ctx && wants_fwctl(d));
}

int dvfw_open(struct dvfw *d)
{
	int err;

	if (d->ctx)
		return DVFW_OK;
	if (wants_fwctl(d) || is_fwctl(d->device))
		return dvfw_refused(
			d, "this needs DevX, for objects of this process: fwctl is for "
			   "'cmd', 'caps', 'reg', 'watch' and 'objects'");
	err = devx_open(&d->ctx, d->device);
	return err ? refuse_devx(d, err) : DVFW_OK;
}

static int refuse_fwctl(const struct dvfw *d, int err)
{
	const char *name = d->device ? d->device : "any mlx5 device";

	if (err == ENODEV)
		return dvfw_refused(
			d,
			"there is no fwctl device of %s: it needs Linux 6.15 or later "
			"and the module mlx5_fwctl (modprobe mlx5_fwctl); ls /dev/fwctl",
			name);
	if (err == EPERM || err == EACCES)
		return dvfw_refused(d, "%s: %s; may you read and write /dev/fwctl/*?", name,
				    strerror(err));
	return dvfw_refused(d, "the fwctl device of %s does not open: %s", name, strerror(err));
}

static int open_fwctl(struct dvfw *d)
{
	struct fwctl *f = malloc(sizeof(*f));
	int err = f ? fwctl_open(f, d->device) : ENOMEM;

	if (!err)
		d->fwctl = f;
	else
		free(f);
	return err;
}

int dvfw_connect(struct dvfw *d)
{
	int err;

	if (d->ctx || d->fwctl)
		return DVFW_OK;
	if (wants_fwctl(d)) {
		err = open_fwctl(d);
		return err ? refuse_fwctl(d, err) : DVFW_OK;
	}
	if (d->via || is_fwctl(d->device))
		return dvfw_open(d);
	err = devx_open(&d->ctx, d->device);
	/* Without fwctl as well, the reason why DevX is missing says more. */
	return err && open_fwctl(d) ? refuse_devx(d, err) : DVFW_OK;
}

void dvfw_disconnect(struct dvfw *d)
{
	if (d->ctx)
		ibv_close_device(d->ctx);
	if (d->fwctl)
		fwctl_close(d->fwctl);
	free(d->fwctl);
	d->ctx = NULL;
	d->fwctl = NULL;
}

int dvfw_command(struct dvfw *d, const void *in, size_t in_len, void *out, size_t out_len)
{
	return d->fwctl ? fwctl_cmd(d->fwctl, in, in_len, out, out_len)
			: devx_cmd(d->ctx, in, in_len, out, out_len);
}

int dvfw_command_refused(const struct dvfw *d, const void *in, int err)
{
	const struct prm_cmd *cmd = prm_cmd((uint16_t)PRM_GET(mbox_in, in, opcode));
	const char *name = cmd ? cmd->name : "the command";
	char line[512];

	if (!d->fwctl)
		return dvfw_devx_refused(d, err);
	if (err == EREMOTEIO)
		return dvfw_refused(d, "%s",
				    devx_error_str(&d->fwctl->error, line, sizeof(line)));
	if (err == EBADMSG)
		return dvfw_refused(
			d,
			"%s: the kernel will refuse this: through %s it passes queries "
			"and registers; what creates or changes objects needs DevX",
			name, d->fwctl->name);
	return dvfw_refused(d, "%s: %s: %s", name, d->fwctl->name, strerror(err));
}
