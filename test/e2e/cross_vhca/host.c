/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exporter: a process for each connection, on the function of the host. It knows nothing of
 * the tests but their requests, and ends with the connection.
 *
 *	cross_vhca_host SOCKET
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <devx/pd.h>

#include "host.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static uint32_t pdn;
static uint8_t *memory;
static struct ibv_mr *mr;
static struct devx_exported exported;

static void prepare(void)
{
	memory = aligned_alloc(4096, HOST_BYTES);
	if (!memory || devx_open(&ctx, NULL))
		errx(1, "no device");
	pd = ibv_alloc_pd(ctx);
	if (!pd || devx_pdn_query(&pdn, pd))
		errx(1, "no PD");
	mr = ibv_reg_mr(pd, memory, HOST_BYTES,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ);
	if (!mr)
		err(1, "MR");
}

static int export_memory(const struct host_request *r, uint8_t *record)
{
	struct devx_export_attr attr = { .pdn = pdn, .access = r->access, .tag = 0x42 };
	int err = r->op == HOST_EXPORT_MR
			  ? devx_export_create_mr(&exported, mr, &attr)
			  : devx_export_create(&exported, ctx, memory, HOST_BYTES, &attr);

	if (!err)
		devx_export_pack(record, &exported.desc);
	return err;
}

static int check(const struct host_request *r)
{
	for (uint64_t i = 0; i < r->len; i++)
		if (memory[r->offset + i] != host_byte(r->seed, i))
			return EILSEQ;
	return 0;
}

static int execute(const struct host_request *r, struct host_answer *a)
{
	switch (r->op) {
	case HOST_EXPORT:
	case HOST_EXPORT_MR:
		return export_memory(r, a->record);
	case HOST_PROBE_MR:
		return devx_export_probe_mr(pd);
	case HOST_DESTROY:
		return devx_export_destroy(&exported);
	case HOST_FILL:
		for (uint64_t i = 0; i < HOST_BYTES; i++)
			memory[i] = host_byte(r->seed, i);
		return 0;
	case HOST_CHECK:
		return check(r);
	case HOST_CAPS:
		return devx_vhca_caps_query(&a->caps, ctx, 1);
	case HOST_DIE:
		raise(SIGKILL);
	}
	return EINVAL;
}

static void serve(int fd)
{
	struct host_request r;
	struct host_answer a;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if a test left it stopped */
	prepare();
	while (recv(fd, &r, sizeof(r), MSG_WAITALL) == sizeof(r)) {
		a = (struct host_answer){ .pid = getpid() };
		a.err = execute(&r, &a);
		if (a.err)
			devx_error_str(devx_last_error(), a.reason, sizeof(a.reason));
		if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) != sizeof(a))
			break;
	}
}

static int listener(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (strlen(path) >= sizeof(name.sun_path))
		errx(1, "%s: too long", path);
	strcpy(name.sun_path, path);
	if (fd < 0 || bind(fd, (void *)&name, sizeof(name)) || listen(fd, 10))
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	int fd, one;

	if (argc != 2)
		errx(1, "cross_vhca_host SOCKET");
	signal(SIGCHLD, SIG_IGN);
	fd = listener(argv[1]);
	for (;;) {
		one = accept(fd, NULL, NULL);
		if (one < 0)
			err(1, "accept");
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			serve(one);
			_exit(0);
		default:
			close(one);
		}
	}
}
