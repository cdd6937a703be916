/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provokes the rows of the table of refusals in docs/host-dpu-dma.md, and prints for each what
 * it got: its key, a tab, the answer. refusals.sh compares that with the page.
 *
 *	refusals		mlx5_0 exports, mlx5_1 imports: two functions of a BlueField
 *	refusals without	the rows for devices that lack it
 *	refusals exporter	exports, writes the record and its process id to stdout, and waits
 *	refusals killed		reads both from stdin, and kills that process
 */
#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include <prm/prm.h>
#include <prm/value.h>

#include "refusals.h"

struct side host, dpu;

const char *refusal(void)
{
	static char line[512];

	return devx_error_str(devx_last_error(), line, sizeof(line));
}

static struct side open_side(const char *name)
{
	struct side s = { 0 };

	CHECK(!devx_open(&s.ctx, name));
	s.pd = ibv_alloc_pd(s.ctx);
	CHECK(s.pd && !devx_pdn_query(&s.pdn, s.pd));
	s.memory =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(s.memory != MAP_FAILED);
	s.mr = ibv_reg_mr(s.pd, s.memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
	CHECK(s.mr);
	return s;
}

/* ---- answers ---- */

/* The result of the latest call of devx. */
static const char *answer_of(int error)
{
	static char text[128];
	const struct devx_error *e = devx_last_error();

	if (!error)
		return "accepted";
	if (e->origin == DEVX_FROM_FIRMWARE)
		snprintf(text, sizeof(text), "%s: %s",
			 e->opcode == PRM_OP_ALLOW_OTHER_VHCA_ACCESS ? "ALLOW_OTHER_VHCA_ACCESS"
								     : "CREATE_GENERAL_OBJECT",
			 devx_status_name(e->status));
	else
		snprintf(text, sizeof(text), "%s: %s", e->call, strerrorname_np(error));
	return text;
}

/* ---- exports and aliases ---- */

struct devx_exported export_with(uint32_t access)
{
	struct devx_export_attr attr = { .pdn = host.pdn, .access = access };
	struct devx_exported x;

	CHECK(!devx_export_create(&x, host.ctx, host.memory, BYTES, &attr));
	return x;
}

/* An alias of @e that is refused. */
static const char *alias_answer(const struct devx_export *e, uint32_t pdn)
{
	struct devx_alias alias = { 0 };
	static char text[160];
	int error = devx_alias_create(&alias, dpu.ctx, pdn, e);

	if (!error)
		CHECK(!devx_alias_destroy(&alias));
	if (!alias.status)
		return answer_of(error);
	snprintf(text, sizeof(text), "alias_context.status %u, %s", alias.status,
		 answer_of(error));
	return text;
}

struct devx_alias alias_of(const struct devx_export *e)
{
	struct devx_alias alias;

