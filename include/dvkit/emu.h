/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of the emulator: pause the adapter, execute it step by step, read its
 * counters, ask for the way of a packet. For tests and for tools that count.
 *
 * The functions are in the library that dvkit-emu preloads; there is nothing to link with. The
 * references are weak: in a program that runs without dvkit-emu, that is on a real adapter,
 * they are NULL. dvkit_emu_present() returns which of the two it is:
 *
 *	if (dvkit_emu_present()) {
 *		dvkit_emu_pause();
 *		… post WQEs: none is executed …
 *		while (dvkit_emu_step())
 *			;
 *		dvkit_emu_resume();
 *	}
 *
 * A function that an older emulator does not have is NULL too; test it by its name.
 *
 * Each process that opens the device has its own adapter, and controls no other. A process that
 * has not opened the device has no adapter, nor has a child after fork() until it opens the
 * device: ENODEV.
 *
 * A process may have two devices, the functions of a DPU (dvkit-emu(1), --as). A call is then
 * for all that it has opened; one that it opens later is not paused.
 *
 * Threads: all functions are thread-safe. Each takes the device lock, so it waits for a command
 * or an iteration of the engine that is under way. None may be called from a signal handler.
 *
 * Functions that return int return 0 or a positive errno value.
 */
#ifndef DVKIT_EMU_H
#define DVKIT_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak, and by the GOT also in code that is not position independent: the linker would make any
 * other reference in it 0. */
#ifdef __clang__
#ifndef __PIC__
#error "clang: compile with -fPIE or -fPIC, or dvkit_emu_present() is always false"
#endif
#define DVKIT_EMU_API __attribute__((weak, visibility("default")))
#else
#define DVKIT_EMU_API __attribute__((weak, noplt, visibility("default")))
#endif

/* Since the device was opened; of two devices the sums. Members are only added, at the end. */
struct dvkit_emu_counters {
	uint64_t iterations;   /* iterations of the engine that found work */
	uint64_t doorbells;    /* values read from doorbell registers */
	uint64_t empty_rings;  /* doorbells after which no queue had a new doorbell record */
	uint64_t shared_rings; /* queues served by a doorbell that named another queue */
	uint64_t wqes;	       /* send WQEs completed, with success or with an error */
	uint64_t cqes;	       /* CQEs written */
	uint64_t tx_frames, rx_frames, rx_dropped;
	uint64_t retransmits;
	/* frames that had a fault, by kind (dvkit_emu_faults) */
	uint64_t dropped, duplicated, reordered, delayed, corrupted;
	uint64_t messages, message_bytes; /* of RoCE QPs, sent or read, complete */
	uint64_t marked;		  /* frames that had the fault "ecn" */
	uint64_t commands;		  /* executed by the firmware, refused ones too */
};

/*
 * Pauses the engine: when this returns, no iteration is under way, and none begins before
 * dvkit_emu_step() or dvkit_emu_resume(). Firmware commands are executed as before. Frames of
 * other processes wait. Pauses are not counted: one resume ends any number of them. ENODEV.
 */
DVKIT_EMU_API int dvkit_emu_pause(void);
DVKIT_EMU_API int dvkit_emu_resume(void);

/* One iteration of the paused engine, of two devices one of each: reads doorbells and frames,
 * lets each QP with work send, serves timers. False: it found no work, or the engine is not
 * paused, or no device is open. */
DVKIT_EMU_API bool dvkit_emu_step(void);

/* Writes the counters to the first @size bytes of @c, where @size is sizeof(*c). A member that
 * the emulator does not have reads 0. ENODEV. */
DVKIT_EMU_API int dvkit_emu_query_counters(struct dvkit_emu_counters *c, size_t size);

/*
 * Completes what was posted on the send queue of QP @qpn without executing it: one CQE of
 * success for the last WQE, and no frame. For programs that compare or count posted WQEs and do
 * not want them sent. Works while paused. ENODEV; ENOENT: no such QP; EINVAL: no WQE is
 * pending, or the QP is not in RTS.
 */
DVKIT_EMU_API int dvkit_emu_retire(uint32_t qpn);

