/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that are a number and a handle, and nothing besides: all are destroyed alike. */
#include <devx/counter.h>
#include <devx/dct.h>
#include <devx/flow.h>
#include <devx/general.h>
#include <devx/pd.h>
#include <devx/psv.h>
#include <devx/raw.h>
#include <devx/srq.h>
#include <devx/wq.h>

#define DESTROY(object)                                   \
	int devx_##object##_destroy(struct devx_obj *obj) \
	{                                                 \
		return devx_obj_destroy(obj);             \
	}

DESTROY(dct)
DESTROY(flow_counter)
DESTROY(flow_entry)
DESTROY(flow_group)
DESTROY(flow_table)
DESTROY(general)
DESTROY(modify_header)
DESTROY(packet_reformat)
DESTROY(pd)
DESTROY(psv)
DESTROY(q_counter)
DESTROY(rmp)
DESTROY(rq)
DESTROY(rqt)
DESTROY(sq)
DESTROY(td)
DESTROY(tir)
DESTROY(tis)
DESTROY(xrcd)
