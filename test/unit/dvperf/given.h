/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from a text. */
#ifndef TEST_UNIT_DVPERF_GIVEN_H
#define TEST_UNIT_DVPERF_GIVEN_H

#include "options/options.h"

/* "mode=lat op=read host=a", with the defaults of what it does not say: of bw. */
struct options given(const char *text);

/* The same; those are options that can be combined. */
struct options given_well(const char *text);

#endif
