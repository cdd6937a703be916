/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of host_dpu_dma.c beside its topic: its options, messages over TCP, contents and
 * their sums, and what it prints during a long run. */
#ifndef SAMPLES_TRANSFER_H
#define SAMPLES_TRANSFER_H

#include <stdbool.h>
#include "common.h"

enum {
	EXIT_PEER = 3, /* the other side ended, or its memory cannot be reached any more */
};

enum command {
	BOTH,
	EXPORT,
	IMPORT,
};

struct transfer_options {
	struct options o; /* host: of IMPORT; device: of BOTH the exporter's */
	enum command command;
	const char *importer; /* the device of BOTH that imports */
	uint64_t size;	      /* bytes of the exported memory */
	uint64_t chunk;
	int iterations, depth;
};

struct transfer_options transfer_options_parse(int argc, char **argv);

/* False: the peer has closed the connection. */
bool send_all(int fd, const void *message, size_t size);
bool receive_all(int fd, void *message, size_t size);

/* Contents: @seed decides all bytes. */
void fill(uint8_t *memory, uint64_t size, uint64_t seed);

/* 64 bits that differ if a byte does, or its position. Not for protection against others. */
uint64_t sum_of(const uint8_t *memory, uint64_t size);

/* A number, different each time. */
uint64_t random_below(uint64_t *state, uint64_t limit);

double seconds_now(void);

/* Says on stderr, once per second, what part of @size bytes is done since @start. */
struct progress {
	const char *what;
	uint64_t size;
	double start, shown;
};

struct progress progress_start(const char *what, uint64_t size);
void progress_show(struct progress *p, uint64_t done);
/* The end: GB/s. */
double progress_end(struct progress *p);

#endif
