/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hca: the state of one adapter function (VHCA), and nothing but state.
 *
 *	fw changes it  --->  [ tables of pd uar mkey cq qp eq | port ]  <---  engine reads it
 *
 * Objects are looked up by number, hold references on each other and live on lists that the
 * engine walks. There is no behaviour here: no command, no packet, no system call but the
 * mapping of the doorbell pages.
 *
 * One lock guards all of it. It is taken in three places only: an ioctl of the application,
 * an iteration of the engine, a call of the control interface. No module locks inside.
 *
 * One for each device that a process has opened; all contexts of the device share it. The
 * numbers of QPs carry its slot in their top byte, so they are unique on the fabric.
 */
#ifndef EMU_HCA_H
#define EMU_HCA_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"
#include "hca/adapter.h"
#include "hca/congestion.h"
#include "hca/copy.h"
#include "hca/counter.h"
#include "hca/dct.h"
#include "hca/element.h"
#include "hca/flow.h"
#include "hca/gid.h"
#include "hca/kind.h"
#include "hca/life.h"
#include "hca/mcg.h"
#include "hca/mkey.h"
#include "hca/raw.h"
#include "hca/rc.h"
#include "hca/ring.h"
#include "hca/session.h"
#include "hca/sw_icm.h"
#include "hca/umem.h"
#include "hca/vhca.h"
#include "prm/value.h"

#define HCA_PAGE_SHIFT 12
#define HCA_PAGE_SIZE  (1u << HCA_PAGE_SHIFT)

/* The BAR: a sparse memfd as large as the largest mmap offset that mlx5_ib gives out. UAR
 * page i is at page offset HCA_UAR_PGOFF + i of it (the kernel's range for dynamic
 * entries: mlx5_ib main.c, MLX5_IB_MMAP_OFFSET_START). */
#define HCA_BAR_SIZE	     (64ull << 30)
#define HCA_UAR_PGOFF	     (9u << 16)
#define HCA_UAR_LIMIT	     4096u     /* pages */
#define HCA_CLOCK_PGOFF	     (5u << 8) /* MLX5_IB_MMAP_CORE_CLOCK */
#define HCA_CLOCK_INFO_PGOFF (7u << 8) /* MLX5_IB_MMAP_CLOCK_INFO */

/* Device memory: page index i of MLX5_IB_MMAP_DEVICE_MEM, and in BAR 0 after the UAR pages. */
#define HCA_MEMIC_PGOFF (8u << 8)
#define HCA_MEMIC_PAGES 256u /* adjacent in the kernel's encoding */
#define HCA_MEMIC_BYTES ((size_t)HCA_MEMIC_PAGES << HCA_PAGE_SHIFT)
#define HCA_MEMIC_START ((uint64_t)HCA_UAR_LIMIT << HCA_PAGE_SHIFT)

/* Bytes of the PRM contexts that objects keep as last set (checked against prm in fw). */
#define HCA_QPC_SIZE  232
#define HCA_CQC_SIZE  64
#define HCA_EQC_SIZE  64
#define HCA_SRQC_SIZE 256

#define HCA_GIDS 255

/* QUERY_HCA_CAP: groups 0 (general) … 0x2a (TLP emulation), and space for one image of all that
 * have a layout: 256 bytes each, flow tables 4096. */
#define HCA_CAP_GROUPS	0x2b
#define HCA_CAP_BYTES	(20u << 10)
#define HCA_CAP_LONGEST 4096 /* bytes of an image */

struct hca_pd {
	HCA_OBJECT(pdn);
};

struct hca_td {
	HCA_OBJECT(tdn);
};

struct hca_uctx {
	HCA_OBJECT(id);
	uint32_t cap;
};

/* A doorbell page. Both sides map the same page of the BAR. */
struct hca_uar {
	HCA_OBJECT(index);
	uint8_t *page;		 /* this side's mapping */
	struct core_list queues; /* hca_qp.on_uar: whose records a ring makes us look at */
	struct core_list sqs;	 /* hca_sq.on_uar: and these */
	struct hca_copy copy[HCA_REGISTERS];
};

/* An allocation of device memory: bytes of the BAR. */
struct hca_memic {
	HCA_OBJECT(id); /* of no table; its refs count */
	uint64_t addr;	/* BAR offset */
	uint32_t size;
	struct core_list on_dev; /* hca.memics */
};

struct hca_eq {
	HCA_OBJECT(eqn);
	uint8_t intr;
	struct hca_uar *uar;
	struct hca_ring ring;
	uint8_t log_size;
	uint32_t pi, ci; /* free running; ci: what the owner has taken */
	bool armed;	 /* the next EQE raises an interrupt (event_eq_update) */
	/* event types routed here, bit per type; completions go by cqc.c_eqn */
	uint64_t events;
	uint8_t eqc[HCA_EQC_SIZE];
};

