/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory in which the processes of one user have their fabrics. */
#ifndef EMU_WIRE_FABRIC_DIR_H
#define EMU_WIRE_FABRIC_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define FABRIC_DIR_BYTES 64

/* Its absolute path; created if it does not exist. 0 or a positive errno value. */
int fabric_dir(char *path, size_t size);
/* Like fabric_dir(), but below @parent, a directory in which every user may create files. */
int fabric_dir_in(const char *parent, char *path, size_t size);

#endif
