/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that a run of bw or lat needs: the device, this side's lanes, and the other side,
 * which is either in this process or at the end of a TCP connection.
 *
 *	near[0] … near[lanes - 1]    they post
 *	far[0]  … far[lanes - 1]     --loopback: the other ends; with -b they post too. Not
 *	                             of mmo: each of near is connected to itself
 *
 * With --remote-vhca in one process the other side is a second rig, on the other function: its
 * lanes export memory, and are connected to nothing.
 *
 * Thread t posts on the lanes of group t / (threads of a QP); a group has -q lanes.
 */
#ifndef DVPERF_RIG_H
#define DVPERF_RIG_H

#include "machine/machine.h"
#include "lane/lane.h"
#include "peer/peer.h"

struct result;

struct rig {
	struct options o;
	struct device dev;
	struct memory memory; /* --mr=one */
	unsigned int lanes, groups;
	struct lane *near, *far; /* far: NULL with a peer, and of mmo */
	struct rig *exporter;	 /* --remote-vhca --loopback: the other function; else NULL */
	struct ibv_td **td;	 /* --uar=thread: one per group */
	struct ibv_pd **pd;
	struct lane_cq **send, **recv; /* --cq=thread: one per group; --cq=all: the first */
	struct ibv_comp_channel **channels; /* -e: one per group; NULL: no thread sleeps */
	unsigned int registers; /* different doorbell registers of the lanes that post */
	pthread_spinlock_t *locks;
	bool unlocked;	   /* --locks=off, and several threads ring one register: WRONG */
	struct peer *peer; /* NULL: --loopback */
};

/* Threads of one QP. */
unsigned int layout_sharers(const struct options *o);

/* The lanes of @o, opened and not connected; rig_connect() does that. */
void rig_open(struct rig *rig, const struct options *o);
void rig_connect(struct rig *rig, struct peer *peer);
void rig_close(struct rig *rig);

/* Says so in @r if threads ring one register without a lock. */
void rig_distrust(const struct rig *rig, struct result *r);

/* The modelled metrics of @r. */
void rig_model(struct result *r, const struct rig *rig);

/* The lanes of group @group that post on this side: near ones, and with -b in one process far
 * ones. Returns how many; at most 2 * -q. */
unsigned int rig_group(struct rig *rig, unsigned int group, struct lane **lanes);

#endif
