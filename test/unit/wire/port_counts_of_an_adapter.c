/* SPDX-License-Identifier: BSD-2-Clause */
/* The port counts what all functions of its adapter send and receive, also after they have ended. */
#include <stdlib.h>
#include <sys/wait.h>

#include "hca/hca.h"
#include "unit/wire/packet.h"

enum { ONE = 0x0a000001, OTHER = 0x0a000002 };

/* A process with one function. */
struct function {
	struct wire *w;
	struct hca hca;
};

static void begin(struct function *f, struct wire *w, uint32_t adapter)
{
	f->w = w;
	cr_assert_eq(hca_init(&f->hca, wire_slot(w)), 0);
	f->hca.vhcas = wire_vhcas(w);
	f->hca.adapters = wire_adapters(w);
	hca_vhca_publish(&f->hca, adapter);
}

static void end(struct function *f)
{
	hca_fini(&f->hca);
	wire_close(f->w);
}

static void send_frames(struct function *f, unsigned int n, size_t len)
{
	while (n--)
		hca_count_tx(&f->hca, HCA_IB_UNICAST, false, len);
}

static void expect_sent(const struct function *f, uint64_t frames, uint64_t octets)
{
	struct hca_port_counts n;

	hca_port_counts_sum(&f->hca, &n);
	cr_expect_eq(hca_port_frames(&n.tx), frames, "%llu frames, not %llu",
		     (unsigned long long)hca_port_frames(&n.tx), (unsigned long long)frames);
	cr_expect_eq(n.tx.octets, octets);
	cr_expect_eq(hca_port_frames(&n.rx), 0);
}

Test(port_counts, are_those_of_all_functions_of_the_adapter)
{
	static struct function all[4];

	begin(&all[0], join_test_fabric(), ONE);
	begin(&all[1], join_test_fabric(), ONE);
	begin(&all[2], join_test_fabric(), OTHER);
	send_frames(&all[0], 1, 1000);
	send_frames(&all[1], 5, 100);
	send_frames(&all[2], 7, 10);
	expect_sent(&all[0], 6, 1500);
	expect_sent(&all[1], 6, 1500);
	expect_sent(&all[2], 7, 70);

	end(&all[1]);
	expect_sent(&all[0], 6, 1500);
	begin(&all[1], join_test_fabric(), OTHER); /* the same slot, another adapter */
	expect_sent(&all[0], 6, 1500);
	expect_sent(&all[1], 7, 70);
	send_frames(&all[1], 2, 10);
	end(&all[1]);
	begin(&all[1], join_test_fabric(), ONE);
	begin(&all[3], join_test_fabric(), OTHER);
	send_frames(&all[1], 1, 1);
	expect_sent(&all[0], 7, 1501);
	expect_sent(&all[3], 9, 90);
	for (int i = 0; i < 4; i++)
		end(&all[i]);
}

Test(port_counts, a_frame_to_itself_is_not_at_the_port)
{
	static struct function f;

	begin(&f, join_test_fabric(), ONE);
	hca_count_tx(&f.hca, HCA_IB_UNICAST, true, 100);
	expect_sent(&f, 0, 0);
	end(&f);
}

Test(port_counts, begin_again_when_all_processes_were_killed)
{
	static struct function f;
	char fabric[32];
	pid_t child;
	int status;

	snprintf(fabric, sizeof(fabric), "counts-%d", (int)getpid());
	child = fork();
	if (!child) {
		begin(&f, wire_open(fabric), ONE);
		send_frames(&f, 3, 100);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	begin(&f, wire_open(fabric), ONE);
	expect_sent(&f, 0, 0);
	end(&f);
}
