/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine with one adapter, in place of the kernel, libibverbs and the commands of libdvkit.
 * Each call is written down, and one of them may fail.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <infiniband/mlx5dv.h>

#include "base/base.h"
#include "devx/caps.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* A function in place of another, of one expression. */
#define FAKE(type, name, parameters, ...) \
	type name parameters              \
	{                                 \
		return __VA_ARGS__;       \
	}

struct machine {
	const char *fails;  /* this call ... */
	unsigned int after; /* ... after so many that succeed */
	int err;
	int made;	  /* objects that exist */
	char calls[4096]; /* "ibv_alloc_pd ibv_reg_mr " */
	/* the kernel */
	const char *release;
	long page;
	unsigned long memlock;
	bool alien; /* the first device is no mlx5 one and nothing else is there */
	struct ibv_port_attr port[2];
	uint64_t gid[2]; /* halves of the last of each port */
	const char *firmware;
	uint8_t caps[2][DEVX_CAPS_BYTES]; /* GENERAL, GENERAL_2 */
	uint8_t counted; /* the lower half of the first counter of QUERY_VPORT_COUNTER, QUERY_VNIC_ENV */
	/* commands: what is sent, what is answered */
	int (*command)(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len);
	struct devx_error error;
	/* fwctl */
	unsigned int scopes; /* that the driver passes the command in, a bit each */
	uint32_t type;
};

extern struct machine machine;
extern struct ibv_context *const machine_context;

/* A machine on which all is well, and the files of /sys, /dev/fwctl and /proc in a folder. */
void machine_begin(void);
void machine_end(void);
/* Writes down a call; whether it is the one that fails, with errno. */
bool machine_fails(const char *call);
/* A file of it; NULL: it is removed. */
void machine_file(const char *path, const char *text);
int machine_descriptors(void);
int machine_errno(const char *name);

/* Runs a subcommand with these options; @text: what it prints to standard output, then to
 * standard error. */
int machine_run(int (*run)(struct dvfw *, int, char **), struct dvfw *d, const char *options,
		char *text, size_t size);

#endif