/*
 * Faults of the link between this process and the network, in place of those before: a list
 * separated by semicolons, each as the option of dvkit-emu(1),
 * "drop=5%:7;delay=0.1:tx:read_response:2ms"; "" ends them. Frames that are late already still
 * arrive. ENODEV, EINVAL, ENOMEM.
 */
DVKIT_EMU_API int dvkit_emu_faults(const char *text);

/*
 * The link of the port, of all devices that are open, goes down or comes up: the port's state
 * changes, IBV_EVENT_PORT_ERR or IBV_EVENT_PORT_ACTIVE follows, and without a link no frame
 * passes, not to the process itself either. ENODEV.
 */
DVKIT_EMU_API int dvkit_emu_link(bool up);

/* Moves QP @qpn to ERR, with IBV_EVENT_QP_FATAL, as if the adapter had found its queues
 * damaged. ENODEV; ENOENT: no such QP. */
DVKIT_EMU_API int dvkit_emu_fail_qp(uint32_t qpn);

/*
 * The @nth command from now on, 1 for the next one, is refused with @status (PRM_STATUS_*) and
 * @syndrome, and has no effect; commands of the driver count too. 0: none is, in place of what
 * was asked for before. A program that lets each command of a call fail in turn sees whether it
 * takes back what the earlier ones made (dvkit_emu_objects()). For two devices, each refuses
 * its own. ENODEV; EINVAL: status 0.
 */
DVKIT_EMU_API int dvkit_emu_fail_command(unsigned int nth, uint8_t status, uint32_t syndrome);

/* An internal error of all devices that are open: contexts get IBV_EVENT_DEVICE_FATAL, nothing
 * is executed or completed any more, and calls of the kernel end with EIO. There is no way
 * back. ENODEV. */
DVKIT_EMU_API int dvkit_emu_fail_device(void);

/* True: the firmware has the command @opcode. Others end with status BAD_OP. Needs no open
 * device. */
DVKIT_EMU_API bool dvkit_emu_executes(uint16_t opcode);

/*
 * The number of objects of the firmware, those of the driver included; 0 while no device is
 * open. In @text, @size bytes, if it is not NULL: how many of each kind, "pd 1, cq 2", cut off
 * at @size. For two devices the sum, and in @text first mlx5_0, then mlx5_1: "pd 1, cq 2; pd
 * 1".
 */
DVKIT_EMU_API uint32_t dvkit_emu_objects(char *text, size_t size);

/*
 * The way of an Ethernet packet through the flow tables, without sending it: nothing is
 * delivered, no counter changes. The report is a list of steps, each about a table, an entry,
 * or the end of a way; a packet with several destinations has several ends.
 *
 *	ROOT	table 0x3 of NIC_RX			ROOT	table 0x3 of NIC_RX
 *	OTHER	entry 0: does not match			MISS
 *	HIT	entry 1: tag 5, count			DROP	the default of NIC_RX
 *	DEST	a TIR
 *	QUEUE	its RQ, by hash
 *
 * Tables of mlx5dv_dr are entries in memory: a step STE_HIT or STE_MISS for each on the way.
 */
enum dvkit_emu_flow_did {
	DVKIT_EMU_FLOW_REFUSED = 1, /* ends: the port does not take this destination MAC */
	DVKIT_EMU_FLOW_ROCE,	    /* a RoCE v2 packet for this port: RDMA_RX, then the QPs */
	DVKIT_EMU_FLOW_ROOT,	    /* enters the first table of a type */
	DVKIT_EMU_FLOW_OTHER,	    /* an entry of that table that does not match */
	DVKIT_EMU_FLOW_HIT,  /* the entry that counts: the one of lowest index that matches */
	DVKIT_EMU_FLOW_MISS, /* no entry of the table matches */
	DVKIT_EMU_FLOW_CHANGED, /* by the entry: bytes are those after it */
	DVKIT_EMU_FLOW_DEST,	/* goes to a destination of the entry */
	DVKIT_EMU_FLOW_PASS, /* leaves the tables of the type: by an entry, or by their default */
	DVKIT_EMU_FLOW_DROP,  /* ends: by an entry (table is set), or the default of the type */
	DVKIT_EMU_FLOW_LIMIT, /* ends: too many tables */
	DVKIT_EMU_FLOW_QUEUE, /* ends: in an RQ, or with rqn 0 nowhere */
	DVKIT_EMU_FLOW_WIRE,  /* ends: leaves the port */
	DVKIT_EMU_FLOW_QP,    /* ends: goes to the QP that it names */
	DVKIT_EMU_FLOW_STE_HIT,	 /* an entry that software wrote: the packet has its bits */
	DVKIT_EMU_FLOW_STE_MISS, /* … it has not, and goes to the miss address */
};

