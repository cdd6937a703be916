/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host and DPU copy each other's memory, by the adapter that both are functions of: the
 * exporter allows others to use an mkey, the importer makes an alias of it, and its copies (MMO
 * DMA) name the alias. No packet is sent; which of the two exports does not matter.
 *
 *	host_dpu_dma export                            host_dpu_dma import HOST
 *
 *	devx_export_create(): umem, mkey, allow
 *	devx_export_pack()       -- record, 96 bytes ->  devx_export_unpack()
 *	                              over TCP           devx_alias_create(): alias.key
 *	memory                  === copy ============>   dv_dma_copy(local, alias.key)
 *	                        <----- sum? ----------   are these the bytes?
 *	memory                  <============ copy ===   dv_dma_copy(alias.key, local)
 *	                        <----- sum? ----------   are they there?
 *	                        <----- end -----------   devx_alias_destroy()
 *	devx_export_destroy()
 *
 * The addresses in the copies are the exporter's. Without arguments it is both at once, with
 * two devices in one process; see docs/host-dpu-dma.md for two machines, and for all that can
 * be refused.
 *
 *	build/bin/dvkit-emu --device bf2 -- build/bin/host_dpu_dma
 *
 * Last line when all is well: "import: 3 iterations, ... bytes read, ... written, all sums
 * equal".
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <devx/pd.h>
#include <devx/vhca.h>
#include <dv/dma.h>
#include <dv/reason.h>
#include "tcp.h"
#include "transfer.h"

/* Requests of the importer, in network order: SUM of @len bytes at @offset is answered by 8
 * bytes, END is not answered. */
enum { SUM = 1, END };

struct request {
	uint64_t kind, offset, len;
};

static void executed(int error, const char *who)
{
	if (error)
		errx(1, "%s: %s%s", who, dv_reason(),
		     error == EOPNOTSUPP ? "\nBlueField-2 and later can; without one:\n"
					   "	build/bin/dvkit-emu --device bf2 -- "
					   "build/bin/host_dpu_dma"
					 : "");
}

static uint8_t *allocate(uint64_t size)
{
	void *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "%lu bytes", (unsigned long)size);
	return memory;
}

/* Until END, or until the importer closes the connection. */
static int answer_requests(int fd, const uint8_t *memory, uint64_t size)
{
	struct request r;

	while (receive_all(fd, &r, sizeof(r))) {
		uint64_t offset = be64toh(r.offset), len = be64toh(r.len), sum;

		if (be64toh(r.kind) == END)
			return 0;
		if (be64toh(r.kind) != SUM || offset > size || len > size - offset)
			errx(1, "export: a request that no importer sends");
		sum = htobe64(sum_of(memory + offset, len));
		if (!send_all(fd, &sum, sizeof(sum)))
			break;
	}
	warnx("export: the importer ended before the end of its copies");
	return EXIT_PEER;
}

/* ---- the exporter ---- */

static int export_memory(const struct transfer_options *t, struct device dev,
			 int (*connection)(void *), void *arg)
{
	uint8_t *memory = allocate(t->size), record[DEVX_EXPORT_BYTES];
	struct devx_export_attr attr = { .access = DEVX_EXPORT_READ_WRITE };
	struct devx_exported exported;
	char line[256];

	executed(devx_pdn_query(&attr.pdn, dev.pd), "export");
	executed(devx_export_create(&exported, dev.ctx, memory, t->size, &attr), "export");
	fill(memory, t->size, exported.desc.epoch);
	/* Without the access key: who reads that may make an alias. */
	printf("export: %s\n", devx_export_str(&exported.desc, line, sizeof(line)));

	/* The key is in the record: over TCP as here, others may read it. */
	int fd = connection(arg), status = EXIT_PEER;

	devx_export_pack(record, &exported.desc);
	if (send_all(fd, record, sizeof(record)))
		status = answer_requests(fd, memory, t->size);

	/* If the importer still copies, its copies end in error from here on. */
	executed(devx_export_destroy(&exported), "export");
	munmap(memory, t->size);
	close(fd);
	device_close(&dev);
	return status;
}

/* ---- the importer ---- */

