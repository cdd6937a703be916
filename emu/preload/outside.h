/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of a function with the machine: --wire, --pcap, --tap, --inject, and the faults
 * of its link. */
#ifndef EMU_PRELOAD_OUTSIDE_H
#define EMU_PRELOAD_OUTSIDE_H

#include "preload/boot.h"

/* Both: false, and the reason was reported. */
bool outside_network(struct boot *b);
bool outside_pcap(struct boot *b);
/* The faults that @text describes, in place of those before: 0, EINVAL, ENOMEM. */
int outside_faults(struct boot *b, const char *text);
/* Opens b->net. */
bool outside_net(struct boot *b);
/* In the child of a fork: what is connected remains the parent's. */
void outside_abandon(struct boot *b);

#endif
