/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --vfio-user: in place of a command, a PCI function for a virtual machine.
 */
#ifndef EMU_LAUNCHER_FUNCTION_H
#define EMU_LAUNCHER_FUNCTION_H

#include "fw/fw.h"
#include "options/options.h"

struct function_request {
	const struct options *options;
	const struct fw_device *kind;
	const struct fw_image *image; /* NULL: @kind is a device of ours */
	const char *socket, *control; /* @control: NULL: none */
};

/* Serves until SIGINT or SIGTERM; the exit status. */
int function_serve(const struct function_request *r);

#endif
