/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbell registers and doorbell records of the send queues; doorbell.c has the UAR page. */
#ifndef EMU_ENGINE_DOORBELL_H
#define EMU_ENGINE_DOORBELL_H

#include "engine/loop.h"

#define UAR_NO_RECORD 0x600 /* in the UAR page; rdma-core: tests/mlx5_base.py */

enum doorbell_record { DOORBELL_RECORD_RCV, DOORBELL_RECORD_SND };

/* The producer index, 16 bits, in dword @which of the doorbell record. If the record cannot be
 * read (lost.h): the index of before. For a QP without a send record: the index of the last
 * doorbell. */
uint16_t doorbell_record(const struct hca_qp *qp, enum doorbell_record which);

/* Takes the values of all doorbell registers; false when none was written. */
bool doorbell_poll(struct engine *e);
/* Was a register of @uar written whose value was not taken yet? */
bool doorbell_pending(const struct hca_uar *uar);
/* Counts and traces 8 bytes that were written to @uar at @off. */
void doorbell_rung(struct engine *e, const struct hca_uar *uar, uint16_t off,
		   const void *bytes);
/* 8 bytes were written to @uar at UAR_NO_RECORD. */
void doorbell_no_record(struct engine *e, const struct hca_uar *uar, const void *bytes);
/* Takes them from the page of @uar; false when there were none. */
bool doorbell_poll_no_record(struct engine *e, const struct hca_uar *uar);
/* The send record of @qp is @record, a new value. */
void doorbell_serve(struct engine *e, struct hca_qp *qp, uint16_t record);

#endif
