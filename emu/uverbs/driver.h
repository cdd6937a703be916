/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver's own state: one adapter, its open files, and the objects that files hold.
 *
 *	uverbs (adapter: capabilities, event queues)
 *	  '- uverbs_file (one open: user context, transport domain)
 *	       '- uverbs_object: pd mr mw dm cq qp ah uar xrcd srq wq, tables of them, event fds,
 *	                         those of DevX
 *
 * An object is one verbs object and its firmware object. A handle is its number in
 * the file: the lowest free one, from 0, shared by all types (ib_core, rdma_core.c). Use counts
 * are the kernel's usecnt: who is used cannot be destroyed.
 *
 * Everything here is guarded by the device lock.
 */
#ifndef EMU_UVERBS_DRIVER_H
#define EMU_UVERBS_DRIVER_H

#include <sys/types.h>

#include "prm/prm.h"
#include "uverbs/uverbs.h"

#define UVERBS_PORTS	   1
#define UVERBS_VECTORS_MAX 8
#define UVERBS_ICM_AREAS   3	/* types of device memory that are ICM, STEERING_SW_ICM first */
#define UVERBS_CAP_SIZE	   4096 /* union hca_cap */

#define UVERBS_CAP_GROUPS (PRM_CAP_DEV_EVENT + 1) /* that the driver asks for */

/* A number of the general capabilities, as QUERY_HCA_CAP returned it at probe. */
#define UVERBS_CAP(u, field)   ((uint32_t)UVERBS_CAP64(u, field))
#define UVERBS_CAP64(u, field) PRM_GET(cmd_hca_cap, (u)->caps[PRM_CAP_GENERAL], field)

enum uverbs_type {
#define UVERBS_TYPE(NAME, ...) UVERBS_##NAME,
#include "uverbs/type.def"
	UVERBS_NUMBERED,
	UVERBS_ANY, /* of an attribute: whatever the handle names */
};

struct uverbs_eq {
	uint32_t eqn; /* 0: not there */
	void *ring;
	size_t size;
};

struct uverbs {
	struct hca *hca;
	uint16_t kernel; /* KERNEL_RELEASE */
	uint16_t pci_id;
	uint32_t vendor_id;
	uint64_t fw_ver, node_guid, sys_image_guid; /* host order */
	uint32_t dump_fill_mkey;
	uint8_t caps[UVERBS_CAP_GROUPS][UVERBS_CAP_SIZE];
	uint32_t uar; /* of the event queues */
	bool has_uar;
	struct uverbs_eq async_eq, comp_eq[UVERBS_VECTORS_MAX];
	uint32_t vectors;
	uint8_t key_variant;				 /* mkey_7_0 of the next mkey */
	bool memic_used[HCA_MEMIC_PAGES];		 /* pages of the device memory window */
	bool icm_used[UVERBS_ICM_AREAS][HCA_ICM_BLOCKS]; /* blocks of software-managed ICM */
	uint32_t xrc_pdn;	  /* mlx5_ib's own PD, that of XRC targets; 0: not there yet */
	struct core_list files;	  /* uverbs_file.on_driver */
	struct core_list domains; /* uverbs_domain.on_driver */
	struct core_list on_probed;
	struct core_list notified; /* uverbs_cq.on_notified: CQs with a completion channel */
	uint16_t uid; /* of the queries that pass without a DevX context; 0: none */
	struct core_list subscriptions;	   /* to events, through DevX */
	uint32_t numbers[UVERBS_NUMBERED]; /* the next uverbs_object.number, by type */
	uint32_t next_file;
	uint8_t *vars;			/* which doorbell pages of virtio queues are taken */
	struct uverbs_rate *rates;	/* packet pacing table; NULL: not used yet */
	bool has_flow_caps;		/* group FLOW_TABLE was read */
	struct uverbs_flow_core *flows; /* the kernel's flow tables; NULL: not used yet */
	struct core_list anchors;	/* uverbs_flow_anchor.on_driver */
	const struct wire *w;		/* or NULL */
	uint32_t *neighbours;		/* IPv4 addresses that answered once */
	size_t neighbour_count;
	bool memlock; /* RLIMIT_MEMLOCK holds */
	/* pages that count against it, of all adapters of the process; without them the own
	 * count */
	_Atomic uint64_t *pinned, own_pinned;
};

struct uverbs_record_page;

/* Pages whose bus address the device has (core/bus.h); len 0 and bus 0: none. */
struct uverbs_range {
	uint64_t bus, len;
	void *map; /* of a dma-buf: the emulator's mapping of all of it; else NULL */
	size_t map_len;
};

#define UVERBS_BUFFERS 2 /* of an object: a raw packet QP has two rings */

/* Pinned memory, and its part that counts against RLIMIT_MEMLOCK (memlock.h). */
struct uverbs_pinned {
	uint64_t pages;
	struct uverbs_record_page *record; /* that of its doorbell record; NULL: none */
	struct uverbs_range buffer[UVERBS_BUFFERS], record_range;
};