	CHECK(!devx_alias_create(&alias, dpu.ctx, dpu.pdn, e));
	return alias;
}

/* ---- rows: records and devices ---- */

static const char *damaged_record(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	uint8_t record[DEVX_EXPORT_BYTES];
	struct devx_export e;
	const char *text;

	devx_export_pack(record, &x.desc);
	CHECK(!devx_export_unpack(&e, record, sizeof(record)));
	record[50] ^= 1;
	text = answer_of(devx_export_unpack(&e, record, sizeof(record)));
	CHECK(!devx_export_destroy(&x));
	return text;
}

static const char *wrong_adapter(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	const char *text;

	x.desc.sys_image_guid ^= 1;
	text = alias_answer(&x.desc, dpu.pdn);
	CHECK(!devx_export_destroy(&x));
	return text;
}

static const char *exporter_without(void)
{
	struct devx_export_attr attr = { .pdn = host.pdn, .access = DEVX_EXPORT_READ_WRITE };
	struct devx_exported x;

	return answer_of(devx_export_create(&x, host.ctx, host.memory, BYTES, &attr));
}

static const char *importer_without(void)
{
	struct devx_export e = { .len = 1 };

	dpu = host;
	return alias_answer(&e, host.pdn);
}

static const char *copies_without(void)
{
	struct dv_dma_attr attr = { .pd = host.pd };
	static char text[64];
	struct dv_dma *dma;

	snprintf(text, sizeof(text), "dv_dma_create: %s",
		 strerrorname_np(dv_dma_create(&dma, &attr)));
	return text;
}

/* ---- rows: commands ---- */

static const char *wrong_access_key(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	const char *text;

	x.desc.access_key[31] ^= 1;
	text = alias_answer(&x.desc, dpu.pdn);
	CHECK(!devx_export_destroy(&x));
	return text;
}

static const char *wrong_vhca_id(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	const char *text;

	x.desc.vhca_id = 200;
	text = alias_answer(&x.desc, dpu.pdn);
	CHECK(!devx_export_destroy(&x));
	return text;
}

/* An mkey without ALLOW_OTHER_VHCA_ACCESS, but an export in all else. */
static const char *object_not_allowed(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_mkey_attr attr = { .pdn = host.pdn,
				       .access = DEVX_EXPORT_READ_WRITE,
				       .umem_id = x.umem.id,
				       .start_addr = (uintptr_t)host.memory,
				       .len = BYTES };
	struct devx_export e = x.desc;
	struct devx_mkey mkey;
	const char *text;

	CHECK(!devx_mkey_create(&mkey, host.ctx, &attr));
	e.mkey = mkey.key;
	text = alias_answer(&e, dpu.pdn);
	CHECK(!devx_mkey_destroy(&mkey) && !devx_export_destroy(&x));
	return text;
}

static const char *record_of_an_ended_export(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_export e = x.desc;

	CHECK(!devx_export_destroy(&x));
	return alias_answer(&e, dpu.pdn);
}

/* 0xff15: a table of flow steering. */
static const char *alias_of_another_type(void)
{
	uint8_t in[PRM_SZ(create_alias_obj_in)] = { 0 }, out[PRM_SZ(create_alias_obj_out)];
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	uint8_t *context = PRM_ADDR(create_alias_obj_in, in, alias_ctx);
	struct devx_obj obj;
	const char *text;

	PRM_SET(create_alias_obj_in, in, hdr.opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(create_alias_obj_in, in, hdr.obj_type, 0xff15);
	PRM_SET(create_alias_obj_in, in, hdr.alias_object, 1);
	PRM_SET(alias_context, context, vhca_id_to_be_accessed, x.desc.vhca_id);
	PRM_SET(alias_context, context, object_id_to_be_accessed, x.desc.mkey >> 8);
	memcpy(PRM_ADDR(alias_context, context, access_key_raw), x.desc.access_key,
	       DEVX_ACCESS_KEY_BYTES);
	text = answer_of(devx_obj_create(&obj, dpu.ctx, in, sizeof(in), out, sizeof(out)));
	CHECK(!devx_export_destroy(&x));
	return text;
}

static const char *allow_of_another_type(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	const char *text = answer_of(
		devx_allow_other_vhca(host.ctx, 0xff15, x.desc.mkey >> 8, x.desc.access_key));

	CHECK(!devx_export_destroy(&x));
	return text;
}

static const char *allow_of_a_verbs_key(void)
{
	uint8_t key[DEVX_ACCESS_KEY_BYTES];

	CHECK(!devx_access_key_create(key));
	return answer_of(
		devx_allow_other_vhca(host.ctx, PRM_OBJ_MKEY, host.mr->lkey >> 8, key));
}

static const char *pd_of_another_context(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct side other = open_side(ibv_get_device_name(dpu.ctx->device));
	const char *text = alias_answer(&x.desc, other.pdn);

	CHECK(!ibv_dereg_mr(other.mr) && !ibv_dealloc_pd(other.pd) &&
	      !ibv_close_device(other.ctx) && !devx_export_destroy(&x));
	return text;
}

/* Without CAP_IPC_LOCK, which has no limit; afterwards the process has it again. */
static const char *memory_cannot_be_locked(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct devx_export_attr attr = { .pdn = host.pdn, .access = IBV_ACCESS_LOCAL_WRITE };
	struct __user_cap_data_struct had[2], less[2];
	struct rlimit limit, page = { 4096, 4096 };
	struct devx_exported x;
	const char *text;

	CHECK(!syscall(SYS_capget, &head, had) && !getrlimit(RLIMIT_MEMLOCK, &limit));
	memcpy(less, had, sizeof(less));
	less[0].effective &= ~(1u << CAP_IPC_LOCK);
	page.rlim_max = limit.rlim_max;
	CHECK(!syscall(SYS_capset, &head, less) && !setrlimit(RLIMIT_MEMLOCK, &page));
	text = answer_of(devx_export_create(&x, host.ctx, host.memory, BYTES, &attr));
	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit) && !syscall(SYS_capset, &head, had));
	return text;
}

