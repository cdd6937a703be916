/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dev: the state of one adapter function (VHCA), and nothing but state.
 *
 *	fw changes it  --->  [ tables of pd uar mkey cq qp eq | port ]  <---  engine reads it
 *
 * Objects are looked up by number, hold references on each other and live on lists that the
 * engine walks. There is no behaviour here: no command, no packet, no system call but the
 * mapping of the doorbell pages.
 *
 * One lock guards all of it. It is taken at three doors only: an ioctl of the application,
 * a turn of the engine, a call of the control interface. No room locks inside.
 *
 * One adapter per process that opens the device; all its contexts share it. The numbers of QPs
 * carry the process's slot in their top byte, so they are unique on the fabric.
 */
#ifndef EMU_DEV_H
#define EMU_DEV_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"
#include "dev/copy.h"
#include "dev/counter.h"
#include "dev/dct.h"
#include "dev/element.h"
#include "dev/mkey.h"
#include "dev/raw.h"
#include "dev/rc.h"
#include "dev/ring.h"
#include "dev/session.h"
#include "dev/umem.h"

#define DEV_PAGE_SHIFT 12
#define DEV_PAGE_SIZE  (1u << DEV_PAGE_SHIFT)

/* The BAR: a sparse memfd as large as the largest mmap offset that mlx5_ib gives out. UAR
 * page i lies at page offset DEV_UAR_PGOFF + i of it (the kernel's range for dynamic
 * entries: mlx5_ib main.c, MLX5_IB_MMAP_OFFSET_START). */
#define DEV_BAR_SIZE	     (64ull << 30)
#define DEV_UAR_PGOFF	     (9u << 16)
#define DEV_CLOCK_PGOFF	     (5u << 8) /* MLX5_IB_MMAP_CORE_CLOCK */
#define DEV_CLOCK_INFO_PGOFF (7u << 8) /* MLX5_IB_MMAP_CLOCK_INFO */

/* Device memory (MEMIC): a window of the BAR. Its page i is page index i of
 * MLX5_IB_MMAP_DEVICE_MEM; 256 of them are adjacent in the kernel's encoding. */
#define DEV_MEMIC_PGOFF (8u << 8)
#define DEV_MEMIC_PAGES 256u
#define DEV_MEMIC_START ((uint64_t)DEV_MEMIC_PGOFF << DEV_PAGE_SHIFT) /* its BAR offset */

/* Bytes of the PRM contexts that objects keep as last set (checked against prm in fw). */
#define DEV_QPC_SIZE  232
#define DEV_CQC_SIZE  64
#define DEV_EQC_SIZE  64
#define DEV_SRQC_SIZE 256

#define DEV_GIDS 255

/* QUERY_HCA_CAP: groups 0 (general) … 0x2a (TLP emulation), and room for one image of all that
 * have a layout: 256 bytes each, flow tables 4096. */
#define DEV_CAP_GROUPS 0x2b
#define DEV_CAP_BYTES  (20u << 10)

struct dev_pd {
	uint32_t pdn;
	uint16_t uid;
	uint32_t refs; /* mkeys, QPs, SRQs, SQs, RQs, PSVs */
};

struct dev_td {
	uint32_t tdn;
	uint16_t uid;
	uint32_t refs; /* TISs, TIRs */
};

struct dev_uctx {
	uint16_t uid;
	uint32_t cap;
	uint32_t refs; /* objects of this uid */
};

/* A doorbell page. Both sides map the same page of the BAR. */
struct dev_uar {
	uint32_t index;
	uint16_t uid;
	uint32_t refs;
	uint8_t *page;		 /* this side's mapping */
	struct core_list queues; /* dev_qp.on_uar: whose records a ring makes us look at */
	struct core_list sqs;	 /* dev_sq.on_uar: and these */
	struct dev_copy copy[DEV_REGISTERS];
};

/* An allocation of device memory: bytes of the BAR. */
struct dev_memic {
	uint64_t addr; /* BAR offset */
	uint32_t size;
	uint32_t refs;		 /* mkeys */
	struct core_list on_dev; /* dev.memics */
};

