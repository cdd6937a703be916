/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in hex as programs print them.
 *
 *	05000000 0000001a		hex digits, in words or not, "0x" or not
 *	0040: 05000000 001c: 12		dvfw and the PRM: an offset, a colon
 *	00000040: 0500 0000  ....	xxd; print_hex_dump() of the kernel; rte_hexdump() of DPDK
 *	00000040  05 00 00 00  |....|	hexdump -C, od -A x -t x1
 *	0000100 05 00 00 00		od -t x1: octal offsets
 *	0000040 0005 0000		hexdump: words of 16 bits in the byte order of x86
 *	[  12.345678] 00000040: 05 00	any of them after what dmesg, journal and syslog begin a line with
 *
 * What is left out between two offsets is zero; a line of "*" repeats the line before it; "#" begins a
 * comment.
 */
#ifndef DVFW_DUMP_H
#define DVFW_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a text is no dump, counted from 1, and why. */
struct dump_error {
	unsigned int line, character;
	const char *why;
};

/* False: *e says where and why; it may be NULL. */
bool dump_parse(const char *text, size_t length, uint8_t *bytes, size_t size, size_t *n,
		struct dump_error *e);

/* Bytes at the beginning of a line that are a log's, not the message's: time, host, "kernel:", the
 * device that dev_info() and ibdev_info() name. */
size_t dump_log_prefix(const char *line, size_t length);

#endif
