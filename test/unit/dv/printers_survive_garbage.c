/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes of every length, copied to the end of a heap block so that a sanitizer sees a
 * read beyond them; the promised length is the length of the text. */
#include "memory.h"
#include <stdlib.h>

static char text[16384];

static void check(const uint8_t *bytes, size_t len, enum dv_style style)
{
	unsigned int transport, kind;
	size_t n;

	for (transport = DV_RC; transport <= DV_ETH; transport++) {
		n = dv_wqe_format(text, sizeof(text), bytes, len, transport, style);
		cr_assert_eq(n, strlen(text));
		cr_assert_lt(n, sizeof(text));
	}
	for (kind = DV_RECV_PLAIN; kind <= DV_RECV_LINKED; kind++) {
		n = dv_recv_wqe_format(text, sizeof(text), bytes, len, kind, style);
		cr_assert_eq(n, strlen(text));
	}
	n = dv_cqe_format(text, sizeof(text), bytes, len, style);
	cr_assert_eq(n, strlen(text));
	n = dv_eqe_format(text, sizeof(text), bytes, len, style);
	cr_assert_eq(n, strlen(text));
	for (kind = 0; len >= 64 && kind <= 10; kind++) {
		n = dv_minis_format(text, sizeof(text), bytes, kind, (int)kind - 1, style);
		cr_assert_eq(n, strlen(text));
	}
}

Test(print, survives_garbage)
{
	unsigned int seed = 7;
	size_t len, i;
	int round;

	for (len = 0; len <= 200; len++) {
		uint8_t *bytes = malloc(len ? len : 1);

		for (round = 0; round < 60; round++) {
			for (i = 0; i < len; i++) {
				seed = seed * 1103515245 + 12345;
				bytes[i] = (uint8_t)(seed >> 16);
			}
			/* Opcodes with a decoder most of the time. */
			if (len > 3 && round % 8)
				bytes[3] = (uint8_t)round;
			check(bytes, len, DV_LINE);
			check(bytes, len, DV_FIELDS);
		}
		free(bytes);
	}
}

Test(print, survives_every_ds_and_inline_length)
{
	uint8_t *wqe = calloc(1, 64);
	unsigned int ds, shift;

	wqe[3] = MLX5_OPCODE_SEND;
	for (ds = 0; ds < 64; ds++) {
		wqe[7] = (uint8_t)ds;
		for (shift = 0; shift < 31; shift++) {
			uint32_t head = htobe32(MLX5_INLINE_SEG | 1u << shift);

			memcpy(wqe + 16, &head, 4);
			check(wqe, 64, DV_LINE);
		}
	}
	free(wqe);
}
