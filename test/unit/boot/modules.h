/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boot.c, and the modules that it starts and ends: each call is noted, and may be the step that
 * fails.
 */
#ifndef TEST_BOOT_MODULES_H
#define TEST_BOOT_MODULES_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hca/hca.h"
#include "lib/steps.h"

static char calls[1000];
static int error; /* of a step that fails */

static void __attribute__((format(printf, 1, 2))) called(const char *fmt, ...)
{
	size_t at = strlen(calls);
	va_list args;

	va_start(args, fmt);
	vsnprintf(calls + at, sizeof(calls) - at, fmt, args);
	va_end(args);
}

static bool fails(void)
{
	bool it = step_fails();

	if (it)
		errno = error;
	return it;
}

static int make_hca(struct hca *hca, uint8_t slot)
{
	called("hca(%u) ", slot);
	return fails() ? error : hca_init(hca, slot);
}

static void end_hca(struct hca *hca)
{
	called("hca- ");
	hca_fini(hca);
}

static void publish_hca(struct hca *hca, uint32_t ipv4)
{
	called("publish(%x) ", ipv4);
	cr_expect(hca->vhcas == (void *)16 && hca->adapters == (void *)24 && hca->present);
}

#define hca_init	 make_hca
#define hca_fini	 end_hca
#define hca_vhca_publish publish_hca
#include "preload/boot.c"

/* ---- the modules ---- */

#define WIRE   ((struct wire *)8)
#define UVERBS ((struct uverbs *)32)
#define UCMA   ((struct ucma *)40)
#define NET    ((struct net *)48)
#define ENGINE ((struct engine *)56)

static const char *text; /* DVKIT_EMU */
static bool alone, network;
static uint8_t slot = 3; /* of the next function */
static struct uverbs_config config;
static uint8_t addresses[OPTIONS_ADDRESSES][16];
static const struct fw_device kinds[] = {
	{ .name = "cx5", .pci_id = 0x1017, .fw_ver = "16.35.2000" },
	{ .name = "bf3", .pci_id = 0xa2dc, .fw_ver = "32.43.1014", .dpu = true },
};
static struct {
	int fd, timeline;
	unsigned int mask;
} traced;

const char *environment_options(void)
{
	return text;
}

bool environment_frames(void)
{
	return true;
}

