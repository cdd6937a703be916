/* SPDX-License-Identifier: BSD-2-Clause */
/* Which syndrome goes into which Q counter; see count.h. The meaning of each: kernel
 * documentation, "mlx5 Linux counters". */
#include "engine/count.h"

void count_send_error(struct dev *d, struct dev_qp *qp, enum cqe_syndrome s)
{
	/* assumed(flushed_cqes_are_errors_too): req_cqe_error and resp_cqe_error count every error
	 * CQE, those of flushed WQEs too. */
	DEV_COUNT(d, qp, req_cqe_error);
	switch (s) {
	case CQE_LOCAL_LENGTH:
		DEV_COUNT(d, qp, req_local_length_error);
		break;
	case CQE_LOCAL_QP_OP:
		DEV_COUNT(d, qp, local_operation_error);
		break;
	case CQE_LOCAL_PROT:
		DEV_COUNT(d, qp, req_local_protection);
		break;
	case CQE_FLUSHED:
		DEV_COUNT(d, qp, req_cqe_flush_error);
		break;
	case CQE_MW_BIND:
		DEV_COUNT(d, qp, req_mw_binding);
		break;
	case CQE_BAD_RESPONSE:
		DEV_COUNT(d, qp, req_bad_response);
		break;
	case CQE_REMOTE_INVALID_REQUEST:
		DEV_COUNT(d, qp, req_remote_invalid_request);
		break;
	case CQE_REMOTE_ACCESS:
		DEV_COUNT(d, qp, req_remote_access_errors);
		break;
	case CQE_REMOTE_OP:
		DEV_COUNT(d, qp, req_remote_operation_errors);
		break;
	case CQE_RETRY_EXCEEDED:
		DEV_COUNT(d, qp, req_transport_retries_exceeded);
		break;
	case CQE_RNR_RETRY_EXCEEDED:
		DEV_COUNT(d, qp, req_rnr_retries_exceeded);
		break;
	default:
		break;
	}
}

void count_recv_error(struct dev *d, struct dev_qp *qp, enum cqe_syndrome s)
{
	DEV_COUNT(d, qp, resp_cqe_error);
	if (s == CQE_LOCAL_LENGTH)
		DEV_COUNT(d, qp, resp_local_length_error);
	else if (s == CQE_LOCAL_PROT)
		DEV_COUNT(d, qp, resp_local_protection);
	else if (s == CQE_LOCAL_ACCESS) /* of a request with immediate data or a key */
		DEV_COUNT(d, qp, resp_remote_access_errors);
	else if (s == CQE_FLUSHED)
		DEV_COUNT(d, qp, resp_cqe_flush_error);
}

void count_nak(struct dev *d, struct dev_qp *qp, enum wire_nak code)
{
	if (code == WIRE_NAK_REMOTE_ACCESS)
		DEV_COUNT(d, qp, resp_remote_access_errors);
	else if (code == WIRE_NAK_INVALID_REQUEST)
		DEV_COUNT(d, qp, resp_remote_invalid_request);
}
