/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command inside the firmware: what the dispatcher hands to a handler, and the words in
 * which a handler refuses.
 *
 *	exec.c --checks length, uid, bits--> handler(struct fw_cmd *) --> FW_OK or fw_refuse()
 *
 * A handler is parse, check, act, reply: refusals come first, so that a command that is
 * refused has changed nothing. The outbox arrives zeroed.
 *
 * Access by uid (PRM, "User Context"; mlx5_core, CREATE_UCTX): an object belongs to the uid
 * that made it, and uid 0, the driver itself, may use all of them.
 */
#ifndef EMU_FW_COMMAND_H
#define EMU_FW_COMMAND_H

#include <assert.h>
#include <string.h>

#include "fw/fw.h"
#include "prm/prm.h"
#include "prm/table.h"

#define FW_MAX_INBOX 0x400 /* the longest inbox without its list, and the longest object */

struct fw_cmd {
	struct hca *hca;
	const uint8_t *in;
	uint8_t *out;
	size_t in_len, out_len;
	uint16_t opcode, uid;
	bool tools;	   /* the uid has PRM_UCTX_CAP_TOOLS_RESOURCES */
	uint8_t why;	   /* enum fw_reason of the refusal */
	uint32_t syndrome; /* the hardware's own, of the few that are public; 0: one of ours */
};

/* The hardware's syndromes are not public. A refusal here carries our own:
 * 0xE0000000 | opcode << 8 | one of these numbers. */
enum fw_reason {
	FW_WHY_OPCODE = 1,	/* no such command, or not implemented */
	FW_WHY_IN_LEN = 2,	/* inbox too short */
	FW_WHY_OUT_LEN = 3,	/* outbox too short */
	FW_WHY_RESERVED = 4,	/* a bit that no PRM row names */
	FW_WHY_UNSUPPORTED = 5, /* a bit or value that has a name but is not implemented */
	FW_WHY_UID = 6,		/* no such user context, or it may not send this command */
	FW_WHY_OP_MOD = 7,
	FW_WHY_OBJECT = 8, /* the object of the command does not exist for this uid */
	FW_WHY_PD = 9,
	FW_WHY_UAR = 10,
	FW_WHY_EQ = 11,
	FW_WHY_CQ = 12,
	FW_WHY_BUSY = 13,  /* another object refers to it */
	FW_WHY_LIMIT = 14, /* as many as the capability allows */
	FW_WHY_FULL = 15,  /* table or memory exhausted */
	FW_WHY_SIZE = 16,  /* a size that the capabilities do not allow */
	FW_WHY_PAS = 17,   /* page list: zero or misaligned address, or bytes after it */
	FW_WHY_PAGE_OFFSET = 18,
	FW_WHY_DBR = 19, /* doorbell record: misaligned or not there */
	FW_WHY_STATE = 20,
	FW_WHY_OPT_PARAM = 21, /* opt_param_mask names what this transition does not know */
	FW_WHY_GID = 22,
	FW_WHY_MTU = 23,
	FW_WHY_VALUE = 24, /* any other field out of its range */
	FW_WHY_XRCD = 25,
	FW_WHY_SRQ = 26,
	FW_WHY_TD = 27,
	FW_WHY_TIS = 28,
	FW_WHY_RQ = 29,
	FW_WHY_UMEM = 30,
	FW_WHY_RIGHTS = 31, /* a umem that the device may not write to, and has to */
	FW_WHY_RQT = 40,
	FW_WHY_SCHED = 41, /* a scheduling element, as a parent or for a QP */
	FW_WHY_COUNTER = 42,
	FW_WHY_VHCA = 43, /* no such function on this adapter */
	FW_WHY_ACCESS_KEY = 44,
	FW_WHY_TABLE = 45, /* a flow table, its type or level */
	FW_WHY_GROUP = 46,
	FW_WHY_INDEX = 47, /* of an entry: outside of its group, or taken */
	FW_WHY_MATCH = 48, /* a field that is not matched, or a value outside of its mask */
	FW_WHY_FLOW_ACTION = 49, /* one of this table, or not together with the others */
	FW_WHY_DESTINATION = 50,
	FW_WHY_HEADERS = 51,   /* a modify header or packet reformat context */
	FW_WHY_REGISTER = 52,  /* no such register, or not implemented */
	FW_WHY_READ_ONLY = 53, /* a register that cannot be written */
};

static inline enum fw_status fw_refuse(struct fw_cmd *c, enum fw_status status,
				       enum fw_reason why)
{
	c->why = why;
	return status;
}

