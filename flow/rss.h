/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The QP of the action rss, or its TIR.
 */
#ifndef FLOW_RSS_H
#define FLOW_RSS_H

#include "port.h"

/* f->ind_table, and f->rss or f->rss_tir, if the rule has that action. */
int flow_rss_create(struct dv_flow *f, struct dv_flow_error *error);
int flow_rss_destroy(struct dv_flow *f);

#endif
