/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of flow rules: each call that makes them fails, packets, sending, waiting. */
#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flows/rules.h"
#include "machine.h"

static struct ibv_pd pd = { .context = NULL };
static struct ibv_mr mr = { .lkey = 0x1234 };
static struct ibv_comp_channel channel;
static struct ibv_cq_ex cq;
static struct ibv_cq send_cq;
static struct ibv_qp qps[RULES_QUEUES];
static struct ibv_wq wqs[RULES_QUEUES];
static unsigned int n_qp, n_wq, posted[2 * 0x100], state[RULES_QUEUES];
static struct rules *r;
static struct flows flows;
static const struct completion {
	uint64_t id;
	uint32_t len, tag;
	enum ibv_wc_status status;
} * arrived;
static unsigned int n_arrived, events, polls;
static struct ibv_wc sent;
static int pipes[2];
static char text[512];

/* A QP whose own packets return to it. */
static void right(const struct ibv_qp_init_attr_ex *attr, const struct mlx5dv_qp_init_attr *dv)
{
	cr_assert(attr->qp_type == IBV_QPT_RAW_PACKET && attr->send_cq == &send_cq);
	cr_assert(attr->recv_cq == (struct ibv_cq *)&cq && attr->pd == &pd);
	cr_assert(attr->cap.max_send_wr == 1 && attr->cap.max_recv_wr == 64);
	cr_assert(attr->cap.max_send_sge == 1 && attr->cap.max_recv_sge == 1);
	cr_assert_eq(dv->create_flags, MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC);
}

#define FAILS(name) (machine_fails(#name) ? errno : 0)
#define DESTROYS(name, type) \
	FAKE(int, __wrap_##name, (type * object), machine_fails(#name), machine.made--, !object)
#define CREATES(type, name, object, ...)           \
	FAKE(type *, __wrap_##name, (__VA_ARGS__), \
	     machine_fails(#name) ? NULL : (machine.made++, (object)))
DESTROYS(ibv_dealloc_pd, struct ibv_pd)
DESTROYS(ibv_dereg_mr, struct ibv_mr)
DESTROYS(ibv_destroy_comp_channel, struct ibv_comp_channel)
DESTROYS(ibv_destroy_cq, struct ibv_cq)
DESTROYS(ibv_destroy_qp, struct ibv_qp)
DESTROYS(ibv_destroy_wq, struct ibv_wq)
CREATES(struct ibv_pd, ibv_alloc_pd, &pd, struct ibv_context *ctx)
CREATES(struct ibv_mr, ibv_reg_mr, &mr, struct ibv_pd *of, void *addr, size_t len, int access)
CREATES(struct ibv_comp_channel, ibv_create_comp_channel, &channel, struct ibv_context *ctx)
CREATES(struct ibv_cq, ibv_create_cq, &send_cq, struct ibv_context *ctx)
CREATES(struct ibv_cq_ex, ibv_create_cq_ex, &cq, struct ibv_context *ctx,
	struct ibv_cq_init_attr_ex *attr)
CREATES(struct ibv_qp, mlx5dv_create_qp, (right(attr, dv), &qps[n_qp++]),
	struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
	struct mlx5dv_qp_init_attr *dv)
CREATES(struct ibv_wq, ibv_create_wq, &wqs[n_wq++], struct ibv_context *ctx,
	struct ibv_wq_init_attr *attr)

/* INIT, RTR, RTS in this order; the first with the port. */
int __wrap_ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	unsigned int *now = &state[qp - qps];

	cr_assert(attr->qp_state == ++*now && attr->port_num == 1);
	cr_assert_eq(mask, *now == 1 ? IBV_QP_STATE | IBV_QP_PORT : IBV_QP_STATE);
	return FAILS(ibv_modify_qp);
}

int __wrap_mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	cr_assert_eq(type, MLX5DV_OBJ_QP);
	obj->qp.out->rqn = 0x100 + (uint32_t)(obj->qp.in - qps);
	obj->qp.out->sqn = 0x200;
	return 0;
}

static int receive(const struct ibv_recv_wr *wr, bool right)
{
	cr_assert(right && wr->sg_list->addr == (uintptr_t)flows.rules->bytes.received);
	cr_assert(wr->num_sge == 1 && wr->sg_list->length == 9600 && !wr->next);
	cr_assert_eq(wr->sg_list->lkey, 0x1234);
	posted[wr->wr_id]++;
	return FAILS(receive);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	cr_assert(qp == qps && wr->num_sge == 1 && wr->opcode == IBV_WR_SEND);
	cr_assert_eq(wr->send_flags, IBV_SEND_SIGNALED);
	cr_assert(wr->sg_list->addr == (uintptr_t)r->bytes.sent && wr->sg_list->length == 61);
	return FAILS(post_send);
}

static int next(struct ibv_cq_ex *of)
{
	if (!n_arrived)
		return ENOENT;
	of->wr_id = arrived->id;
	of->status = arrived->status;
	arrived++;
	n_arrived--;
	return 0;
}

/* The two signals are blocked here; with a failure of "signal", one comes now. */
static int notify(struct ibv_cq *of, int solicited)
{
	sigset_t blocked;

	cr_assert(of == (struct ibv_cq *)&cq && !solicited);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	cr_expect(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM));
	if (machine_fails("signal"))
		raise(machine.err);
	return FAILS(ibv_req_notify_cq);
}

