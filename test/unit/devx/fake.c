/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <criterion/criterion.h>
#include <devx/devx.h>

#include "fake.h"
#include "lib/steps.h"

struct fake fake;

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
}

static uint16_t half(const void *in, size_t off)
{
	return (uint16_t)(((const uint8_t *)in)[off] << 8 | ((const uint8_t *)in)[off + 1]);
}

static int caps(const void *in, void *out, size_t out_len)
{
	bool second;

	fake.caps_op_mod = half(in, 6);
	second = fake.two_groups && fake.caps_op_mod >> 1 == 0x20;
	memcpy(out, second ? fake.caps_2 : fake.caps, out_len);
	return 0;
}

static void keep(const void *in, size_t in_len)
{
	struct fake_command *c = &fake.command[fake.calls % 16];

	fake.calls++;
	memcpy(fake.in, in, in_len);
	fake.in_len = in_len;
	c->len = in_len;
	memcpy(c->in, in, in_len < sizeof(c->in) ? in_len : sizeof(c->in));
}

static int execute(const void *in, size_t in_len, void *out, size_t out_len)
{
	if (step_fails())
		return ENOMEM;
	if (half(in, 0) == 0x100)
		return caps(in, out, out_len);
	keep(in, in_len);
	fake.out_len = out_len;
	memcpy(out, fake.answer, out_len);
	if (!fake.refused || half(in, 0) != fake.refused)
		return fake.err;
	((uint8_t *)out)[0] = 0x03;
	return EREMOTEIO;
}

void refused_call(const char *call, int got, int err)
{
	size_t n = strcspn(call, "(");
	char line[512];

	devx_error_str(devx_last_error(), line, sizeof(line));
	cr_expect_eq(got, err, "%s: %d", call, got);
	cr_expect(!strncmp(line, call, n) && line[n] == ':', "%s: %s", call, line);
}

struct mlx5dv_devx_obj *fake_handle(void)
{
	static char object;

	return (struct mlx5dv_devx_obj *)&object;
}

FAKE(int, mlx5dv_devx_general_cmd,
     (struct ibv_context * ctx, const void *in, size_t in_len, void *out, size_t out_len),
     execute(in, in_len, out, out_len))

INSTEAD struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *ctx, const void *in,
						       size_t in_len, void *out, size_t out_len)
{
	errno = execute(in, in_len, out, out_len);
	fake.made += !errno;
	return errno ? NULL : fake_handle();
}

FAKE(int, mlx5dv_devx_obj_modify,
     (struct mlx5dv_devx_obj * obj, const void *in, size_t in_len, void *out, size_t out_len),
     execute(in, in_len, out, out_len))

FAKE(int, mlx5dv_devx_obj_query,
     (struct mlx5dv_devx_obj * obj, const void *in, size_t in_len, void *out, size_t out_len),
     execute(in, in_len, out, out_len))

FAKE(int, mlx5dv_devx_obj_destroy, (struct mlx5dv_devx_obj * obj),
     (fake.destroyed += !fake.err, fake.err))

static void put_word(uint8_t *p, uint32_t word)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(word >> (24 - 8 * i));
}

void answer_word(size_t off, uint32_t word)
{
	put_word(fake.answer + off, word);
}

/* "0010: 00007d00 ffffff42" */
static void read_row(const char *row, uint8_t *box)
{
	char *at;
	size_t off = strtoul(row, &at, 16);

	cr_assert_eq(*at++, ':', "row: %s", row);
	for (char *end = at;; off += 4, at = end) {
		uint32_t word = (uint32_t)strtoul(at, &end, 16);

		if (end == at)
			return;
		put_word(box + off, word);
	}
}

static void compare(const uint8_t *in, size_t in_len, size_t len, const char *const *rows)
{
	static uint8_t golden[sizeof(fake.in)];

	memset(golden, 0, sizeof(golden));
	for (; *rows; rows++)
		read_row(*rows, golden);
	cr_assert_eq(in_len, len, "%zu bytes instead of %zu", in_len, len);
	for (size_t i = 0; i < len; i++)
		cr_assert_eq(in[i], golden[i], "byte 0x%zx is 0x%02x, not 0x%02x", i, in[i],
			     golden[i]);
}

void sent(size_t len, const char *const *rows)
{
	cr_assert_eq(fake.calls, 1);
	compare(fake.in, fake.in_len, len, rows);
}

void sent_nth(int n, size_t len, const char *const *rows)
{
	cr_assert_gt(fake.calls, n);
	cr_assert_leq(len, sizeof(fake.command[n].in));
	compare(fake.command[n].in, fake.command[n].len, len, rows);
}
