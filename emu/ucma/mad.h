/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of communication management, 256 bytes each, and their fields (InfiniBand
 * specification, volume 1, chapter 12, "Message format details"; 13.4 for the first 24 bytes).
 *
 *	| header 24 | local comm. id 4 | remote comm. id 4 | … | private data |
 *
 * A field is a constant: its first byte in the message, how many bits to skip in that byte from
 * its highest on, how many bits it has. All are big-endian.
 */
#ifndef EMU_UCMA_MAD_H
#define EMU_UCMA_MAD_H

#include <stdbool.h>
#include <stdint.h>

#define MAD_BYTES 256
#define MAD_DATA  24 /* where a message begins, after the common header */

#define MAD_FIELD(byte, skip, bits) ((byte) << 16 | (skip) << 8 | (bits))
#define CM_FIELD(byte, skip, bits)  MAD_FIELD(MAD_DATA + (byte), skip, bits)

enum mad_field {
	MAD_BASE_VERSION = MAD_FIELD(0, 0, 8),
	MAD_MGMT_CLASS = MAD_FIELD(1, 0, 8),
	MAD_CLASS_VERSION = MAD_FIELD(2, 0, 8),
	MAD_METHOD = MAD_FIELD(3, 0, 8),
	MAD_TID = MAD_FIELD(8, 0, 64),
	MAD_ATTR_ID = MAD_FIELD(16, 0, 16),

	/* all but SIDR_REQ and SIDR_REP; REQ has no remote one yet */
	CM_LOCAL_ID = CM_FIELD(0, 0, 32),
	CM_REMOTE_ID = CM_FIELD(4, 0, 32),

	REQ_SERVICE_ID = CM_FIELD(8, 0, 64),
	REQ_CA_GUID = CM_FIELD(16, 0, 64),
	REQ_QPN = CM_FIELD(32, 0, 24),
	REQ_RESPONDER_RESOURCES = CM_FIELD(35, 0, 8),
	REQ_INITIATOR_DEPTH = CM_FIELD(39, 0, 8),
	REQ_REMOTE_RESPONSE_TIMEOUT = CM_FIELD(43, 0, 5),
	REQ_TRANSPORT = CM_FIELD(43, 5, 2), /* 0 RC, 1 UC */
	REQ_FLOW_CONTROL = CM_FIELD(43, 7, 1),
	REQ_STARTING_PSN = CM_FIELD(44, 0, 24),
	REQ_LOCAL_RESPONSE_TIMEOUT = CM_FIELD(47, 0, 5),
	REQ_RETRY_COUNT = CM_FIELD(47, 5, 3),
	REQ_PKEY = CM_FIELD(48, 0, 16),
	REQ_MTU = CM_FIELD(50, 0, 4),
	REQ_RNR_RETRY_COUNT = CM_FIELD(50, 5, 3),
	REQ_MAX_CM_RETRIES = CM_FIELD(51, 0, 4),
	REQ_SRQ = CM_FIELD(51, 4, 1),
	REQ_LOCAL_LID = CM_FIELD(52, 0, 16),
	REQ_REMOTE_LID = CM_FIELD(54, 0, 16),
	REQ_FLOW_LABEL = CM_FIELD(88, 0, 20),
	REQ_RATE = CM_FIELD(91, 2, 6),
	REQ_TCLASS = CM_FIELD(92, 0, 8),
	REQ_HOP_LIMIT = CM_FIELD(93, 0, 8),
	REQ_SL = CM_FIELD(94, 0, 4),
	REQ_SUBNET_LOCAL = CM_FIELD(94, 4, 1),
	REQ_ACK_TIMEOUT = CM_FIELD(95, 0, 5),

	MRA_MESSAGE = CM_FIELD(8, 0, 2),
	MRA_SERVICE_TIMEOUT = CM_FIELD(9, 0, 5),

	REJ_MESSAGE = CM_FIELD(8, 0, 2),
	REJ_INFO_LENGTH = CM_FIELD(9, 0, 7),
	REJ_REASON = CM_FIELD(10, 0, 16),

