/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads and the engine's: one posts CQEs, one arms, polls, and sleeps on the completion
 * channel when there is nothing. If an arm is lost, or a CQE slips in between the last poll and
 * the arm, the reader sleeps for ever: then SIGALRM ends the program. At the end the driver has
 * reported as many events as were read, or ibv_destroy_cq() would hang.
 *
 *	poster --event_cqe--> ring --armed?--> event --pipe--> reader
 *	                                engine <--arm register--'
 *
 * A plain program with an exit status, since Criterion does not start under ThreadSanitizer
 * (DVKIT_SANITIZE=thread).
 */
#include <endian.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "engine/engine.h"
#include "event/event.h"
#include "fw/fw.h"
#include "unit/addresses.h"
#include "uverbs/uverbs.h"

#define CQES	    20000
#define RING	    64
#define ARM_OFFSET  0x20
#define USER_HANDLE 0xc0ffee
#define SECONDS	    100

static struct hca hca;
static struct uverbs_file *file;
static struct hca_uar *uar;
static struct hca_cq *cq;
static int channel;
static uint8_t ring[RING * 64] __attribute__((aligned(4096)));
static _Atomic uint32_t record[2] __attribute__((aligned(8)));

static void check(bool ok, const char *what)
{
	if (!ok)
		errx(1, "%s", what);
}

/* ---- ioctls ---- */

struct call {
	struct {
		uint16_t length, object, method, attrs;
		uint64_t reserved1;
		uint32_t driver_id, reserved2;
	} hdr;
	struct ib_uverbs_attr attr[10];
};

static struct ib_uverbs_attr *attr(struct call *c, uint16_t id, uint16_t len, uint64_t data)
{
	struct ib_uverbs_attr *a = &c->attr[c->hdr.attrs++];

	*a = (struct ib_uverbs_attr){ .attr_id = id, .len = len, .data = data };
	return a;
}

static void run(struct call *c, uint16_t object, uint16_t method)
{
	c->hdr.object = object;
	c->hdr.method = method;
	c->hdr.driver_id = RDMA_DRIVER_MLX5;
	c->hdr.length = sizeof(c->hdr) + c->hdr.attrs * sizeof(c->attr[0]);
	check(!uverbs_ioctl(file, RDMA_VERBS_IOCTL, (uintptr_t)c), "ioctl");
}

static void get_context(void)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = { .total_num_bfregs = 16,
						     .num_low_latency_bfregs = 4,
						     .max_cqe_version = 1,
						     .lib_caps = MLX5_LIB_CAP_DYN_UAR };
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct call c = { 0 };

	attr(&c, UVERBS_ATTR_UHW_IN, sizeof(req), (uintptr_t)&req);
	attr(&c, UVERBS_ATTR_UHW_OUT, sizeof(resp), (uintptr_t)&resp);
	run(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
}