const struct fw_device *fw_device_find(const char *name)
{
	for (int i = 0; i < 2; i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

struct fw_device fw_image_device(const struct fw_image *img)
{
	return (struct fw_device){ .name = img->name, .pci_id = 9, .fw_ver = img->fw_ver };
}

void fw_init(struct hca *hca, const struct fw_device *kind)
{
	called("fw(%s,%d) ", kind->name, hca->role);
}

void fw_init_image(struct hca *hca, const struct fw_image *img)
{
	(void)hca;
	called("fw(%s) ", img->fw_ver);
}

void fw_public_frames(struct hca *hca)
{
	(void)hca;
	called("public ");
}

struct wire *wire_open(const char *fabric)
{
	called("wire(%s) ", fabric);
	return fails() ? NULL : WIRE;
}

void wire_close(struct wire *w)
{
	cr_expect_eq(w, WIRE);
	called("wire- ");
}

void wire_send_frames(struct wire *w, bool always)
{
	cr_expect(w == WIRE && always);
}

int wire_host(struct wire *w, uint32_t ipv4)
{
	called("host(%x) ", ipv4);
	return w == WIRE && !fails() ? 0 : -error;
}

uint8_t wire_slot(const struct wire *w)
{
	return w == WIRE ? slot++ : 0;
}

bool wire_alone(const struct wire *w)
{
	return w == WIRE && alone;
}

bool wire_has_network(const struct wire *w)
{
	return w == WIRE && network;
}

struct hca_vhca *wire_vhcas(const struct wire *w)
{
	return w == WIRE ? (void *)16 : NULL;
}

struct hca_adapter *wire_adapters(const struct wire *w)
{
	return w == WIRE ? (void *)24 : NULL;
}

bool wire_present(const struct wire *w, uint8_t slot)
{
	return w == WIRE && slot == 77;
}

struct uverbs *uverbs_probe(struct hca *hca, const struct uverbs_config *cfg)
{
	called("uverbs ");
	cr_expect(hca->irq == uverbs_irq && hca->kick == engine_kick &&
		  hca->unread == uverbs_unread && hca->look == last_thread_look);
	cr_expect_eq(hca->port.mtu, 1024);
	config = *cfg;
	memcpy(addresses, cfg->addresses, cfg->naddresses * sizeof(*addresses));
	return fails() ? NULL : UVERBS;
}

void uverbs_remove(struct uverbs *u)
{
	cr_expect_eq(u, UVERBS);
	called("uverbs- ");
}

uint64_t uverbs_device_flags(const struct hca *hca)
{
	return hca->role + 100;
}

void uverbs_irq(struct hca *hca, struct hca_eq *eq)
{
	(void)hca, (void)eq;
}

bool uverbs_unread(struct hca *hca, const struct hca_cq *cq)
{
	return hca && cq;
}

struct ucma *ucma_probe(struct hca *hca, struct wire *w, uint32_t ipv4, uint16_t kernel)
{
	(void)hca;
	called("ucma(%x,%x) ", ipv4, kernel);
	return w == WIRE && !fails() ? UCMA : NULL;
}

void ucma_remove(struct ucma *u)
{
	called("ucma%s- ", u == UCMA ? "" : u ? "?" : "0");
}

void ucma_free(struct ucma *u)
{
	called("ucma%s-- ", u == UCMA ? "" : u ? "?" : "0");
}

bool outside_network(struct boot *b)
{
	called("network ");
	return b->wire == WIRE && !fails();
}

bool outside_pcap(struct boot *b)
{
	called("pcap ");
	return b->wire == WIRE && !fails();
}

bool outside_net(struct boot *b)
{
	called("net ");
	b->net = NET;
	return !fails();
}

void outside_abandon(struct boot *b)
{
	called("abandon%u ", b->function);
}

void net_close(struct net *n)
{
	cr_expect_eq(n, NET);
	called("net- ");
}

struct engine *engine_start(struct hca *hca, struct wire *w, struct net *n)
{
	cr_expect_null(hca->catch_up);
	called("engine ");
	return w == WIRE && n == NET && !fails() ? ENGINE : NULL;
}

void engine_stop(struct engine *e)
{
	cr_expect(e == ENGINE && !core_inside());
	called("engine- ");
}

void engine_kick(struct hca *hca, struct hca_qp *qp)
{
	(void)hca, (void)qp;
}

void engine_catch_up(struct engine *e, const struct hca_qp *qp)
{
	cr_expect(e == ENGINE && qp == (void *)64);
	called("catch_up ");
}

void engine_unmapped(struct hca *hca)
{
	cr_expect_eq(core_trace_slot, hca->slot);
	called("unmapped(%u) ", hca->slot);
}

void explain_start(int fd, unsigned int mask, int timeline, const char *program)
{
	cr_expect_str_eq(program, program_invocation_short_name);
	traced.fd = fd;
	traced.mask = mask;
	traced.timeline = timeline;
	core_trace_mask = mask;
	called("explain ");
}

void boot_complain(const char *fmt, ...)
{
	char line[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	called("'%s' ", line);
}

void boot_complain_fabric(const char *name, int err)
{
	called("'fabric %s: %d' ", name, err);
}

#define CALLED(name, parameters, ...) \
	void name parameters          \
	{                             \
		called(__VA_ARGS__);  \
	}
CALLED(signals_start, (void), "signals ")
CALLED(watch_stop, (void), "watch- ")
CALLED(watch_fork_child, (void), "watch_child ")
CALLED(check_start, (struct boot * b), "check%u ", b->function)
CALLED(check_finish, (struct boot * b, int sig), "check%u(%d)- ", b->function, sig)
CALLED(ending_start, (struct boot * b), "ending%u ", b->function)
CALLED(ending_stop, (void), "ending- ")
CALLED(stats_finish, (struct boot * b), "stats%u ", b->function)
CALLED(files_fork_prepare, (void), "files_fork ")
CALLED(files_fork_parent, (void), "files_parent ")
CALLED(files_fork_child, (void), "files_child ")
CALLED(uar_pages_fork_prepare, (void), "pages_fork ")
CALLED(uar_pages_fork_done, (void), "pages_done ")
CALLED(netlink_watch_fork, (void), "netlink ")

void last_thread_look(struct hca *hca)
{
	(void)hca;
}

void hw_counter_sum(const struct nldev_device *d, struct hca_counted *sum)
{
	(void)d, (void)sum;
}

#endif
