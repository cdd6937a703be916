/* SPDX-License-Identifier: BSD-2-Clause */
/* --inject FILE: the frames of a capture (pcap or pcapng, Ethernet) as the preloaded library
 * reads them. */
#ifndef EMU_LAUNCHER_INJECT_H
#define EMU_LAUNCHER_INJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the capture @file and writes its frames into the tree at @root; @path (@len bytes) is
 * the new file's. False: @why (@why_len bytes) says in one line what is wrong. */
bool inject_store(const char *file, const char *root, char *path, size_t len, char *why,
		  size_t why_len);

#endif
