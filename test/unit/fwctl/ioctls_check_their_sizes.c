/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FWCTL_INFO and FWCTL_RPC with each size, length, scope and address that is wrong: the errors
 * are those of Linux 6.15 (drivers/fwctl/main.c), and no command runs. The structures are bytes
 * here.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fw/fw.h"
#include "fwctl/fwctl.h"
#include "lib/steps.h"
#include "prm/prm.h"

#define INFO 0x9a00
#define RPC  0x9a01
#define PAGE 4096
#define MAX  (2u << 20)

static struct hca hca;
static struct fwctl_file *f;
static long allocations;
static uint8_t *pages; /* one that can be accessed, one that cannot */

static void begin(void)
{
	allocations = steps.allocations;
	memset(&hca, 0, sizeof(hca));
	cr_assert_eq(hca_init(&hca, 5), 0);
	fw_init(&hca, fw_device_find("cx5"));
	f = fwctl_open(&hca);
	cr_assert_not_null(f);
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
}

static void end(void)
{
	fwctl_release(f);
	cr_expect_not(core_inside(), "a lock is held");
	hca_fini(&hca);
	cr_expect_eq(steps.allocations, allocations, "memory is left");
	munmap(pages, 2 * PAGE);
}

TestSuite(fwctl, .init = begin, .fini = end);

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static void put64(uint8_t *p, const void *to)
{
	uint64_t v = (uintptr_t)to;

	memcpy(p, &v, 8);
}

/* The structure of @request with @size in it, its first @len bytes before the page that is not
 * there. */
static int ask(uint32_t request, const uint8_t *call, size_t len)
{
	uint8_t *at = pages + PAGE - len;

	memcpy(at, call, len);
	return fwctl_ioctl(f, request, (uintptr_t)at);
}

static const uint8_t query_adapter[16] = { 0x01, 0x01 };
static uint8_t out[0x110];

/* size, scope, in_len, out_len, in, out */
static void rpc(uint8_t call[64], uint32_t size, uint32_t in_len, uint32_t out_len)
{
	memset(call, 0, 64);
	put32(call, size);
	put32(call + 8, in_len);
	put32(call + 12, out_len);
	put64(call + 16, query_adapter);
	put64(call + 24, out);
}

/* Both structures: shorter, of their size, longer with zeros, with a byte, not readable. */
Test(fwctl, structures_have_their_size)
{
	static const struct {
		uint32_t request, bytes;
	} rows[] = { { INFO, 24 }, { RPC, 32 } };

	for (int i = 0; i < 2; i++)
		for (uint32_t size = 0; size < 64; size++)
			for (uint32_t there = 4; there <= size; there++) {
				uint32_t least = rows[i].bytes;
				uint8_t call[64];
				int ret, expected = size < least   ? -EINVAL
						    : there < size ? -EFAULT
								   : 0;

				rpc(call, size, 16, 0x110);
				if (rows[i].request == INFO)
					memset(call + 4, 0, 60);
				ret = ask(rows[i].request, call, there);
				cr_expect_eq(ret, expected, "%u of %u bytes of %#x: %d", there,
					     size, rows[i].request, ret);
				if (there < size || size <= least)
					continue;
				call[size - 1] = 1;
				cr_expect_eq(ask(rows[i].request, call, size), -E2BIG, "%u",
					     size);
			}
	cr_expect_eq(fwctl_ioctl(f, INFO, (uintptr_t)(pages + PAGE - 3)), -EFAULT);
	cr_expect_eq(fwctl_ioctl(f, RPC + 1, (uintptr_t)pages), -ENOTTY);
	cr_expect_eq(fwctl_ioctl(f, INFO - 1, (uintptr_t)pages), -ENOTTY);
}

