/* SPDX-License-Identifier: BSD-2-Clause */
/* Random texts of flow rules. */
#ifndef TEST_FUZZ_FLOW_TEXT_H
#define TEST_FUZZ_FLOW_TEXT_H

/* A rule, mostly one that is valid. free(). */
char *text_make(void);

#endif
