/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/fwctl/fwctl0 without any header: requests and boxes are numbers, from <fwctl/fwctl.h>,
 * <fwctl/mlx5.h>, drivers/fwctl of Linux 6.15 and the PRM.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "lib/qp_traffic.h"

#define INFO 0x9a00
#define RPC  0x9a01

enum { CONFIGURATION, DEBUG_READ_ONLY, DEBUG_WRITE, DEBUG_WRITE_FULL };

static int fd;
static uint8_t out[1024];

static void begin(void)
{
	rig_start();
	fd = open("/dev/fwctl/fwctl0", O_RDWR | O_CLOEXEC);
	cr_assert_geq(fd, 0, "%s", strerror(errno));
}

static void finish(void)
{
	cr_expect_eq(close(fd), 0);
	rig_stop();
}

TestSuite(fwctl, .init = begin, .fini = finish);

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static void put64(uint8_t *p, const void *at)
{
	uint64_t v = (uintptr_t)at;

	memcpy(p, &v, 8);
}

/* 0 or errno. */
static int rpc(uint32_t scope, const uint8_t *in, uint32_t in_len, uint32_t out_len)
{
	uint8_t call[32] = { 32 };

	put32(call + 4, scope);
	put32(call + 8, in_len);
	put32(call + 12, out_len);
	put64(call + 16, in);
	put64(call + 24, out);
	memset(out, 0xee, sizeof(out));
	return ioctl(fd, RPC, call) ? errno : 0;
}

static const uint8_t query_adapter[16] = { 0x01, 0x01 };
static const uint8_t query_issi[16] = { 0x01, 0x0a };
static const uint8_t alloc_pd[16] = { 0x08, 0x00 };
static const uint8_t set_diagnostic_params[16] = { 0x08, 0x20 };

/* PTYS: register_id 0x5004 at 0xa; of the register, after 16 bytes, local_port at 1 and
 * proto_mask at 3. */
static const uint8_t read_ptys[16 + 64] = { 0x08, 0x05,	      [7] = 1,	 [0xa] = 0x50,
					    0x04, [0x11] = 1, [0x13] = 4 };
static const uint8_t write_ptys[16 + 64] = { 0x08, 0x05,       [7] = 0,	  [0xa] = 0x50,
					     0x04, [0x11] = 1, [0x13] = 4 };

Test(fwctl, is_a_device_of_the_adapter)
{
	struct stat by_fd, by_path, dir, device;

	cr_assert_eq(fstat(fd, &by_fd), 0);
	cr_assert_eq(stat("/dev/fwctl/fwctl0", &by_path), 0);
	cr_expect(S_ISCHR(by_fd.st_mode));
	cr_expect_eq(by_fd.st_rdev, by_path.st_rdev);
	cr_expect_eq(minor(by_fd.st_rdev), 0);
	cr_assert_eq(stat("/sys/class/fwctl/fwctl0/device", &dir), 0);
	cr_assert_eq(stat("/sys/class/infiniband/mlx5_0/device", &device), 0);
	cr_expect_eq(dir.st_ino, device.st_ino);
}

Test(fwctl, info)
{
	uint8_t info[32] = { 24 }, data[12];

	memset(data, 0xee, sizeof(data));
	put32(info + 12, sizeof(data));
	put64(info + 16, data);
	cr_assert_eq(ioctl(fd, INFO, info), 0);
	cr_expect_eq(info[8], 1);  /* FWCTL_DEVICE_TYPE_MLX5 */
	cr_expect_eq(info[12], 8); /* struct fwctl_info_mlx5 */
	cr_expect(data[0] || data[1]);
	cr_expect_eq(data[4], 4); /* MLX5_UCTX_OBJECT_CAP_TOOLS_RESOURCES */
	cr_expect_eq(data[8] | data[9] | data[10] | data[11], 0, "not zeroed");

	info[0] = 20;
	cr_expect(ioctl(fd, INFO, info) && errno == EINVAL);
	info[0] = 32;
	info[31] = 1;
	cr_expect(ioctl(fd, INFO, info) && errno == E2BIG);
	info[31] = 0;
	cr_expect_eq(ioctl(fd, INFO, info), 0);
	info[4] = 1;
	cr_expect(ioctl(fd, INFO, info) && errno == EOPNOTSUPP);
	cr_expect(ioctl(fd, INFO, NULL) && errno == EFAULT);
	cr_expect(ioctl(fd, 0x9a02, info) && errno == ENOTTY);
}