/* The object that the command destroys, changes or queries does not exist for this uid. For
 * QPs, the maintainer of mlx5_core explains 2ERR_QP and 2RST_QP as "BAD_RES_STATE, 0x7EA02D,
 * invalid qp number" (linux-pci, January 2022, "PCI: Reset IOV state on FLR to PF"). */
/* assumed(missing_object_is_bad_res_state): a command on an object of any other kind that does
 * not exist, or that belongs to another uid, is BAD_RES_STATE too. */
static inline enum fw_status fw_absent(struct fw_cmd *c)
{
	return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_OBJECT);
}

/* The object that the command destroys is still in use. Logs of adapters show BAD_RES_STATE,
 * and none RES_BUSY: DEALLOC_PD 0x31b635 with an mkey left (Linux commit "RDMA/mlx5: Fix typo
 * when prepare destroy_mkey inbox"), 0xef0c8a with a DEK left ("net/mlx5e: kTLS"),
 * DEALLOC_MODIFY_HEADER_CONTEXT 0x1ab444, DESTROY_FLOW_GROUP 0x563e2f. */
/* assumed(object_in_use_is_bad_res_state): objects of every other kind that are referred to
 * answer so too. */
static inline enum fw_status fw_busy(struct fw_cmd *c)
{
	return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_BUSY);
}

typedef enum fw_status fw_handler(struct fw_cmd *c);

/* A field of an inbox: first bit and width. */
struct fw_bits {
	uint16_t first, width;
};

/* One row of the command table. */
struct fw_command {
	uint16_t opcode;
	uint16_t in_len, out_len;      /* the shortest allowed */
	bool list;		       /* a list follows the inbox; the handler checks it */
	bool driver_only;	       /* uid 0 */
	bool owner_only;	       /* uid 0 of a function that has an owner: hca/life.h */
	const struct fw_bits *accepts; /* fields that may be non-zero; width 0 at the end */
	fw_handler *run;
};

/* NULL: BAD_OP. */
const struct fw_command *fw_command(uint16_t opcode);

/* Are all set bits of the @len bytes at @in, a @layout, among the fields @accepts? 0, or the
 * enum fw_reason why not. @len is at most FW_MAX_INBOX. */
uint8_t fw_accept(const char *layout, const struct fw_bits *accepts, const uint8_t *in,
		  size_t len);
/* The same of a whole inbox of @cmd, opcode and uid left out. */
uint8_t fw_accept_inbox(const struct fw_command *cmd, const uint8_t *in, size_t in_len);

/* ---- the life of the function (life.c) ---- */

/* May @opcode be executed in its state? */
bool fw_life_has(const struct hca *hca, uint16_t opcode);
/* @opcode, a command of the owner, was executed. */
void fw_life_moves(struct hca *hca, uint16_t opcode);

/* ---- capabilities ---- */

/* Is the cq_period_mode of @cqc one that the device announces? */
bool fw_period_mode_fits(const struct hca *hca, const uint8_t *cqc);
/* Bytes of the layout of group @group; 0: it has none. */
size_t fw_cap_bytes(uint32_t group);

/* A number of the current capabilities. A group that the device does not have reads as zero. */
#define FW_GEN(hca, field) ((uint32_t)PRM_GET(cmd_hca_cap, (hca)->caps[PRM_CAP_GENERAL], field))
#define FW_GEN_2(hca, field) \
	((uint32_t)PRM_GET(cmd_hca_cap_2, (hca)->caps[PRM_CAP_GENERAL_2], field))
#define FW_MEMIC(hca, field) \
	((uint32_t)PRM_GET(device_mem_cap, (hca)->caps[PRM_CAP_DEV_MEM], field))
#define FW_ICM_START(hca, field) PRM_GET(device_mem_cap, (hca)->caps[PRM_CAP_DEV_MEM], field)
#define FW_QOS(hca, field)	 ((uint32_t)PRM_GET(qos_cap, (hca)->caps[PRM_CAP_QOS], field))
#define FW_ROCE(hca, field)	 ((uint32_t)PRM_GET(roce_cap, (hca)->caps[PRM_CAP_ROCE], field))

/* ---- objects ---- */

/* The driver's, for what all contexts may name: <linux/mlx5/driver.h>,
 * MLX5_SHARED_RESOURCE_UID. */
#define FW_UID_SHARED 0xffff

static inline bool fw_may(const struct fw_cmd *c, uint16_t owner)
{
	return !c->uid || c->uid == FW_UID_SHARED || c->uid == owner || c->tools;
}

static inline bool fw_all_zero(const uint8_t *p, size_t len)
{
	while (len && !p[len - 1])
		len--;
	return !len;
}