static const char *ksm_key_on_bluefield_2(void)
{
	struct devx_export_attr attr = { .pdn = host.pdn, .access = IBV_ACCESS_LOCAL_WRITE };
	struct devx_exported x;

	return answer_of(devx_export_create_mr(&x, host.mr, &attr));
}

/* ---- */

static const struct row {
	const char *key;
	const char *(*provoke)(void);
} rows[] = {
#define ROW(name)           \
	{                   \
#name, name \
	}
	ROW(damaged_record),
	ROW(wrong_adapter),
	ROW(wrong_access_key),
	ROW(wrong_vhca_id),
	ROW(object_not_allowed),
	ROW(record_of_an_ended_export),
	ROW(alias_of_another_type),
	ROW(allow_of_another_type),
	ROW(allow_of_a_verbs_key),
	ROW(pd_of_another_context),
	ROW(memory_cannot_be_locked),
	ROW(ksm_key_on_bluefield_2),
	ROW(mkey_destroyed),
	ROW(missing_right),
	ROW(out_of_bounds),
	ROW(local_out_of_bounds),
	ROW(alias_destroyed),
	ROW(queue_in_another_pd),
	ROW(misaligned_opaque_buffer),
	ROW(byte_counts_differ),
	ROW(mmo_not_enabled),
	ROW(alias_in_a_send),
	ROW(copy_after_an_error),
	ROW(length_above_the_device),
	ROW(length_above_the_limit),
	{ NULL, NULL },
}, without[] = {
	ROW(exporter_without),
	ROW(importer_without),
	ROW(copies_without),
	{ NULL, NULL },
};

static void provoke(const struct row *row)
{
	for (; row->key; row++)
		printf("%s\t%s\n", row->key, row->provoke());
}

/* The owner of the memory in a process that can be killed. */
static void wait_as_exporter(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	uint8_t record[DEVX_EXPORT_BYTES];
	pid_t pid = getpid();

	devx_export_pack(record, &x.desc);
	CHECK(write(1, record, sizeof(record)) == sizeof(record));
	CHECK(write(1, &pid, sizeof(pid)) == sizeof(pid));
	poll(NULL, 0, 100000);
}

static void exporter_killed(void)
{
	uint8_t record[DEVX_EXPORT_BYTES];
	struct devx_alias alias;
	struct devx_export e;
	pid_t pid;

	CHECK(fread(record, sizeof(record), 1, stdin) == 1);
	CHECK(fread(&pid, sizeof(pid), 1, stdin) == 1);
	CHECK(!devx_export_unpack(&e, record, sizeof(record)));
	alias = alias_of(&e);
	CHECK(!kill(pid, SIGKILL));
	while (getchar() !=
	       EOF) /* until the process has ended, and so closed its end of the pipe */
		;
	printf("exporter_killed\t%s\n",
	       copy_answer(local(64), far_bytes(&e, alias.key, 0, 64)));
	CHECK(!devx_alias_destroy(&alias));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "killed")) {
		dpu = open_side(NULL);
		exporter_killed();
		return 0;
	}
	host = open_side(NULL);
	if (!strcmp(what, "exporter")) {
		wait_as_exporter();
	} else if (!strcmp(what, "without")) {
		provoke(without);
	} else {
		dpu = open_side("mlx5_1");
		provoke(rows);
	}
	return 0;
}
