/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues and XRC domains. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

static void query(struct ibv_srq *srq)
{
	struct ibv_srq_attr a = { 0 };
	uint32_t number = 0;

	if (!DONE(ibv_query_srq(srq, &a), "ibv_query_srq"))
		put("max_wr=%u max_sge=%u srq_limit=%u", a.max_wr, a.max_sge, a.srq_limit);
	DONE(ibv_get_srq_num(srq, &number), "ibv_get_srq_num");
}

static void destroy(struct ibv_srq *srq)
{
	query(srq);
	DONE(ibv_destroy_srq(srq), "ibv_destroy_srq");
}

static void basic(void)
{
	const uint32_t max_wr = (uint32_t)bench.limits.orig_attr.max_srq_wr;
	const uint32_t max_sge = (uint32_t)bench.limits.orig_attr.max_srq_sge;
	const uint32_t wrs[] = { 0,   1,	  2,	  3,	      7,	 8,
				 100, max_wr - 1, max_wr, max_wr + 1, UINT32_MAX };
	const uint32_t sges[] = {
		0, 1, 2, 3, 7, max_sge - 1, max_sge, max_sge + 1, UINT32_MAX
	};
	const uint32_t limits[] = { 0, 1, 7, 8, 9, 15, 16, 17, 65535, 65536, UINT32_MAX };
	struct ibv_srq *srq;

	for (size_t i = 0; i < COUNT(wrs); i++)
		for (size_t k = 0; k < COUNT(sges); k++) {
			struct ibv_srq_init_attr a = { NULL, { wrs[i], sges[k], 0 } };

			srq = MADE(ibv_create_srq(bench.pd, &a),
				   "ibv_create_srq max_wr=%u max_sge=%u", wrs[i], sges[k]);
			if (!srq)
				continue;
			put("max_wr=%u max_sge=%u", a.attr.max_wr, a.attr.max_sge);
			destroy(srq);
		}
	srq = MADE(ibv_create_srq(bench.pd, &(struct ibv_srq_init_attr){ NULL, { 10, 1, 5 } }),
		   "ibv_create_srq srq_limit=5");
	NEED(srq);
	query(srq);
	for (int mask = 0; mask <= 4; mask++)
		for (size_t i = 0; i < COUNT(limits); i++) {
			struct ibv_srq_attr a = { 20, 1, limits[i] };

			DONE(ibv_modify_srq(srq, &a, mask),
			     "ibv_modify_srq mask=%d srq_limit=%u", mask, limits[i]);
			query(srq);
		}
	destroy(srq);
}

static void extended(void)
{
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = 3, .fd = -1, .oflags = O_CREAT };
	struct ibv_xrcd *xrcd = MADE(ibv_open_xrcd(bench.ctx, &xrcd_attr), "ibv_open_xrcd");

	NEED(xrcd);
	for (int type = 0; type <= 3; type++)
		for (uint32_t mask = 0; mask <= 33; mask++) {
			struct ibv_srq_init_attr_ex a = { .attr = { 10, 1, 0 },
							  .comp_mask = mask,
							  .srq_type = (enum ibv_srq_type)type,
							  .pd = bench.pd,
							  .xrcd = xrcd,
							  .cq = bench.cq,
							  .tm_cap = { 4, 4 } };
			struct ibv_srq *srq;

			if (!(mask & IBV_SRQ_INIT_ATTR_PD) && mask < 32)
				continue; /* libibverbs reads the PD all the same */
			srq = MADE(ibv_create_srq_ex(bench.ctx, &a),
				   "ibv_create_srq_ex type=%d comp_mask=%u", type, mask);
			if (!srq)
				continue;
			put("max_wr=%u max_sge=%u", a.attr.max_wr, a.attr.max_sge);
			if (type == IBV_SRQT_XRC && mask & IBV_SRQ_INIT_ATTR_TYPE)
				DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd in-use");
			destroy(srq);
		}
	DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd");
}

static struct ibv_xrcd *open_xrcd(const char *file, int fd, int oflags, uint32_t comp_mask)
{
	struct ibv_xrcd_init_attr a = { .comp_mask = comp_mask, .fd = fd, .oflags = oflags };

	return MADE(ibv_open_xrcd(bench.ctx, &a), "ibv_open_xrcd fd=%s oflags=%#x comp_mask=%u",
		    file, oflags, comp_mask);
}

static void close_xrcd(struct ibv_xrcd *xrcd)
{
	if (xrcd)
		DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd");
}

static void xrc_domains(void)
{
	const int oflags[] = { 0, O_CREAT, O_EXCL, O_CREAT | O_EXCL, O_RDWR, O_CREAT | O_RDWR };
	int fd = memfd_create("calls", 0);
	struct ibv_xrcd *first;

	NEED(fd >= 0);
	for (size_t i = 0; i < COUNT(oflags); i++) {
		close_xrcd(open_xrcd("-1", -1, oflags[i], 3));
		close_xrcd(open_xrcd("none", 9999, oflags[i], 3));
		close_xrcd(open_xrcd("file", fd, oflags[i], 3));
	}
	for (uint32_t mask = 0; mask <= 7; mask++)
		close_xrcd(open_xrcd("file", fd, O_CREAT, mask));
	first = open_xrcd("file", fd, O_CREAT, 3);
	NEED(first);
	for (size_t i = 0; i < COUNT(oflags); i++)
		close_xrcd(open_xrcd("file", fd, oflags[i], 3));
	close_xrcd(first);
	close(fd);
}

void receive_calls(void)
{
	basic();
	extended();
	xrc_domains();
}
