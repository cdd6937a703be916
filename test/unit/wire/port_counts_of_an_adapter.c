/* SPDX-License-Identifier: BSD-2-Clause */
/* The port counts what all functions of its adapter send and receive, also after they have
 * ended. */
#include <sys/wait.h>

#include "hca/hca.h"
#include "lib/descriptors.h"
#include "unit/wire/packet.h"
#include "wire/fabric.h"

enum { FCS = 4 };
enum { ONE = 0x0a000001, OTHER = 0x0a000002 };

/* A process with one function. */
struct function {
	struct wire *w;
	struct hca hca;
};

static bool present(const struct hca *hca, uint8_t slot)
{
	return wire_present(core_container(hca, struct function, hca)->w, slot);
}

static void begin_as(struct function *f, struct wire *w, uint32_t adapter, enum hca_role role)
{
	f->w = w;
	cr_assert_eq(hca_init(&f->hca, wire_slot(w)), 0);
	f->hca.role = role;
	f->hca.port.mac[5] = (uint8_t)(2 * adapter + role);
	f->hca.present = present;
	f->hca.vhcas = wire_vhcas(w);
	f->hca.adapters = wire_adapters(w);
	hca_vhca_publish(&f->hca, adapter);
}

static void begin(struct function *f, struct wire *w, uint32_t adapter)
{
	begin_as(f, w, adapter, HCA_ROLE_NIC);
}

static void end(struct function *f)
{
	hca_fini(&f->hca);
	wire_close(f->w);
}

static void send_frames(struct function *f, unsigned int n, size_t len)
{
	while (n--)
		hca_count_tx(&f->hca, HCA_IB_UNICAST, false, 1, len);
}

static void expect_sent(const struct function *f, uint64_t frames, uint64_t octets)
{
	struct hca_counted n;

	hca_port_counted(&f->hca, &n);
	cr_expect_eq(hca_port_frames(&n.port.tx), frames, "%llu frames, not %llu",
		     (unsigned long long)hca_port_frames(&n.port.tx),
		     (unsigned long long)frames);
	cr_expect_eq(n.port.tx.octets, octets + frames * FCS);
	cr_expect_eq(hca_port_frames(&n.port.rx), 0);
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
	hca_count_tx(&f.hca, HCA_IB_UNICAST, true, 1, 100);
	expect_sent(&f, 0, 0);
	end(&f);
}

