/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each firmware command of a call fails once, and each allocation: the call fails, and the file
 * and the device have the objects that they had before. So have they if an attribute is cut,
 * and after any call that is refused. --wrap of the linker puts the failures in.
 */

#include <prm/table.h>

#include "bench.h"
#include "lib/steps.h"
#include "uverbs/method.h"

#pragma GCC visibility push(default)
void __real_fw_exec(struct hca *hca, const void *in, size_t in_len, void *out, size_t out_len);
void __wrap_fw_exec(struct hca *hca, const void *in, size_t in_len, void *out, size_t out_len);
ssize_t __real_readlink(const char *path, char *to, size_t len);
ssize_t __wrap_readlink(const char *path, char *to, size_t len);
long __real_sysconf(int name);
long __wrap_sysconf(int name);
#pragma GCC visibility pop

/* Does the command take back what another one made, or end the way to it? No call can do more
 * than that; the kernel warns if it fails and leaves the table (mlx5_core, fs_core.c,
 * disconnect_flow_table). */
static bool takes_back(const uint8_t *in)
{
	const struct prm_cmd *cmd = prm_cmd((uint16_t)(in[0] << 8 | in[1]));
	const uint8_t *table = PRM_ADDR(modify_flow_table_in, in, flow_table_context);

	if (cmd && cmd->opcode == PRM_OP_MODIFY_FLOW_TABLE)
		return PRM_GET(flow_table_context, table, table_miss_action) ==
		       PRM_FLOW_TABLE_MISS_ACTION_DEF;
	return cmd && (!strncmp(cmd->name, "DESTROY_", 8) ||
		       !strncmp(cmd->name, "DEALLOC_", 8) || !strncmp(cmd->name, "DELETE_", 7));
}

int dmabuf_fd = -1;

ssize_t __wrap_readlink(const char *path, char *to, size_t len)
{
	static const char name[64] = "/dmabuf:";
	char own[32];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", dmabuf_fd);
	if (strcmp(path, own))
		return __real_readlink(path, to, len);
	memcpy(to, name, len < sizeof(name) ? len : sizeof(name));
	return (ssize_t)len;
}

long processors;
uint32_t comp_vectors;

long __wrap_sysconf(int name)
{
	return processors && name == _SC_NPROCESSORS_ONLN ? processors : __real_sysconf(name);
}

struct seen_command seen_command;

/* NO_RES is EAGAIN for the kernel. */
void __wrap_fw_exec(struct hca *hca, const void *in, size_t in_len, void *out, size_t out_len)
{
	if (PRM_GET(general_obj_in_cmd_hdr, in, opcode) == seen_command.opcode)
		memcpy(seen_command.in, in,
		       in_len < sizeof(seen_command.in) ? in_len : sizeof(seen_command.in));
	if (takes_back(in) || !step_fails()) {
		__real_fw_exec(hca, in, in_len, out, out_len);
		return;
	}
	memset(out, 0, out_len);
	*(uint8_t *)out = FW_NO_RES;
}

/* The emulator's own ones, and where the program's next one would be. */
static int descriptors(void)
{
	int next = dup(STDIN_FILENO), n = 0;

	close(next);
	for (int fd = -1; (fd = core_own_next(fd + 1)) >= 0;)
		n++;
	return n << 16 | next;
}

void bench_state(const struct bench *b, char line[LINE])
{
	uint32_t listed = 0, uses = 0, handles = 0, next = b->f->table_size;
	struct core_list *pos, *tmp;
	char device[STATE];

	device_state(b->u->hca, device);
	core_list_for_each(pos, tmp, &b->f->objects) {
		uses += core_container(pos, struct uverbs_object, on_file)->uses;
		listed++;
	}
	for (uint32_t h = b->f->table_size; h--;)
		if (b->f->table[h])
			handles++;
		else
			next = h;
	snprintf(line, LINE, "%s; %u listed, %u handles, next %u, %u uses, %ju pages, fds %x",
		 device, listed, handles, next, uses, (uintmax_t)*b->u->pinned, descriptors());
}

void bench_is_free(const struct bench *b)
{
	const struct uverbs *u = b->u;

	if (!core_list_empty(&u->files))
		return;
	for (size_t i = 0; i < sizeof(u->memic_used); i++)
		cr_expect_not(u->memic_used[i], "page %zu of device memory", i);
	for (size_t i = 0; i < sizeof(u->icm_used); i++)
		cr_expect_not(((const bool *)u->icm_used)[i], "block %zu of ICM", i);
	cr_expect_eq(*u->pinned, 0, "pages are pinned");
	cr_expect(!u->hca->contexts && !u->hca->loops, "a need of loopback is left");
}

static const struct uverbs_method *method_of(const struct call *c)
{
	bool known;

	return uverbs_method(c->hdr.object_id, c->hdr.method_id, &known);
}

static bool writes(const struct call *c, uint64_t command)
{
	return c->hdr.object_id == UVERBS_OBJECT_DEVICE &&
	       c->hdr.method_id == UVERBS_METHOD_INVOKE_WRITE &&
	       (c->attr[0].data & ~(uint64_t)IB_USER_VERBS_CMD_FLAG_EXTENDED) == command;
}