	REP_QPN = CM_FIELD(12, 0, 24),
	REP_STARTING_PSN = CM_FIELD(20, 0, 24),
	REP_RESPONDER_RESOURCES = CM_FIELD(24, 0, 8),
	REP_INITIATOR_DEPTH = CM_FIELD(25, 0, 8),
	REP_TARGET_ACK_DELAY = CM_FIELD(26, 0, 5),
	REP_FAILOVER_ACCEPTED = CM_FIELD(26, 5, 2),
	REP_FLOW_CONTROL = CM_FIELD(26, 7, 1),
	REP_RNR_RETRY_COUNT = CM_FIELD(27, 0, 3),
	REP_SRQ = CM_FIELD(27, 3, 1),
	REP_CA_GUID = CM_FIELD(28, 0, 64),

	DREQ_REMOTE_QPN = CM_FIELD(8, 0, 24),

	SIDR_REQUEST_ID = CM_FIELD(0, 0, 32),
	SIDR_REQ_PKEY = CM_FIELD(4, 0, 16),
	SIDR_REQ_SERVICE_ID = CM_FIELD(8, 0, 64),
	SIDR_REP_STATUS = CM_FIELD(4, 0, 8),
	SIDR_REP_INFO_LENGTH = CM_FIELD(5, 0, 8),
	SIDR_REP_QPN = CM_FIELD(8, 0, 24),
	SIDR_REP_SERVICE_ID = CM_FIELD(12, 0, 64),
	SIDR_REP_QKEY = CM_FIELD(20, 0, 32),
};

/* Offsets in a message, from the start of the MAD. */
enum mad_place {
	REQ_LOCAL_GID = MAD_DATA + 56,
	REQ_REMOTE_GID = MAD_DATA + 72,
	REQ_PRIVATE = MAD_DATA + 140,
	REP_PRIVATE = MAD_DATA + 36,
	RTU_PRIVATE = MAD_DATA + 8,
	REJ_INFO = MAD_DATA + 12,
	REJ_PRIVATE = MAD_DATA + 84,
	SIDR_REQ_PRIVATE = MAD_DATA + 16,
	SIDR_REP_PRIVATE = MAD_DATA + 96,
};

/* Private data extends to the end of its message. */
#define MAD_PRIVATE_BYTES(place) (MAD_BYTES - (place))

enum cm_attribute {
	CM_REQ = 0x10,
	CM_MRA = 0x11,
	CM_REJ = 0x12,
	CM_REP = 0x13,
	CM_RTU = 0x14,
	CM_DREQ = 0x15,
	CM_DREP = 0x16,
	CM_SIDR_REQ = 0x17,
	CM_SIDR_REP = 0x18,
};

/* Which message a REJ or MRA is about. */
enum cm_about { CM_ABOUT_REQ = 0, CM_ABOUT_REP = 1, CM_ABOUT_OTHER = 2 };

enum cm_rej_reason {
	CM_REJ_TIMEOUT = 4,
	CM_REJ_INVALID_COMM_ID = 6,
	CM_REJ_INVALID_SERVICE_ID = 8,
	CM_REJ_STALE_CONNECTION = 10,
	CM_REJ_CONSUMER = 28,
	CM_REJ_VENDOR_OPTION = 35,
};

enum cm_sidr_status { CM_SIDR_SUCCESS = 0, CM_SIDR_UNSUPPORTED = 1, CM_SIDR_REJECT = 2 };

/* The header that Linux puts before the private data of a REQ or SIDR_REQ (kernel, cma_priv.h,
 * cma_hdr; InfiniBand specification, annex A11 "RDMA IP CM service"). */
enum cma_header_place {
	CMA_IP_VERSION = 1, /* high half of the byte */
	CMA_PORT = 2,
	CMA_SRC = 4,
	CMA_DST = 20,
	CMA_HEADER = 36, /* its bytes */
};

uint64_t mad_get(const uint8_t *mad, enum mad_field field);
void mad_set(uint8_t *mad, enum mad_field field, uint64_t value);

/* An empty message with its header. */
void mad_new(uint8_t mad[MAD_BYTES], enum cm_attribute attribute, uint64_t tid);
/* Is it a message of communication management? */
bool mad_is_cm(const uint8_t *mad);

#endif