static const struct completion one[] = { { 3, 60, 1, IBV_WC_SUCCESS } };
FAKE(int, __wrap_ibv_get_cq_event,
     (struct ibv_comp_channel * of, struct ibv_cq **at, void **ctx),
     machine_fails("ibv_get_cq_event")
	     ? -1
	     : (*at = (struct ibv_cq *)&cq, events++, arrived = one, n_arrived = 1, 0))
FAKE(void, __wrap_ibv_ack_cq_events, (struct ibv_cq * of, unsigned int n), (void)(events -= n))
FAKE(static int, modify_wq, (struct ibv_wq * wq, struct ibv_wq_attr *attr),
     attr->attr_mask == IBV_WQ_ATTR_STATE && attr->wq_state == IBV_WQS_RDY
	     ? FAILS(ibv_modify_wq)
	     : EINVAL)
FAKE(static int, post_recv,
     (struct ibv_qp * qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad),
     receive(wr, qp == &qps[wr->wr_id]))
FAKE(static int, post_wq,
     (struct ibv_wq * wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad),
     receive(wr, wq == &wqs[wr->wr_id - 0x100]))
/* Nothing at first. */
FAKE(static int, poll_send, (struct ibv_cq * of, int n, struct ibv_wc *wc), *wc = sent,
     machine_fails("poll") ? -1 : (int)(polls++ % 2))
FAKE(static int, start, (struct ibv_cq_ex * of, struct ibv_poll_cq_attr *attr), next(of))
FAKE(static void, stop, (struct ibv_cq_ex * of), (void)of)
FAKE(static uint32_t, byte_len, (struct ibv_cq_ex * of), arrived[-1].len)
FAKE(static uint32_t, flow_tag, (struct ibv_cq_ex * of), arrived[-1].tag)

static void begin(void)
{
	struct verbs_context *v;

	machine_begin();
	v = verbs_get_ctx(machine_context);
	v->create_cq_ex = __wrap_ibv_create_cq_ex;
	v->create_wq = __wrap_ibv_create_wq;
	v->modify_wq = modify_wq;
	v->destroy_wq = __wrap_ibv_destroy_wq;
	machine_context->ops.post_recv = post_recv;
	machine_context->ops.post_send = post_send;
	machine_context->ops.poll_cq = poll_send;
	machine_context->ops.req_notify_cq = notify;
	cq = (struct ibv_cq_ex){ .context = machine_context,
				 .start_poll = start,
				 .next_poll = next,
				 .end_poll = stop,
				 .read_byte_len = byte_len,
				 .read_flow_tag = flow_tag };
	send_cq.context = machine_context;
	cr_assert_eq(pipe(pipes), 0);
	channel.fd = pipes[0];
	for (int i = 0; i < RULES_QUEUES; i++) {
		qps[i].context = wqs[i].context = machine_context;
		wqs[i].post_recv = post_wq;
	}
	n_qp = n_wq = 0;
	memset(state, 0, sizeof(state));
}

TestSuite(queues, .init = begin, .fini = machine_end);

static int open_all(struct dvfw *d, int n, char **word)
{
	d->ctx = machine_context;
	machine.made++;
	flows = (struct flows){ .dvfw = d };
	r = rules_of(&flows);
	return r ? 0 : 1;
}

static int opens(void)
{
	struct dvfw d = { 0 };

	return machine_run(open_all, &d, "", text, sizeof(text));
}

/* All that was made is given back, also half of it. */
Test(queues, each_step_fails)
{
	static const char *const rows[] = {
		"ibv_alloc_pd 0 ibv_alloc_pd",
		"ibv_reg_mr 0 ibv_reg_mr",
		"ibv_create_comp_channel 0 ibv_create_cq",
		"ibv_create_cq_ex 0 ibv_create_cq",
		"ibv_create_cq 0 ibv_create_cq",
		"mlx5dv_create_qp 0 a raw packet QP",
		"mlx5dv_create_qp 7 a raw packet QP",
		"ibv_modify_qp 0 ibv_modify_qp",
		"ibv_modify_qp 23 ibv_modify_qp",
		"ibv_create_wq 0 ibv_create_wq",
		"ibv_create_wq 7 ibv_create_wq",
		"ibv_modify_wq 0 ibv_modify_wq",
		"receive 1 receives",
		"receive 1023 receives",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char call[32], line[128];
		int at;

		cr_assert_eq(sscanf(rows[i], "%31s %u %n", call, &machine.after, &at), 2);
		machine.fails = call;
		machine.err = i % 2 ? ENOMEM : EPERM;
		*machine.calls = '\0';
		n_qp = n_wq = 0;
		memset(state, 0, sizeof(state));
		cr_expect_eq(opens(), 1, "%s", rows[i]);
		snprintf(line, sizeof(line), "dvfw: %s: %s\n", rows[i] + at,
			 i % 2 ? "Cannot allocate memory"
			       : "Operation not permitted; it needs CAP_NET_RAW");
		cr_expect_str_eq(text, line);
		cr_expect_eq(machine.made, 0, "%d are left: %s", machine.made, rows[i]);
		cr_expect_null(flows.rules);
	}
}

