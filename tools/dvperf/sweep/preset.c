/* SPDX-License-Identifier: BSD-2-Clause */
/* Published measurements: their axes, their curves, what was published. And what to measure on
 * a kind of network, adapter or processor. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#include "preset.h"

#define THREADS_X                                \
	{                                        \
		1, 8, 16, 24, 32, 48, 64, 80, 96 \
	}

/* Without a register that others ring there is nothing to lock; and threads that spin for a
 * lock whose holder has no CPU measure the scheduler. */
static const char *contention_leaves_out(const struct options *o)
{
	if (o->uar == UAR_THREAD && o->no_locks)
		return "--uar=thread has no locks to remove";
	return o->threads > sysconf(_SC_NPROCESSORS_ONLN) ? "more threads than CPUs" : NULL;
}

const struct preset presets[] = {
	{ .name = "atc16-fig11",
	  .what = "UD SEND of 60 bytes by one core: a batch of 1 and of 16, over QPs",
	  .words = { "op=send", "connection=UD", "size=60", "inline_size=60", "signal=batch",
		     "batch=1,16", "qp=1,2,4", "x=qp", "y=mops" },
	  .said = "ATC'16 (Kalia, Kaminsky, Andersen; Connect-IB), figure 11b: with one QP a "
		  "batch lowers the rate, with 2 QPs it doubles it, with 4 it is 2 to 3.2 times "
		  "as high" },
	{ .name = "smart-fig3",
	  .what = "READ of 8 bytes, 8 under way: threads and what they share",
	  .words = { "op=read", "size=8", "api=verbs", "tx-depth=8", "signal=all",
		     "layout=shared-qp,mul-4,mul-2,per-qp,per-doorbell",
		     "threads=1,8,16,24,32,48,64,80,96", "x=threads", "y=mops" },
	  .said = "SMART (ASPLOS'24; ConnectX-6, 96 threads), figure 3a: above 16 QPs their "
		  "doorbell registers are shared, and the rate falls",
	  .source = "SMART, ASPLOS'24, figure 3a, ConnectX-6",
	  .curves = { { "one shared QP",
			9,
			THREADS_X,
			{ 1.90, 0.58, 0.44, 0.40, 0.34, 0.27, 0.26, 0.25, 0.26 } },
		      { "QP per 4 threads",
			9,
			THREADS_X,
			{ 1.90, 1.26, 2.55, 3.63, 5.0, 7.8, 9.1, 10.4, 12.1 } },
		      { "QP per 2 threads",
			9,
			THREADS_X,
			{ 1.90, 3.2, 8.5, 14.4, 18.2, 19.9, 22.8, 22.5, 18.9 } },
		      { "QP per thread",
			9,
			THREADS_X,
			{ 1.92, 14.8, 29.0, 39.0, 39.1, 29.4, 23.0, 20.8, 19.2 } },
		      { "QP and doorbell per thread",
			9,
			THREADS_X,
			{ 1.81, 14.5, 28.7, 42.1, 55.2, 75.4, 90.3, 105.5, 111.2 } } } },
	{ .name = "smart-fig4",
	  .what = "READ of 8 bytes by all threads: operations under way",
	  .words = { "op=read", "size=8", "api=verbs", "tx-depth=32", "signal=all",
		     "layout=per-doorbell", "threads=all,96", "outstanding=1,4,8,12,16,32",
		     "x=outstanding", "y=mops" },
	  .said = "SMART (ASPLOS'24; ConnectX-6), figure 4: beyond 8 under way on each of 96 "
		  "threads the adapter's WQE cache is too small",
	  .source = "SMART, ASPLOS'24, figure 4, ConnectX-6",
	  .curves = { { "96 threads",
			6,
			{ 1, 4, 8, 12, 16, 32 },
			{ 32.9, 80.8, 111, 104, 79, 55 } } } },
	{ .name = "snabb-nsq",
	  .what = "packets of 64 bytes by one core: send queues",
	  .words = { "op=send", "connection=UD", "size=64", "signal=half", "batch=32",
		     "tx-depth=512", "qp=1,2,4,8,16,32", "x=qp", "y=mops" },
	  .said = "Snabb packetblaster (ConnectX-4, 100 Gb/s, one core; snabb issues 1006 and "
		  "1007): 6 M packets/s from one send queue, 62 M from many" },
	{ .name = "perftest",
	  .what = "ib_write_bw over sizes, by each API",
	  .words = { "op=write", "api=verbs,wr,direct",
		     "size=2,8,32,128,512,2048,8192,32768,65536", "x=size", "y=gbps" },
	  .about =
		  "perftest posts by ibv_wr_*, or with --use_old_post_send by ibv_post_send()" },
	{ .name = "inline-steps",
	  .what = "WRITE, inline or gathered: every 64 bytes a block more",
	  .words = { "op=write", "batch=16", "signal=batch", "inline_size=0,220",
		     "size=8,16,28,29,32,60,64,92,93,128,156,157,188,220", "x=size", "y=mops" },
	  .about = "RC WRITE holds 28, 92, 156 and 220 bytes inline in 1, 2, 3 and 4 blocks" },
	{ .name = "lock-contention",
	  .what = "posting 4 KB on each of 1000 connections per thread: whose doorbell, which locks",
	  .words = { "mode=post", "op=write", "size=4096", "inline_size=0", "qp=1000",
		     "tx-depth=64", "api=direct,verbs", "uar=shared,thread", "locks=on,off",
		     "batch=1,32", "threads=1,2,4,8,16,32", "x=threads", "y=mops" },
	  .leaves_out = contention_leaves_out,
	  .about = "--uar=shared: one register, rung under a lock; thread: each its own, and "
		   "libmlx5's locks are off" },
	{ .name = "shared-qp",
	  .what = "one QP that all threads post on: dv/many.h, a lock, libmlx5",
	  .words = { "mode=post", "op=write", "size=8", "layout=shared-qp", "tx-depth=1024",
		     "api=many,direct,verbs", "batch=1,32", "threads=1,2,4,8,16", "x=threads",
		     "y=mops" },
	  .leaves_out = contention_leaves_out,
	  .about = "to be compared with a QP for each thread: layout=per-qp" },
	/*
	 * Bytes of headers: the InfiniBand Architecture Specification, volume 1, and its
	 * annexes 16 and 17 (RoCE); the model counts them in wire.c.
	 */
	{ .name = "infiniband",
	  .what = "WRITE and READ from one packet to many: what headers and path MTU cost",
	  .words = { "op=write,read", "size=64,256,1024,2048,4096,8192,65536", "signal=half",
		     "batch=8", "x=size", "y=gbps" },
	  .about =
		  "to be measured: a WRITE of one packet has 42 bytes of headers on InfiniBand, "
		  "98 with RoCE v2 over IPv4; beside it the limit of the wire "
		  "(--columns=mops,gbps,wire_mops). Again with another path MTU (-m)" },
	/* 100 Gb/s, PCI Express 3.0 or (Ex) 4.0 x16: "ConnectX-5 VPI", "ConnectX-5 Ex" user
	 * manuals. */
	{ .name = "connectx5",
	  .what = "WRITE of 8 bytes by one core: QPs, batches, inline or gathered",
	  .words = { "op=write", "size=8", "inline_size=0,220", "signal=batch", "batch=1,16",
		     "qp=1,2,4,8", "x=qp", "y=mops" },
	  .pcie = "3x16",
	  .about = "to be measured: whether one QP is one unit of the adapter, as ATC'16 found "
		   "for Connect-IB, and what a gathered message costs on PCI Express 3.0" },
	/* 200 Gb/s, PCI Express 4.0 x16: "ConnectX-6 VPI" user manual. The rate: nic_mops() of
	 * model.c. */
	{ .name = "connectx6",
	  .what = "WRITE of 8 bytes by more and more threads: batches, doorbell registers",
	  .words = { "op=write", "size=8", "inline_size=220", "signal=batch", "batch=1,16",
		     "layout=per-qp,per-doorbell", "threads=1,2,4,8,16", "x=threads",
		     "y=mops" },
	  .pcie = "4x16",
	  .about =
		  "to be measured: how many threads, and which batch, the 215 million messages/s "
		  "of the product brief need; smart-fig3 is the same question for READ" },
	/* 400 Gb/s, PCI Express 5.0 x16: "ConnectX-7 VPI" user manual. */
	{ .name = "connectx7",
	  .what = "WRITE and READ over sizes: which fills the port, with one QP and with 8",
	  .words = { "op=write,read", "size=64,256,1024,4096,16384,65536", "signal=half",
		     "batch=16", "qp=1,8", "x=size", "y=gbps" },
	  .pcie = "5x16",
	  .about =
		  "to be measured: the smallest message that fills 400 Gb/s, and which limit is "
		  "nearest (--columns=mops,gbps,wire_mops,pcie_mops); PCI Express 5.0 x16 has "
		  "504 Gb/s, headers included" },
	/*
	 * BlueField-2 has 8 Cortex-A72 (NVIDIA, "BlueField-2 DPU User Manual", Introduction),
	 * BlueField-3 16 Cortex-A78 (NVIDIA, "DOCA Documentation", Hardware Architecture).
	 * Lines of 64 bytes: Linux, arch/arm64/boot/dts, marvell/armada-ap807-quad.dtsi has an
	 * A72, mediatek/mt8188.dtsi an A78. Barriers: rdma-core, util/udma_barrier.h:
	 * udma_to_device_barrier() is "dmb oshst" on aarch64, nothing on x86-64;
	 * mmio_flush_writes() "dsb st", and sfence. No link: that of the function on the Arm
	 * cores is inside of the card, and its speed is not public.
	 */
	{ .name = "bluefield-arm",
	  .what = "posting by one Arm core: the barriers of a doorbell, WQEs of 1 and 2 cache lines",
	  .words = { "mode=post", "op=write", "api=direct", "size=28,92", "inline_size=220",
		     "doorbell=db,bf", "barriers=default,pre,none", "batch=1,4,16,32",
		     "x=batch", "y=mops" },
	  .about =
		  "to be measured, on the Arm cores and on the host: for its barriers x86-64 has an "
		  "sfence at most, aarch64 dmb and dsb; a batch needs them once" },
	{ 0 },
};

const struct preset *preset_find(const char *name)
{
	struct near near;

	for (const struct preset *p = presets; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	near_begin(&near, name);
	for (const struct preset *p = presets; p->name; p++)
		near_offer(&near, p->name);
	base_refuse("there is no preset '%s'%s; --preset list lists them", name,
		    near_text(&near));
}

const char *preset_text(const struct preset *p)
{
	return p->said ? p->said : p->about;
}

bool preset_list(const char *name)
{
	if (!name || (strcmp(name, "list") && strcmp(name, "help")))
		return false;
	for (const struct preset *p = presets; p->name; p++)
		printf("%-16s %s\n%-16s   %s\n", p->name, p->what, "", preset_text(p));
	return true;
}
