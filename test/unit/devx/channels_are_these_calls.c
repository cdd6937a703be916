/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels of events and of answers: what libmlx5 is asked, and what it answers. */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/async.h>
#include <devx/eq.h>

#include "fake_memory.h"
#include "lib/steps.h"

TestSuite(channels, .init = fake_memory_reset);

static struct mlx5dv_devx_event_channel channel = { .fd = 43 };
static struct devx_obj obj;

/* The last call. */
static struct {
	int flags, fd, destroyed;
	struct mlx5dv_devx_obj *obj;
	uint16_t bytes, kind[64];
	uint64_t cookie, wr_id;
	size_t in_len, out_len;
	struct mlx5dv_devx_cmd_comp *comp;
} asked;

INSTEAD struct mlx5dv_devx_event_channel *
mlx5dv_devx_create_event_channel(struct ibv_context *ctx,
				 enum mlx5dv_devx_create_event_channel_flags flags)
{
	asked.flags = flags;
	errno = fake.err;
	return fake.err ? NULL : &channel;
}

INSTEAD void mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *c)
{
	asked.destroyed += c == &channel;
}

INSTEAD int mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *c,
					     struct mlx5dv_devx_obj *o, uint16_t bytes,
					     uint16_t kind[], uint64_t cookie)
{
	cr_expect_eq(c, &channel);
	asked.obj = o;
	asked.bytes = bytes;
	memcpy(asked.kind, kind, bytes);
	asked.cookie = cookie;
	return fake.err;
}

INSTEAD int mlx5dv_devx_subscribe_devx_event_fd(struct mlx5dv_devx_event_channel *c, int fd,
						struct mlx5dv_devx_obj *o, uint16_t kind)
{
	cr_expect_eq(c, &channel);
	asked.fd = fd;
	asked.obj = o;
	asked.kind[0] = kind;
	return fake.err;
}

INSTEAD ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *c,
				      struct mlx5dv_devx_async_event_hdr *answer, size_t len)
{
	cr_expect_eq(c, &channel);
	cr_expect_eq(len, sizeof(*answer) + 64);
	errno = fake.err;
	if (fake.err)
		return -1;
	answer->cookie = 0x1122334455667788;
	memcpy(answer->out_data, fake.answer, 64);
	return (ssize_t)len;
}

INSTEAD int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *o, const void *in,
					size_t in_len, size_t out_len, uint64_t wr_id,
					struct mlx5dv_devx_cmd_comp *comp)
{
	asked.obj = o;
	memcpy(fake.in, in, in_len);
	asked.in_len = in_len;
	asked.out_len = out_len;
	asked.wr_id = wr_id;
	asked.comp = comp;
	return fake.err;
}

Test(channels, events_are_opened_with_or_without_data)
{
	struct devx_events events;

	for (int omit = 0; omit < 2; omit++) {
		asked.destroyed = 0;
		cr_assert_eq(devx_events_create(&events, NULL, omit), 0);
		cr_expect_eq(asked.flags,
			     omit); /* kernel: MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA */
		cr_expect_eq(events.omit_data, omit);
		cr_expect_eq(events.fd, 43);
		devx_events_destroy(&events);
		devx_events_destroy(&events);
		cr_expect_eq(asked.destroyed, 1);
	}
	fake.err = EMFILE;
	REFUSES(devx_events_create(&events, NULL, false), EMFILE);
	devx_events_destroy(&events); /* of none */
}