struct import {
	const struct transfer_options *t;
	struct device dev;
	struct devx_export desc;
	struct devx_alias alias;
	struct dv_dma *dma;
	struct ibv_mr *mr;
	uint8_t *memory; /* as much as the exporter has */
	int fd;
	uint64_t random;
	uint64_t total; /* bytes, in each direction */
	double best[2]; /* GB/s */
};

static bool is_sum_equal(struct import *im, uint64_t offset, uint64_t len, const char *what)
{
	struct request r = { htobe64(SUM), htobe64(offset), htobe64(len) };
	uint64_t theirs, ours;

	if (!send_all(im->fd, &r, sizeof(r)))
		return false;
	ours = sum_of(im->memory + offset, len);
	if (!receive_all(im->fd, &theirs, sizeof(theirs)))
		return false;
	if (be64toh(theirs) != ours)
		errx(1,
		     "%s of %lu bytes at %lu: the sums differ, 0x%016lx there, 0x%016lx here",
		     what, (unsigned long)len, (unsigned long)offset,
		     (unsigned long)be64toh(theirs), (unsigned long)ours);
	return true;
}

/* After the first error: a completion for each work request that was in flight. */
static void report_error(struct import *im, const struct dv_dma_done *first)
{
	struct dv_dma_counters n;
	struct dv_dma_done done;

	while (dv_dma_outstanding(im->dma))
		dv_dma_poll(im->dma, &done, 1);
	dv_dma_query_counters(im->dma, &n);
	warnx("import: %s at offset %lu (%lu bytes, syndrome 0x%x, vendor 0x%x); %lu chunks in "
	      "flight ended in error, %lu of them flushed; %lu had been copied",
	      dv_syndrome_str(first->syndrome), (unsigned long)(first->id + first->fail_offset),
	      (unsigned long)first->fail_len, first->syndrome, first->vendor_syndrome,
	      (unsigned long)(n.failed + n.flushed), (unsigned long)n.flushed,
	      (unsigned long)n.ok);
}

/* One piece, of a random length; returns it. 0: no copy is accepted now, as there are enough or
 * as an earlier one failed, which dv_dma_poll() will say. */
static uint64_t post_piece(struct import *im, bool reading, uint64_t at, uint64_t end)
{
	uint64_t len = 1 + random_below(&im->random, 4 * im->t->chunk);
	struct dv_laddr here = { (uintptr_t)im->memory + at, im->mr->lkey };
	struct dv_laddr there = { im->desc.addr + at, im->alias.key };
	int error;

	if (len > end - at)
		len = end - at;
	error = dv_dma_copy(im->dma, at, reading ? here : there, reading ? there : here, len,
			    0);
	if (error && error != EAGAIN && error != EIO)
		errx(1, "dv_dma_copy: %s", dv_reason());
	return error ? 0 : len;
}

/* The @len bytes at @offset, in pieces; the id of each is its offset. False: copies ended in
 * error. */
static bool copy(struct import *im, bool reading, uint64_t offset, uint64_t len)
{
	struct progress p = progress_start(reading ? "read" : "write", len);
	uint64_t posted = 0, copied = 0, piece;
	struct dv_dma_done done;
	double rate;

	while (copied < len) {
		while (posted < len &&
		       (piece = post_piece(im, reading, offset + posted, offset + len)))
			posted += piece;
		if (!dv_dma_poll(im->dma, &done, 1))
			continue;
		if (done.status) {
			report_error(im, &done);
			return false;
		}
		copied += done.len;
		progress_show(&p, copied);
	}
	rate = progress_end(&p);
	if (rate > im->best[reading])
		im->best[reading] = rate;
	return true;
}

/* Both directions, of a random range: first all of the memory. */
static bool iteration(struct import *im, int n)
{
	uint64_t size = im->desc.len;
	uint64_t offset = n ? random_below(&im->random, size) : 0;
	uint64_t len = n ? 1 + random_below(&im->random, size - offset) : size;

	im->total += len;
	memset(im->memory + offset, 0, len);
	if (!copy(im, true, offset, len) || !is_sum_equal(im, offset, len, "read"))
		return false;
	fill(im->memory + offset, len, im->random);
	return copy(im, false, offset, len) && is_sum_equal(im, offset, len, "write");
}

