/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include <dv/reason.h>

struct dpu d;

static void ok(int err)
{
	char line[256];

	cr_assert_eq(err, 0, "%s", devx_error_str(devx_last_error(), line, sizeof(line)));
}

/* The host's process may start later. */
static int dial(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	time_t end = time(NULL) + 20;
	int fd;

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	for (;;) {
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (!connect(fd, (void *)&name, sizeof(name)))
			return fd;
		cr_assert_leq(time(NULL), end, "%s: %s", path, strerror(errno));
		close(fd);
		usleep(10000);
	}
}

void dpu_start(void)
{
	const char *path = getenv("CROSS_VHCA_SOCKET");

	memset(&d, 0, sizeof(d));
	cr_assert_not_null(path, "run.sh starts this");
	ok(devx_open(&d.ctx, NULL));
	ok(devx_vhca_caps_query(&d.caps, d.ctx, 1));
	d.pd = ibv_alloc_pd(d.ctx);
	ok(devx_pdn_query(&d.pdn, d.pd));
	d.memory = aligned_alloc(4096, HOST_BYTES);
	memset(d.memory, 0, HOST_BYTES);
	d.mr = ibv_reg_mr(d.pd, d.memory, HOST_BYTES, IBV_ACCESS_LOCAL_WRITE);
	cr_assert_not_null(d.mr);
	d.fd = dial(path);
}

void dpu_stop(void)
{
	cr_assert_eq(dv_dma_destroy(d.dma), 0);
	ok(devx_alias_destroy(&d.alias));
	cr_assert_eq(ibv_dereg_mr(d.mr), 0);
	cr_assert_eq(ibv_dealloc_pd(d.pd), 0);
	cr_assert_eq(ibv_close_device(d.ctx), 0);
	close(d.fd);
	free(d.memory);
}

struct host_answer host_do(struct host_request r)
{
	struct host_answer a;

	cr_assert_eq(send(d.fd, &r, sizeof(r), MSG_NOSIGNAL), (ssize_t)sizeof(r));
	cr_assert_eq(recv(d.fd, &a, sizeof(a), MSG_WAITALL), (ssize_t)sizeof(a));
	return a;
}

void host_must(struct host_request r)
{
	struct host_answer a = host_do(r);

	cr_assert_eq(a.err, 0, "request %d: %s: %s", r.op, strerror(a.err), a.reason);
}

void host_die(void)
{
	struct host_request r = { .op = HOST_DIE };
	char byte;

	cr_assert_eq(send(d.fd, &r, sizeof(r), MSG_NOSIGNAL), (ssize_t)sizeof(r));
	cr_assert_leq(recv(d.fd, &byte, 1, 0), 0);
}

/* /proc/PID/task/TID/stat: "TID (name) T …". */
static bool is_stopped(int pid, const char *tid)
{
	char path[300], line[256] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return true; /* the thread has ended */
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end && end[2] == 'T';
}

static bool all_stopped(int pid)
{
	struct dirent *entry;
	bool all = true;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	cr_assert_not_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !is_stopped(pid, entry->d_name))
			all = false;
	closedir(dir);
	return all;
}

void host_stop(int pid)
{
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	while (!all_stopped(pid))
		usleep(1000);
}

void import(enum host_op how, uint32_t access)
{
	struct host_answer a = host_do((struct host_request){ .op = how, .access = access });

	cr_assert_eq(a.err, 0, "%s", a.reason);
	ok(devx_export_unpack(&d.theirs, a.record, sizeof(a.record)));
	ok(devx_alias_create(&d.alias, d.ctx, d.pdn, &d.theirs));
}

void open_dma(struct dv_dma_attr attr)
{
	attr.pd = d.pd;
	cr_assert_eq(dv_dma_create(&d.dma, &attr), 0, "%s", dv_reason());
}

struct dv_laddr local(uint64_t offset)
{
	return (struct dv_laddr){ (uintptr_t)d.memory + offset, d.mr->lkey };
}

struct dv_laddr remote(uint64_t offset)
{
	return (struct dv_laddr){ d.theirs.addr + offset, d.alias.key };
}

void copy(uint64_t id, struct dv_laddr dst, struct dv_laddr src, uint64_t len)
{
	cr_assert_eq(dv_dma_copy(d.dma, id, dst, src, len, DV_DMA_FENCE), 0, "%s", dv_reason());
}

void finish(unsigned int n)
{
	time_t end = time(NULL) + 20;
	unsigned int have = 0;

	while (have < n) {
		have += dv_dma_poll(d.dma, d.done + have, n - have);
		if (time(NULL) > end)
			cr_assert_fail("%u of %u copies within 20 s", have, n);
	}
}
