/* SPDX-License-Identifier: BSD-2-Clause */
/* Command by command, and state by state. */
#include <string.h>

#include "guest.h"
#include "prm/prm.h"

#define BAD_PARAM     3
#define BAD_SYS_STATE 4
#define LIM_ERR	      8

enum { ENABLE = 0x104, DISABLE = 0x105, INIT = 0x102, TEARDOWN = 0x103, NOP = 0x80d };
enum { QUERY_PAGES = 0x107, MANAGE_PAGES = 0x108, QUERY_CAP = 0x100, ALLOC_PD = 0x800 };
enum { QUERY_ISSI = 0x10a, ALLOC_UAR = 0x802 };

static uint8_t out[16 + 4096]; /* the longest is QUERY_HCA_CAP's */

static void open_it(void)
{
	guest_open(&g);
	guest_boot(&g);
}

TestSuite(life, .init = open_it, .fini = guest_close_g);

static uint8_t cmd(uint16_t opcode)
{
	uint8_t in[32] = { opcode >> 8, (uint8_t)opcode };

	memset(out, 0, 16);
	cr_assert_eq(guest_cmd(&g, in, opcode == INIT ? 32 : 16, out, 256), 0);
	return out[0];
}

Test(life, nothing_but_enable_is_a_command_at_first)
{
	const uint16_t others[] = { DISABLE,	 INIT,	     TEARDOWN,	NOP,
				    QUERY_PAGES, QUERY_ISSI, QUERY_CAP, ALLOC_PD };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_assert_eq(cmd(others[i]), BAD_SYS_STATE, "%#x", others[i]);
	cr_assert_eq(cmd(ENABLE), 0);
	cr_assert_eq(cmd(ENABLE), BAD_SYS_STATE, "once");
}

static uint8_t query_cap(uint8_t group)
{
	uint8_t in[16] = { QUERY_CAP >> 8,
			   (uint8_t)QUERY_CAP, [7] = (uint8_t)(group << 1 | 1) };

	cr_assert_eq(guest_cmd(&g, in, sizeof(in), out, 16 + 4096), 0);
	return out[0];
}

/* Page faults of on-demand memory are those of processes. */
Test(life, it_has_device_memory_and_no_on_demand_paging)
{
	guest_start(&g);
	cr_assert_eq(query_cap(PRM_CAP_GENERAL), 0);
	cr_expect_eq(PRM_GET(cmd_hca_cap, out + 16, pg), 0);
	cr_expect_eq(PRM_GET(cmd_hca_cap, out + 16, device_memory), 1);
	cr_expect_eq(PRM_GET(cmd_hca_cap, out + 16, umr_modify_entity_size_disabled), 0);
	cr_expect_eq(query_cap(PRM_CAP_ODP), BAD_PARAM);
}

Test(life, objects_come_after_init)
{
	cr_assert_eq(cmd(ENABLE), 0);
	cr_assert_eq(cmd(QUERY_ISSI), 0);
	cr_assert_eq(cmd(ALLOC_PD), BAD_SYS_STATE);
	cr_assert_eq(cmd(INIT), BAD_SYS_STATE, "without pages");
	cr_assert_eq(cmd(DISABLE), 0);
	guest_start(&g);
	cr_assert_eq(cmd(ALLOC_PD), 0);
	cr_assert_eq(cmd(DISABLE), BAD_SYS_STATE, "it runs");
	cr_assert_eq(cmd(TEARDOWN), 0);
	cr_assert_eq(cmd(ALLOC_PD), BAD_SYS_STATE);
	cr_assert_eq(cmd(DISABLE), 0);
	cr_assert_eq(cmd(NOP), BAD_SYS_STATE);
}

static uint32_t uar(void)
{
	cr_assert_eq(cmd(ALLOC_UAR), 0);
	return (uint32_t)out[9] << 16 | out[10] << 8 | out[11];
}

/* The pages before 4 of the BAR are others; also after a second start. */
Test(life, uar_pages_do_not_cover_the_segment)
{
	guest_start(&g);
	cr_assert_eq(uar(), 4);
	cr_assert_eq(uar(), 5);
	cr_assert_eq(cmd(TEARDOWN), 0);
	cr_assert_eq(cmd(INIT), 0);
	cr_assert_eq(uar(), 4, "the objects ended");
}

/* ALLOC_MEMIC: where @size bytes are of the range of @range bytes at @start in BAR 0. */
static uint64_t device_memory(uint64_t start, uint32_t range, uint32_t size)
{
	const uint8_t in[32] = { 0x2,	     0x5,   [20] = start >> 24, start >> 16,
				 start >> 8, start, range >> 24,	range >> 16,
				 range >> 8, range, size >> 24,		size >> 16,
				 size >> 8,  size };

	memset(out, 0, 16);
	cr_assert_eq(guest_cmd(&g, in, sizeof(in), out, 16), 0);
	cr_assert_eq(out[0], 0);
	return (uint64_t)out[12] << 24 | out[13] << 16 | out[14] << 8 | out[15];
}