Test(port_counts, begin_again_when_all_processes_were_killed)
{
	static struct function f, others[3];
	struct fabric kept; /* no other test removes its file */
	char fabric[32];
	pid_t child;
	int status;

	snprintf(fabric, sizeof(fabric), "counts-%d", (int)getpid());
	cr_assert_eq(fabric_open(&kept, fabric), 0);
	child = fork();
	if (!child) {
		for (int i = 0; i < 3; i++) {
			begin(&others[i], wire_open(fabric), i < 2 ? OTHER : ONE);
			send_frames(&others[i], 3, 100);
		}
		end(&others[0]);
		begin(&others[0], wire_open(fabric), ONE); /* its adapter keeps them */
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	begin(&f, wire_open(fabric), ONE);
	begin(&others[0], wire_open(fabric), OTHER);
	expect_sent(&f, 0, 0);
	expect_sent(&others[0], 0, 0);
	for (int slot = 3; slot < HCA_VHCAS; slot++)
		cr_expect_eq(atomic_load(&f.hca.vhcas[slot].epoch), 0, "slot %d", slot);
	end(&others[0]);
	end(&f);
	fabric_close(&kept);
}

/* ---- what several processes have a copy of ---- */

static bool has_all[HCA_VHCAS]; /* by slot: has it a copy? */

static bool has(const struct hca_vhca *v, const struct hca_arrival *a)
{
	return has_all[v - (const struct hca_vhca *)(const void *)a->what];
}

/* The same frame of 100 bytes at the @n of @all. */
static void arrives(struct function *all, int n, uint8_t from)
{
	for (int i = 0; i < n; i++)
		if (has_all[all[i].hca.slot])
			hca_count_arrival(
				&all[i].hca,
				&(struct hca_arrival){ .cast = HCA_ETH_MULTICAST,
						       .local = false,
						       .from = from,
						       .len = 100,
						       .has = has,
						       .what = (void *)all[i].hca.vhcas });
}

static void expect_received(const struct function *f, uint64_t at_vport, uint64_t at_port)
{
	struct hca_counted n;

	hca_function_counted(&f->hca, &n);
	cr_expect_eq(n.vport.rx.of[HCA_ETH_MULTICAST].packets, at_vport);
	cr_expect_eq(n.vport.rx.of[HCA_ETH_MULTICAST].octets, 100 * at_vport);
	hca_port_counted(&f->hca, &n);
	cr_expect_eq(n.port.rx.frames[HCA_ETH_MULTICAST], at_port);
	cr_expect_eq(n.port.rx.octets, (100 + FCS) * at_port);
}

/* Two processes of the host's function, one of the DPU's, one of another adapter. */
Test(port_counts, a_frame_is_counted_once)
{
	static struct function all[4];

	begin_as(&all[0], join_test_fabric(), ONE, HCA_ROLE_HOST);
	begin_as(&all[1], join_test_fabric(), ONE, HCA_ROLE_HOST);
	begin_as(&all[2], join_test_fabric(), ONE, HCA_ROLE_DPU);
	begin_as(&all[3], join_test_fabric(), OTHER, HCA_ROLE_HOST);
	memset(has_all, true, sizeof(has_all));
	arrives(all, 4, 99);
	expect_received(&all[0], 1, 1);
	expect_received(&all[1], 1, 1);
	expect_received(&all[2], 1, 1);
	expect_received(&all[3], 1, 1);
	/* the first has no copy; then it has sent it, and its own was not at the port */
	has_all[all[0].hca.slot] = false;
	arrives(all, 4, 99);
	expect_received(&all[0], 2, 2);
	expect_received(&all[2], 2, 2);
	has_all[all[0].hca.slot] = true;
	arrives(all + 1, 3, all[0].hca.slot);
	expect_received(&all[0], 2, 3);
	expect_received(&all[2], 3, 3);
	/* the first has ended: its entry is still there */
	end(&all[0]);
	arrives(all + 1, 3, 99);
	expect_received(&all[1], 3, 4);
	for (int i = 1; i < 4; i++)
		end(&all[i]);
}

/* All processes of a function count one Q counter, and any of them clears it for all; the
 * port's stays. */
Test(port_counts, cleared_for_the_function)
{
	static struct function all[3];
	struct hca_counted n;

	begin_as(&all[0], join_test_fabric(), ONE, HCA_ROLE_HOST);
	begin_as(&all[1], join_test_fabric(), ONE, HCA_ROLE_HOST);
	begin_as(&all[2], join_test_fabric(), ONE, HCA_ROLE_DPU);
	for (int i = 0; i < 3; i++) {
		send_frames(&all[i], 1, 100);
		hca_count_one(&all[i].hca.counted->no_set.out_of_buffer);
	}
	hca_function_counted(&all[1].hca, &n);
	cr_expect_eq(n.no_set.out_of_buffer, 2);
	HCA_CLEAR(&all[0].hca, vport);
	HCA_CLEAR(&all[0].hca, no_set);
	send_frames(&all[0], 1, 10);
	hca_function_counted(&all[1].hca, &n);
	cr_expect_eq(n.no_set.out_of_buffer, 0);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].packets, 1);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 10);
	hca_function_counted(&all[2].hca, &n);
	cr_expect_eq(n.no_set.out_of_buffer, 1);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 100);
	expect_sent(&all[1], 4, 310);
	for (int i = 0; i < 3; i++)
		end(&all[i]);
}

/* By a process that is not on the fabric. */
Test(port_counts, read_from_outside)
{
	static struct function f;
	struct hca_counted n;
	char fabric[32];
	int descriptors;

	snprintf(fabric, sizeof(fabric), "counts-%d", (int)getpid());
	begin(&f, wire_open(fabric), ONE);
	send_frames(&f, 3, 100);
	descriptors = open_descriptors();
	wire_counted(fabric, ONE, HCA_ROLE_NIC, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 300);
	wire_counted(fabric, ONE, HCA_ROLE_DPU, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 0);
	wire_counted(fabric, OTHER, HCA_ROLE_NIC, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 0);
	cr_expect_eq(open_descriptors(), descriptors);
	end(&f);
	wire_counted(fabric, ONE, HCA_ROLE_NIC, &n);
	cr_expect_eq(n.vport.tx.of[HCA_IB_UNICAST].octets, 0, "the fabric has ended");
}
