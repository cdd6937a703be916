/* SPDX-License-Identifier: BSD-2-Clause */
/* perftest's defaults, as its manual gives them; what follows from options; their limits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "options/options.h"
#include "options/table.h"
#include "unit/dvperf/given.h"

/* perftest 4.5, its manual and "CQ Moderation" of its table. */
static const char *const defaults[][2] = {
	{ "",
	  "mode=bw size=65536 iters=5000 tx_depth=128 rx_depth=512 signal=1 inline_size=0 qp=1 "
	  "batch=1 threads=1 repeats=3 warmup=1 cqe_poll=16 disable_pcie_relaxed=0 remote_size=0" },
	{ "op=send", "size=65536 iters=1000" },
	{ "op=write_imm", "size=65536 iters=1000 inline_size=0" },
	{ "op=atomic", "size=8" },
	/* ib_write_lat takes relaxed ordering back: it looks at the last byte */
	{ "mode=lat",
	  "size=2 iters=1000 tx_depth=1 inline_size=220 disable_pcie_relaxed=1 warmup=0" },
	{ "mode=lat op=write_imm", "size=2 inline_size=220 disable_pcie_relaxed=0" },
	{ "mode=lat op=send", "inline_size=236 disable_pcie_relaxed=0" },
	{ "mode=lat op=send connection=UD", "inline_size=188" },
	{ "mode=lat op=read", "inline_size=0" },
	{ "mode=post", "size=8 tx_depth=1024 inline_size=28 repeats=5 warmup=0 iters=1000" },
	{ "batch=200", "tx_depth=200 signal=200" },
	{ "batch=100", "tx_depth=128 signal=100" },
	{ "size=8192", "signal=100" },
	{ "size=8193", "signal=1" },
	{ "all=on", "signal=100" },
	{ "mode=post size=8193", "signal=100" },
	{ "post_list=4", "signal=4" },
	{ "cq-mod=50", "signal=50" },
	{ "size=64 outstanding=50", "signal=50 outstanding=50 tx_depth=128" },
	{ "batch=30 cq-mod=100", "signal=99" },
	{ "signal=half", "signal=64" },
	{ "signal=half tx-depth=1", "signal=1" },
	{ "batch=16 signal=batch cq-mod=1", "signal=16" },
	{ "signal=all batch=16", "signal=1" },
	{ "signal=7", "signal=7" },
	{ "batch=adaptive", "batch=adaptive signal=64" },
	{ "batch=adaptive signal=128", "signal=128" },
	{ "batch=adaptive tx-depth=1", "signal=1" },
	{ "batch=adaptive tx-depth=3", "signal=1" },
	{ "duration=1", "warmup=0" },
	{ "duration=1 warmup=2", "warmup=2" },
	{ "remote=random", "remote_size=16777216" },
	{ "remote=random size=16777217", "remote_size=33554432" },
	{ "remote=random remote-size=1025", "remote_size=2048" },
	{ "layout=per-doorbell", "uar=thread" },
	{ "op=atomic atomic_type=CMP_AND_SWAP locks=off",
	  "atomic_type=CMP_AND_SWAP locks=off" },
	{ "api=many mode=post", "collapsed=1 api=many locks=on" },
};

Test(options, have_these_defaults)
{
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		struct options o = given(defaults[i][0]);
		struct json_object *j = options_json(&o), *value;
		char copy[300], *rest = copy, *word, *want;

		snprintf(copy, sizeof(copy), "%s", defaults[i][1]);
		while ((word = strsep(&rest, " "))) {
			want = strchr(word, '=');
			*want++ = 0;
			cr_assert(json_object_object_get_ex(j, word, &value), "%s", word);
			cr_expect_str_eq(json_object_get_string(value), want, "%s: %s",
					 defaults[i][0], word);
		}
		json_object_put(j);
	}
	cr_expect_eq(given("duration=2").margin, 0.5);
	cr_expect_eq(given("").tcp_port, 18515);
	cr_expect(given("op=mmo").loopback && !given("").loopback);
	cr_expect(!given("op=mmo host=a").loopback &&
		  !given("op=mmo remote-vhca=read").loopback);
}

