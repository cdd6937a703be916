/* SPDX-License-Identifier: BSD-2-Clause */
/* The owner: an mkey over a umem, allowed to those who know a random access key. */
#include <sys/mman.h>
#include <sys/random.h>

#include "vhca.h"

#define ALL_RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct mlx5dv_devx_umem *umem;
static struct mlx5dv_devx_obj *mkey;
static uint8_t *memory;
static struct record record;

/* CREATE_MKEY: lr lw rr rw a, access mode 1, tag 0x42, page size 4096. */
static void create_mkey(void)
{
	uint8_t in[0x110] = { 0x02, 0x00 }, out[16] = { 0 };

	put32(in + 0x0c, 0x80000000); /* pg_access */
	put32(in + 0x10, 0x00007d00);
	put32(in + 0x14, 0xffffff42);
	put32(in + 0x1c, pdn_of(pd));
	put64(in + 0x20, record.addr);
	put64(in + 0x28, record.len);
	put32(in + 0x44, 1);
	put32(in + 0x48, 12);
	put32(in + 0x60, 1);
	put32(in + 0x64, umem->umem_id);
	mkey = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	CHECK(mkey, "syndrome 0x%x", get32(out + 4));
	record.mkey = get32(out + 8) & 0xffffff;
}

static void allow(void)
{
	uint8_t in[0x40] = { 0x0b, 0x16 }, out[16] = { 0 };

	CHECK(getrandom(record.key, KEY_BYTES, 0) == KEY_BYTES);
	put32(in + 0x10, 0xff01);
	put32(in + 0x14, record.mkey);
	memcpy(in + 0x20, record.key, KEY_BYTES);
	CHECK(!mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), "syndrome 0x%x",
	      get32(out + 4));
}

static void prepare(uint64_t len)
{
	ctx = open_devx();
	CHECK(capability(ctx, 0x20, 0x24) & 4,
	      "allowed_object_for_other_vhca_access: no mkeys");
	pd = ibv_alloc_pd(ctx);
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pd && memory != MAP_FAILED);
	for (uint64_t i = 0; i < len; i++)
		memory[i] = first_byte(i);
	record = (struct record){ .addr = (uintptr_t)memory,
				  .len = len,
				  .pid = getpid(),
				  .vhca_id = (uint16_t)capability(ctx, 0, 4) };
	umem = mlx5dv_devx_umem_reg(ctx, memory, len, ALL_RIGHTS);
	CHECK(umem);
	create_mkey();
	allow();
	say(&record, sizeof(record));
}

static void destroy_mkey(void)
{
	CHECK(!mlx5dv_devx_obj_destroy(mkey));
	CHECK(!mlx5dv_devx_umem_dereg(umem), "the umem is free after its mkey");
	mkey = NULL;
}

int owner_main(uint64_t len)
{
	uint64_t sum;
	char what;

	prepare(len);
	for (;;) {
		hear(&what, 1);
		switch (what) {
		case ASK_SUM:
			sum = sum_of(memory, len);
			say(&sum, sizeof(sum));
			break;
		case ASK_DESTROY:
			destroy_mkey();
			say("k", 1);
			break;
		default:
			if (mkey)
				destroy_mkey();
			CHECK(!ibv_dealloc_pd(pd) && !ibv_close_device(ctx));
			return 0;
		}
	}
}
