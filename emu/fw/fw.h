/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fw: the firmware. Commands in, status and syndrome out; the only module that creates,
 * changes and destroys objects.
 *
 *	inbox -> known opcode? lengths? reserved bits? -> handler: parse, check, act -> outbox
 *
 * It reports errors as the device does: a PRM status (byte 0 of the outbox) and a 32-bit
 * syndrome. There is no errno here. A command that is not in the table is BAD_OP; a set
 * bit that the model does not implement is BAD_PARAM: looser than the hardware would
 * prove nothing.
 *
 * Syndromes come from one private range, 0xE0000000 | opcode << 8 | n, and are `assumed`: the
 * real ones are not public, except a few (0x317175 of CREATE_MKEY) that are used.
 *
 * Called with the device lock held.
 */
#ifndef EMU_FW_H
#define EMU_FW_H

#include "hca/hca.h"

enum fw_status { /* byte 0 of the outbox */
		 FW_OK = PRM_STATUS_OK,
		 FW_INT_ERR = PRM_STATUS_INT_ERR,
		 FW_BAD_OP = PRM_STATUS_BAD_OP,
		 FW_BAD_PARAM = PRM_STATUS_BAD_PARAM,
		 FW_BAD_SYS_STATE = PRM_STATUS_BAD_SYS_STATE,
		 FW_BAD_RES = PRM_STATUS_BAD_RES,
		 FW_RES_BUSY = PRM_STATUS_RES_BUSY,
		 FW_LIM_ERR = PRM_STATUS_LIM_ERR,
		 FW_BAD_RES_STATE = PRM_STATUS_BAD_RES_STATE,
		 FW_IX_ERR = PRM_STATUS_IX_ERR,
		 FW_NO_RES = PRM_STATUS_NO_RES,
		 FW_BAD_QP_STATE = PRM_STATUS_BAD_QP_STATE,
		 FW_BAD_SIZE_OUTS_CQES = PRM_STATUS_BAD_SIZE_OUTS_CQES,
		 FW_BAD_INP_LEN = PRM_STATUS_BAD_INP_LEN,
		 FW_BAD_OUTP_LEN = PRM_STATUS_BAD_OUTP_LEN,
};

/* Devices whose capabilities are known here; the id is the PCI device id. */
struct fw_device {
	const char *name; /* "cx5" */
	const char *description;
	uint16_t pci_id;
	const char *board_id, *fw_ver;
	bool dpu; /* two functions: that of the host, and that of the processors on it */
};

/* NULL when there is no device of that name. fw_device_next(NULL) is the first. */
const struct fw_device *fw_device_find(const char *name);
const struct fw_device *fw_device_next(const struct fw_device *dev);

/* "16.35.2000" in numbers: 8 bits, 8 bits, 16 bits. */
uint32_t fw_version(const char *text);

/* Makes @hca a device of that kind: its capabilities are what QUERY_HCA_CAP will say. */
void fw_init(struct hca *hca, const struct fw_device *kind);

/* The layout of capability group @group and where its image starts among HCA_CAP_BYTES; NULL:
 * prm knows no layout of it. */
struct prm_struct;
const struct prm_struct *fw_cap_group(uint32_t group, size_t *offset);

/*
 * A device from a dump: its identity, and the images of its groups as they are in
 * hca.cap_bytes. Plain bytes: the launcher writes it to a file that preload reads.
 */
struct fw_image {
	char magic[8]; /* FW_IMAGE_MAGIC */
	char name[32], fw_ver[32], board_id[17];
	uint16_t pci_id;
	uint64_t groups;
	uint8_t bytes[2][HCA_CAP_BYTES]; /* current, maximum */
};

#define FW_IMAGE_MAGIC "dvkitcap"

/* Leaves of @img what the model can keep: fewer bits, smaller limits, the model's own value of
 * what it is built for, nothing of what it does not execute. @report gets each current value
 * that was changed, with its path in the group's layout. */
typedef void fw_report(void *to, uint32_t group, const char *path, uint64_t claimed,
		       uint64_t kept);
void fw_image_bound(struct fw_image *img, fw_report *report, void *to);

/* Are all groups there that the driver asks for because GENERAL announces them? If not,
 * *missing is one that is not. */
bool fw_image_complete(const struct fw_image *img, uint32_t *missing);

/* The identity of @img, pointing into it. */
struct fw_device fw_image_device(const struct fw_image *img);

/* Takes back the capabilities for DC and for masked atomics, whose frames are private (wire.h):
 * on a network with other adapters. */
void fw_public_frames(struct hca *hca);

/* Takes back what a function of a virtual machine does not have, on-demand paging: page faults
 * are those of processes here. It has lists of addresses. */
void fw_guest_caps(struct hca *hca);

/* As fw_init(). */
void fw_init_image(struct hca *hca, const struct fw_image *img);

/* The function as it is after a reset: no objects, before ENABLE_HCA. fw_init() sets its
 * capabilities. */
void fw_reset(struct hca *hca);

/* Executes one command. @out is filled to @out_len; its first 8 bytes are status, syndrome. */
void fw_exec(struct hca *hca, const void *in, size_t in_len, void *out, size_t out_len);

/* Is @opcode a command that this firmware executes for programs? */
bool fw_executes(uint16_t opcode);

/* mlx5_ib does this by UMR on its own QP: the mkeys @to and @from, made by CREATE_MKEY,
 * exchange PD, rights, range and pages; each keeps its number and variant. */
void fw_umr(struct hca *hca, uint32_t to, uint32_t from);

/* A number of the current capabilities by its prm name, e.g. ("cmd_hca_cap", "log_max_qp"):
 * for modules that must agree with QUERY_HCA_CAP without sending it. */
uint64_t fw_cap(const struct hca *hca, const char *group, const char *field);

#endif
