/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of a port (kernel, nldev.c: nldev_stat_get_doit, stat_get_doit_default_counter)
 * and of QPs that are bound to a counter (none: binding, STAT_SET, is the kernel's).
 *
 *	| handle | port 1 | HWCOUNTERS: | ENTRY: name, value | ENTRY … |
 */
#include <errno.h>
#include <string.h>

#include "nldev/message.h"

static void put_counters(struct nldev_message *m, const struct nldev_call *c)
{
	uint32_t table = nldev_open(m, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS), entry;
	struct uverbs_counter counters[UVERBS_STATISTICS];
	struct hca_counted sum;
	unsigned int n;

	c->d->counted(c->d, &sum);
	n = uverbs_hw_counters(c->d->kernel, &sum, counters);
	for (unsigned int i = 0; i < n; i++) {
		entry = nldev_open(m, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
		nldev_put_text(m, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, counters[i].name);
		nldev_put_u64(m, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, counters[i].value);
		nldev_close(m, entry);
	}
	nldev_close(m, table);
}

static int port_statistics(struct nldev_call *c)
{
	struct nldev_message m;
	uint32_t port;

	if (!nldev_names_device(c) || !nldev_get_u32(c, RDMA_NLDEV_ATTR_PORT_INDEX, &port) ||
	    port != NLDEV_PORT)
		return -EINVAL;
	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET));
	nldev_put_handle(&m, c);
	nldev_put_u32(&m, RDMA_NLDEV_ATTR_PORT_INDEX, NLDEV_PORT);
	put_counters(&m, c);
	if (m.full)
		return -EMSGSIZE;
	nldev_end(&m, c);
	return 0;
}

int nldev_stat_get(struct nldev_call *c)
{
	uint32_t kind;

	if (!nldev_get_u32(c, RDMA_NLDEV_ATTR_STAT_RES, &kind))
		return c->dump ? -EINVAL : port_statistics(c);
	if (kind == RDMA_NLDEV_ATTR_RES_MR)
		return -EOPNOTSUPP;
	if (kind != RDMA_NLDEV_ATTR_RES_QP || !nldev_names_device(c))
		return -EINVAL;
	return c->dump ? 0 : -ENOENT;
}