static void all_is_made(void)
{
	cr_assert_eq(opens(), 0);
	cr_expect_str_empty(text);
}

Test(queues, are_numbered)
{
	size_t allocated = 0; /* caches of malloc() fill at first */

	for (int round = 0; round < 20; round++) {
		n_qp = n_wq = 0;
		memset(state, 0, sizeof(state));
		memset(posted, 0, sizeof(posted));
		all_is_made();
		for (unsigned int i = 0; i < RULES_QUEUES; i++) {
			cr_expect(posted[i] == 64 && posted[0x100 + i] == 64 && state[i] == 3);
			cr_expect(r->queue[i].rqn == 0x100 + i && r->queue[i].sqn == 0x200);
			cr_expect(r->queue[i].qp == &qps[i] && r->queue[i].wq == &wqs[i]);
		}
		*machine.calls = '\0';
		r->first = calloc(1, sizeof(*r->first));
		rules_close(r);
		cr_expect_str_eq(strstr(machine.calls, "ibv_destroy_cq"),
				 "ibv_destroy_cq ibv_destroy_cq ibv_destroy_comp_channel "
				 "ibv_dereg_mr ibv_dealloc_pd ");
		cr_expect(round < 19 || mallinfo2().uordblks == allocated);
		allocated = mallinfo2().uordblks;
	}
}

/* A failed receive is neither counted nor posted again. */
Test(queues, count)
{
	static const struct completion some[] = { { 2, 60, 7, IBV_WC_SUCCESS },
						  { 0x107, 1500, 9, IBV_WC_SUCCESS },
						  { 1, 99, 9, IBV_WC_LOC_LEN_ERR },
						  { 2, 61, 0, IBV_WC_SUCCESS } };

	all_is_made();
	arrived = some;
	n_arrived = 4;
	queues_drain(r);
	queues_drain(r);
	cr_expect(queues_packets(r) == 3 && posted[1] == 64 && posted[0x107] == 65);
	cr_expect(r->queue[2].packets == 2 && r->queue[2].octets == 121 && !r->queue[2].tag);
	cr_expect(r->queue[7].packets == 1 && r->queue[7].tag == 9 && posted[2] == 66);
	rules_close(r);
}

static int sends(struct dvfw *d, int n, char **word)
{
	return n > 1 ? queues_wait(r, 1, false) : queues_send(r, 61);
}

static void says(const char *what, int status, const char *line)
{
	struct dvfw d = { 0 };

	r->dvfw = &d;
	cr_expect_eq(machine_run(sends, &d, what, text, sizeof(text)), status);
	cr_expect_str_eq(text, line);
}

Test(queues, send)
{
	all_is_made();
	says("", 0, "");
	machine.fails = "post_send";
	machine.err = EINVAL;
	says("", 1, "dvfw: ibv_post_send: Invalid argument\n");
	machine.fails = "poll";
	says("", 1, "dvfw: send: success\n");
	machine.fails = NULL;
	sent.status = IBV_WC_LOC_PROT_ERR;
	says("", 1, "dvfw: send: local protection error\n");
	rules_close(r);
}

static void mine(int sig)
{
}

static void expect_handlers(void (*handler)(int))
{
	struct sigaction now;
	sigset_t blocked;

	for (int i = 0; i < 2; i++) {
		sigaction(i ? SIGTERM : SIGINT, NULL, &now);
		cr_expect_eq(now.sa_handler, handler);
	}
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	cr_expect(!sigismember(&blocked, SIGINT) && !sigismember(&blocked, SIGTERM));
}

/* An event; then a signal, which is the first thing or comes before the sleep. */
Test(queues, wait)
{
	all_is_made();
	signal(SIGINT, mine);
	signal(SIGTERM, mine);
	cr_assert_eq(write(pipes[1], "", 1), 1);
	says("wait", 0, "");
	cr_expect(queues_packets(r) == 1 && !r->signal && !events);
	expect_handlers(mine);
	machine.fails = "ibv_req_notify_cq";
	machine.err = EIO;
	says("wait", 0, ""); /* there is a packet already */
	r->queue[3].packets = 0;
	says("wait", 1, "dvfw: ibv_req_notify_cq: Input/output error\n");
	machine.fails = "ibv_get_cq_event";
	says("wait", 1, "dvfw: ibv_get_cq_event: Input/output error\n");
	expect_handlers(mine);
	cr_assert_eq(read(pipes[0], text, 1), 1);
	machine.fails = "signal";
	for (int i = 0; i < 2; i++) {
		machine.err = i ? SIGTERM : SIGINT;
		cr_expect_eq(queues_wait(r, 0, i), 0);
		cr_expect_eq(r->signal, machine.err);
		expect_handlers(i ? SIG_IGN : mine);
	}
	rules_close(r);
}