/* A call makes an object in three steps (method.h); others see it after the last one. */
enum uverbs_object_state {
	UVERBS_ENTERED,	  /* its number is taken */
	UVERBS_MADE,	  /* all is there that its destructor ends */
	UVERBS_COMMITTED, /* the call has succeeded */
};

struct uverbs_object {
	enum uverbs_type type;
	enum uverbs_object_state state;
	uint32_t
		handle; /* of a file descriptor's object, that descriptor, until the call has succeeded */
	/* kernel, restrack: among those of its type, in the order of creation */
	uint32_t number;
	uint32_t uses;
	struct uverbs_pinned pinned;
	struct uverbs_file *file;
	struct core_list on_file; /* uverbs_file.objects, newest last */
};

struct uverbs_event_fd;
struct uverbs_rwq_table;

struct uverbs_file {
	struct uverbs *u;
	struct core_list on_driver;
	struct core_list objects;
	struct core_list record_pages; /* uverbs_record_page.on_file */
	struct uverbs_object **table;  /* handle -> object */
	uint32_t table_size, lowest;   /* lowest: no free handle below */
	struct uverbs_event_fd *async; /* the first one: the default for events */
	/* since the last look at all of them; left by that look */
	uint32_t new_event_fds, swept_event_fds;
	bool context;	 /* GET_CONTEXT was here */
	uint32_t number; /* as uverbs_object.number */
	uint16_t uid;	 /* of the DevX user context, 0: none */
	uint32_t tdn;
	uint8_t cqe_version;
	struct uverbs_bfregs *bfregs; /* NULL: the application's UAR pages are objects */
};

/* Events of one object: which were handed to the application. */
struct uverbs_reported {
	uint32_t comp, async;
};

/* The receivers of an object's events. */
struct uverbs_events {
	uint64_t user_handle;
	struct uverbs_event_fd *async; /* or NULL */
	struct uverbs_reported reported;
};

struct uverbs_pd {
	struct uverbs_object obj;
	uint32_t pdn;
	uint16_t uid;
};

struct uverbs_mr {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
	uint32_t key, access;
	uint32_t max_pas; /* pages that its mkey has entries for */
	bool writable;	  /* its memory was pinned for writing */
	/* start: bus address, of a region that is not on demand */
	uint64_t start, length, iova;
	struct uverbs_dm *dm; /* NULL: a region of the application's memory */
};

struct uverbs_mw {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
	uint32_t key; /* as it was made: binds change the variant without the driver */
};

struct uverbs_dm {
	struct uverbs_object obj;
	uint32_t type;	 /* enum mlx5_ib_uapi_dm_type */
	uint64_t addr;	 /* BAR offset, or ICM address */
	uint64_t length; /* as asked for */
	uint64_t size;	 /* as allocated */
	uint32_t id;	 /* ICM: of the general object, with the uid that owns it */
	uint16_t uid;
};

struct uverbs_cq {
	struct uverbs_object obj;
	uint32_t cqn, cqe, cqe_size;	 /* cqe: entries less one */
	bool pad;			 /* entries of 128 bytes are written as a whole */
	struct uverbs_event_fd *channel; /* or NULL */
	struct core_list on_notified;
	struct uverbs_events events;
};

/* An XRC domain: as many handles as it was opened. */
struct uverbs_domain {
	struct core_list on_driver; /* uverbs.domains */
	uint32_t xrcdn, users;
	int fd; /* of the file that names it, -1: private */
	dev_t dev;
	ino_t ino;
};

struct uverbs_xrcd {
	struct uverbs_object obj;
	struct uverbs_domain *domain;
};

struct uverbs_srq {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
	struct uverbs_xrcd *xrcd; /* NULL: a basic one, without CQ */
	struct uverbs_cq *cq;
	uint32_t srqn, wqes, max_sge;
	struct uverbs_events events;
};

/* One half of a raw packet QP: an SQ and its TIS, or an RQ and its TIR. */
struct uverbs_raw_half {
	bool loops; /* its TIR takes what the own transport domain sends: hca_loops_back() */
	bool there;
	uint32_t number, interface;
	uint64_t icm;  /* of its TIR */
	uint8_t state; /* PRM_SQC_STATE_* or PRM_RQC_STATE_*, as the driver last read it */
};

/* Members that the type does not need are NULL. */
struct uverbs_qp {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
	struct uverbs_cq *scq, *rcq;
	struct uverbs_srq *srq;
	struct uverbs_xrcd *xrcd;
	uint8_t type; /* enum ib_uverbs_qp_type, UVERBS_QPT_DCI or UVERBS_QPT_DCT */
	uint16_t uid; /* of its commands */
	uint32_t pdn;
	uint32_t qpn;
	struct uverbs_raw_half raw_sq, raw_rq;
	struct uverbs_rwq_table *table; /* raw_rq.interface spreads over it; else NULL */
	uint16_t rate;			/* entry of the table of rates; 0: no limit */
	uint8_t *dct;			/* of a DCT, owned: the inbox of CREATE_DCT */
	uint8_t state;			/* enum ibv_qp_state, as the driver last knew */
	uint8_t port, resp_depth;
	uint32_t access;
	uint32_t rq_wqe_cnt, rq_max_gs;
	uint64_t dbrec;
	bool sig_all;
	uint32_t bfreg; /* a register that the kernel chose, from 1; else UVERBS_NO_BFREG */
	uint32_t ece;	/* options of ECE in use, of the last answer of the device */
	struct core_list groups; /* multicast groups that it is attached to (mcast.c) */
	struct uverbs_events events;
};