/* The answer of INFO has 8 bytes: less are cut, more are zeroes. */
Test(fwctl, info_fills_what_was_asked_for)
{
	for (uint32_t len = 0; len < 200; len++) {
		uint8_t call[64] = { 24 }, data[256];

		memset(data, 0xee, sizeof(data));
		put32(call + 12, len);
		put64(call + 16, data);
		cr_assert_eq(ask(INFO, call, 24), 0);
		memcpy(call, pages + PAGE - 24, 24);
		cr_expect_eq(call[8], 1, "FWCTL_DEVICE_TYPE_MLX5");
		cr_expect_eq(call[12], len ? 8 : 0, "%u: %u", len, call[12]);
		cr_expect(len <= 4 || data[4] == 4, "MLX5_UCTX_OBJECT_CAP_TOOLS_RESOURCES");
		for (uint32_t i = 8; i < 256; i++)
			cr_expect_eq(data[i], i < len ? 0 : 0xee, "%u of %u", i, len);
		put32(call + 12, len + 1); /* one too many for the page */
		put64(call + 16, pages + PAGE - len);
		cr_expect_eq(ask(INFO, call, 24), -EFAULT, "%u", len);
	}
}

Test(fwctl, rpc_has_these_limits)
{
	static uint8_t big[MAX + 1] = { 0x01, 0x01 }, big_out[MAX + 1];
	static const struct {
		const char *name;
		uint32_t scope, in_len, out_len;
		int result;
	} rows[] = {
		{ "as long as can be", 0, MAX, MAX, 0 },
		{ "inbox too long", 0, MAX + 1, 0x110, -EMSGSIZE },
		{ "outbox too long", 0, 16, MAX + 1, -EMSGSIZE },
		{ "inbox as short as can be", 0, 16, 16, 0 },
		{ "inbox too short", 0, 15, 0x110, -EMSGSIZE },
		{ "outbox too short", 0, 16, 15, -EMSGSIZE },
		{ "no boxes", 0, 0, 0, -EMSGSIZE },
		{ "last scope", 3, 16, 0x110, 0 },
		{ "no scope", 4, 16, 0x110, -EOPNOTSUPP },
		{ "lengths before the scope", 4, MAX + 1, 0x110, -EMSGSIZE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t call[64];
		int ret;

		rpc(call, 32, rows[i].in_len, rows[i].out_len);
		put32(call + 4, rows[i].scope);
		put64(call + 16, big);
		put64(call + 24, big_out);
		memset(big_out, 0xee, sizeof(big_out));
		ret = ask(RPC, call, 32);
		cr_expect_eq(ret, rows[i].result, "%s: %d", rows[i].name, ret);
		cr_expect_eq(big_out[15], ret ? 0xee : 0, "%s", rows[i].name);
		cr_expect_eq(big_out[rows[i].out_len < MAX ? rows[i].out_len : MAX], 0xee, "%s",
			     rows[i].name);
	}
}

/* The uid is that of the file, whatever the inbox has. */
Test(fwctl, rpc_reads_and_writes_its_boxes)
{
	uint8_t call[64], *end = pages + PAGE, box[16] = { 0x08, 0x00, 0x12, 0x34 };
	uint64_t commands;

	rpc(call, 32, 16, 0x110);
	put64(call + 16, end - 15);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), -EFAULT,
		     "the last byte of the inbox");
	memcpy(end - 16, query_adapter, 16);
	put64(call + 16, end - 16);
	memset(out, 0xee, sizeof(out));
	commands = hca.counts.commands;
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), 0);
	cr_expect_eq(hca.counts.commands, commands + 1);
	cr_expect_eq(memcmp(out, "\0\0\0\0\0\0\0\0", 8), 0, "status, syndrome");
	cr_expect_neq(memcmp(out + 16, (uint8_t[0x100]){ 0 }, 0x100), 0, "what was asked for");
	put64(call + 24, end - 0x110);
	put64(call + 16, query_adapter);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), 0);
	put64(call + 24, end - 0x10f);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), -EFAULT, "that of the outbox");
	rpc(call, 32, 16, 16);
	put64(call + 16, box);
	put32(call + 4, 2);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), -EBADMSG, "ALLOC_PD");
	memcpy(box, query_adapter, 2);
	put32(call + 12, 0x110);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), 0);
	cr_expect_eq(out[0], 0, "status %u", out[0]);
	hca.failed = true;
	put64(call + 16, query_adapter);
	cr_expect_eq(fwctl_ioctl(f, RPC, (uintptr_t)call), -ENXIO);
}