struct hca_cq {
	HCA_OBJECT(cqn);
	struct hca_eq *eq;
	struct hca_uar *uar;
	struct hca_ring ring;
	struct hca_umem_refs umems;
	uint64_t dbrec;			/* address of {be32 set_ci, be32 arm} */
	uint8_t log_size, cqe_size_log; /* cqe_size_log: 6 or 7 */
	bool overrun_ignore, overrun;
	bool lost;	   /* its ring or record cannot be read or written any more */
	bool unmapped;	   /* engine: it was reported that the application unmapped them */
	uint32_t pi;	   /* free running: CQEs written */
	bool successes;	   /* some of them are not errors */
	bool reported;	   /* --check: that none was released */
	uint32_t arm_last; /* dbrec[1] as last seen */
	bool armed, armed_solicited;
	bool fired; /* an event was raised */
	/* sequence numbers of the arm, and of the one that the event answered */
	uint8_t armed_sn, fired_sn;
	/* pi after the last solicited CQE, and when the last event was raised: one more than
	 * cqc.last_solicit_index, last_notified_index */
	uint32_t solicited_end, notified;

	/* moderation: an event waits for max_count CQEs or period us; off if either is 0 */
	uint16_t max_count, period;
	bool from_cqe;		  /* the period begins again with each CQE, not with an event */
	uint64_t cqe_at;	  /* when the last CQE that is held was written */
	uint32_t held_from;	  /* index of the first CQE that should have raised it */
	uint64_t event_at;	  /* ns: when the last event was raised */
	struct core_list on_held; /* hca.held: an event waits */

	bool collapsed;		     /* all CQEs go into entry 0 */
	struct hca_session *session; /* of a CQ that compresses, owned; NULL: it does not */
	uint8_t cqc[HCA_CQC_SIZE];
};

struct hca_xrcd {
	HCA_OBJECT(xrcdn);
};

/*
 * A shared receive queue: an RMP (the basic one) or an XRC SRQ. The WQEs form a list by
 * next_wqe_index, which begins at index 0, or a ring; the record counts how many were posted.
 */
struct hca_srq {
	HCA_OBJECT(srqn); /* RMPN or XRC SRQN: one number space */
	bool xrc, error;
	bool unmapped; /* engine: it was reported that the application unmapped its memory */
	bool cyclic;   /* a ring: next_wqe_index is not read */
	struct hca_pd *pd;
	struct hca_xrcd *xrcd; /* XRC only, as is cq: a basic SRQ completes to its QP's CQ */
	struct hca_cq *cq;
	uint32_t user_index;
	struct hca_umem_refs umems;
	uint64_t dbrec; /* address of the be32 count of WQEs posted */
	struct hca_wq wq;
	uint16_t lwm;	      /* limit: one event when fewer WQEs are left; 0: not armed */
	uint16_t next, taken; /* engine: head of the list; WQEs taken, free running */
	uint8_t ctx[HCA_SRQC_SIZE]; /* rmpc or xrc_srqc as firmware last set it */
};

/* The path of a connection to its peer: qpc.primary_address_path. */
struct hca_path {
	uint8_t dgid[16], dmac[6];
	uint8_t sgid_index, hop_limit, tclass;
	uint32_t flow_label;
	uint16_t udp_sport;
};

struct hca_qp {
	HCA_OBJECT(qpn);
	uint8_t st;    /* PRM_QPC_ST_*; DCT: a connection of a DCT */
	uint8_t state; /* PRM_QPC_STATE_* */
	struct hca_pd *pd;
	struct hca_cq *scq, *rcq;
	struct hca_uar *uar;
	struct hca_srq *srq;			  /* in place of rq; NULL: none */
	struct hca_xrcd *xrcd;			  /* XRC: the domain whose SRQs it may reach */
	struct hca_q_counter *counter;		  /* never NULL */
	struct hca_sched *sched_req, *sched_resp; /* queue groups; NULL: none */
	uint32_t user_index;
	struct hca_umem_refs umems;
	uint64_t dbrec;	     /* address of {be32 rcv, be32 snd} */
	bool no_send_record; /* qpc.send_dbr_mode NO_DBR_EXT: doorbells have the producer index */
	bool record_lost;    /* engine: it cannot be read any more */
	bool unmapped; /* engine: it was reported that the application unmapped its memory */
	struct hca_wq sq, rq;

