/* SPDX-License-Identifier: BSD-2-Clause */
/* For every module of the library, the tools and the tests. */
#ifndef PRM_ARRAY_H
#define PRM_ARRAY_H

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
