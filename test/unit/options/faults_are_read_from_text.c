/* SPDX-License-Identifier: BSD-2-Clause */
/* "drop=5%:7;…" means what dvkit-emu(1) says, or is refused. */
#include <criterion/criterion.h>

#include "options/options.h"

static struct options_fault faults[OPTIONS_FAULTS];

static struct options_fault one(const char *text)
{
	cr_assert_eq(options_faults(text, faults), 1, "%s", text);
	return faults[0];
}

Test(options_faults, kinds)
{
	cr_expect_eq(options_faults("drop=1;dup=1;reorder=1;delay=1;corrupt=1;ecn=1", faults),
		     6);
	cr_expect_eq(faults[0].kind, OPTIONS_DROP);
	cr_expect_eq(faults[1].kind, OPTIONS_DUP);
	cr_expect_eq(faults[2].kind, OPTIONS_REORDER);
	cr_expect_eq(faults[3].kind, OPTIONS_DELAY);
	cr_expect_eq(faults[4].kind, OPTIONS_CORRUPT);
	cr_expect_eq(faults[5].kind, OPTIONS_ECN);
	cr_expect_eq(options_faults("", faults), 0);
}

Test(options_faults, probabilities)
{
	cr_expect_eq(one("drop=0").chance, 0);
	cr_expect_eq(one("drop=1").chance, 1ull << 32);
	cr_expect_eq(one("drop=100%").chance, 1ull << 32);
	cr_expect_eq(one("drop=0.25").chance, 1ull << 30);
	cr_expect_eq(one("drop=25%").chance, 1ull << 30);
	cr_expect_eq(one("drop=12.5%").chance, 1ull << 29);
}

Test(options_faults, what_is_not_given)
{
	struct options_fault f = one("delay=0.5");

	cr_expect(f.tx);
	cr_expect_not(f.rx);
	cr_expect(f.ethernet);
	cr_expect_eq(f.operations, 0xffffffff);
	cr_expect_eq(f.seed, 0);
	cr_expect_eq(f.delay_us, 1000);
}

/* BTH operations by hand: SEND 0 to 5, 0x16, 0x17; READ response 0x0d to 0x10; ACK 0x11. */
Test(options_faults, words)
{
	struct options_fault f = one("delay=0.5:rx:7:send:ack:250us");

	cr_expect(f.rx);
	cr_expect_not(f.tx);
	cr_expect_eq(f.seed, 7);
	cr_expect_eq(f.delay_us, 250);
	cr_expect_eq(f.operations, 0x00c2003f);
	cr_expect_not(f.ethernet);
	cr_expect_eq(one("drop=1:write").operations, 0x00000fc0);
	cr_expect_eq(one("drop=1:read").operations, 0x00001000);
	cr_expect_eq(one("drop=1:read_response").operations, 0x0001e000);
	cr_expect_eq(one("drop=1:atomic_response").operations, 0x00040000);
	cr_expect_eq(one("drop=1:atomic").operations, 0xc0180000);
	cr_expect_eq(one("drop=1:0x10").seed, 16);
	cr_expect_eq(one("delay=1:3ms").delay_us, 3000);
	cr_expect_eq(one("delay=1:2s").delay_us, 2000000);
	cr_expect_eq(one("drop=1:cnp").operations, 0x20000000);
	cr_expect(one("ecn=1:queue").queue);
	cr_expect_not(one("ecn=1").queue);
	f = one("drop=1:ethernet:tx:rx");
	cr_expect(f.ethernet && f.tx && f.rx);
	cr_expect_eq(f.operations, 0);
}

Test(options_faults, anything_else_is_refused)
{
	static const char *const wrong[] = {
		"drop=1:queue", "ecn=1:rx:queue",
		"drop",		"drop=",
		"drop=x",	"drop=-1",
		"drop=1.1",	"drop=101%",
		"drop=5%%",	"drop=nan",
		"drop=inf",	"drop=0x",
		"lose=1",	"drop=1;",
		";drop=1",	"drop=1:",
		"drop=1:up",	"drop=1:7x",
		"drop=1:3ms",	"delay=1:11s",
		"delay=1:3m",	"delay=1:99999999999999999999s",
		"drop=1 ",	"=1",
		"drop=1:SEND",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_eq(options_faults(wrong[i], faults), -1, "'%s' was taken", wrong[i]);
}

Test(options_faults, at_most_sixteen)
{
	char text[200] = "drop=1";

	for (int i = 1; i < 16; i++)
		strcat(text, ";drop=1");
	cr_expect_eq(options_faults(text, faults), 16);
	strcat(text, ";drop=1");
	cr_expect_eq(options_faults(text, faults), -1);
}