struct dev_eq {
	uint32_t eqn;
	uint16_t uid;
	uint8_t intr;
	uint32_t refs; /* CQs */
	struct dev_ring ring;
	uint8_t log_size;
	uint32_t pi, ci; /* free running; ci: what the owner has taken */
	/* event types routed here, bit per type; completions go by cqc.c_eqn */
	uint64_t events;
	uint8_t eqc[DEV_EQC_SIZE];
};

struct dev_cq {
	uint32_t cqn;
	uint16_t uid;
	uint32_t refs; /* QPs, each counted once per role, XRC SRQs, SQs, RQs */
	struct dev_eq *eq;
	struct dev_uar *uar;
	struct dev_ring ring;
	struct dev_home home;
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
	/* pi behind the last solicited CQE, and when the last event was raised: one more than
	 * cqc.last_solicit_index, last_notified_index */
	uint32_t solicited_end, notified;

	/* moderation: an event waits for max_count CQEs or period us; off if either is 0 */
	uint16_t max_count, period;
	uint32_t held_from;	  /* index of the first CQE that should have raised it */
	uint64_t event_at;	  /* ns: when the last event was raised */
	struct core_list on_held; /* dev.held: an event waits */

	bool collapsed;		     /* all CQEs go into entry 0 */
	struct dev_session *session; /* of a CQ that compresses, owned; NULL: it does not */
	uint8_t cqc[DEV_CQC_SIZE];
};

enum dev_qp_state { /* qpc.state, PRM */
		    DEV_QPS_RST = 0,
		    DEV_QPS_INIT = 1,
		    DEV_QPS_RTR = 2,
		    DEV_QPS_RTS = 3,
		    DEV_QPS_SQER = 4,
		    DEV_QPS_SQD = 5,
		    DEV_QPS_ERR = 6,
};

struct dev_xrcd {
	uint32_t xrcdn;
	uint16_t uid;
	uint32_t refs; /* SRQs, QPs */
};

/*
 * A shared receive queue: an RMP (the basic one) or an XRC SRQ. The WQEs form a list by
 * next_wqe_index, which begins at index 0, or a ring; the record counts how many were posted.
 */
struct dev_srq {
	uint32_t srqn; /* RMPN or XRC SRQN: one number space */
	uint16_t uid;
	uint32_t refs; /* QPs */
	bool xrc, error;
	bool unmapped; /* engine: it was reported that the application unmapped its memory */
	bool cyclic;   /* a ring: next_wqe_index is not read */
	struct dev_pd *pd;
	struct dev_xrcd *xrcd; /* XRC only, as is cq: a basic SRQ completes to its QP's CQ */
	struct dev_cq *cq;
	uint32_t user_index;
	struct dev_home home;
	uint64_t dbrec; /* address of the be32 count of WQEs posted */
	struct dev_wq wq;
	uint16_t lwm;	      /* limit: one event when fewer WQEs are left; 0: not armed */
	uint16_t next, taken; /* engine: head of the list; WQEs taken, free running */
	uint8_t ctx[DEV_SRQC_SIZE]; /* rmpc or xrc_srqc as firmware last set it */
};

/* What a connection knows of its way to the peer: qpc.primary_address_path. */
struct dev_path {
	uint8_t dgid[16], dmac[6];
	uint8_t sgid_index, hop_limit, tclass;
	uint32_t flow_label;
	uint16_t udp_sport;
};

struct dev_qp {
	uint32_t qpn;
	uint16_t uid;
	uint8_t st;    /* qpc.st: RC 0, UC 1, UD 2, XRC 3, DCI 5; 6: connection of a DCT */
	uint8_t state; /* enum dev_qp_state */
	struct dev_pd *pd;
	struct dev_cq *scq, *rcq;
	struct dev_uar *uar;
	struct dev_srq *srq;			  /* in place of rq; NULL: none */
	struct dev_xrcd *xrcd;			  /* XRC: the domain whose SRQs it may reach */
	struct dev_q_counter *counter;		  /* never NULL */
	struct dev_sched *sched_req, *sched_resp; /* queue groups; NULL: none */
	uint32_t user_index;
	struct dev_home home;
	uint64_t dbrec;	     /* address of {be32 rcv, be32 snd} */
	bool no_send_record; /* qpc.send_dbr_mode NO_DBR_EXT: rings tell the producer index */
	bool record_lost;    /* engine: it cannot be read any more */
	bool unmapped; /* engine: it was reported that the application unmapped its memory */
	struct dev_wq sq, rq;