	/* fields set by modify commands, decoded; the engine reads these, QUERY_QP reads qpc */
	struct hca_path path;
	uint32_t remote_qpn;
	uint32_t mtu;	  /* path MTU in bytes */
	uint32_t qkey;	  /* UD */
	bool block_lb_mc; /* UD: no loopback of own multicast */
	uint8_t log_msg_max;
	uint8_t ack_timeout, retry_count, rnr_retry, min_rnr_nak;
	uint8_t max_rd_atomic, max_dest_rd_atomic; /* 1 << log_{sra,rra}_max */
	uint8_t log_ack_req_freq; /* an ACK is requested at least every 1 << this many packets */
	bool rre, rwe, rae;
	uint8_t atomic_mode; /* as in qpc: how large atomics of the peer may be */
	bool mmo;	     /* qpc_ext: MMO work requests are allowed */
	uint8_t qpc[HCA_QPC_SIZE];

	struct hca_req req;		  /* engine: requester */
	struct hca_resp resp;		  /* engine: responder */
	struct hca_dc dc;		  /* engine: of DCIs and of connections of DCTs */
	struct hca_congestion congestion; /* engine: of its path */

	struct core_list on_uar;   /* hca_uar.queues */
	struct core_list runnable; /* hca.runnable: the engine has something to do here */
};

struct hca_gid {
	bool valid;  /* can be used: RoCE with a VLAN tag is not implemented */
	bool tagged; /* valid but for its tag */
	uint16_t vlan;
	uint8_t raw[16], mac[6];
	uint8_t version; /* roce_addr_layout.roce_version: 0 = v1, 2 = v2 */
	uint8_t l3_type; /* 0 IPv4, 1 IPv6 */
};

/* Bytes that RoCE adds to a packet of the path MTU: GRH 40, UDP 8, BTH 12, the longest
 * extension headers 32, ICRC 4 (ib_core, iboe_get_mtu). */
#define HCA_ROCE_OVERHEAD 96
/* Bytes that Ethernet adds to the MTU of its network device: header 14, VLAN tag 4, FCS 4. */
#define HCA_ETHERNET_OVERHEAD 22

/* A management datagram that came in for QP1, the general services interface; 256 bytes. */
struct hca_mad {
	const uint8_t *sgid, *dgid, *smac, *bytes;
	uint8_t from; /* slot of the sender */
};

struct hca_port {
	uint8_t mac[6];
	bool promisc;	/* accepts frames for all addresses */
	bool down;	/* no link: nothing is sent or received */
	bool unplugged; /* the cable of this process (dvkit_emu_link) */
	bool tap;	/* its process has the TAP interface of the fabric */
	uint32_t mtu;	/* active path MTU in bytes: 256 … 4096 */
	uint64_t node_guid, sys_image_guid; /* of the function; of the adapter */
	struct hca_gid gid[HCA_GIDS];
};

struct hca {
	pthread_mutex_t lock;
	atomic_uint waiters; /* ioctls waiting for the lock: the engine lets them pass */
	atomic_bool letting; /* the engine sleeps until there are none */
	uint8_t slot;	     /* its address on the fabric, 1 … 255 */
	enum hca_role role;
	struct hca_vhca
		*vhcas; /* of all functions on the fabric, by slot; NULL: not connected */
	struct hca_adapter *adapters; /* of all adapters on the fabric; NULL: not connected */
	struct hca_adapter *adapter, own_adapter; /* the one in use; the one without a fabric */
	struct hca_counted *counted, own_counted; /* the same */
	uint64_t grants;			  /* serials given */
	int bar_fd;
	struct hca_qp *gsi;	 /* of service QP1: general services; NULL: there is none */
	uint32_t uar_first;	 /* the lowest number of a UAR page; 0: 1 */
	uint64_t bar_bytes;	 /* HCA_BAR_SIZE, or what RLIMIT_FSIZE leaves of it */
	uint64_t *clock;	 /* the free-running counter page, big-endian qword */
	uint32_t clock_khz;	 /* its frequency: device_frequency_khz */
	uint64_t dma_max;	 /* bytes of a DMA MMO work request; 0: 2 GiB */
	uint8_t *memic;		 /* this side's mapping of the device memory window */
	struct core_list memics; /* hca_memic.on_dev */
	struct hca_port port;
	int contexts, loops; /* hca_loopback_need() */

	/* firmware's own: what QUERY_HCA_CAP, QUERY_ADAPTER and QUERY_ISSI say */
	uint64_t cap_groups;		     /* bit per group: the device has it */
	uint8_t *caps[HCA_CAP_GROUPS];	     /* current; NULL: a group without a layout */
	uint8_t *caps_max[HCA_CAP_GROUPS];   /* maximum */
	uint8_t cap_bytes[2][HCA_CAP_BYTES]; /* their storage: current, maximum */
	bool allows_direct_only;	     /* ALLOW_OTHER_VHCA_ACCESS: no KLM or KSM keys */
	bool failed; /* an internal error: the adapter executes nothing any more */
	char board_id[17], fw_ver[32];
	uint16_t issi;
	enum hca_life life;
	struct hca_vport vport;
	struct hca_given given;

