/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One ioctl of the fuzzer: which method, and the application's side of it.
 *
 *	target: object + method, or a number of INVOKE_WRITE
 *	calls.c: a call that fits the target's specs -> content.c: the contents of its inputs
 *	                                                content_devx.c: in those of DevX
 */
#ifndef TEST_FUZZ_CALL_H
#define TEST_FUZZ_CALL_H

#include <rdma/rdma_user_ioctl_cmds.h>

#include "fuzz.h"
#include "uverbs/method.h"

#define CLIENT_FDS 128

/* An open file, and the descriptors that it was given. */
struct client {
	struct adapter *a;
	struct uverbs_file *f;
	int fd[CLIENT_FDS];
	unsigned int fds;
	bool devx; /* its contexts have a uid */
};

struct target {
	const struct uverbs_method *m;
	bool is_write;
	uint32_t cmd; /* of INVOKE_WRITE */
};

/* The structs of a write command as the ABI has them; zeros if it has none. */
struct write_size {
	uint32_t cmd;
	uint16_t in, out;
};
struct write_size content_size(uint32_t cmd);

/* A handle of the objects that @object's methods take; a wrong one if there is none. */
uint32_t content_handle(const struct client *s, uint16_t object);

/* The handle that the latest attribute of this call has. */
uint64_t call_handle(void);

/* Length and content of an input that the handler likes. @buf has CONTENT_MAX bytes. */
#define CONTENT_MAX 512
size_t content_in(const struct client *s, const struct target *t,
		  const struct uverbs_attr_spec *spec, uint8_t *buf);
/* Like it, of the methods of DevX; 0: this is not one of their inputs. */
size_t content_devx(const struct client *s, const struct target *t,
		    const struct uverbs_attr_spec *spec, uint8_t *buf);
/* Length of an output. */
size_t content_out(const struct target *t, const struct uverbs_attr_spec *spec);

#endif
