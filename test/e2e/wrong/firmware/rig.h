/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of a program that uses devx when it makes its mistake:
 *
 *	r.ctx    PD, CQ, UAR, EQ number          r.other   a second context, with a PD and a UAR
 *	r.mem    2 MiB at a multiple of 2 MiB -> r.umem
 *
 * The device is $DVKIT_DEVICE, or the first mlx5 device there is; without any, the test is
 * skipped. Every test of this folder has a comment "mistake: what" above it and one says() with
 * the message: ../pages.sh makes docs/devx-mistakes.md of them.
 */
#ifndef TEST_E2E_WRONG_FIRMWARE_RIG_H
#define TEST_E2E_WRONG_FIRMWARE_RIG_H

#include <errno.h>
#include <criterion/criterion.h>
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/pd.h>
#include <prm/prm.h>

enum { LEN = 2 << 20, PAGE = 4096 };

struct rig {
	struct ibv_context *ctx, *other;
	struct devx_obj pd, other_pd;
	struct devx_uar uar, other_uar;
	struct devx_cq cq;
	uint32_t eqn;
	uint8_t *mem;
	struct devx_umem umem;
};

extern struct rig r;

/* .init and .fini of the suites. */
void rig_start(void);
void rig_stop(void);

/* @err is @expected, and the message that a human gets is @line. An adapter's text after
 * "syndrome" is its own: with $DVKIT_DEVICE the line is compared up to there. */
void says(int err, int expected, const char *line);

#endif