Test(channels, events_are_of_1_to_64_kinds)
{
	struct devx_events events;
	uint16_t kind[65];

	for (uint16_t i = 0; i < 65; i++)
		kind[i] = 0x0100 + i;
	obj.handle = fake_handle();
	cr_assert_eq(devx_events_create(&events, NULL, false), 0);
	REFUSES(devx_events_subscribe(&events, &obj, kind, 0, 1), EINVAL);
	REFUSES(devx_events_subscribe(&events, &obj, kind, 65, 1), EINVAL);
	cr_expect_eq(asked.bytes, 0, "nothing was asked");
	cr_expect_eq(devx_events_subscribe(&events, &obj, kind, 64, 0x100000002), 0);
	cr_expect_eq(asked.bytes, 128);
	cr_expect_arr_eq(asked.kind, kind, 128);
	cr_expect_eq(asked.cookie, 0x100000002);
	cr_expect_eq(asked.obj, fake_handle());
	cr_expect_eq(devx_events_subscribe(&events, NULL, kind, 1, 1), 0);
	cr_expect_eq(asked.bytes, 2);
	cr_expect_null(asked.obj);
	cr_expect_eq(devx_events_subscribe_fd(&events, 7, &obj, 0x0e), 0);
	cr_expect(asked.fd == 7 && asked.kind[0] == 0x0e && asked.obj == fake_handle());
	cr_expect_eq(devx_events_subscribe_fd(&events, 7, NULL, 0x0e), 0);
	cr_expect_null(asked.obj);
}

Test(channels, events_have_a_cookie_and_an_eqe)
{
	struct devx_events events;
	struct devx_event event;

	cr_assert_eq(devx_events_create(&events, NULL, false), 0);
	answer_word(0, 0x000e0000);
	answer_word(60, 0x00000001);
	cr_expect_eq(devx_events_get(&events, &event), 0);
	cr_expect_eq(event.cookie, 0x1122334455667788);
	cr_expect_arr_eq(event.eqe, fake.answer, 64);
}

/* Errors of libmlx5 are returned, positive as they are, or -1 and errno. */
Test(channels, errors_of_libmlx5_are_returned)
{
	static const int errors[] = { EAGAIN, -1 };
	struct devx_events events;
	struct devx_event event;
	uint16_t kind = 0x0e;
	uint32_t eqn;

	cr_assert_eq(devx_events_create(&events, NULL, false), 0);
	for (int i = 0; i < 2; i++) {
		fake.err = errors[i];
		errno = EAGAIN;
		REFUSES(devx_events_subscribe(&events, &obj, &kind, 1, 1), EAGAIN);
		errno = EAGAIN;
		REFUSES(devx_events_subscribe_fd(&events, 7, &obj, 0x0e), EAGAIN);
		errno = EAGAIN;
		REFUSES(devx_eqn_query(&eqn, NULL, 0), EAGAIN);
	}
	fake.err = EAGAIN;
	REFUSES(devx_events_get(&events, &event), EAGAIN);
}

Test(channels, answers_are_asked_for_with_whole_boxes)
{
	static const uint8_t in[16] = { 0x08, 0x05, [15] = 1 };
	struct devx_async async;
	uint8_t out[16];
	uint64_t wr_id;

	obj.handle = fake_handle();
	cr_assert_eq(devx_async_create(&async, NULL), 0);
	REFUSES(devx_async_query(&async, &obj, in, 15, 16, 1), EINVAL);
	REFUSES(devx_async_query(&async, &obj, in, 16, 15, 1), EINVAL);
	cr_expect_eq(asked.in_len, 0);
	cr_expect_eq(devx_async_query(&async, &obj, in, 16, 16, 0x100000002), 0);
	cr_expect_eq(asked.in_len, 16);
	cr_expect(asked.obj == fake_handle() && asked.comp == async.handle);
	cr_expect_eq(asked.wr_id, 0x100000002);
	cr_expect_arr_eq(fake.in, in, 16);
	for (int i = 0; i < 2; i++) {
		fake.err = i ? -1 : ENOMEM;
		errno = ENOMEM;
		cr_expect_eq(devx_async_query(&async, &obj, in, 16, 16, 1), ENOMEM);
		cr_expect_eq(devx_last_error()->opcode, 0x805);
		errno = ENOMEM;
		REFUSES(devx_async_get(&async, &wr_id, out, 16), ENOMEM);
	}
	REFUSES(devx_async_get(&async, &wr_id, out, 15), EINVAL);
	steps.fail_at = 1;
	REFUSES(devx_async_get(&async, &wr_id, out, 16), ENOMEM);
	cr_expect_eq(fake_memory.channels, 1);
	devx_async_destroy(&async);
	devx_async_destroy(&async);
	cr_expect_eq(fake_memory.channels, 0);
	fake.err = EMFILE;
	REFUSES(devx_async_create(&async, NULL), EMFILE);
	cr_expect_null(async.handle);
}
