/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a call failed, in words.
 *
 *	if (dv_sq_map(&sq, qp))
 *		errx(1, "dv_sq_map: %s", dv_reason());
 *
 * Every function of dv, devx and flow that returns an error keeps its reason here; the inline
 * functions of the data path do not. Programs act on the errno value; the reason is for people,
 * and changes between versions. Two have more: a refusal of a firmware command has its status
 * and syndrome (devx_last_error(), devx/devx.h), that of a rule its place in the text (struct
 * dv_flow_error, flow/text.h).
 */
#ifndef DV_REASON_H
#define DV_REASON_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The reason of the latest failure in this thread, one line without a full stop, valid until
 * the next one; before the first "nothing failed". */
const char *dv_reason(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
