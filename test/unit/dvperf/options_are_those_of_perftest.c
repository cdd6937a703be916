/* SPDX-License-Identifier: BSD-2-Clause */
/* perftest's defaults, as its manual gives them; and what cannot be together. */
#include <criterion/criterion.h>

#include "options/options.h"
#include "options/table.h"

static struct options with(enum mode mode, const char *const *words)
{
	struct options o = options_new(mode);

	for (; words && words[0]; words += 2)
		cr_assert_null(options_take_name(&o, words[0], words[1]), "%s", words[0]);
	options_defaults(&o);
	return o;
}

Test(options, bandwidth_of_write)
{
	struct options o = with(MODE_BW, NULL);

	cr_assert_eq(o.size, 65536);
	cr_assert_eq(o.iters, 5000);
	cr_assert_eq(o.tx_depth, 128);
	cr_assert_eq(o.cq_mod, 1);
	cr_assert_eq(o.inline_size, 0);
	cr_assert_eq(o.qps, 1);
	cr_assert_eq(o.batch, 1);
	cr_assert_eq(o.tcp_port, 18515);
	cr_assert_null(options_check(&o));
}

Test(options, bandwidth_of_send_and_latency)
{
	struct options bw = with(MODE_BW, (const char *[]){ "op", "send", NULL });
	struct options write = with(MODE_LAT, NULL);
	struct options send = with(MODE_LAT, (const char *[]){ "op", "send", NULL });

	cr_assert_eq(bw.iters, 1000);
	cr_assert_eq(write.size, 2);
	cr_assert_eq(write.tx_depth, 1);
	cr_assert_eq(write.inline_size, 220);
	cr_assert_eq(send.inline_size, 236);
}

/* perftest 4.5: "CQ Moderation" of its table. */
Test(options, large_messages_have_one_cqe_each)
{
	struct options o = with(MODE_BW, (const char *[]){ "size", "8192", NULL });

	cr_assert_eq(o.cq_mod, 100);
	o = with(MODE_BW, (const char *[]){ "size", "8193", NULL });
	cr_assert_eq(o.cq_mod, 1);
	o = with(MODE_BW, (const char *[]){ "size", "65536", "post_list", "4", NULL });
	cr_assert_eq(o.cq_mod, 4);
	o = with(MODE_BW, (const char *[]){ "size", "65536", "cq-mod", "50", NULL });
	cr_assert_eq(o.cq_mod, 50);
	o = options_new(MODE_BW);
	o.all = true;
	options_defaults(&o);
	cr_assert_eq(o.cq_mod, 100);
}

/* perftest: with -l the moderation is the list. */
Test(options, a_list_is_signalled_once)
{
	struct options o = with(MODE_BW, (const char *[]){ "post_list", "16", NULL });

	cr_assert_eq(o.cq_mod, 16);
	cr_assert_eq(options_signal_interval(&o), 16);
}

/* A batch that waits for free space must not wait for CQEs that no WQE generates. */
Test(options, signals_leave_space_for_a_batch)
{
	static const char *const depths[] = { "1", "2", "7", "16", "100", "128", "1000" };

	for (size_t d = 0; d < sizeof(depths) / sizeof(*depths); d++)
		for (uint32_t batch = 1; batch <= 128; batch *= 2) {
			struct options o =
				with(MODE_BW, (const char *[]){ "tx-depth", depths[d], NULL });
			uint32_t every;

			o.batch = batch;
			if (options_check(&o))
				continue;
			every = options_signal_interval(&o);
			cr_assert(every >= 1 && (every % batch == 0 ||
						 every - 1 + batch <= options_depth(&o)),
				  "depth %s, batch %u: %u", depths[d], batch, every);
			cr_assert_leq(every, options_depth(&o));
		}
}

static const char *refused(enum mode mode, const char *const *words)
{
	struct options o = with(mode, words);

	return options_check(&o);
}