static int create_channel(void)
{
	struct ib_uverbs_create_comp_channel cmd = { 0 };
	struct ib_uverbs_create_comp_channel_resp resp;
	struct call c = { 0 };

	/* Input of up to 8 bytes is in the attribute: here all of it, zero. */
	attr(&c, UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL);
	attr(&c, UVERBS_ATTR_CORE_IN, sizeof(cmd), 0);
	attr(&c, UVERBS_ATTR_CORE_OUT, sizeof(resp), (uintptr_t)&resp);
	run(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	return (int)resp.fd;
}

static uint32_t create_cq(void)
{
	struct mlx5_ib_create_cq uhw = { .buf_addr = (uintptr_t)ring,
					 .db_addr = (uintptr_t)record,
					 .cqe_size = 64,
					 .flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX,
					 .uar_page_index = uar->index };
	struct mlx5_ib_create_cq_resp resp;
	struct ib_uverbs_attr *handle;
	struct call c = { 0 };
	uint32_t cqe;

	handle = attr(&c, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	attr(&c, UVERBS_ATTR_CREATE_CQ_CQE, 4, RING - 1);
	attr(&c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, USER_HANDLE);
	attr(&c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0, channel);
	attr(&c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	attr(&c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, (uintptr_t)&cqe);
	attr(&c, UVERBS_ATTR_UHW_IN, sizeof(uhw), (uintptr_t)&uhw);
	attr(&c, UVERBS_ATTR_UHW_OUT, sizeof(resp), (uintptr_t)&resp);
	run(&c, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	cq = hca_cq_find(&hca, resp.cqn);
	return handle->data;
}

static uint32_t destroy_cq(uint32_t handle)
{
	struct ib_uverbs_destroy_cq_resp resp;
	struct call c = { 0 };

	attr(&c, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, handle);
	attr(&c, UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(resp), (uintptr_t)&resp);
	run(&c, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	return resp.comp_events_reported;
}

/* ---- poster ---- */

/* Now and then it waits, so that the reader falls asleep. */
static void *post(void *unused)
{
	uint8_t entry[128] = { [127] = 0x20 };
	unsigned int seed = 1;

	for (uint32_t sent = 0; sent < CQES;) {
		bool has_space;

		hca_lock(&hca);
		has_space = event_cq_has_space(cq);
		entry[64] = (uint8_t)sent;
		if (has_space)
			event_cqe(&hca, cq, entry, false);
		hca_unlock(&hca);
		sent += has_space;
		if (!has_space || !(rand_r(&seed) % 8))
			usleep(rand_r(&seed) % 200);
	}
	return unused;
}

/* ---- reader ---- */

static void arm(uint32_t ci, uint32_t events)
{
	uint32_t word = (events & 3) << 28 | (ci & 0xffffff);

	atomic_store(&record[1], htobe32(word));
	atomic_store((_Atomic uint64_t *)(uar->page + ARM_OFFSET),
		     htobe64((uint64_t)word << 32 | cq->cqn));
}

static bool poll_one(uint32_t ci)
{
	uint8_t *cqe = ring + ci % RING * 64;
	/* bytes 62 and 63, as the device writes them: ThreadSanitizer pairs accesses of one
	 * size */
	uint16_t last = le16toh(atomic_load((_Atomic uint16_t *)(cqe + 62)));
	uint8_t op_own = last >> 8;

	if (op_own >> 4 == 0xf || (op_own & 1) != (ci / RING & 1))
		return false;
	check(cqe[0] == (uint8_t)ci, "a CQE out of order");
	atomic_store(&record[0], htobe32((ci + 1) & 0xffffff));
	return true;
}

static uint32_t read_all(void)
{
	uint32_t ci = 0, events = 0;
	uint64_t handle;

	for (;;) {
		arm(ci, events);
		while (ci < CQES && poll_one(ci))
			ci++;
		if (ci == CQES)
			return events;
		check(read(channel, &handle, sizeof(handle)) == sizeof(handle), "read");
		check(handle == USER_HANDLE, "an event of another CQ");
		events++;
	}
}

int main(void)
{
	struct uverbs_config cfg = { .pci_id = 0x1017,
				     .fw_ver = "16.35.2000",
				     .addresses = test_addresses,
				     .naddresses = TEST_ADDRESSES };
	struct engine *e;
	struct uverbs *u;
	char fabric[32];
	struct wire *w;
	struct net *n;
	pthread_t poster;
	uint32_t handle, events;

	alarm(SECONDS);
	snprintf(fabric, sizeof(fabric), "stress-%d", (int)getpid());
	w = wire_open(fabric);
	check(w && !hca_init(&hca, wire_slot(w)), "device");
	hca.port.mtu = 1024;
	fw_init(&hca, fw_device_find("cx5"));
	hca.irq = uverbs_irq;
	u = uverbs_probe(&hca, &cfg);
	check(u, "probe");
	file = uverbs_open(u);
	uar = hca_uar_new(&hca);
	check(file && uar, "open");
	get_context();
	channel = create_channel();
	for (int i = 0; i < RING; i++)
		ring[i * 64 + 63] = 0xf0;
	handle = create_cq();
	n = net_open(&hca, w);
	check(n, "network");
	e = engine_start(&hca, w, n);
	check(e, "engine");
	check(!pthread_create(&poster, NULL, post, NULL), "thread");
	events = read_all();
	pthread_join(poster, NULL);
	check(destroy_cq(handle) == events, "the count of events is wrong: destroy would hang");
	printf("%d CQEs, %u events\n", CQES, events);
	engine_stop(e);
	uverbs_release(file);
	hca_uar_free(&hca, uar);
	uverbs_remove(u);
	hca_fini(&hca);
	net_close(n);
	wire_close(w);
	return 0;
}
