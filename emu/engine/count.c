/* SPDX-License-Identifier: BSD-2-Clause */
/* Which syndrome counts in which Q counter; see count.h. The meaning of each: kernel
 * documentation, "mlx5 Linux counters". */
#include "engine/count.h"
#include "engine/cqe.h"

void count_send_error(struct hca *hca, struct hca_qp *qp, enum cqe_syndrome s)
{
	/* assumed(flushed_cqes_are_errors_too): req_cqe_error and resp_cqe_error count every
	 * error CQE, those of flushed WQEs too. */
	HCA_COUNT(hca, qp, req_cqe_error);
	switch (s) {
	case CQE_LOCAL_LENGTH:
		HCA_COUNT(hca, qp, req_local_length_error);
		break;
	case CQE_LOCAL_QP_OP:
		HCA_COUNT(hca, qp, local_operation_error);
		break;
	case CQE_LOCAL_PROT:
		HCA_COUNT(hca, qp, req_local_protection);
		break;
	case CQE_FLUSHED:
		HCA_COUNT(hca, qp, req_cqe_flush_error);
		break;
	case CQE_MW_BIND:
		HCA_COUNT(hca, qp, req_mw_binding);
		break;
	case CQE_BAD_RESPONSE:
		HCA_COUNT(hca, qp, req_bad_response);
		break;
	case CQE_REMOTE_INVALID_REQUEST:
		HCA_COUNT(hca, qp, req_remote_invalid_request);
		break;
	case CQE_REMOTE_ACCESS:
		HCA_COUNT(hca, qp, req_remote_access_errors);
		break;
	case CQE_REMOTE_OP:
		HCA_COUNT(hca, qp, req_remote_operation_errors);
		break;
	case CQE_RETRY_EXCEEDED:
		HCA_COUNT(hca, qp, req_transport_retries_exceeded);
		break;
	case CQE_RNR_RETRY_EXCEEDED:
		HCA_COUNT(hca, qp, req_rnr_retries_exceeded);
		break;
	default:
		break;
	}
}

void count_recv_error(struct hca *hca, struct hca_qp *qp, enum cqe_syndrome s)
{
	HCA_COUNT(hca, qp, resp_cqe_error);
	if (s == CQE_LOCAL_LENGTH)
		HCA_COUNT(hca, qp, resp_local_length_error);
	else if (s == CQE_LOCAL_PROT)
		HCA_COUNT(hca, qp, resp_local_protection);
	else if (s == CQE_LOCAL_ACCESS) /* of a request with immediate data or a key */
		HCA_COUNT(hca, qp, resp_remote_access_errors);
	else if (s == CQE_FLUSHED)
		HCA_COUNT(hca, qp, resp_cqe_flush_error);
}

void count_nak(struct hca *hca, struct hca_qp *qp, enum wire_nak code)
{
	if (code == WIRE_NAK_REMOTE_ACCESS)
		HCA_COUNT(hca, qp, resp_remote_access_errors);
	else if (code == WIRE_NAK_INVALID_REQUEST)
		HCA_COUNT(hca, qp, resp_remote_invalid_request);
}

void count_rx_frames(struct hca *hca, uint8_t from, unsigned int n, size_t len)
{
	hca_count_rx(hca, HCA_IB_UNICAST, from == hca->slot, n, len);
}

void count_tx_frames(struct hca *hca, uint8_t to, unsigned int n, size_t len)
{
	hca_count_tx(hca, HCA_IB_UNICAST, to == hca->slot, n, len);
}

static bool is_member(const struct hca_vhca *v, const struct hca_arrival *a)
{
	return hca_mcg_published(v, a->what);
}

void count_rx_multicast(struct hca *hca, const uint8_t gid[16], uint8_t from, size_t len)
{
	hca_count_arrival(hca, &(struct hca_arrival){ .cast = HCA_IB_MULTICAST,
						      .local = from == hca->slot,
						      .from = from,
						      .len = len,
						      .has = is_member,
						      .what = gid });
}

static uint64_t mac_of(const uint8_t *at)
{
	return (uint64_t)core_be16(at) << 32 | core_be32(at + 2);
}

/* Does the frame that begins with a->what pass the filter of @v? */
static bool admits(const struct hca_vhca *v, const struct hca_arrival *a)
{
	uint64_t port = atomic_load(&v->port);

	return a->what[0] & 1 || port & HCA_PORT_PROMISC ||
	       (port & HCA_PORT_MAC) == mac_of(a->what);
}

void count_rx_request(struct hca *hca, uint8_t from, size_t len)
{
	hca_count_arrival(hca, &(struct hca_arrival){ .cast = HCA_IB_UNICAST,
						      .local = from == hca->slot,
						      .from = from,
						      .len = len,
						      .has = admits,
						      .what = hca->port.mac });
}

void count_tx_multicast(struct hca *hca, size_t len)
{
	hca_count_tx(hca, HCA_IB_MULTICAST, false, 1, len);
}

static enum hca_cast cast_of(const uint8_t *frame)
{
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (!memcmp(frame, all, sizeof(all)))
		return HCA_ETH_BROADCAST;
	return frame[0] & 1 ? HCA_ETH_MULTICAST : HCA_ETH_UNICAST;
}

/* That of its tag; a frame without one has priority 0. */
static uint8_t prio_of(const uint8_t *frame, size_t len)
{
	return len > 14 && core_be16(frame + 12) == 0x8100 ? frame[14] >> 5 : 0;
}

void count_rx_packet(struct hca *hca, const uint8_t *frame, size_t len, uint8_t from,
		     bool local)
{
	hca_count_arrival(hca, &(struct hca_arrival){ .cast = cast_of(frame),
						      .local = local,
						      .from = from,
						      .len = len,
						      .prio = prio_of(frame, len),
						      .has = admits,
						      .what = frame });
}

void count_tx_packet(struct hca *hca, const uint8_t *frame, size_t len)
{
	bool local = !memcmp(frame, hca->port.mac, sizeof(hca->port.mac));

	hca_count_tx_prio(hca, cast_of(frame), prio_of(frame, len), local, len);
}