Test(options, what_cannot_be_together_is_refused)
{
	cr_assert(refused(MODE_BW, (const char *[]){ "barriers", "none", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "api", "wr", "doorbell", "bf", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "connection", "UC", "op", "read", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "connection", "UD", NULL }));
	cr_assert(
		refused(MODE_BW, (const char *[]){ "batch", "200", "tx-depth", "100", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "duration", "2", "margin", "1", NULL }));
	cr_assert(refused(MODE_LAT, (const char *[]){ "batch", "2", NULL }));
	cr_assert(refused(MODE_LAT, (const char *[]){ "op", "nop", NULL }));
	cr_assert(refused(MODE_POST, (const char *[]){ "rate", "1000", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "uar", "nc", "doorbell", "bf", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "uar", "nc", "doorbell", "zmm", NULL }));
	cr_assert(refused(MODE_LAT, (const char *[]){ "size", "0", NULL }));
	cr_assert(
		refused(MODE_BW, (const char *[]){ "api", "verbs", "connection", "DC", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "locks", "off", "threads", "2", NULL }));
	cr_assert(refused(MODE_POST, (const char *[]){ "locks", "off", "threads", "2", "layout",
						       "shared-qp", NULL }));
	cr_assert(refused(MODE_BW, (const char *[]){ "layout", "shared-qp", "threads", "2",
						     "uar", "thread", NULL }));
}

/* A register that threads may share needs its lock where another machine is at stake. */
Test(options, locks_may_be_off_where_nothing_is_shared)
{
	cr_assert_null(refused(MODE_BW, (const char *[]){ "locks", "off", NULL }));
	cr_assert_null(refused(MODE_BW, (const char *[]){ "locks", "off", "threads", "2", "uar",
							  "thread", NULL }));
	cr_assert_null(
		refused(MODE_POST, (const char *[]){ "locks", "off", "threads", "2", NULL }));
}

/* perftest: ib_write_bw --write_with_imm is an ib_write_bw. */
Test(options, write_with_immediate_is_a_write)
{
	struct options bw = with(MODE_BW, (const char *[]){ "op", "write_imm", NULL });
	struct options lat = with(MODE_LAT, (const char *[]){ "op", "write_imm", NULL });

	cr_assert_null(options_check(&bw));
	cr_assert_eq(bw.size, 65536);
	cr_assert_eq(bw.inline_size, 0);
	cr_assert_eq(lat.inline_size, 220);
}

Test(options, invalid_values_are_refused)
{
	struct options o = options_new(MODE_BW);

	cr_assert(options_take_name(&o, "size", "-1"));
	cr_assert(options_take_name(&o, "size", "8x"));
	cr_assert(options_take_name(&o, "size", "1.5"));
	cr_assert(options_take_name(&o, "api", "rdma"));
	cr_assert(options_take_name(&o, "mtu", "300"));
	cr_assert(options_take_name(&o, "signal", "never"));
	cr_assert(options_take_name(&o, "nosuch", "1"));
	cr_assert(options_take_name(&o, "rdma_cm", "1"));
	cr_assert(options_take_name(&o, "events", "1"));
	cr_assert_null(options_take_name(&o, "tx_depth", "1k"));
	cr_assert_eq(o.tx_depth, 1000);
}

/* options_json() stops at the first number that no row of option.def has. */
Test(options, columns_of_a_result_are_numbered_without_a_gap)
{
	struct options o = with(MODE_BW, NULL);
	struct json_object *j = options_json(&o);
	int columns = 0;

	for (const struct option_row *row = options_table; row->name; row++)
		columns += row->column > 0;
	cr_assert_gt(columns, 40);
	cr_assert_eq(json_object_object_length(j), columns + 1, "the mode, and %d", columns);
	json_object_put(j);
}

Test(options, every_row_is_found_by_its_name_and_key)
{
	for (const struct option_row *row = options_table; row->name; row++) {
		cr_assert_eq(option_find(row->name), row, "%s", row->name);
		if (row->column)
			cr_assert(options_take_name(&(struct options){ 0 }, row->json_key,
						    "no value"),
				  "%s", row->json_key);
		if (row->letter)
			cr_assert_eq(option_of_key(row->letter), row, "%c", row->letter);
	}
	cr_assert_str_eq(options_flag("size"), "-s");
	cr_assert_str_eq(options_flag("remote_size"), "--remote-size");
	cr_assert_str_eq(options_json_key("post_list"), "batch");
	cr_assert(options_must_be_equal("size"));
	cr_assert_not(options_must_be_equal("api"));
}