Test(fwctl, scopes)
{
	cr_expect_eq(rpc(CONFIGURATION, query_adapter, 16, 0x110), 0);
	cr_expect_eq(out[0], 0);
	cr_expect_eq(rpc(CONFIGURATION, query_issi, 16, 0x70), EBADMSG);
	cr_expect_eq(rpc(DEBUG_READ_ONLY, query_issi, 16, 0x70), 0);
	cr_expect_eq(out[0], 0);
	cr_expect_eq(rpc(DEBUG_WRITE, query_issi, 16, 0x70), 0);
	cr_expect_eq(rpc(DEBUG_WRITE_FULL, alloc_pd, 16, 16), EBADMSG);
	cr_expect_eq(rpc(DEBUG_READ_ONLY, set_diagnostic_params, 16, 16), EBADMSG);
	cr_expect_eq(rpc(DEBUG_WRITE, set_diagnostic_params, 16, 16), 0);
	cr_expect_eq(out[0], 2); /* BAD_OP: the emulated firmware does not have it */
	cr_expect_eq(rpc(DEBUG_WRITE_FULL + 1, query_adapter, 16, 0x110), EOPNOTSUPP);
}

Test(fwctl, registers)
{
	cr_expect_eq(rpc(CONFIGURATION, read_ptys, sizeof(read_ptys), 80), EBADMSG);
	cr_assert_eq(rpc(DEBUG_READ_ONLY, read_ptys, sizeof(read_ptys), 80), 0);
	cr_expect_eq(out[0], 0);
	cr_expect_eq(out[0x11], 1);
	cr_expect_eq(out[0x10 + 0x24 + 1], 0x10, "eth_proto_oper: 100GBASE-CR4");
	cr_expect_eq(rpc(CONFIGURATION, write_ptys, sizeof(write_ptys), 80), 0);
	cr_expect_eq(out[0], 3); /* BAD_PARAM: this register cannot be written */
}

Test(fwctl, lengths)
{
	static uint8_t big[4];

	cr_expect_eq(rpc(CONFIGURATION, query_adapter, 15, 0x110), EMSGSIZE);
	cr_expect_eq(rpc(CONFIGURATION, query_adapter, 16, 15), EMSGSIZE);
	cr_expect_eq(rpc(CONFIGURATION, big, (2 << 20) + 1, 16), EMSGSIZE);
	cr_expect_eq(rpc(CONFIGURATION, NULL, 16, 16), EFAULT);
}

static void drop_raw_io(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	cr_assert_eq(syscall(SYS_capget, &head, data), 0);
	data[0].effective &= ~(1u << CAP_SYS_RAWIO);
	cr_assert_eq(syscall(SYS_capset, &head, data), 0);
}

Test(fwctl, all_rights_need_raw_io)
{
	drop_raw_io();
	cr_expect_eq(rpc(DEBUG_WRITE_FULL, query_adapter, 16, 0x110), EPERM);
	cr_expect_eq(rpc(DEBUG_WRITE, query_adapter, 16, 0x110), 0);
}

/* That of the rig is verbs', so of another uid. qpc begins at 0x18; state is its top nibble. */
Test(fwctl, queries_a_qp_of_another_uid)
{
	uint8_t query_qp[16] = { 0x05, 0x0b };
	uint32_t qpn;

	wired();
	qpn = r.a.qp->qp_num;
	query_qp[9] = (uint8_t)(qpn >> 16);
	query_qp[10] = (uint8_t)(qpn >> 8);
	query_qp[11] = (uint8_t)qpn;
	cr_assert_eq(rpc(DEBUG_READ_ONLY, query_qp, 16, 0x110), 0);
	cr_expect_eq(out[0], 0, "status %#x", out[0]);
	cr_expect_eq(out[0x18] >> 4, 3, "not RTS");
	query_qp[9] ^= 0x80; /* and one that is not there */
	cr_assert_eq(rpc(DEBUG_READ_ONLY, query_qp, 16, 0x110), 0);
	cr_expect_neq(out[0], 0);
}

/* RESOURCE_DUMP, 0xc000: in two parts of 208 bytes; segments of 16, 20 and 16 + 0x110 bytes and
 * of 4. Its payload is the answer of QUERY_QP. */