/* After the UAR pages, memic_bar_size bytes. */
Test(life, device_memory_is_in_the_bar)
{
	const uint64_t start = 16u << 20, end = start + (1u << 20);
	uint64_t word = 0x1122334455667788, zero = 0, got, at;

	guest_start(&g);
	at = device_memory(start + 0x1000, 0x1000, 64);
	cr_assert_eq(at, start + 0x1000);
	guest_write(&g, BAR0, at, &word, 8);
	guest_write(&g, BAR0, at + 56, &word, 8);
	guest_read(&g, BAR0, at + 56, &got, 8);
	cr_assert_eq(got, word);
	guest_read(&g, BAR0, at + 48, &got, 8);
	cr_assert_eq(got, zero);
	guest_read(&g, BAR0, at + 4, &got, 4);
	cr_assert_eq(got, 0x11223344);
	guest_write(&g, BAR0, start, &word, 8);
	guest_read(&g, BAR0, start, &got, 8);
	cr_assert_eq(got, word, "the first");
	guest_write(&g, BAR0, end - 8, &word, 8);
	guest_read(&g, BAR0, end - 8, &got, 8);
	cr_assert_eq(got, word, "the last");
	guest_write(&g, BAR0, end - 4, &word, 8);
	guest_write(&g, BAR0, end, &word, 8);
	guest_read(&g, BAR0, end - 8, &got, 8);
	cr_assert_eq(got, word, "no longer");
	guest_read(&g, BAR0, end, &got, 8);
	cr_assert_eq(got, zero);
	guest_write(&g, BAR0, start - 8, &word, 8);
	guest_read(&g, BAR0, start - 8, &got, 8);
	cr_assert_eq(got, zero, "a UAR page");
}

/* ---- pages ---- */

static uint32_t wanted(uint16_t stage)
{
	uint8_t o[16];

	cr_assert_eq(guest_simple(&g, QUERY_PAGES, stage, 0, 0, o), 0);
	return (uint32_t)o[12] << 24 | o[13] << 16 | o[14] << 8 | o[15];
}

/* MANAGE_PAGES gives @n pages from @first on. */
static uint8_t give(uint32_t n, uint32_t first)
{
	uint8_t in[16 + 8 * 70] = { 1, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, (uint8_t)n };

	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = GUEST_BASE + ((uint64_t)(first + i) << 12);

		for (int k = 0; k < 8; k++)
			in[16 + i * 8 + k] = at >> (56 - 8 * k);
	}
	cr_assert_eq(guest_cmd(&g, in, 16 + n * 8, out, 16), 0);
	return out[0];
}

static uint32_t take_back(uint32_t n)
{
	uint8_t in[16] = { 1, 8, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, (uint8_t)n };

	memset(out, 0, sizeof(out));
	cr_assert_eq(guest_cmd(&g, in, 16, out, 16 + n * 8), 0);
	cr_assert_eq(out[0], 0);
	return out[11];
}

Test(life, pages_are_wanted_given_and_returned)
{
	cr_assert_eq(cmd(ENABLE), 0);
	cr_assert_eq(wanted(1), 16);
	cr_assert_eq(give(10, 64), 0);
	cr_assert_eq(wanted(1), 6);
	cr_assert_eq(give(6, 64), BAD_PARAM, "one that it has");
	cr_assert_eq(wanted(1), 6);
	cr_assert_eq(give(6, 74), 0);
	cr_assert_eq(wanted(1), 0);
	cr_assert_eq(wanted(2), 48);
	cr_assert_eq(give(49, 80), LIM_ERR);
	cr_assert_eq(give(48, 80), 0);
	cr_assert_eq(wanted(2), 0);
	cr_assert_eq(wanted(3), 0);
	cr_assert_eq(cmd(INIT), 0);
	cr_assert_eq(take_back(70), 0, "a running function needs them");
	cr_assert_eq(cmd(TEARDOWN), 0);
	cr_assert_eq(take_back(60), 60);
	cr_assert_eq(take_back(70), 4);
	cr_assert_eq(out[16 + 3 * 8 + 5], 0x04, "0x40000: the first one");
}

Test(life, page_lists_are_checked)
{
	cr_assert_eq(cmd(ENABLE), 0);
	uint8_t odd[24] = { 1, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
			    0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 8, 0 };

	cr_assert_eq(guest_cmd(&g, odd, 24, out, 16), 0);
	cr_assert_eq(out[0], BAD_PARAM, "not a page");
	odd[22] = 0;
	odd[12] = 0xff; /* more than follow */
	cr_assert_eq(guest_cmd(&g, odd, 24, out, 16), 0);
	cr_assert_eq(out[0], LIM_ERR);
}

/* Function level reset, and DEVICE_RESET. */
Test(life, reset_forgets_everything)
{
	const uint8_t flr[2] = { 0x10, 0x80 }, master[2] = { 6, 0 };

	for (int i = 0; i < 2; i++) {
		guest_start(&g);
		if (i)
			guest_tell(&g, 13, NULL, 0, -1);
		else
			guest_write(&g, CONFIG, 0x60 + 8, flr, 2);
		cr_assert_eq(guest_read32(&g, 0x10), 0, "no command queue");
		guest_write(&g, CONFIG, 4, master, 2);
		guest_write32(&g, 0x10, GUEST_BASE >> 32);
		guest_write32(&g, 0x14, (uint32_t)GUEST_BASE);
		cr_assert_eq(cmd(NOP), BAD_SYS_STATE);
	}
}