static bool makes_object(const struct call *c)
{
	const struct uverbs_method *m = method_of(c);

	if (writes(c, IB_USER_VERBS_EX_CMD_CREATE_FLOW))
		return true;
	for (int i = 0; m && i < m->specs; i++)
		if (m->spec[i].kind == UVERBS_ATTR_NEW || m->spec[i].kind == UVERBS_ATTR_NEW_FD)
			return true;
	return false;
}

/* The two queues of a raw packet QP change one after the other, and the first one stays where
 * it is when the second one fails. */
static bool changes_two(const struct bench *b, const struct call *c)
{
	bool two = false;

	for (uint32_t h = 0; writes(c, IB_USER_VERBS_CMD_MODIFY_QP) && h < b->f->table_size;
	     h++)
		two |= b->f->table[h] && b->f->table[h]->type == UVERBS_QP &&
		       core_container(b->f->table[h], struct uverbs_qp, obj)->type ==
			       IB_UVERBS_QPT_RAW_PACKET;
	return two;
}

/* A call that may succeed although one of its steps fails: another place of device memory is
 * tried, a table that leads to a flow's is not changed, the answer has what is known. */
static bool goes_on(const struct call *c)
{
	const struct uverbs_method *m = method_of(c);

	return c->hdr.object_id == UVERBS_OBJECT_DM || c->hdr.object_id == UVERBS_OBJECT_FLOW ||
	       writes(c, IB_USER_VERBS_EX_CMD_CREATE_FLOW) ||
	       writes(c, IB_USER_VERBS_EX_CMD_DESTROY_FLOW) ||
	       writes(c, IB_USER_VERBS_CMD_DETACH_MCAST) ||
	       (m && (m->run == uverbs_destroy || m->run == uverbs_destroy_qp ||
		      m->run == uverbs_query_port || m->run == uverbs_devx_obj_async_query));
}

/* The last byte of each attribute that the call reads is not mapped. */
static void each_attribute_is_cut(struct bench *b, const struct call *c)
{
	uint8_t *page = pages(2), *end = page + PAGE;
	char was[LINE], is[LINE];
	const struct uverbs_method *m = method_of(c);

	munmap(end, PAGE);
	for (int i = 0; m && i < c->hdr.num_attrs; i++) {
		const struct ib_uverbs_attr *a = &c->attr[i];
		struct call cut = *c;
		int k = 0, ret;

		while (k < m->specs && m->spec[k].id != a->attr_id)
			k++;
		if (k == m->specs || m->spec[k].kind != UVERBS_ATTR_IN || a->len <= 8 ||
		    a->len > PAGE || !a->data || a->data < PAGE)
			continue;
		cut.attr[i].data = (uintptr_t)end - a->len + 1;
		memcpy(end - a->len + 1, (const void *)(uintptr_t)a->data, a->len - 1u);
		bench_state(b, was);
		ret = call_once(b, &cut);
		cr_assert_lt(ret, 0, "attribute 0x%x of %u bytes", a->attr_id, a->len);
		bench_state(b, is);
		cr_assert_str_eq(is, was, "attribute 0x%x", a->attr_id);
	}
	munmap(page, PAGE);
}

/* A call makes some things for good: memory of tables; the table of an anchor, which stays
 * until the driver leaves; the flow counter of a counters object. It makes no more with
 * each try. */
#define FOR_GOOD 16

int each_step_fails(struct bench *b, struct call *c)
{
	struct hca *hca = b->u->hca;
	uint32_t next[HCA_KINDS], counters = hca->flow_counters.used, for_good = 0;
	struct hca_counts counts = hca->counts;
	char was[LINE], is[LINE];
	bool once = changes_two(b, c) || (goes_on(c) && !makes_object(c));
	struct call try;
	int ret;

	each_attribute_is_cut(b, c);
	bench_state(b, was);
	next_numbers(hca, next, false);
	for (unsigned int n = 1;; n++) {
		bool anchor = c->hdr.object_id == MLX5_IB_OBJECT_STEERING_ANCHOR;
		long allocations = steps.allocations;

		try = *c;
		steps.fail_at = once ? 0 : n;
		ret = call_once(b, &try);
		cr_assert(ret < 0 || once || steps.fail_at || goes_on(c), "step %u fails", n);
		if (steps.fail_at || !ret || once) {
			steps.fail_at = 0;
			*c = try;
			break;
		}
		if (ret != -ENOMEM && ret != -EAGAIN && ret != -EREMOTEIO) {
			bench_state(b, was);
			cr_assert_eq(call_once(b, c), ret, "step %u: not in any case", n);
			bench_state(b, is);
			cr_assert_str_eq(is, was, "step %u: %s, before %s", n, is, was);
			return ret;
		}
		bench_state(b, is);
		next_numbers(hca, next, true);
		hca->counts = counts;
		if (anchor || hca->flow_counters.used > counters)
			memcpy(was, is, sizeof(was));
		cr_assert_str_eq(is, was, "step %u", n);
		if (steps.allocations == allocations && hca->flow_counters.used == counters)
			continue;
		counters = hca->flow_counters.used;
		cr_assert_lt(for_good++, FOR_GOOD, "step %u: memory is left", n);
		n--;
	}
	bench_state(b, is);
	if (ret < 0)
		cr_assert_str_eq(is, was, "%d: %s, before %s", ret, is, was);
	return ret;
}
