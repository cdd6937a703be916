/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the adapter when the device is opened first, and connects the modules.
 */
#ifndef EMU_PRELOAD_BOOT_H
#define EMU_PRELOAD_BOOT_H

#include "hca/hca.h"
#include "engine/engine.h"
#include "fw/fw.h"
#include "nldev/nldev.h"
#include "options/options.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"
#include "wire/wire.h"

/* The process's adapter. */
struct boot {
	struct options options;
	struct fw_image image; /* what --device FILE became; empty otherwise */
	struct hca hca;
	struct wire *wire;
	struct uverbs *uverbs;
	struct engine *engine;
	struct ucma *ucma;
	int log_fd;	    /* where trace and findings go; -1: nowhere */
	struct boot *older; /* the parent's, in a process that forked */
};

/* The adapter, booted if need be; NULL with errno (ENODEV after a line on standard error). */
struct boot *boot_device(void);

/* What RDMA netlink reports, without booting. */
void boot_identity(struct nldev_device *d);

/* The adapter if it is up, else NULL. */
struct boot *boot_running(void);

#endif
