/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options: what the launcher and the preloaded library agree on.
 *
 *	dvkit-emu -- COMMAND                       COMMAND (libdvkit-emu.so preloaded)
 *	  DVKIT_EMU=device=cx5,mtu=1024,…  ----->  the device it opens
 *	  SYSFS_PATH=/tmp/dvkit-emu.…      ----->  what libibverbs discovers
 *
 * Both sides derive the port's addresses from the one IPv4 address, so that the GIDs in the
 * tree and those from the ioctl agree:
 *
 *	192.168.0.1 -> MAC 02:c5:c0:a8:00:01 -> EUI-64 00c5:c0ff:fea8:0001 -> fe80::/64 GID
 *	               02:d5:c0:a8:00:01: the function of a DPU's own processors
 *
 * Nothing here has state or needs a lock.
 */
#ifndef EMU_OPTIONS_H
#define EMU_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/kernel.h"

#define OPTIONS_ENV "DVKIT_EMU"

/* The character devices: in the tree, and as the preloaded library shows them. */
#define OPTIONS_UVERBS	     "/dev/infiniband/uverbs" /* and the number of the function */
#define OPTIONS_UVERBS_MAJOR 231 /* kernel, uverbs_main.c: IB_UVERBS_MAJOR */
#define OPTIONS_UVERBS_MINOR 192 /* of the first; kernel, uverbs_main.c: IB_UVERBS_BASE_MINOR */
#define OPTIONS_CM	     "/dev/infiniband/rdma_cm"
#define OPTIONS_CM_MAJOR     10 /* kernel, <linux/major.h>: MISC_MAJOR */
#define OPTIONS_CM_MINOR     58 /* one of those that misc devices without a number get */
#define OPTIONS_FWCTL	     "/dev/fwctl/fwctl" /* and the number of the function */
#define OPTIONS_FWCTL_MAJOR \
	511 /* kernel, <linux/fs.h>: one of those that are assigned on demand */

#define OPTIONS_IPS	     16
#define OPTIONS_ADDRESSES    (1 + OPTIONS_IPS) /* of a port: also the link-local one of its MAC */
#define OPTIONS_ADDRESS_TEXT 46
#define OPTIONS_WIRE_TEXT    1024

/* The network interface by which RoCE frames leave (--wire udp). */
struct options_wire {
	char netdev[16]; /* empty: there is none, the fabric is the network */
	uint8_t mac[6];	 /* zero: it has none */
	uint32_t mtu;
	unsigned int nips;
	uint8_t ip[OPTIONS_IPS][16]; /* as GIDs, IPv4 as ::ffff:a.b.c.d; the chosen one first */
};

/* DVKIT_EMU is "key=value,key=value". In a value, the bytes , and % and = are written %2c, %25
 * and %3d. A key that is absent keeps its default. The rows say what each member is. */
struct options {
#define OPTION_KEY(member, type, ...) __typeof__(type) member;
#define OPTION_FLAG(member, ...)      bool member;
#include "options/option.def"
};

/* The functions that a process has, of a device with two. */
enum options_as {
	OPTIONS_AS_BOTH,
	OPTIONS_AS_HOST,
	OPTIONS_AS_DPU,
};

/* The network interface of a function. */
static inline const char *options_netdev_of(const struct options *o, unsigned int function)
{
	if (*o->netdev[function])
		return o->netdev[function];
	return *o->wire.netdev ? o->wire.netdev : "lo";
}

#define OPTIONS_FUNCTIONS 2 /* of a process, at most */

enum options_fault_kind {
#define OPTION_FAULT(KIND, name, help) OPTIONS_##KIND,
#include "options/option.def"
	OPTIONS_FAULT_KINDS,
};

/* A fault of the link: which frames it can have, and how often. */
struct options_fault {
	uint8_t kind;  /* enum options_fault_kind */
	bool tx, rx;   /* frames that are sent, those that arrive */
	bool ethernet; /* Ethernet frames that are not of RoCE QPs */
	bool queue;    /* OPTIONS_ECN: frames whose receiver has not read all before them */
	uint32_t operations; /* of RoCE: bit N is operation N of the BTH, or OPTIONS_CNP */
	uint64_t chance;     /* of 2^32 frames */
	uint64_t seed;
	uint32_t delay_us;
};

