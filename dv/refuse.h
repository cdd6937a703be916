/* SPDX-License-Identifier: BSD-2-Clause */
/* How functions of dv, devx and flow refuse. */
#ifndef DV_REFUSE_H
#define DV_REFUSE_H

/* Keeps the reason for dv_reason(), cut off to its space; returns @err, positive: a call of
 * libibverbs that returned -1 has left it in errno. */
int dv_refuse(int err, const char *fmt, ...) __attribute__((cold, format(printf, 2, 3)));

/* The same for @err of the call @what of another library; 0 stays 0. */
int dv_refused_by(const char *what, int err);

#endif