Test(fwctl, dumps_a_qp)
{
	uint8_t dump[16 + 256] = { 0x08, 0x05, [7] = 1, [0xa] = 0xc0, [0x10] = 0x40 };
	uint8_t query_qp[16] = { 0x05, 0x0b }, all[416], *index = dump + 16 + 8;
	uint32_t qpn;

	wired();
	qpn = r.a.qp->qp_num;
	dump[16 + 2] = 0x40; /* PRM_QUERY_QP, 0x4000 */
	index[1] = query_qp[9] = (uint8_t)(qpn >> 16);
	index[2] = query_qp[10] = (uint8_t)(qpn >> 8);
	index[3] = query_qp[11] = (uint8_t)qpn;
	cr_assert_eq(rpc(CONFIGURATION, dump, sizeof(dump), sizeof(dump)), EBADMSG);
	cr_assert_eq(rpc(DEBUG_READ_ONLY, dump, sizeof(dump), sizeof(dump)), 0);
	cr_assert_eq(out[0], 0, "status %#x", out[0]);
	cr_expect_eq(out[16] & 0x80, 0x80, "no more_dump");
	cr_expect_eq(out[16 + 1], 1, "seq_num");
	cr_expect_eq(out[16 + 0x27], 208);
	memcpy(all, out + 16 + 0x30, 208);
	memcpy(dump + 16, out + 16, 0x20); /* seq_num, more_dump, device_opaque */
	cr_assert_eq(rpc(DEBUG_READ_ONLY, dump, sizeof(dump), sizeof(dump)), 0);
	cr_expect_eq(out[16] & 0x80, 0);
	cr_expect_eq(out[16 + 1], 2);
	cr_expect_eq(out[16 + 0x27], 16 + 20 + 16 + 0x110 + 4 - 208);
	memcpy(all + 208, out + 16 + 0x30, 208);
	cr_expect_arr_eq(all + 52 + 0x110, ((uint8_t[4]){ 0, 1, 0xff, 0xfb }), 4);
	cr_assert_eq(rpc(DEBUG_READ_ONLY, query_qp, 16, 0x110), 0);
	cr_expect_arr_eq(all + 52, out, 0x110);
}

/* PAOS, 0x5006, by the scope of configuration: what verbs report of the port. */
Test(fwctl, takes_the_link_down)
{
	uint8_t paos[16 + 16] = { 0x08, 0x05,	    [7] = 0,	[0xa] = 0x50,
				  0x06, [0x11] = 1, [0x12] = 2, [0x14] = 0x80 };
	struct ibv_async_event event;
	struct ibv_port_attr port;

	wired();
	cr_assert_eq(rpc(CONFIGURATION, paos, sizeof(paos), sizeof(paos)), 0);
	cr_assert_eq(out[0], 0, "status %#x", out[0]);
	cr_assert_eq(ibv_query_port(r.a.qp->context, 1, &port), 0);
	cr_expect_eq(port.state, IBV_PORT_DOWN);
	cr_expect_eq(port.active_speed, 4); /* mlx5_ib: QDR, 4X */
	cr_assert_eq(ibv_get_async_event(r.a.qp->context, &event), 0);
	cr_expect_eq(event.event_type, IBV_EVENT_PORT_ERR);
	cr_expect_eq(event.element.port_num, 1);
	ibv_ack_async_event(&event);
	paos[0x12] = 1;
	cr_assert_eq(rpc(CONFIGURATION, paos, sizeof(paos), sizeof(paos)), 0);
	cr_assert_eq(ibv_get_async_event(r.a.qp->context, &event), 0);
	cr_expect_eq(event.event_type, IBV_EVENT_PORT_ACTIVE);
	ibv_ack_async_event(&event);
	cr_assert_eq(ibv_query_port(r.a.qp->context, 1, &port), 0);
	cr_expect_eq(port.state, IBV_PORT_ACTIVE);
}

/* Two writes, faster than an engine looks. */
Test(fwctl, a_short_loss_of_the_link_is_reported)
{
	uint8_t paos[16 + 16] = { 0x08, 0x05,	    [7] = 0,	[0xa] = 0x50,
				  0x06, [0x11] = 1, [0x12] = 2, [0x14] = 0x80 };
	struct ibv_async_event event;

	wired();
	cr_assert_eq(rpc(CONFIGURATION, paos, sizeof(paos), sizeof(paos)), 0);
	paos[0x12] = 1;
	cr_assert_eq(rpc(CONFIGURATION, paos, sizeof(paos), sizeof(paos)), 0);
	cr_assert_eq(ibv_get_async_event(r.a.qp->context, &event), 0);
	cr_expect_eq(event.event_type, IBV_EVENT_PORT_ERR);
	ibv_ack_async_event(&event);
	cr_assert_eq(ibv_get_async_event(r.a.qp->context, &event), 0);
	cr_expect_eq(event.event_type, IBV_EVENT_PORT_ACTIVE);
	ibv_ack_async_event(&event);
}

Test(fwctl, has_only_ioctl)
{
	char byte = 0;

	cr_expect(read(fd, &byte, 1) < 0 && errno == EINVAL);
	cr_expect(write(fd, &byte, 1) < 0 && errno == EINVAL);
}
