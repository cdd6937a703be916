/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all samples, and not their subject: options, a device, two connected QPs by plain
 * verbs, and an exit on every error; with the headers that this takes. */
#ifndef SAMPLES_COMMON_H
#define SAMPLES_COMMON_H

#include <argp.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <dv/endpoint.h>
#include <dv/map.h>
#include <dv/post.h>
#include <dv/print.h>
#include <dv/reason.h>

struct options {
	const char *device; /* NULL: the first mlx5 device */
	int port;
	int gid_index;	      /* DV_GID_DEFAULT: chosen by device_open() */
	int tcp_port;	      /* the last two for samples with two ends */
	const char *host;     /* NULL: be the server */
	const char *emulated; /* NULL, or "OPTION ", what dvkit-emu has to emulate */
};

struct device {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_port_attr attr;
	uint8_t port, gid_index;
	union ibv_gid gid;
};

/* -d, -i and -x; with two ends also -p and HOST. */
struct options options_parse(int argc, char **argv, const char *doc);
struct options options_parse_two_ends(int argc, char **argv, const char *doc);

/* For samples with more options: these three, as a child whose input is a struct options; and
 * the value of option -@name, between @low and @high, or the end of the program. */
extern const struct argp options_argp;
int option_number(int name, const char *arg, int low, int high);

/* Opens the device and a PD on it, or exits and says how to run without one. */
struct device device_open(struct options o);
void device_close(struct device *dev);

/* An RC QP of 64 sends and receives; what its peer has to know of it; and two QPs of one device
 * connected to each other. */
struct ibv_qp *qp_create(struct device *dev, struct ibv_cq *cq);
struct dv_endpoint qp_endpoint(const struct device *dev, const struct ibv_qp *qp);
void qp_connect_pair(const struct device *dev, struct ibv_qp *a, struct ibv_qp *b);

/* A UD QP of 16 sends and receives, ready for both: it needs a Q_Key, and no peer. */
struct ibv_qp *qp_create_ud(struct device *dev, struct ibv_cq *cq, uint32_t qkey);

/* Two QPs of one device with a CQ each, connected to each other. */
struct pair {
	struct ibv_cq *a_cq, *b_cq;
	struct ibv_qp *a, *b;
};

struct pair pair_create(struct device *dev);
void pair_destroy(struct pair *p);

/* The last WQE committed, of a queue of RC, UD or XRC, and a CQE, a field a line. */
void show_wqe(const char *title, const struct dv_sq *sq);
void show_ud_wqe(const char *title, const struct dv_sq *sq);
void show_xrc_wqe(const char *title, const struct dv_sq *sq);
void show_cqe(const char *title, const struct mlx5_cqe64 *cqe);

/* Ends the program with the message that it waited for @event, unless called again within
 * @seconds. */
void deadline(unsigned int seconds, const char *event);

/* Polls until there is a CQE, for 10 seconds at most, and shows it. */
const struct mlx5_cqe64 *cqe_wait(struct dv_cq *cq, const char *title);

/* For calls that return 0 or an errno value: of libibverbs, of dvkit; and for those that return
 * a pointer. */
#define ok(call)   zero_or_exit((call), #call)
#define must(call) zero_or_reason((call), #call)
#define made(call) made_or_exit((call), #call)

static inline void zero_or_exit(int error, const char *call)
{
	if (error)
		errx(1, "%.*s: %s", (int)strcspn(call, "("), call,
		     strerror(error > 0 ? error : errno));
}

static inline void zero_or_reason(int error, const char *call)
{
	if (error)
		errx(1, "%.*s: %s", (int)strcspn(call, "("), call, dv_reason());
}

static inline void *made_or_exit(void *object, const char *call)
{
	if (!object)
		err(1, "%.*s", (int)strcspn(call, "("), call);
	return object;
}

#endif