	/* what modify commands set, decoded; the engine reads these, QUERY_QP reads qpc */
	struct dev_path path;
	uint32_t remote_qpn;
	uint32_t mtu;  /* path MTU in bytes */
	uint32_t qkey; /* UD */
	uint8_t log_msg_max;
	uint8_t ack_timeout, retry_count, rnr_retry, min_rnr_nak;
	uint8_t max_rd_atomic, max_dest_rd_atomic; /* 1 << log_{sra,rra}_max */
	bool rre, rwe, rae;
	uint8_t atomic_mode; /* as in qpc: how large atomics of the peer may be */
	bool mmo;	     /* qpc_ext: MMO work requests are allowed */
	uint8_t qpc[DEV_QPC_SIZE];

	struct dev_req req;   /* engine: requester */
	struct dev_resp resp; /* engine: responder */
	struct dev_dc dc;     /* engine: of DCIs and of connections of DCTs */

	struct core_list on_uar;   /* dev_uar.queues */
	struct core_list runnable; /* dev.runnable: the engine has something to do here */
};

struct dev_gid {
	bool valid;
	uint8_t raw[16], mac[6];
	uint8_t version; /* roce_addr_layout.roce_version: 0 = v1, 2 = v2 */
	uint8_t l3_type; /* 0 IPv4, 1 IPv6 */
};

/* What RoCE adds to a packet of the path MTU: GRH 40, UDP 8, BTH 12, the longest extension
 * headers 32, ICRC 4 (ib_core, iboe_get_mtu). */
#define DEV_ROCE_OVERHEAD 96

/* A management datagram that came in for QP1, the general services interface; 256 bytes. */
struct dev_mad {
	const uint8_t *sgid, *dgid, *smac, *bytes;
	uint8_t from; /* slot of the sender */
};

struct dev_port {
	uint8_t mac[6];
	uint32_t mtu; /* active path MTU in bytes: 256 … 4096 */
	uint64_t node_guid;
	struct dev_gid gid[DEV_GIDS];
};

struct dev {
	pthread_mutex_t lock;
	atomic_uint waiters; /* ioctls waiting for the lock: the engine lets them pass */
	uint8_t slot;	     /* this process's address on the fabric, 1 … 255 */
	int bar_fd;
	uint64_t bar_bytes;	 /* DEV_BAR_SIZE, or what RLIMIT_FSIZE leaves of it */
	uint64_t *clock;	 /* the free-running counter page, big-endian qword */
	uint32_t clock_khz;	 /* its frequency: device_frequency_khz */
	uint8_t *memic;		 /* this side's mapping of the device memory window */
	struct core_list memics; /* dev_memic.on_dev */
	struct dev_port port;

	/* firmware's own: what QUERY_HCA_CAP, QUERY_ADAPTER and QUERY_ISSI say */
	uint64_t cap_groups;		     /* bit per group: the device has it */
	uint8_t *caps[DEV_CAP_GROUPS];	     /* current; NULL: a group without a layout */
	uint8_t *caps_max[DEV_CAP_GROUPS];   /* maximum */
	uint8_t cap_bytes[2][DEV_CAP_BYTES]; /* what they point to: current, maximum */
	char board_id[17];
	uint16_t issi;

	struct core_ids uctx, pds, tds, uars, mkeys, cqs, eqs, xrcds, srqs, qps;
	struct core_ids tiss, sqs, rqs, tirs, rqts, dcts;
	struct core_ids q_counters, flow_counters, scheds, generals, reserved_qpns;
	struct dev_rate rates[DEV_RATES];
	struct dev_counts counts;
	struct core_ids umems, psvs;
	struct core_list runnable; /* dev_qp.runnable */
	struct core_list held; /* dev_cq.on_held: completion events that moderation delays */
	struct core_list sessions; /* dev_session.on_dev: CQEs that are not written yet */

