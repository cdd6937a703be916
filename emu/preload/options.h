/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options in the environment: text -> struct preload_options. Strict: a key that is not
 * known, a value out of range or a key given twice is refused, with a reason in words.
 */
#ifndef EMU_PRELOAD_OPTIONS_H
#define EMU_PRELOAD_OPTIONS_H

#include <stddef.h>

#include "preload/preload.h"

void options_default(struct preload_options *o);

/* Parses @text over the defaults. False: @why (@len bytes) says what is wrong with it. */
bool options_parse(struct preload_options *o, const char *text, char *why, size_t len);

/* Value checks that the launcher shares. */
bool options_mtu(const char *text, uint32_t *mtu);
bool options_ip(const char *text, uint32_t *ipv4);
bool options_fabric(const char *text);

#endif