/* The object of that number as far as the command's uid may use it, or NULL. */
void *fw_find(const struct fw_cmd *c, enum hca_kind_id kind, uint32_t id);

/* fw_pd(c, pdn), fw_cq(c, cqn) … */
#define HCA_KIND(name, type, ...)                                                 \
	static inline struct type *fw_##name(const struct fw_cmd *c, uint32_t id) \
	{                                                                         \
		return fw_find(c, HCA_KIND_##name, id);                           \
	}
#include "hca/kind.def"

/* The set of Q counters of a QP. */
struct hca_q_counter *fw_counter_set(const struct fw_cmd *c, uint32_t id);

/* Counts a new object of the command's uid, and its end. */
uint16_t fw_own(const struct fw_cmd *c);
void fw_disown(struct hca *hca, uint16_t uid);
/* A new object is complete: it belongs to the command's uid and refers to what it names
 * (kind.def). */
void fw_begin(const struct fw_cmd *c, void *obj);
/* The reverse; the object is freed. */
void fw_end(struct hca *hca, void *obj);
/* Destroys @obj; refused if it is NULL or in use. */
enum fw_status fw_destroy(struct fw_cmd *c, void *obj);
/* A new object of @kind, of which the capability allows 1 << @log_max. NULL and *status on
 * refusal. */
void *fw_alloc(struct fw_cmd *c, enum hca_kind_id kind, uint32_t log_max,
	       enum fw_status *status);

/* Does table @t hold the 1 << @log_max objects that the capability allows? */
static inline bool fw_at_limit(const struct core_ids *t, uint32_t log_max)
{
	return t->used >= 1ull << log_max;
}

/* ---- page lists ---- */

/* The part of a queue context that says where the queue is. */
struct fw_layout {
	size_t list;		/* offset of the page list in the inbox */
	uint32_t log_page_size; /* of 4 KiB units */
	uint32_t page_offset;	/* in 64ths of a page */
	uint64_t bytes;		/* of the queue */
	uint32_t entry;		/* bytes of its largest entry */

	bool in_umem; /* in place of a page list */
	bool written; /* the device writes its entries */
	uint32_t umem_id;
	uint64_t umem_offset;
};

/* Finds the pages, in the list or in the umem. @ring's pas become the caller's; on refusal
 * @ring is empty. */
enum fw_status fw_ring(struct fw_cmd *c, const struct fw_layout *layout, struct hca_ring *ring);

/* The part of a queue context that says where its doorbell record is. */
struct fw_record {
	uint64_t addr; /* in the umem: an offset */
	uint32_t bytes;
	bool in_umem;
	uint32_t umem_id;
};

/* Reads both from a wq; the caller fills bytes and entry. The page list is at inbox offset
 * @list. */
struct fw_layout fw_wq_layout(const uint8_t *wq, size_t list);
struct fw_record fw_wq_record(const uint8_t *wq);

/* Finds the record and its address for the device; it has to be aligned to its own size. */
enum fw_status fw_record(struct fw_cmd *c, const struct fw_record *rec, uint64_t *dbrec);

/* The umems that @layout and @rec name. */
struct hca_umem_refs fw_settle(struct fw_cmd *c, const struct fw_layout *layout,
			       const struct fw_record *rec);

/* fw_ring() of a queue in a umem. */
enum fw_status fw_umem_ring(struct fw_cmd *c, const struct fw_layout *layout,
			    struct hca_ring *ring);

/* The pages of [@offset, @offset + @len) of @u, which is not empty and within it. False: no
 * memory. */
bool fw_umem_pages(const struct hca_umem *u, uint64_t offset, uint64_t len,
		   struct hca_ring *pages);

/* Do bytes follow inbox offset @from that are not zero? */
bool fw_more(const struct fw_cmd *c, size_t from);

/* Reads @n addresses at inbox offset @list; each must be a multiple of 1 << @log_page and not
 * 0, and only zeroes may follow. NULL and *status on refusal. */
uint64_t *fw_pas(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
		 enum fw_status *status);

/* The same of MTT entries, whose two lowest bits say whether the page is present. */
uint64_t *fw_mtts(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
		  enum fw_status *status);

/* The allocation of device memory that holds all of [addr, addr + len), or NULL. */
struct hca_memic *fw_memic_at(struct hca *hca, uint64_t addr, uint64_t len);

/* Appends @ring's page list to the outbox at @offset, as far as it is long enough. */
void fw_put_pas(struct fw_cmd *c, size_t offset, const struct hca_ring *ring);

/* ---- handlers ---- */

#define FW_ROW(op, in, out, handler, ...) fw_handler handler;
#include "fw/command.def"

#endif
