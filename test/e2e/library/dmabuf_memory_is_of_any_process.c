/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is named by a file descriptor, as that of a GPU: a region (ibv_reg_dmabuf_mr) and
 * a umem. The file is a memfd, which Linux takes for none: only emulated devices do.
 */
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/umem.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

enum { PAGE = 4096, FILE_BYTES = 3 * PAGE };

static int fd;
static uint8_t *mapped;

static void start(void)
{
	fixture_start();
	fd = memfd_create("dmabuf", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(fd, FILE_BYTES), 0);
	mapped = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert_neq(mapped, MAP_FAILED);
	for (unsigned int i = 0; i < FILE_BYTES; i++)
		mapped[i] = (uint8_t)(i / 16 ^ i / PAGE * 0x55);
}

static void stop(void)
{
	munmap(mapped, FILE_BYTES);
	close(fd);
	fixture_stop();
}

TestSuite(dmabuf, .init = start, .fini = stop);

static void write_from(uint64_t addr, uint32_t len, uint32_t key, uint8_t opcode)
{
	struct ibv_sge from = { addr, len, key };
	struct mlx5_cqe64 cqe;

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &from, 1));
	cqe = completion(&f.a);
	cr_assert_eq(dv_cqe_opcode(&cqe), opcode, "%s", dv_syndrome_str(dv_cqe_syndrome(&cqe)));
}

Test(dmabuf, region_has_the_bytes_from_its_offset_on)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(f.pd, PAGE + 16, PAGE, 0x10010, fd, 0);
	int file = fd;

	if (!mr && errno == EBADF)
		cr_skip_test("the device is real");
	cr_assert_not_null(mr, "%s", strerror(errno));
	close(file); /* the region keeps the memory */
	fd = -1;
	write_from(0x10010, PAGE, mr->lkey, MLX5_CQE_REQ);
	cr_assert_arr_eq(f.dst, mapped + PAGE + 16, PAGE);
	mapped[PAGE + 16 + 5] ^= 0xff; /* the same memory, no copy */
	write_from(0x10010, 16, mr->lkey, MLX5_CQE_REQ);
	cr_assert_arr_eq(f.dst, mapped + PAGE + 16, 16);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
}

Test(dmabuf, region_ends_where_it_was_made_to)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(f.pd, 0, FILE_BYTES, 0, fd, 0);

	cr_assert_not_null(mr);
	write_from(FILE_BYTES - 8, 8, mr->lkey, MLX5_CQE_REQ);
	cr_assert_arr_eq(f.dst, mapped + FILE_BYTES - 8, 8);
	write_from(FILE_BYTES - 7, 8, mr->lkey, MLX5_CQE_REQ_ERR);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
}

/* A peer writes to it; pages that the process has not mapped. */
Test(dmabuf, umem_is_written_by_the_device)
{
	struct devx_umem_attr attr = { .size = 2 * PAGE,
				       .access = IBV_ACCESS_LOCAL_WRITE,
				       .dmabuf = true,
				       .dmabuf_fd = fd,
				       .dmabuf_offset = PAGE };
	struct devx_mkey_attr key = { .access =
					      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
				      .start_addr = 0x20000,
				      .len = 2 * PAGE };
	struct devx_umem umem;
	struct devx_mkey mkey;
	struct ibv_sge from = { (uintptr_t)f.src, PAGE, f.mr->lkey };

	cr_assert_eq(devx_pdn_query(&key.pdn, f.pd), 0);
	cr_assert_eq(devx_umem_reg_ex(&umem, f.ctx, &attr), 0);
	cr_assert_null(umem.addr);
	key.umem_id = umem.id;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &key), 0);
	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED,
				 (struct dv_raddr){ 0x20000 + 100, mkey.key }, &from, 1),
		     0);
	dv_sq_doorbell(&f.a.sq);
	completion(&f.a);
	cr_assert_arr_eq(mapped + PAGE + 100, f.src, PAGE);
	cr_assert_eq(devx_mkey_destroy(&mkey), 0);
	cr_assert_eq(devx_umem_dereg(&umem), 0);
}

static int region_error(uint64_t offset, size_t len, uint64_t iova, int file, int access)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(f.pd, offset, len, iova, file, access);

	if (!mr)
		return errno;
	cr_assert_eq(ibv_dereg_mr(mr), 0);
	return 0;
}

/* ib_core, umem_dmabuf.c; ib_uverbs, uverbs_std_types_mr.c */
Test(dmabuf, what_the_kernel_refuses)
{
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);

	cr_assert_eq(region_error(0, PAGE, 0, 1000, 0), EBADF);
	cr_assert_eq(region_error(0, PAGE, 0, zero, 0), EINVAL, "no dma-buf");
	cr_assert_eq(region_error(0, FILE_BYTES, 0, fd, 0), 0);
	cr_assert_eq(region_error(0, FILE_BYTES + 1, 0, fd, 0), EINVAL, "beyond its end");
	cr_assert_eq(region_error(PAGE, FILE_BYTES, 0, fd, 0), EINVAL, "beyond its end");
	cr_assert_eq(region_error(-PAGE, 2 * PAGE, 0, fd, 0), EINVAL, "wraps");
	cr_assert_eq(region_error(8, 8, 16, fd, 0), EINVAL, "offset and iova in a page");
	cr_assert_eq(region_error(0, 0, 0, fd, 0), EINVAL, "no bytes");
	cr_assert_eq(region_error(0, 8, 0, fd, IBV_ACCESS_ON_DEMAND), EINVAL);
	cr_assert_eq(region_error(0, 8, 0, fd, IBV_ACCESS_REMOTE_WRITE), EINVAL);
	cr_assert_eq(
		region_error(0, 8, 0, fd, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE), 0);
	close(zero);
}
