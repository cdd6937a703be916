/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that are destroyed are on no list of the device, and a queue in RESET has nothing of
 * before. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

static struct hca hca;

static void setup(void)
{
	cr_assert_eq(hca_init(&hca, 1), 0);
}

static void teardown(void)
{
	hca_fini(&hca);
}

TestSuite(hca_object, .init = setup, .fini = teardown);

Test(hca_object, cq_leaves_those_that_wait)
{
	struct hca_cq *cq = hca_cq_new(&hca);

	cq->session = calloc(1, sizeof(*cq->session));
	core_list_add(&hca.held, &cq->on_held);
	core_list_add(&hca.sessions, &cq->session->on_dev);
	hca_cq_free(&hca, cq);
	cr_expect(core_list_empty(&hca.held));
	cr_expect(core_list_empty(&hca.sessions));
}

Test(hca_object, qp_leaves_its_page_and_those_that_run)
{
	struct hca_uar *uar = hca_uar_new(&hca);
	struct hca_qp *qp = hca_qp_new(&hca), *gsi = hca_qp_new(&hca);

	hca.gsi = gsi;
	core_list_add(&uar->queues, &qp->on_uar);
	core_list_add(&hca.runnable, &qp->runnable);
	hca_qp_free(&hca, qp);
	cr_expect(core_list_empty(&uar->queues));
	cr_expect(core_list_empty(&hca.runnable));
	cr_expect_eq(hca.gsi, gsi, "another QP");
	hca_qp_free(&hca, gsi);
	cr_expect_null(hca.gsi);
}

Test(hca_object, sq_and_rq_leave_those_that_work)
{
	struct hca_uar *uar = hca_uar_new(&hca);
	struct hca_sq *sq = hca_sq_new(&hca);
	struct hca_rq *rq = hca_rq_new(&hca);

	core_list_add(&uar->sqs, &sq->on_uar);
	core_list_add(&hca.sending, &sq->on_sending);
	core_list_add(&hca.flushing, &rq->on_flushing);
	hca_sq_free(&hca, sq);
	hca_rq_free(&hca, rq);
	cr_expect(core_list_empty(&uar->sqs));
	cr_expect(core_list_empty(&hca.sending));
	cr_expect(core_list_empty(&hca.flushing));
}

Test(hca_object, sq_in_reset_has_nothing_to_send)
{
	struct hca_uar *uar = hca_uar_new(&hca);
	struct hca_sq *sq = hca_sq_new(&hca);

	core_list_add(&uar->sqs, &sq->on_uar);
	core_list_add(&hca.sending, &sq->on_sending);
	sq->kept = malloc(60);
	sq->kept_len = 60;
	sq->pi = 3;
	sq->end = 5;
	sq->packet = 2;
	sq->at.unit = 4;
	hca_sq_reset(sq);
	cr_expect(core_list_empty(&hca.sending));
	cr_expect_not(core_list_empty(&uar->sqs), "its doorbell is still known");
	cr_expect_null(sq->kept);
	cr_expect_eq(sq->kept_len, 0);
	cr_expect_eq(sq->pi, 0);
	cr_expect_eq(sq->end, 0);
	cr_expect_eq(sq->packet, 0);
	cr_expect_eq(sq->at.unit, 0);
}

Test(hca_object, rq_in_reset_has_taken_nothing)
{
	struct hca_rq *rq = hca_rq_new(&hca);

	core_list_add(&hca.flushing, &rq->on_flushing);
	rq->ci = 3;
	rq->stride = 4;
	rq->dropped = 5;
	hca_rq_reset(rq);
	cr_expect(core_list_empty(&hca.flushing));
	cr_expect_eq(rq->ci, 0);
	cr_expect_eq(rq->stride, 0);
	cr_expect_eq(rq->dropped, 0);
}