#define OPTIONS_CNP	 29   /* an operation that no service has */
#define OPTIONS_FAULTS	 16   /* at most */
#define OPTIONS_DELAY_US 1000 /* where the text has no time */

/* Faults from text, "drop=5%:7;delay=0.1:tx:read_response:2ms" (dvkit-emu(1)): how many, or -1
 * for text that is not such a list. */
int options_faults(const char *text, struct options_fault faults[OPTIONS_FAULTS]);

void options_default(struct options *o);

/* How many functions a process has; @dpu: does its device have two? The first is mlx5_0. */
static inline unsigned int options_functions(uint8_t as, bool dpu)
{
	return dpu && as == OPTIONS_AS_BOTH ? OPTIONS_FUNCTIONS : 1;
}

/* Is @function that of the DPU's processors? */
static inline bool options_is_dpu(uint8_t as, unsigned int function)
{
	return as == OPTIONS_AS_DPU || function == 1;
}

/* Parses @text over the defaults. Strict: an unknown key, a value out of range and a key given
 * twice are refused. False: the reason in @why, @len bytes. */
bool options_parse(struct options *o, const char *text, char *why, size_t len);

/* The text that options_parse() reads back as @o; false: @size is too small. */
bool options_format(const struct options *o, char *text, size_t size);

/* Sets the option of one key that exists. False: @text is not a value of it. */
bool options_take(struct options *o, const char *key, const char *text);

/* The name of an interface. */
bool options_tap(const char *text);
/* One name, or two with @separator between. */
bool options_netdev(const char *text, char separator, char names[2][16]);

/* An IPv4 or IPv6 address as GID; false: @text is not one. */
bool options_address(const char *text, uint8_t ip[16]);
void options_address_text(const uint8_t ip[16], char text[OPTIONS_ADDRESS_TEXT]);
/* The value of key wire, and back. False: @text is not one. */
bool options_wire(const char *text, struct options_wire *w);
void options_wire_text(const struct options_wire *w, char text[OPTIONS_WIRE_TEXT]);
/* The first IPv4 address of the interface; 0: it has none. */
uint32_t options_wire_ipv4(const struct options_wire *w);

/* Why it cannot be used. */
#define OPTIONS_WIRE_EPERM \
	"raw and packet sockets need CAP_NET_RAW: run dvkit-emu as root, or in a user namespace"
#define OPTIONS_WIRE_EADDRINUSE \
	"UDP port 4791 of the address is in use: by Soft-RoCE (rdma link), or by another user's dvkit-emu"

/* The MAC and the addresses of a port; each address is two GIDs, of RoCE v1 and v2. The first
 * one is the link-local address that the MAC makes (ib_core, roce_gid_mgmt.c: the default GID).
 * @dpu: of the function of a DPU's own processors. */
void options_port_mac(const struct options *o, bool dpu, uint8_t mac[6]);
unsigned int options_addresses(const struct options *o, bool dpu,
			       uint8_t ip[OPTIONS_ADDRESSES][16]);

/* A locally administered address (IEEE 802, U/L bit) that carries the IPv4 address; @dpu: of
 * the function of a DPU's own processors. */
static inline void options_mac(uint32_t ipv4, bool dpu, uint8_t mac[6])
{
	mac[0] = 0x02;
	mac[1] = dpu ? 0xd5 : 0xc5;
	mac[2] = ipv4 >> 24;
	mac[3] = ipv4 >> 16;
	mac[4] = ipv4 >> 8;
	mac[5] = ipv4;
}

/* The modified EUI-64 of a MAC (RFC 4291, appendix A): interface id and node GUID. */
static inline uint64_t options_guid(const uint8_t mac[6])
{
	return (uint64_t)(mac[0] ^ 0x02) << 56 | (uint64_t)mac[1] << 48 |
	       (uint64_t)mac[2] << 40 | 0xfffe000000ull | (uint64_t)mac[3] << 16 |
	       (uint64_t)mac[4] << 8 | mac[5];
}

#endif
