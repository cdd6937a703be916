/* SPDX-License-Identifier: BSD-2-Clause */
/* Built without librdmacm: nothing here is reached but cm_check(). */
#include <stddef.h>

#include "base/base.h"
#include "cm.h"

static const char missing[] =
	"-R: this dvperf is built without rdma_cm: build it where CMake finds "
	"librdmacm (Debian: librdmacm-dev)";

const char *cm_check(void)
{
	return missing;
}

struct cm *cm_open(struct options *o, const struct peer *peer)
{
	(void)o;
	(void)peer;
	base_refuse("%s", missing);
}

void cm_connect(struct cm *cm, struct ibv_qp *const *qps, unsigned int n, struct peer *peer)
{
	(void)cm;
	(void)qps;
	(void)n;
	(void)peer;
}

void cm_close(struct cm *cm)
{
	(void)cm;
}
