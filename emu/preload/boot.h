/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts a function of the adapter when its device is opened first, and connects the modules.
 *
 *	mlx5_0	uverbs0, rdma_cm	slot 1	lock, engine, objects
 *	mlx5_1	uverbs1			slot 2	its own; only of a DPU: the host's function and the DPU's
 *
 * Two functions of one process reach each other like those of two processes. They share the
 * memory of the program, so code that moves its pages holds the locks of all (boot_hold).
 */
#ifndef EMU_PRELOAD_BOOT_H
#define EMU_PRELOAD_BOOT_H

#include "hca/hca.h"
#include "engine/engine.h"
#include "fw/fw.h"
#include "net/net.h"
#include "nldev/nldev.h"
#include "options/options.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"
#include "wire/wire.h"

/* A function. */
struct boot {
	unsigned int function; /* its number: of mlx5_N */
	struct options options;
	struct fw_image image; /* the image of --device FILE; empty otherwise */
	struct hca hca;
	struct wire *wire;
	struct net *net;
	struct uverbs *uverbs;
	struct engine *engine;
	struct ucma *ucma;  /* of function BOOT_CM, else NULL */
	int log_fd;	    /* where trace and findings go; -1: nowhere */
	int timeline_fd;    /* -1: there is no timeline, or the first function has it */
	struct boot *older; /* the parent's, in a process that forked */
};

#define BOOT_CM 0 /* the function that has rdma_cm */

/* Writes a line to standard error. */
void boot_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Says why fabric @name cannot be joined; @err: of wire_open(). */
void boot_complain_fabric(const char *name, int err);

/* Function @function, booted if need be; NULL with errno (ENODEV after a line on standard
 * error). */
struct boot *boot_device(unsigned int function);

/* The devices as RDMA netlink reports them, without booting; returns their number. The first
 * has no name if it cannot boot. */
size_t boot_identity(struct nldev_device d[OPTIONS_FUNCTIONS]);

/* The function if it is up, else NULL. */
struct boot *boot_running(unsigned int function);
/* Is any? */
bool boot_any(void);

/* All functions that are up, with their device locks held: until they are released no other
 * comes up. */
struct boot_held {
	struct boot *of[OPTIONS_FUNCTIONS];
};

void boot_hold(struct boot_held *held);
void boot_release(const struct boot_held *held);
/* engine_unmapped() of each. */
void boot_unmapped(const struct boot_held *held);

#endif
