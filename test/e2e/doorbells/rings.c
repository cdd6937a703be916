/* SPDX-License-Identifier: BSD-2-Clause */
/* The device, what all ways do, and the ways that are no more than many rings. */
#include <pthread.h>
#include <unistd.h>

#include "rings.h"

enum {
	SECONDS = 20,
	THREADS = 4,
};

struct device dev;
struct pair pair;
struct ibv_qp *qp;
struct ibv_mr *mr;
char *src;
volatile char *dst;
char value;

static void begin(void)
{
	dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	src = made(aligned_alloc(PAGE, 2 * SIZE));
	memset(src, 0, 2 * SIZE);
	dst = src + SIZE;
	mr = made(ibv_reg_mr(dev.pd, src, 2 * SIZE,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	pair = pair_create(&dev);
	qp = pair.a;
}

void post(uint32_t len, int flags)
{
	struct ibv_sge sge = { (uintptr_t)src, len, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | flags,
		.wr.rdma = { (uintptr_t)dst, mr->rkey },
	}, *bad;

	memset(src, ++value, len);
	if (ibv_post_send(qp, &wr, &bad))
		abort();
}

void ring(void)
{
	post(8, IBV_SEND_INLINE);
}

void arrives(uint32_t len)
{
	for (int i = 0; dst[len - 1] != value; i++) {
		if (i == SECONDS * 1000)
			errx(1, "no data");
		usleep(1000);
	}
}

void completes(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
		;
	if (n < 0 || wc.status)
		errx(1, "completion: %d", n < 0 ? n : (int)wc.status);
}

void plain(void)
{
	ring();
	arrives(8);
	post(16, 0);
	arrives(16);
	post(SIZE, 0);
	arrives(SIZE);
}

void many(void)
{
	for (int round = 0; round < 3; round++) {
		usleep(ASLEEP_US);
		for (int i = 0; i < RINGS; i++) {
			ring();
			completes(pair.a_cq);
		}
	}
}

static void *of_its_own(void *pd)
{
	struct pair own = *(struct pair *)pd;
	char *buf = made(aligned_alloc(PAGE, PAGE));
	struct ibv_mr *m = made(ibv_reg_mr(dev.pd, buf, PAGE, 3));

	for (int i = 0; i < RINGS; i++) {
		struct ibv_sge sge = { (uintptr_t)buf, 8, m->lkey };
		struct ibv_send_wr wr = { .sg_list = &sge,
					  .num_sge = 1,
					  .opcode = IBV_WR_RDMA_WRITE,
					  .send_flags = IBV_SEND_SIGNALED,
					  .wr.rdma = { (uintptr_t)buf + 64, m->rkey } },
				   *bad;

		ok(ibv_post_send(own.a, &wr, &bad));
		completes(own.a_cq);
	}
	return NULL;
}

static void threads(void)
{
	struct pair own[THREADS];
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		own[i] = pair_create(&dev);
	for (int i = 0; i < THREADS; i++)
		ok(pthread_create(&thread[i], NULL, of_its_own, &own[i]));
	for (int i = 0; i < THREADS; i++)
		ok(pthread_join(thread[i], NULL));
}

static const struct way plainly[] = {
	WAY(plain),
	WAY(many),
	WAY(threads),
	{ 0 },
};

static const struct way *const all[] = { plainly, by_signals, on_stacks, at_memory };

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (const struct way *w = all[i]; w->name; w++) {
			if (argc == 1)
				puts(w->name);
			if (argc == 1 || strcmp(argv[1], w->name))
				continue;
			begin();
			usleep(ASLEEP_US);
			w->run();
			puts("as expected");
			return 0;
		}
	}
	return argc == 1 ? 0 : 2;
}