/* Description of a packet. Members are only added, at the end. */
struct dvkit_emu_flow_packet {
	const void *bytes; /* from the destination MAC on, without FCS */
	size_t len;
	uint32_t device;   /* 0: mlx5_0 */
	bool send;	   /* an SQ sends it; false: it arrives */
	bool local;	   /* it arrives from an SQ of this port */
	bool any_mac;	   /* as if the port were promiscuous */
	uint32_t sqn;	   /* of that SQ; 0: none in particular */
	uint32_t metadata; /* of its WQE: metadata_reg_a */
	uint32_t others;   /* OTHER steps for each table, at most */
};

/* Bits that an entry of software compares: a field of the entry's lookup, or bits of one of its
 * dwords that are in none. Nothing is added to it. */
struct dvkit_emu_flow_bits {
	const char *name;	    /* NULL: bits that have no name */
	uint32_t inner;		    /* 1: of the inner headers */
	uint32_t dword, low, width; /* place in the tag of 16 bytes, or 32 */
	uint32_t mask, value,
		packet; /* from the lowest bit on; of the packet those of the mask */
};

/* Numbers are 0, and pointers NULL, where a step is not about such a thing. Pointers are valid
 * until the callback returns. Members are only added, at the end. */
struct dvkit_emu_flow_step {
	uint32_t did;	     /* DVKIT_EMU_FLOW_* */
	uint32_t table_type; /* PRM_FT_TYPE_* of the tables that the packet is in */
	uint32_t table_id, level, entries;
	/* an entry */
	uint32_t group_id, index;
	uint32_t action; /* PRM_FLOW_CONTEXT_ACTION_* */
	uint32_t source; /* 1: of packets from the wire only, 2: from vports only */
	uint32_t flow_tag, counter_id; /* counter_id: the first */
	uint32_t modify_header_id, packet_reformat_id;
	const uint8_t *mask, *value; /* fte_match_param, 512 bytes each */
	/* the packet */
	const uint8_t *match; /* its fte_match_param, 512 bytes */
	const uint8_t *bytes;
	size_t len;
	/* DEST */
	uint32_t dest_type, dest_id; /* PRM_DEST_TYPE_*; of a TIR, a table, a vport */
	/* QUEUE */
	uint32_t rqn, rq_state;	  /* PRM_RQC_STATE_*: in others than RDY it is dropped */
	uint32_t hash, hash_type; /* hash_type: as in a CQE; 0: no hash */
	bool blocked;		  /* dropped: the TIR blocks what its transport domain sends */
	/* STE_HIT, STE_MISS */
	uint64_t icm_address;
	const uint8_t *ste; /* 64 bytes */
	uint32_t lookup;    /* its number; 0x400 | number of a match definer */
	uint32_t n_bits;    /* 0: every packet hits */
	const struct dvkit_emu_flow_bits *bits;
	const char *why; /* DROP: what is wrong with entries of software; NULL: nothing */
};

/*
 * Calls @step for each step, in order. @packet_size and @step_size are sizeof(struct …): a
 * member that the emulator does not have reads 0, one that the caller does not have is left
 * out. Other functions may be called from @step. Each process has its own tables, so the rules
 * of others are not seen. ENODEV: no such device is open; EINVAL: less than an Ethernet header,
 * or too long; ENOENT: no such SQ; ENOMEM.
 */
DVKIT_EMU_API int
dvkit_emu_flow_trace(const struct dvkit_emu_flow_packet *packet, size_t packet_size,
		     void (*step)(void *ctx, const struct dvkit_emu_flow_step *step),
		     size_t step_size, void *ctx);

/* True: the program runs on the emulator, and the functions above can be called. */
static inline bool dvkit_emu_present(void)
{
	return dvkit_emu_pause != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
