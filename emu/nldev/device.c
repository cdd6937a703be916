/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device, its port, the system and the character devices (kernel, nldev.c: fill_dev_info,
 * fill_port_info, nldev_sys_get_doit, nldev_get_chardev).
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "nldev/message.h"

void nldev_put_handle(struct nldev_message *m, const struct nldev_call *c)
{
	nldev_put_u32(m, RDMA_NLDEV_ATTR_DEV_INDEX, c->d - c->devices);
	nldev_put_text(m, RDMA_NLDEV_ATTR_DEV_NAME, c->d->name);
}

bool nldev_names_device(struct nldev_call *c)
{
	uint32_t index;

	if (!c->d->name || !nldev_get_u32(c, RDMA_NLDEV_ATTR_DEV_INDEX, &index) ||
	    index >= c->ndevices)
		return false;
	c->d = &c->devices[index];
	return true;
}

static int send_if_whole(struct nldev_message *m, const struct nldev_call *c)
{
	if (m->full)
		return -EMSGSIZE;
	nldev_end(m, c);
	return 0;
}

static int get_one(struct nldev_call *c)
{
	const struct nldev_device *d = c->d;
	struct nldev_message m;

	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET));
	nldev_put_handle(&m, c);
	nldev_put_u32(&m, RDMA_NLDEV_ATTR_PORT_INDEX, NLDEV_PORT); /* the last one */
	nldev_put_u64(&m, RDMA_NLDEV_ATTR_CAP_FLAGS, d->cap_flags);
	nldev_put_text(&m, RDMA_NLDEV_ATTR_FW_VERSION, d->fw_ver);
	nldev_put_u64(&m, RDMA_NLDEV_ATTR_NODE_GUID, d->node_guid);
	nldev_put_u64(&m, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, d->sys_image_guid);
	nldev_put_u8(&m, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, IBV_NODE_CA);
	nldev_put_u8(&m, RDMA_NLDEV_ATTR_DEV_DIM, 1); /* mlx5_ib, main.c: use_cq_dim */
	if (kernel_has(d->kernel, KERNEL_NLDEV_NAME_ASSIGN))
		nldev_put_u8(&m, NLDEV_ATTR_NAME_ASSIGN_TYPE, 0); /* not by a user */
	nldev_put_text(&m, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
	return send_if_whole(&m, c);
}

int nldev_each(struct nldev_call *c, int (*one)(struct nldev_call *c))
{
	int ret = 0;

	if (!c->dump)
		return nldev_names_device(c) ? one(c) : -EINVAL;
	for (size_t i = 0; !ret && c->d->name && i < c->ndevices; i++) {
		c->d = &c->devices[i];
		ret = one(c);
	}
	return ret;
}

int nldev_get(struct nldev_call *c)
{
	return nldev_each(c, get_one);
}

int nldev_port_get(struct nldev_call *c)
{
	/* nldev_port_get_doit() gives its answer that type */
	unsigned int op = c->dump ? RDMA_NLDEV_CMD_PORT_GET : RDMA_NLDEV_CMD_GET;
	uint32_t port = NLDEV_PORT, netdev;
	struct nldev_message m;

	if (!nldev_names_device(c))
		return -EINVAL;
	netdev = core_interface_index(c->d->netdev);
	if (!c->dump && (!nldev_get_u32(c, RDMA_NLDEV_ATTR_PORT_INDEX, &port) || port != 1))
		return -EINVAL;
	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op));
	nldev_put_handle(&m, c);
	nldev_put_u32(&m, RDMA_NLDEV_ATTR_PORT_INDEX, NLDEV_PORT);
	nldev_put_u8(&m, RDMA_NLDEV_ATTR_PORT_STATE,
		     c->d->uverbs ? uverbs_port_state(c->d->uverbs) : IBV_PORT_ACTIVE);
	nldev_put_u8(&m, RDMA_NLDEV_ATTR_PORT_PHYS_STATE,
		     c->d->uverbs ? uverbs_port_phys_state(c->d->uverbs) : 5);
	if (netdev) {
		nldev_put_u32(&m, RDMA_NLDEV_ATTR_NDEV_INDEX, netdev);
		nldev_put_text(&m, RDMA_NLDEV_ATTR_NDEV_NAME, c->d->netdev);
	}
	return send_if_whole(&m, c);
}

/* Network namespaces share the device. Fork: a child's writes do not touch the pages that the
 * adapter uses, which are the parent's. */
int nldev_sys_get(struct nldev_call *c)
{
	struct nldev_message m;

	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET));
	nldev_put_u8(&m, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	nldev_put_u8(&m, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	if (kernel_has(c->d->kernel, KERNEL_NLDEV_MONITOR))
		nldev_put_u8(&m, NLDEV_ATTR_MONITOR_MODE, 1);
	return send_if_whole(&m, c);
}

struct chardev {
	const char *client, *name; /* name NULL: the device's */
	size_t node;		   /* offset of its dev_t in struct nldev_device */
	uint64_t abi;
	bool of_device; /* else of the machine */
};

#define NODE(member) offsetof(struct nldev_device, member)

/* kernel, mlx5-abi.h: MLX5_IB_UVERBS_ABI_VERSION; rdma_user_cm.h: RDMA_USER_CM_ABI_VERSION */
static const struct chardev chardevs[] = {
	{ "uverbs", NULL, NODE(uverbs_node), 1, true },
	{ "rdma_cm", "rdma_cm", NODE(cm_node), 4, false },
};

static const struct chardev *find_chardev(const struct nldev_call *c)
{
	const char *client = (const char *)c->attr[RDMA_NLDEV_ATTR_CHARDEV_TYPE] + NLA_HDRLEN;

	for (size_t i = 0; i < ARRAY_SIZE(chardevs); i++)
		if (!strcmp(chardevs[i].client, client) &&
		    chardevs[i].of_device == !!c->attr[RDMA_NLDEV_ATTR_DEV_INDEX])
			return &chardevs[i];
	return NULL;
}

/* kernel, kdev_t.h: huge_encode_dev */
static uint64_t encode_dev(dev_t node)
{
	return (minor(node) & 0xff) | major(node) << 8 | (uint64_t)(minor(node) & ~0xffu) << 12;
}

int nldev_get_chardev(struct nldev_call *c)
{
	const struct chardev *dev;
	struct nldev_message m;
	uint32_t port;
	dev_t node;

	if (!c->attr[RDMA_NLDEV_ATTR_CHARDEV_TYPE])
		return -EINVAL;
	if (c->attr[RDMA_NLDEV_ATTR_DEV_INDEX] && !nldev_names_device(c))
		return -EINVAL;
	if (nldev_get_u32(c, RDMA_NLDEV_ATTR_PORT_INDEX, &port) &&
	    (port != NLDEV_PORT || !c->attr[RDMA_NLDEV_ATTR_DEV_INDEX]))
		return -EINVAL;
	dev = find_chardev(c);
	if (!dev)
		return -EOPNOTSUPP;
	memcpy(&node, (const char *)c->d + dev->node, sizeof(node));
	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV));
	if (!strcmp(dev->client, "uverbs"))
		nldev_put_u32(&m, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_DRIVER_MLX5);
	nldev_put_u64(&m, RDMA_NLDEV_ATTR_CHARDEV, encode_dev(node));
	nldev_put_u64(&m, RDMA_NLDEV_ATTR_CHARDEV_ABI, dev->abi);
	nldev_put_text(&m, RDMA_NLDEV_ATTR_CHARDEV_NAME,
		       dev->name ? dev->name : c->d->uverbs_name);
	return send_if_whole(&m, c);
}