Test(hca_object, qp_in_reset_does_not_run)
{
	struct hca_uar *uar = hca_uar_new(&hca);
	struct hca_qp *qp = hca_qp_new(&hca);

	core_list_add(&uar->queues, &qp->on_uar);
	core_list_add(&hca.runnable, &qp->runnable);
	qp->req.pi = 1;
	qp->resp.ci = 2;
	hca_qp_reset(qp);
	cr_expect(core_list_empty(&hca.runnable));
	cr_expect_not(core_list_empty(&uar->queues), "its doorbell is still known");
	cr_expect_eq(qp->req.pi, 0);
	cr_expect_eq(qp->resp.ci, 0);
}

/* Each kind by its name; the numbers of a range are as many. */
Test(hca_object, objects_are_counted_by_kind)
{
	struct hca_pd *pd = hca_pd_new(&hca);
	char text[64];
	uint32_t n;

	hca_cq_new(&hca);
	n = hca_objects_count(&hca, text, sizeof(text));
	cr_expect_str_eq(text, "pd 1, cq 1");
	cr_expect_eq(n, 2);
	hca_pd_new(&hca);
	cr_expect_eq(hca_objects_count(&hca, text, sizeof(text)), 3);
	cr_expect_str_eq(text, "pd 2, cq 1");
	hca_pd_free(&hca, pd);
	cr_expect_eq(hca_objects_count(&hca, NULL, 0), 2);
	cr_expect_eq(hca_objects_count(&hca, text, 5), 2, "a short buffer");
	cr_expect_str_eq(text, "pd 1");
	hca_memic_new(&hca);
	hca.rates[HCA_RATES - 1].used = true;
	cr_expect_eq(hca_objects_count(&hca, text, sizeof(text)), 4);
	cr_expect_str_eq(text, "pd 1, cq 1, device memory 1, rate 1");
}

/* The end of one that refers to it lets it go; what is not there is not referred to. */
Test(hca_object, objects_count_those_that_refer_to_them)
{
	struct hca_mkey *m = hca_mkey_new(&hca);
	struct hca_pd *pd = hca_pd_new(&hca);

	m->pd = pd;
	hca_object_refer(m, 1);
	cr_expect_eq(pd->refs, 1);
	hca_object_refer(m, 1);
	cr_expect_eq(pd->refs, 2);
	hca_object_refer(m, -1);
	cr_expect_eq(pd->refs, 1);
}

/* Sums begin at 0 each time; what is cleared ends with its member. */
Test(hca_object, counts_of_a_function_are_cleared_by_member)
{
	struct hca_counted n;

	memset(&n, 0xff, sizeof(n));
	hca_count_tx(&hca, HCA_IB_UNICAST, false, 1, 100);
	hca_count_one(&hca.counted->no_set.rx_write_requests); /* follows vport */
	hca_function_counted(&hca, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 100);
	cr_expect_eq(n.port.tx.octets, 104);
	cr_expect_eq(n.vport.rx.of[HCA_IB_UNICAST].octets, 0);
	memset(&n, 0xff, sizeof(n));
	hca_port_counted(&hca, &n);
	cr_expect_eq(n.port.tx.octets, 104);
	cr_expect_eq(n.no_set.rx_write_requests, 1);
	HCA_CLEAR(&hca, vport);
	hca_function_counted(&hca, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 0);
	cr_expect_eq(n.port.tx.octets, 104);
	cr_expect_eq(n.no_set.rx_write_requests, 1);
}

static unsigned int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int n = 0;

	for (int c; (c = fgetc(maps)) != EOF;)
		n += c == '\n';
	fclose(maps);
	return n;
}

/* The first one makes what the process keeps. */
Test(hca_object, adapter_unmaps_what_it_mapped)
{
	unsigned int before = 0;

	for (int i = 0; i < 3; i++) {
		struct hca other;
		struct hca_memic *m;

		cr_assert_eq(hca_init(&other, 2), 0);
		m = hca_memic_new(&other);
		cr_expect(m, "%d", i);
		hca_fini(&other);
		cr_expect(!i || mappings() == before, "%u, %u before", mappings(), before);
		before = mappings();
	}
}