static void receive_record(struct import *im)
{
	uint8_t record[DEVX_EXPORT_BYTES];
	char line[256];

	if (!receive_all(im->fd, record, sizeof(record)))
		errx(EXIT_PEER, "import: the exporter sent no record");
	executed(devx_export_unpack(&im->desc, record, sizeof(record)), "import");
	printf("import: of %s\n", devx_export_str(&im->desc, line, sizeof(line)));
}

/* A local buffer, the alias, and a queue of copies, all in one PD. */
static void prepare(struct import *im)
{
	struct dv_dma_attr attr = { .pd = im->dev.pd,
				    .chunk = (uint32_t)im->t->chunk,
				    .depth = (uint32_t)im->t->depth,
				    .port = im->dev.port };
	uint32_t pdn;

	im->memory = allocate(im->desc.len);
	im->mr = made(ibv_reg_mr(im->dev.pd, im->memory, im->desc.len, IBV_ACCESS_LOCAL_WRITE));
	executed(devx_pdn_query(&pdn, im->dev.pd), "import");
	executed(devx_alias_create(&im->alias, im->dev.ctx, pdn, &im->desc), "import");
	if (dv_dma_create(&im->dma, &attr))
		errx(1, "import: %s", dv_reason());
	printf("import: alias 0x%x of mkey 0x%x\n", im->alias.key, im->desc.mkey);
}

static int import_memory(const struct transfer_options *t, struct device dev, int fd)
{
	struct import im = { .t = t, .fd = fd, .dev = dev };
	struct request end = { htobe64(END), 0, 0 };
	bool good = true;

	receive_record(&im);
	prepare(&im);
	im.random = im.desc.epoch + 1;
	for (int i = 0; i < t->iterations && good; i++)
		good = iteration(&im, i);

	/* First the queue, so that no copy uses the alias any more; last the exporter learns of
	 * it. */
	must(dv_dma_destroy(im.dma));
	executed(devx_alias_destroy(&im.alias), "import");
	ok(ibv_dereg_mr(im.mr));
	munmap(im.memory, im.desc.len);
	device_close(&im.dev);
	if (good && send_all(fd, &end, sizeof(end)))
		printf("import: %.2f GB/s read, %.2f GB/s written, at best\n"
		       "import: %d iterations, %lu bytes read, %lu written, all sums equal\n",
		       im.best[true], im.best[false], t->iterations, (unsigned long)im.total,
		       (unsigned long)im.total);
	else
		warnx("import: the copies did not end well");
	close(fd);
	return good ? 0 : EXIT_PEER;
}

/* ---- */

/* Copies may take longer than the timeout of tcp_open() between two messages. */
static int wait_forever(int fd)
{
	struct timeval forever = { 0 };
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on,
		   sizeof(on)); /* the other host may crash */
	return fd;
}

static int accept_importer(void *arg)
{
	const struct transfer_options *t = arg;

	return wait_forever(tcp_open(NULL, t->o.tcp_port));
}

static int already_connected(void *arg)
{
	return *(int *)arg;
}

struct exporter {
	struct transfer_options t;
	struct device dev;
	int fd, status;
};

static void *exporter_thread(void *arg)
{
	struct exporter *e = arg;

	e->status = export_memory(&e->t, e->dev, already_connected, &e->fd);
	return NULL;
}

/* Exporter and importer in one process, each with its device and context. */
static int do_both(struct transfer_options t, struct device dev)
{
	struct exporter e = { .t = t, .dev = dev };
	struct device importer;
	pthread_t thread;
	int ends[2], status;

	t.o.device = t.importer;
	importer = device_open(t.o);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		err(1, "socketpair");
	e.fd = ends[0];
	ok(pthread_create(&thread, NULL, exporter_thread, &e));
	status = import_memory(&t, importer, ends[1]);
	ok(pthread_join(thread, NULL));
	return status ? status : e.status;
}

int main(int argc, char **argv)
{
	struct transfer_options t = transfer_options_parse(argc, argv);
	struct device dev = device_open(t.o);

	if (t.command == EXPORT)
		return export_memory(&t, dev, accept_importer, &t);
	if (t.command == IMPORT)
		return import_memory(&t, dev, wait_forever(tcp_open(t.o.host, t.o.tcp_port)));
	return do_both(t, dev);
}
