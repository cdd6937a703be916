/* SPDX-License-Identifier: BSD-2-Clause */
/* A function with two PDs, keys of memory that is there, and accesses with them. */
#ifndef TEST_UNIT_MEM_KEYS_H
#define TEST_UNIT_MEM_KEYS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mem/mem.h"

#define UNUSED __attribute__((unused))
#define PAGE   4096
#define QPN    0x30007u

static struct hca hca;
static struct hca_pd *pd, *other;

static void begin(void)
{
	cr_assert_eq(hca_init(&hca, 3), 0);
	pd = hca_pd_new(&hca);
	other = hca_pd_new(&hca);
}

static UNUSED void teardown(void)
{
	hca_fini(&hca);
}

/* A key of @len bytes from @start in @pages pages at @mem. */
static struct hca_mkey *new_region(uint64_t start, uint64_t len, uint8_t *mem, uint32_t pages)
{
	struct hca_mkey *m = hca_mkey_new(&hca);

	m->pd = pd;
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	m->start = start;
	m->len = len;
	m->pages = (struct hca_ring){ .npas = pages, .log_page = 12 };
	m->pages.pas = calloc(pages, sizeof(uint64_t));
	for (uint32_t i = 0; i < pages; i++)
		m->pages.pas[i] = (uintptr_t)mem + i * PAGE;
	return m;
}

/* @m, a window, has the bytes of @klm. */
static UNUSED void bind(struct hca_mkey *m, struct hca_klm klm)
{
	m->list = malloc(sizeof(*m->list));
	m->list[0] = klm;
	m->entries = 1;
}

/* From byte @off of the key on. */
static struct mem_ref ref(const struct hca_mkey *m, uint64_t off, uint64_t len, uint8_t rights)
{
	return (struct mem_ref){ .pd = pd,
				 .key = m->index << 8 | m->variant,
				 .addr = m->start + off,
				 .len = len,
				 .qpn = QPN,
				 .rights = rights };
}

static UNUSED enum mem_status access_status(const struct hca_mkey *m, uint64_t off,
					    uint64_t len, uint8_t rights)
{
	struct mem_ref r = ref(m, off, len, rights);

	return mem_check(&hca, &r);
}

#endif