struct uverbs_ah {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
};

struct uverbs_uar {
	struct uverbs_object obj;
	uint32_t index;
};

/* ---- handles ---- */

/* The object of @type, of all contexts, of which @is returns true; or NULL. */
struct uverbs_object *
uverbs_object_find(const struct uverbs *u, enum uverbs_type type,
		   bool (*is)(const struct uverbs_object *o, uint32_t number), uint32_t number);

/* -ENOENT: no such handle, or none that is committed; -EINVAL: another type's (none is for
 * UVERBS_ANY). */
int uverbs_object_get(struct uverbs_file *f, uint64_t handle, enum uverbs_type type,
		      struct uverbs_object **o);

/* Destroys @o with its firmware object and frees it. On refusal (-EBUSY, …) nothing changed.
 * @reported, if not NULL, is filled for types that have events. */
int uverbs_object_destroy(struct uverbs_object *o, struct uverbs_reported *reported);
void uverbs_objects_destroy_all(struct uverbs_file *f);

/* Gives back what @pinned holds. */
void uverbs_unpin(struct uverbs *u, struct uverbs_pinned *pinned);

typedef int uverbs_open_hook(void *obj, int *fd);
typedef int uverbs_destroy_hook(struct uverbs *u, void *obj);
typedef void uverbs_fini_hook(struct uverbs *u, void *obj);
typedef void uverbs_use_hook(void *obj, int by);

/* Functions per type (type.def). */
struct uverbs_type_hooks {
	/* NULL: it has a handle. Else a file descriptor names it: *fd becomes the application's
	 * end. 0 or -errno. */
	uverbs_open_hook *open;
	/* Ends what it has in firmware and kernel. On refusal (-EBUSY, …) nothing changed. */
	uverbs_destroy_hook *destroy;
	/* Then, and also of an object that was never made, or whose firmware object stays:
	 * memory, lists. */
	uverbs_fini_hook *fini;
	uverbs_use_hook *use; /* uses that UVERBS_USES() cannot describe */
};

uverbs_open_hook uverbs_event_fd_open, uverbs_record_fd_open;
uverbs_destroy_hook uverbs_pd_destroy, uverbs_mr_destroy, uverbs_mw_destroy, uverbs_dm_destroy;
uverbs_destroy_hook uverbs_cq_destroy, uverbs_qp_destroy, uverbs_srq_destroy, uverbs_wq_destroy;
uverbs_destroy_hook uverbs_rwq_table_destroy, uverbs_xrcd_destroy, uverbs_uar_destroy;
uverbs_destroy_hook uverbs_devx_obj_destroy, uverbs_devx_umem_destroy, uverbs_var_destroy;
uverbs_destroy_hook uverbs_pp_destroy, uverbs_flow_action_destroy, uverbs_counters_destroy;
uverbs_destroy_hook uverbs_steering_anchor_destroy;
uverbs_fini_hook uverbs_cq_fini, uverbs_qp_fini, uverbs_rwq_table_fini, uverbs_devx_obj_fini;
uverbs_fini_hook uverbs_flow_fini, uverbs_event_fd_fini;
uverbs_fini_hook uverbs_record_fd_fini;
uverbs_use_hook uverbs_rwq_table_use, uverbs_flow_use;

/* ---- firmware ---- */

/* Executes a command; 0 or the -errno that mlx5_core makes of the status. */
int uverbs_fw(struct uverbs *u, const void *in, size_t in_len, void *out, size_t out_len);
/* A command that consists of an opcode and the number of an object. */
int uverbs_fw_number(struct uverbs *u, uint16_t opcode, uint16_t uid, uint32_t number);
/* A command without arguments that answers with a number of 24 bits. */
int uverbs_fw_alloc(struct uverbs *u, uint16_t opcode, uint16_t uid, uint32_t *number);

/* ---- parts of probe ---- */

/* The driver of @hca, NULL if none is bound. */
struct uverbs *uverbs_of(const struct hca *hca);

int uverbs_caps_read(struct uverbs *u);
int uverbs_flow_caps_read(struct uverbs *u); /* before the first flow */
int uverbs_eqs_create(struct uverbs *u);
void uverbs_eqs_destroy(struct uverbs *u);
int uverbs_gids_set(struct uverbs *u, const uint8_t (*addresses)[16], unsigned int n);
void uverbs_clock_info(struct uverbs *u);

/* A uid of the driver's own, where the adapter has any; and its end. */
int uverbs_uid_create(struct uverbs *u);
void uverbs_uid_destroy(struct uverbs *u);

/* Ends the user context of @f: transport domain and uid. */
void uverbs_context_end(struct uverbs_file *f);

#endif