	/* the tables of all kinds of objects: pds, cqs, qps … */
#define HCA_KIND(name, type, table, ...) struct core_ids table;
#include "hca/kind.def"

	struct hca_flow_table
		*roots[HCA_FLOW_TYPES]; /* where packets enter, by type; NULL: none */
	struct hca_rate rates[HCA_RATES];
	struct hca_counts counts;
	struct hca_refusal refusal; /* of a command: dvkit_emu_fail_command() */
	struct core_list runnable;  /* hca_qp.runnable */
	struct core_list sending;   /* hca_sq.on_sending */
	struct core_list flushing;  /* hca_rq.on_flushing */
	struct core_list held; /* hca_cq.on_held: completion events that moderation delays */
	struct core_list sessions; /* hca_session.on_dev: CQEs that are not written yet */
	struct core_list mcg_bucket[HCA_MCG_BUCKETS]; /* hca_mcg.in_bucket */
	uint32_t groups;			      /* multicast groups that have QPs */

	/* The only upcalls, set by preload when it connects the modules. */
	void (*irq)(struct hca *hca, struct hca_eq *eq);  /* an EQE is there: event -> uverbs */
	void (*kick)(struct hca *hca, struct hca_qp *qp); /* state changed: fw -> engine */
	/* fw -> wire: group @gid has its first QP, 0 or a positive errno value; or lost its
	 * last one. */
	int (*join)(struct hca *hca, const uint8_t gid[16]);
	void (*leave)(struct hca *hca, const uint8_t gid[16]);
	/* fw -> engine: executes what was posted on @qp before the command, as far as it can be
	 * sent; before RTS, its doorbells are lost. */
	void (*catch_up)(struct hca *hca, struct hca_qp *qp);
	/* engine -> uverbs: has the owner events of @cq that it did not read? NULL: not
	 * known. */
	bool (*unread)(struct hca *hca, const struct hca_cq *cq);
	/* Is function @vhca_id up? For hca_vhca_at(). */
	bool (*present)(const struct hca *hca, uint8_t vhca_id);
	/* engine -> ucma: a MAD is there; false: other processes of this host have a copy. Time
	 * goes on. NULL: QP1 is not open. */
	bool (*mad)(struct hca *hca, const struct hca_mad *m);
	void (*due)(struct hca *hca, uint64_t now);
	/* engine -> preload: now and then, without the lock. NULL: nothing is done. */
	void (*look)(struct hca *hca);
	/* net -> preload: the TAP interface was deleted. */
	void (*tap_gone)(struct hca *hca);
};

/* Makes an adapter in @slot with its BAR; 0 or a positive errno value. */
int hca_init(struct hca *hca, uint8_t slot);
void hca_fini(struct hca *hca);

/* Entry: an application thread announces itself so that a busy engine yields. They enter the
 * emulated kernel (core.h) as well, and lines in the trace are this function's from then on. */
void hca_lock(struct hca *hca);
void hca_unlock(struct hca *hca);
/* Called without the lock, by a thread that takes it again and again: returns when no other
 * thread waits for it, at the latest after some milliseconds. */
void hca_let_pass(struct hca *hca);

/* Maps page @pgoff of the BAR; NULL with errno. */
void *hca_bar_map(struct hca *hca, uint32_t pgoff);
void hca_bar_unmap(void *page);

struct hca_memic *hca_memic_new(struct hca *hca);
void hca_memic_free(struct hca_memic *m);

static inline struct hca_qp *hca_qp_find(struct hca *hca, uint32_t qpn)
{
	return core_ids_get(&hca->qps, qpn);
}

static inline struct hca_cq *hca_cq_find(struct hca *hca, uint32_t cqn)
{
	return core_ids_get(&hca->cqs, cqn);
}

static inline struct hca_srq *hca_srq_find(struct hca *hca, uint32_t srqn)
{
	return core_ids_get(&hca->srqs, srqn);
}

/* The free-running counter of the device at @ns (core_now_ns). */
static inline uint64_t hca_ticks(const struct hca *hca, uint64_t ns)
{
	return ns / 1000000 * hca->clock_khz + ns % 1000000 * hca->clock_khz / 1000000;
}

/* By key (index << 8 | variant): NULL unless the variant matches too. */
static inline struct hca_mkey *hca_mkey_find(struct hca *hca, uint32_t key)
{
	struct hca_mkey *m = core_ids_get(&hca->mkeys, key >> 8);

	return m && m->variant == (key & 0xff) ? m : NULL;
}

/* Does it send and receive datagrams? QP1 does, from the number 1. */
static inline bool hca_is_datagram(const struct hca_qp *qp)
{
	return qp->st == PRM_QPC_ST_UD || qp->st == PRM_QPC_ST_QP1;
}

/* Forgets what the connection did: RESET. Frees the engine's per-WQE memory. */
void hca_qp_reset(struct hca_qp *qp);

#endif
