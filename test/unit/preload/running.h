/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that are up, and the devices that boot_identity() reports, of a test that makes
 * them itself. */
#ifndef TEST_PRELOAD_RUNNING_H
#define TEST_PRELOAD_RUNNING_H

#include "preload/boot.h"

extern struct boot *running[OPTIONS_FUNCTIONS];
extern struct nldev_device devices[OPTIONS_FUNCTIONS];

#endif
