/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload: the libc door. What the launcher and the preloaded library have agreed on.
 *
 *	dvkit-emu -- COMMAND                       COMMAND (libdvkit-emu.so underneath)
 *	  DVKIT_EMU=device=cx5,mtu=1024,…  ----->  the device it opens
 *	  SYSFS_PATH=/tmp/dvkit-emu.…      ----->  what libibverbs discovers
 *
 * Both sides derive the port's addresses from the one IPv4 address, so that the GIDs in the
 * tree and those from the ioctl agree:
 *
 *	192.168.0.1 -> MAC 02:c5:c0:a8:00:01 -> EUI-64 00c5:c0ff:fea8:0001 -> fe80::/64 GID
 *
 * The library's own parts have private headers beside this one; nothing here needs a lock.
 */
#ifndef EMU_PRELOAD_H
#define EMU_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PRELOAD_ENV	 "DVKIT_EMU"
#define PRELOAD_NODE	 "/dev/infiniband/uverbs0"
#define PRELOAD_CM	 "/dev/infiniband/rdma_cm"
#define PRELOAD_MAJOR	 231 /* kernel, uverbs_main.c: IB_UVERBS_MAJOR */
#define PRELOAD_MINOR	 192 /* kernel, uverbs_main.c: IB_UVERBS_BASE_MINOR */
#define PRELOAD_CM_MAJOR 10  /* kernel, <linux/major.h>: MISC_MAJOR */
#define PRELOAD_CM_MINOR 58  /* one of those that misc devices without a number get */

/* How DVKIT_EMU says it: "key=value,key=value". In a value, the bytes , and % and = stand as
 * %2c, %25 and %3d. An absent key keeps its default. */
struct preload_options {
	char device[32];  /* device=cx5 */
	char image[1024]; /* image=/absolute/path of a struct fw_image; in place of device */
	uint32_t mtu;	  /* mtu=1024: active path MTU */
	uint32_t ipv4;	  /* ip=192.168.0.1, here in host order */
	char fabric[33];  /* fabric=0 */
	uint32_t trace;	  /* trace=0x3: a core_trace_mask */
	char trace_file[1024]; /* trace_file=/absolute/path; empty: standard error */
	char pcap[1024];       /* pcap=/absolute/path; empty: none */
	bool check;	       /* check=1 */
	bool no_memlock;       /* memlock=0 */
};

/* A locally administered address (IEEE 802, U/L bit) that carries the IPv4 address. */
static inline void preload_mac(uint32_t ipv4, uint8_t mac[6])
{
	mac[0] = 0x02;
	mac[1] = 0xc5;
	mac[2] = ipv4 >> 24;
	mac[3] = ipv4 >> 16;
	mac[4] = ipv4 >> 8;
	mac[5] = ipv4;
}

/* The modified EUI-64 of a MAC (RFC 4291, appendix A): interface id and node GUID. */
static inline uint64_t preload_guid(const uint8_t mac[6])
{
	return (uint64_t)(mac[0] ^ 0x02) << 56 | (uint64_t)mac[1] << 48 |
	       (uint64_t)mac[2] << 40 | 0xfffe000000ull | (uint64_t)mac[3] << 16 |
	       (uint64_t)mac[4] << 8 | mac[5];
}

#endif