	/* The only upcalls, set by preload when it connects the rooms. */
	void (*irq)(struct dev *d, struct dev_eq *eq);	/* an EQE is there: event -> uverbs */
	void (*kick)(struct dev *d, struct dev_qp *qp); /* state changed: fw -> engine */
	/* engine -> uverbs: has the owner events of @cq that it did not read? NULL: not known. */
	bool (*unread)(struct dev *d, const struct dev_cq *cq);
	/* engine -> ucma: a MAD is there; time goes on. NULL: QP1 is not open. */
	void (*mad)(struct dev *d, const struct dev_mad *m);
	void (*due)(struct dev *d, uint64_t now);
};

/* Makes an adapter in @slot with its BAR; 0 or a positive errno value. */
int dev_init(struct dev *d, uint8_t slot);
void dev_fini(struct dev *d);

/* The doors: an application thread announces itself so that a busy engine yields. They enter the
 * emulated kernel (core.h) as well. */
void dev_lock(struct dev *d);
void dev_unlock(struct dev *d);

/* Maps page @pgoff of the BAR; NULL with errno. */
void *dev_bar_map(struct dev *d, uint32_t pgoff);
void dev_bar_unmap(void *page);

/* Objects: *_new gives a zeroed object a number (NULL: table or memory full), *_free unlinks
 * it from tables and lists and frees it with its page arrays. Reference counts are fw's. More of
 * them: counter.h, element.h, raw.h. */
struct dev_pd *dev_pd_new(struct dev *d);
void dev_pd_free(struct dev *d, struct dev_pd *pd);
struct dev_td *dev_td_new(struct dev *d);
void dev_td_free(struct dev *d, struct dev_td *td);
struct dev_uctx *dev_uctx_new(struct dev *d);
void dev_uctx_free(struct dev *d, struct dev_uctx *u);
struct dev_uar *dev_uar_new(struct dev *d);
void dev_uar_free(struct dev *d, struct dev_uar *uar);
struct dev_mkey *dev_mkey_new(struct dev *d);
void dev_mkey_free(struct dev *d, struct dev_mkey *m);
struct dev_psv *dev_psv_new(struct dev *d);
void dev_psv_free(struct dev *d, struct dev_psv *psv);
struct dev_memic *dev_memic_new(struct dev *d);
void dev_memic_free(struct dev_memic *m);
struct dev_eq *dev_eq_new(struct dev *d);
void dev_eq_free(struct dev *d, struct dev_eq *eq);
struct dev_cq *dev_cq_new(struct dev *d);
void dev_cq_free(struct dev *d, struct dev_cq *cq);
struct dev_xrcd *dev_xrcd_new(struct dev *d);
void dev_xrcd_free(struct dev *d, struct dev_xrcd *x);
struct dev_srq *dev_srq_new(struct dev *d);
void dev_srq_free(struct dev *d, struct dev_srq *srq);
struct dev_qp *dev_qp_new(struct dev *d);
void dev_qp_free(struct dev *d, struct dev_qp *qp);
struct dev_tis *dev_tis_new(struct dev *d);
void dev_tis_free(struct dev *d, struct dev_tis *tis);
struct dev_sq *dev_sq_new(struct dev *d);
void dev_sq_free(struct dev *d, struct dev_sq *sq);
struct dev_rq *dev_rq_new(struct dev *d);
void dev_rq_free(struct dev *d, struct dev_rq *rq);
struct dev_tir *dev_tir_new(struct dev *d);
void dev_tir_free(struct dev *d, struct dev_tir *tir);

static inline struct dev_qp *dev_qp_find(struct dev *d, uint32_t qpn)
{
	return core_ids_get(&d->qps, qpn);
}

static inline struct dev_cq *dev_cq_find(struct dev *d, uint32_t cqn)
{
	return core_ids_get(&d->cqs, cqn);
}

static inline struct dev_srq *dev_srq_find(struct dev *d, uint32_t srqn)
{
	return core_ids_get(&d->srqs, srqn);
}

/* By key (index << 8 | variant): NULL unless the variant matches too. */
struct dev_mkey *dev_mkey_find(struct dev *d, uint32_t key);

/* Forgets what the connection did: RESET. Frees the engine's per-WQE memory. */
void dev_qp_reset(struct dev_qp *qp);

#endif
