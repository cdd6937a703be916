/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Q counters of errors, by the syndrome of an error CQE or the code of a NAK; counters of
 * frames.
 *
 *	CQE 13 or 14, syndrome -> req_* or resp_*      NAK sent -> resp_remote_*
 *
 * The other Q counters are counted where it happens, by HCA_COUNT (hca/counter.h).
 */
#ifndef EMU_ENGINE_COUNT_H
#define EMU_ENGINE_COUNT_H

#include "engine/cqe.h"

/* A send WQE of @qp ended in @s. */
void count_send_error(struct hca *hca, struct hca_qp *qp, enum cqe_syndrome s);
/* A receive WQE of @qp ended in @s. */
void count_recv_error(struct hca *hca, struct hca_qp *qp, enum cqe_syndrome s);
/* The responder of @qp refuses a request by NAK @code. */
void count_nak(struct hca *hca, struct hca_qp *qp, enum wire_nak code);

/* @n RoCE frames of @len bytes each arrived from the process in slot @from, or were sent to the
 * one in @to. */
void count_rx_frames(struct hca *hca, uint8_t from, unsigned int n, size_t len);
void count_tx_frames(struct hca *hca, uint8_t to, unsigned int n, size_t len);
/* The same of one for group @gid, which was sent to all; one that arrived counts only where a
 * QP is attached. */
void count_rx_multicast(struct hca *hca, const uint8_t gid[16], uint8_t from, size_t len);
void count_tx_multicast(struct hca *hca, size_t len);
/* A request of rdma_cm arrived, which is sent to all processes of its host. */
void count_rx_request(struct hca *hca, uint8_t from, size_t len);
/* An Ethernet packet of @len bytes, of the process in slot @from, was steered to the vport, or
 * sent by it; @local: it comes from a queue of the same port. */
void count_rx_packet(struct hca *hca, const uint8_t *frame, size_t len, uint8_t from,
		     bool local);
void count_tx_packet(struct hca *hca, const uint8_t *frame, size_t len);

#endif
