/* SPDX-License-Identifier: BSD-2-Clause */
/* --check: a refused access is reported once, with the access and what the key allows. */
#include "keys.h"

#define START 0x5000ull

static struct hca_mkey *m, *window;
static _Alignas(4096) uint8_t area[4096];
static char said[1024];
static unsigned int findings;

static void keep(const struct core_trace *t)
{
	findings++;
	snprintf(said, sizeof(said), "%.*s", (int)t->in_len, (const char *)t->in);
}

static void setup(void)
{
	begin();
	m = new_region(START, 256, area, 1);
	m->variant = 0x42;
	m->access = HCA_LOCAL_READ | HCA_REMOTE_READ;
	window = hca_mkey_new(&hca);
	window->window = true;
	window->pd = pd;
	window->access = HCA_REMOTE_READ;
	window->len = 512;
	bind(window, (struct hca_klm){ 300, m->index << 8 | 0x42, START, 0 });
	core_trace_to = keep;
	core_trace_mask = 1u << TRACE_CHECK;
}

static void stop(void)
{
	core_trace_mask = 0;
	teardown();
}

TestSuite(mkey_refusal, .init = setup, .fini = stop);

/* One finding, which begins with @key and ends in @remedy; @what is between. */
static void says(const struct mem_ref *r, enum mem_status status, const char *what,
		 const char *remedy)
{
	char begin[64];

	findings = 0;
	cr_expect_eq(mem_check(&hca, r), status);
	cr_assert_eq(findings, 1);
	snprintf(begin, sizeof(begin), "key 0x%x: QP 0x30007, ", r->key);
	cr_expect_eq(strncmp(said, begin, strlen(begin)), 0, "%s", said);
	cr_expect_not_null(strstr(said, what), "no '%s' in: %s", what, said);
	cr_expect_not_null(strstr(strstr(said, "; remedy: "), remedy), "%s", said);
}

Test(mkey_refusal, unknown_key)
{
	struct mem_ref r = ref(m, 0, 8, HCA_LOCAL_READ);

	r.key += 7 << 8;
	says(&r, MEM_BAD_KEY, "local read of 8 bytes at 0x5000: there is no such key",
	     "the registration returned");
}

Test(mkey_refusal, deregistered_key)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	core_trace_place = 41;
	hca_mkey_free(&hca, m);
	says(&r, MEM_BAD_KEY,
	     "remote read of 8 bytes at 0x5000: the key was deregistered at [3:42]",
	     "only after the last work request");
}

Test(mkey_refusal, of_another_variant)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	r.key ^= 0x03;
	says(&r, MEM_BAD_KEY, ": the low 8 bits of the key are 0x42, not 0x41", "low 8 bits");
}

Test(mkey_refusal, of_another_pd)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);
	char want[64];

	r.pd = other;
	snprintf(want, sizeof(want), ": the key is of PD 0x%x, not 0x%x", pd->pdn, other->pdn);
	says(&r, MEM_BAD_PD, want, "in the PD of the QP");
}

Test(mkey_refusal, of_another_function)
{
	struct mem_ref r = ref(m, 0, 8, HCA_LOCAL_READ);

	cr_expect_null(mem_target(&hca, &r));
	m->target = (struct hca_target){ .kind = HCA_TARGET_ALIAS, .vhca_id = 7 };
	says(&r, MEM_OTHER, ": the key is of bytes of VHCA 7", "with MMO DMA");
	cr_expect_eq(mem_target(&hca, &r), &m->target);
	r.pd = other;
	cr_expect_null(mem_target(&hca, &r), "of another PD");
}

Test(mkey_refusal, free_key)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	m->free = true;
	says(&r, MEM_FREE, ": the key is bound to no memory", "bind the window");
}

Test(mkey_refusal, of_another_qp)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	m->qpn = QPN + 1;
	says(&r, MEM_BAD_QP, ": the key is bound to QP 0x30008", "on the QP that it was bound");
}

Test(mkey_refusal, without_the_right)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_WRITE);

	says(&r, MEM_RIGHTS,
	     "remote write of 8 bytes at 0x5000: the key lacks IBV_ACCESS_REMOTE_WRITE;",
	     "access flags");
	r.rights = HCA_LOCAL_WRITE;
	says(&r, MEM_RIGHTS,
	     "local write of 8 bytes at 0x5000: the key lacks "
	     "IBV_ACCESS_LOCAL_WRITE;",
	     "access flags");
	r.rights = HCA_REMOTE_ATOMIC;
	says(&r, MEM_RIGHTS, ": the key lacks IBV_ACCESS_REMOTE_ATOMIC;", "access flags");
}

Test(mkey_refusal, of_a_window_used_locally)
{
	struct mem_ref r = ref(m, 0, 8, HCA_LOCAL_READ);

	r.key = window->index << 8;
	says(&r, MEM_RIGHTS, ": a memory window gives no local access", "access flags");
}

Test(mkey_refusal, outside_its_range)
{
	struct mem_ref r = ref(m, 250, 8, HCA_REMOTE_READ);

	says(&r, MEM_BOUNDS,
	     "remote read of 8 bytes at 0x50fa: the key covers 256 bytes at 0x5000;",
	     "inside what was registered");
}

Test(mkey_refusal, after_the_last_entry)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	r.key = window->index << 8;
	r.addr = 400;
	says(&r, MEM_BOUNDS, ": the key covers 512 bytes at 0x0, and its entries end before;",
	     "inside");
}

/* The entry is longer than the region that it names. */
Test(mkey_refusal, through_an_indirect_key)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);
	char want[64];

	r.key = window->index << 8;
	r.addr = 256;
	findings = 0;
	cr_expect_eq(mem_check(&hca, &r), MEM_BOUNDS);
	cr_assert_eq(findings, 1);
	snprintf(want, sizeof(want), "key 0x%x: QP 0x30007, local read", m->index << 8 | 0x42);
	cr_expect_eq(strncmp(said, want, strlen(want)), 0, "%s", said);
	snprintf(want, sizeof(want), " at 0x5100 through key 0x%x: ", window->index << 8);
	cr_expect_not_null(strstr(said, want), "no '%s' in: %s", want, said);
}

Test(mkey_refusal, with_unmapped_pages)
{
	struct mem_ref r = ref(m, 8, 8, HCA_REMOTE_READ);
	uint8_t got[8];

	m->pages.pas[0] = 0x1000; /* below any mapping */
	cr_expect_eq(mem_read(&hca, &r, got), MEM_FAULT);
	cr_assert_eq(findings, 1);
	cr_expect_not_null(strstr(said, ": the memory of the key is not mapped at 0x1008;"),
			   "%s", said);
}

Test(mkey_refusal, valid_access_is_not_reported)
{
	struct mem_ref r = ref(m, 0, 256, HCA_REMOTE_READ);

	cr_expect_eq(mem_check(&hca, &r), MEM_OK);
	cr_expect_eq(findings, 0);
}

Test(mkey_refusal, key_of_no_memory)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	r.key = HCA_KEY_NULL;
	cr_expect_eq(mem_check(&hca, &r), MEM_RIGHTS);
	cr_expect_eq(findings, 1);
	cr_expect(strstr(said, "the key of no memory is for local access only"), "%s", said);
}
