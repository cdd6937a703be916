/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands by write(2) on the bench, in the framing of <rdma/ib_user_verbs.h>. */
#ifndef TEST_UVERBS_BY_WRITE_H
#define TEST_UVERBS_BY_WRITE_H

#include "queues.h"

#define EX IB_USER_VERBS_CMD_FLAG_EXTENDED

static uint8_t frame[4096];

/* An old command: its structure, whose first word is the address of the response if there is
 * one, and the driver's bytes, in words of 4 bytes. */
static inline ssize_t old(struct bench *b, uint32_t cmd, struct buf core, struct buf uhw)
{
	static uint8_t answer[512];
	struct ib_uverbs_cmd_hdr hdr = { .command = cmd };
	uint64_t at = (uintptr_t)answer;
	size_t len = sizeof(hdr) + core.in_len + uhw.in_len;
	ssize_t ret;

	hdr.in_words = (uint16_t)(len / 4);
	hdr.out_words = (uint16_t)((core.out_len + uhw.out_len) / 4);
	memset(answer, 0x55, sizeof(answer));
	memcpy(frame, &hdr, sizeof(hdr));
	memcpy(frame + sizeof(hdr), core.in, core.in_len);
	if (core.out_len)
		memcpy(frame + sizeof(hdr), &at, sizeof(at));
	if (uhw.in_len)
		memcpy(frame + sizeof(hdr) + core.in_len, uhw.in, uhw.in_len);
	ret = uverbs_write(b->f, (uintptr_t)frame, len);
	if (ret >= 0)
		cr_expect_eq((size_t)ret, len);
	if (core.out_len)
		memcpy(core.out, answer, core.out_len);
	if (uhw.out_len)
		memcpy(uhw.out, answer + core.out_len, uhw.out_len);
	return ret < 0 ? ret : 0;
}

#define OLD(b, name, ...)      old(b, IB_USER_VERBS_CMD_##name, __VA_ARGS__)
#define EXTENDED(b, name, ...) extended(b, IB_USER_VERBS_EX_CMD_##name, __VA_ARGS__)
#define IN_OUT(in, out)                                \
	(struct buf)                                   \
	{                                              \
		&(in), sizeof(in), &(out), sizeof(out) \
	}
#define IN(in)                             \
	(struct buf)                       \
	{                                  \
		&(in), sizeof(in), NULL, 0 \
	}
#define NO_UHW       \
	(struct buf) \
	{            \
		0    \
	}

/* An extended command, in words of 8 bytes; the answer of the driver follows that of the
 * command at @at. */
static inline ssize_t extended_at(struct bench *b, uint32_t cmd, struct buf core,
				  struct buf uhw, uint64_t at)
{
	struct ib_uverbs_cmd_hdr hdr = { .command = EX | cmd };
	struct ib_uverbs_ex_cmd_hdr ex = { .response = at };
	size_t len = sizeof(hdr) + sizeof(ex) + core.in_len + uhw.in_len;
	ssize_t ret;

	hdr.in_words = core.in_len / 8;
	hdr.out_words = core.out_len / 8;
	ex.provider_in_words = uhw.in_len / 8;
	ex.provider_out_words = uhw.out_len / 8;
	memcpy(frame, &hdr, sizeof(hdr));
	memcpy(frame + sizeof(hdr), &ex, sizeof(ex));
	memcpy(frame + sizeof(hdr) + sizeof(ex), core.in, core.in_len);
	memcpy(frame + sizeof(hdr) + sizeof(ex) + core.in_len, uhw.in, uhw.in_len);
	ret = uverbs_write(b->f, (uintptr_t)frame, len);
	if (ret >= 0)
		cr_expect_eq((size_t)ret, len);
	return ret < 0 ? ret : 0;
}

static inline ssize_t extended(struct bench *b, uint32_t cmd, struct buf core, struct buf uhw)
{
	static uint8_t answer[512];
	ssize_t ret;

	memset(answer, 0x55, sizeof(answer));
	ret = extended_at(b, cmd, core, uhw, (uintptr_t)answer);
	memcpy(core.out, answer, core.out_len);
	memcpy(uhw.out, answer + core.out_len, uhw.out_len);
	return ret;
}

#endif
