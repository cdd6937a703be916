/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that most programs need, in one header:
 *
 *	#include <dvkit/dvkit.h>
 *
 *	queues           dv/map.h (dv/sq.h, dv/rq.h, dv/srq.h, dv/mp.h, dv/cq.h, dv/av.h), dv/batch.h
 *	connections      dv/endpoint.h
 *	operations       dv/post.h, dv/post_umr.h, dv/masked.h
 *	text and checks  dv/print.h, dv/check.h
 *	firmware         devx/devx.h and its objects, prm/prm.h, prm/table.h
 *	host and DPU     dv/dma.h (dv/mmo.h), devx/vhca.h, devx/cross_vhca.h
 *	version          dvkit/version.h
 *
 * Not here, since few programs need them: packets (dv/eth.h, dv/packet.h), compressed CQEs
 * (dv/mini.h), cross-channel and ASO WQEs (dv/cross.h, dv/aso.h), stamped rings
 * (dv/stamp.h), raw packet objects, registers and counters of devx, and the control
 * interface of the emulator (dvkit/emu.h). Each of these includes what it needs.
 *
 * mlx5dv.h needs the byte order functions of <endian.h>: compile as gnu11, or with
 * _DEFAULT_SOURCE. C++ programs need nothing.
 */
#ifndef DVKIT_DVKIT_H
#define DVKIT_DVKIT_H

#include <dv/batch.h>
#include <dv/check.h>
#include <dv/dma.h>
#include <dv/endpoint.h>
#include <dv/map.h>
#include <dv/masked.h>
#include <dv/post.h>
#include <dv/post_umr.h>
#include <dv/print.h>

#include <devx/caps.h>
#include <devx/cq.h>
#include <devx/cross_vhca.h>
#include <devx/devx.h>
#include <devx/eq.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <devx/srq.h>
#include <devx/uar.h>
#include <devx/umem.h>
#include <devx/vhca.h>
#include <dvkit/version.h>
#include <prm/prm.h>
#include <prm/table.h>

#endif
