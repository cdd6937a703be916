/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fakes of libibverbs and libmlx5 that record their calls: what is created, "name number", and
 * what is destroyed, "-name number". The n-th constructor, allocation or destructor can fail.
 */
#ifndef TEST_UNIT_FLOW_FAKE_H
#define TEST_UNIT_FLOW_FAKE_H

#include <stdbool.h>
#include <flow/flow.h>

extern struct fake {
	char calls[8192];
	unsigned int objects;
	unsigned int fail_at, busy_at; /* the n-th constructor or allocation; destructor */
	int fail_with, failed;	       /* errno of constructors; of the one that failed */
	int max_table;		       /* of QUERY_DEVICE; 0: 16, negative: it fails */
	bool one_tir;		       /* no capability nic_rx_multi_path_tirs */
} fake;

bool fake_fails(int err); /* whether this call does; errno is @err */
int fake_busy(void);	  /* whether this destructor is refused: EBUSY */
void fake_call(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *__real_calloc(size_t n, size_t size);

/* Destinations: QPs 7 and 9, WQs 20 to 23, TIRs 51 and 52, tables 61 and 62. */
extern struct ibv_context *const fake_context;
extern const struct dv_flow_targets fake_targets;

#endif