/* Two files are two users of the firmware; their uids are given back. */
Test(fwctl, files_have_their_own_uids)
{
	uint32_t used = hca.uctx.used;
	struct fwctl_file *g = fwctl_open(&hca);
	uint8_t call[64] = { 24 }, who[2][8];

	put32(call + 12, 8);
	for (int i = 0; i < 2; i++) {
		put64(call + 16, who[i]);
		cr_assert_eq(fwctl_ioctl(i ? g : f, INFO, (uintptr_t)call), 0);
	}
	cr_expect_neq(memcmp(who[0], who[1], 4), 0);
	cr_expect_eq(hca.uctx.used, used + 1);
	fwctl_release(g);
	cr_expect_eq(hca.uctx.used, used);
}

/* A user context that the firmware refuses, and each allocation. */
Test(fwctl, each_step_is_taken_back)
{
	long before = steps.allocations;
	uint32_t used = hca.uctx.used;
	uint8_t call[64];

	hca.refusal = (struct hca_refusal){ .nth = 1, .status = 0x8, .syndrome = 0x1234 };
	cr_expect_null(fwctl_open(&hca));
	cr_expect_eq(errno, EREMOTEIO);
	cr_expect_eq(hca.uctx.used, used);
	cr_expect_eq(steps.allocations, before);
	steps.fail_at = 1;
	cr_expect_null(fwctl_open(&hca));
	cr_expect_eq(errno, ENOMEM);
	rpc(call, 32, 16, 0x110);
	for (unsigned int n = 1; n <= 2; n++) {
		steps.fail_at = n;
		cr_expect_eq(ask(RPC, call, 32), -ENOMEM, "allocation %u", n);
		cr_expect_eq(steps.allocations, before);
	}
	cr_expect_eq(ask(RPC, call, 32), 0);
	cr_expect_eq(steps.allocations, before);
}

/* The rights that the firmware can give, of those that the driver asks for. */
Test(fwctl, right_of_the_tools_is_that_of_the_firmware)
{
	for (uint32_t can = 0; can < 8; can++) {
		uint8_t call[64] = { 24 }, who[8];
		struct fwctl_file *g;

		PRM_SET(cmd_hca_cap, hca.caps[PRM_CAP_GENERAL], uctx_cap, can);
		g = fwctl_open(&hca);
		cr_assert_not_null(g);
		put32(call + 12, 8);
		put64(call + 16, who);
		cr_assert_eq(fwctl_ioctl(g, INFO, (uintptr_t)call), 0);
		cr_expect_eq(memcmp(who + 4, (uint8_t[4]){ can & 4 }, 4), 0, "%u", can);
		fwctl_release(g);
	}
}

/* FWCTL_RPC_DEBUG_WRITE_FULL needs CAP_SYS_RAWIO. */
Test(fwctl, full_scope_is_for_administrators)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];
	uint8_t call[64];

	cr_assert_eq(syscall(SYS_capget, &h, d), 0);
	for (int without = !(d[0].permitted & 1u << CAP_SYS_RAWIO); without < 2; without++) {
		d[0].effective =
			without ? d[0].permitted & ~(1u << CAP_SYS_RAWIO) : 1u << CAP_SYS_RAWIO;
		cr_assert_eq(syscall(SYS_capset, &h, d), 0);
		for (uint32_t scope = 0; scope < 4; scope++) {
			rpc(call, 32, 16, 0x110);
			put32(call + 4, scope);
			cr_expect_eq(ask(RPC, call, 32), scope == 3 && without ? -EPERM : 0,
				     "scope %u, %d", scope, without);
		}
	}
}