Test(options, have_these_consequences)
{
	struct options o = given("op=mmo size=1000");

	cr_expect_eq(options_wqes(&o, 500), 2);
	cr_expect_eq(options_wqes(&o, 999), 2);
	cr_expect_eq(options_wqes(&o, 1000), 1);
	o = given("op=write size=1000");
	cr_expect_eq(options_wqes(&o, 1), 1);
	cr_expect(options_copies(&(struct options){ .op = OP_MMO }));
	cr_expect(!options_copies(&(struct options){ .op = OP_READ }));
	o = given("op=mmo remote-vhca=read");
	cr_expect(!options_copies(&o), "the server");
	o.host = "a";
	cr_expect(options_copies(&o));
	o = given("inline_size=8 size=8");
	cr_expect(options_is_inline(&o));
	o = given("inline_size=8 size=9");
	cr_expect_not(options_is_inline(&o));
	o = given("inline_size=8 size=8 op=read");
	cr_expect_not(options_is_inline(&o));
	cr_expect(options_receives(&(struct options){ .op = OP_SEND }) &&
		  options_receives(&(struct options){ .op = OP_WRITE_IMM }) &&
		  !options_receives(&(struct options){ .op = OP_WRITE }));
	/* one where the window begins, one for the last of all */
	o = given("signal=8");
	cr_expect_eq(options_cqes(&o), 128 / 8 + 2);
	o = given("signal=1");
	cr_expect_eq(options_cqes(&o), 128);
	o = given("batch=adaptive");
	cr_expect_eq(options_cqes(&o), 128);
	o = given("mode=post signal=8");
	cr_expect_eq(options_cqes(&o), 1024);
}

/* Each number: the least and the most are accepted, and what is beyond is not. */
Test(options, numbers_have_limits)
{
	for (const struct option_row *row = options_table; row->name; row++) {
		struct options o = options_new(MODE_BW);
		const double values[] = { row->least, row->most, row->least - 1,
					  row->most + 1 };
		char text[40];

		if (row->kind < KIND_INT || row->kind > KIND_REAL)
			continue;
		for (int i = 0; i < 4; i++) {
			snprintf(text, sizeof(text), "%.17g", values[i]);
			cr_expect_eq(!option_take(row, &o, text), i < 2, "%s: %s", row->name,
				     text);
		}
	}
}

Test(options, values_have_forms)
{
	struct options o = options_new(MODE_BW);

	cr_assert(options_take_name(&o, "nosuch", "1"));
	cr_assert(options_take_name(&o, "rdma_cm", "1"));
	cr_assert(options_take_name(&o, "mr_per_qp", "on"));
	cr_assert(options_take_name(&o, "use-srq", "on"));
	cr_assert(options_take_name(&o, "iters", "1e999"));
	cr_assert(options_take_name(&o, "cqe-size", "63"));
	cr_assert(options_take_name(&o, "cqe-size", "96"));
	cr_assert_null(options_take_name(&o, "cqe-size", "128"));
	cr_assert_null(options_take_name(&o, "mtu", "4096"));
	cr_assert_null(options_take_name(&o, "api", "WR"));
	cr_assert_null(options_take_name(&o, "signal", "32768"));
	cr_assert_null(options_take_name(&o, "mode", "lat"));
	cr_expect(o.api == API_WR && o.api_given && o.mode == MODE_LAT);
	cr_expect(o.cqe_size == 128 && o.signal == 32768 && o.mtu == 4096);
	cr_assert_null(options_take_name(&o, "events", "on"));
	cr_expect(o.events);
	cr_assert_null(options_take_name(&o, "events", "off"));
	cr_expect_not(o.events);
	cr_assert_null(options_take_name(&o, "tx_depth", "1k"));
	cr_assert_eq(o.tx_depth, 1000);
	for (const struct option_row *row = options_table; row->name; row++)
		for (int i = 0; row->words && row->words[i]; i++) {
			cr_assert_null(option_take(row, &o, row->words[i]), "%s", row->name);
			cr_expect_eq(*(int *)((char *)&o + row->at), i, "%s=%s", row->name,
				     row->words[i]);
		}
}

/* options_json() stops at the first number that no row of option.def has. */
Test(options, columns_of_a_result_are_numbered_without_a_gap)
{
	struct options o = given("");
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
