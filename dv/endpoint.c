/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of a QP for its peer (endpoint.h): collected, as a record, and over a
 * socket. */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <dv/endpoint.h>

#include "refuse.h"

enum {
	VERSION = 1,
	MOST_24_BITS = 0xffffff,
	MOST_RD_ATOMIC = 255,
};

static const uint8_t magic[4] = { 'd', 'v', 'e', 'p' };

/* A record, byte for byte. */
struct record {
	uint8_t magic[4];
	uint8_t version, qp_type, link_layer, mtu;
	uint8_t qpn[4], psn[4];
	uint8_t gid[16];
	uint8_t lid[2];
	uint8_t gid_type, rd_atomic;
	uint8_t reserved[4];
};

_Static_assert(sizeof(struct record) == DV_ENDPOINT_BYTES, "record");

/* ---- collected ---- */

static int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	return dv_refused_by("ibv_query_port", ibv_query_port(ctx, port, attr));
}

static bool is_zero(const union ibv_gid *gid)
{
	return !gid->global.subnet_prefix && !gid->global.interface_id;
}

/* As perftest chooses: version 2 before 1, then IPv4-mapped before others. */
static int best_gid(struct ibv_context *ctx, uint8_t port, int n, uint8_t *index)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entry;
	int score, best = -1;

	for (int i = 0; i < n && i <= UINT8_MAX; i++) {
		if (ibv_query_gid_ex(ctx, port, (uint32_t)i, &entry, 0) || is_zero(&entry.gid))
			continue;
		score = (entry.gid_type == IBV_GID_TYPE_ROCE_V2) * 2 +
			!memcmp(entry.gid.raw, v4, sizeof(v4));
		if (score <= best)
			continue;
		best = score;
		*index = (uint8_t)i;
	}
	return best < 0 ? dv_refuse(ENOENT, "port %u has no GID", port) : 0;
}

int dv_gid_default(uint8_t *index, struct ibv_context *ctx, uint8_t port)
{
	struct ibv_port_attr attr;
	int err = query_port(ctx, port, &attr);

	*index = 0;
	if (err || attr.link_layer != IBV_LINK_LAYER_ETHERNET)
		return err;
	return best_gid(ctx, port, attr.gid_tbl_len, index);
}

static uint8_t at_most_255(int n)
{
	return (uint8_t)(n > MOST_RD_ATOMIC ? MOST_RD_ATOMIC : n);
}

static int fill_limits(struct dv_endpoint *ep, struct ibv_context *ctx)
{
	struct ibv_device_attr attr;
	int err = dv_refused_by("ibv_query_device", ibv_query_device(ctx, &attr));

	if (err)
		return err;
	ep->rd_atomic = at_most_255(attr.max_qp_rd_atom);
	ep->init_rd_atomic = at_most_255(attr.max_qp_init_rd_atom);
	return 0;
}

static int fill_gid(struct dv_endpoint *ep, struct ibv_context *ctx, int gid_index)
{
	struct ibv_gid_entry entry;
	int err = 0;

	ep->gid_index = (uint8_t)gid_index;
	if (gid_index < 0)
		err = dv_gid_default(&ep->gid_index, ctx, ep->port);
	if (err)
		return err;
	if (gid_index > UINT8_MAX ||
	    ibv_query_gid_ex(ctx, ep->port, ep->gid_index, &entry, 0) || is_zero(&entry.gid))
		return dv_refuse(ENOENT, "port %u has no GID with index %d", ep->port,
				 gid_index < 0 ? ep->gid_index : gid_index);
	ep->gid = entry.gid;
	ep->gid_type = (uint8_t)entry.gid_type;
	return 0;
}

static uint32_t random_psn(void)
{
	uint32_t psn = 0;

	if (getrandom(&psn, sizeof(psn), GRND_NONBLOCK) != sizeof(psn))
		psn = (uint32_t)(uintptr_t)&psn; /* the kernel has no random numbers yet */
	return psn & MOST_24_BITS;
}

int dv_endpoint_fill(struct dv_endpoint *ep, struct ibv_context *ctx, enum ibv_qp_type type,
		     uint32_t qpn, uint8_t port, int gid_index)
{
	struct ibv_port_attr attr;
	int err = query_port(ctx, port, &attr);

	if (err)
		return err;
	if (attr.state != IBV_PORT_ACTIVE)
		return dv_refuse(ENETDOWN, "port %u is not active", port);
	*ep = (struct dv_endpoint){ .qpn = qpn,
				    .psn = random_psn(),
				    .lid = attr.lid,
				    .qp_type = (uint8_t)type,
				    .link_layer = attr.link_layer,
				    .mtu = (uint8_t)attr.active_mtu,
				    .port = port };
	if (ep->link_layer == IBV_LINK_LAYER_UNSPECIFIED)
		ep->link_layer = IBV_LINK_LAYER_INFINIBAND;
	err = fill_gid(ep, ctx, gid_index);
	return err ? err : fill_limits(ep, ctx);
}

int dv_endpoint_init(struct dv_endpoint *ep, const struct ibv_qp *qp, uint8_t port,
		     int gid_index)
{
	return dv_endpoint_fill(ep, qp->context, qp->qp_type, qp->qp_num, port, gid_index);
}

/* ---- a record ---- */

static void put32(uint8_t at[4], uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static uint32_t get32(const uint8_t at[4])
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return be32toh(v);
}

void dv_endpoint_pack(uint8_t record[DV_ENDPOINT_BYTES], const struct dv_endpoint *ep)
{
	struct record r = { .version = VERSION,
			    .qp_type = ep->qp_type,
			    .link_layer = ep->link_layer,
			    .mtu = ep->mtu,
			    .lid = { (uint8_t)(ep->lid >> 8), (uint8_t)ep->lid },
			    .gid_type = ep->gid_type,
			    .rd_atomic = ep->rd_atomic };

	memcpy(r.magic, magic, sizeof(magic));
	memcpy(r.gid, ep->gid.raw, sizeof(r.gid));
	put32(r.qpn, ep->qpn & MOST_24_BITS);
	put32(r.psn, ep->psn & MOST_24_BITS);
	memcpy(record, &r, sizeof(r));
}

static bool is_record(const struct record *r)
{
	static const uint8_t zeros[16];
	bool ethernet = r->link_layer == IBV_LINK_LAYER_ETHERNET;

	return !memcmp(r->magic, magic, sizeof(magic)) && r->version == VERSION &&
	       (ethernet || r->link_layer == IBV_LINK_LAYER_INFINIBAND) &&
	       r->mtu >= IBV_MTU_256 && r->mtu <= IBV_MTU_4096 &&
	       r->gid_type <= IBV_GID_TYPE_ROCE_V2 &&
	       (r->gid_type != IBV_GID_TYPE_IB) == ethernet &&
	       (!ethernet || memcmp(r->gid, zeros, sizeof(zeros)) != 0) && !r->qpn[0] &&
	       !r->psn[0] && !memcmp(r->reserved, zeros, sizeof(r->reserved));
}

int dv_endpoint_unpack(struct dv_endpoint *ep, const void *record, size_t len)
{
	struct record r;

	if (len < sizeof(r))
		return dv_refuse(EPROTO, "a record of %zu bytes, not %zu", len, sizeof(r));
	memcpy(&r, record, sizeof(r));
	if (!is_record(&r))
		return dv_refuse(EPROTO, "not a record of an endpoint of version %d", VERSION);
	*ep = (struct dv_endpoint){ .qpn = get32(r.qpn),
				    .psn = get32(r.psn),
				    .lid = (uint16_t)(r.lid[0] << 8 | r.lid[1]),
				    .qp_type = r.qp_type,
				    .link_layer = r.link_layer,
				    .mtu = r.mtu,
				    .gid_type = r.gid_type,
				    .rd_atomic = r.rd_atomic };
	memcpy(ep->gid.raw, r.gid, sizeof(r.gid));
	return 0;
}

/* ---- over a socket ---- */

int dv_endpoint_send(int fd, const struct dv_endpoint *ours)
{
	uint8_t record[DV_ENDPOINT_BYTES];
	size_t done = 0;
	ssize_t n;

	dv_endpoint_pack(record, ours);
	while (done < sizeof(record)) {
		n = send(fd, record + done, sizeof(record) - done, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return dv_refused_by("send", errno == EPIPE ? ECONNRESET : errno);
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int dv_endpoint_recv(int fd, struct dv_endpoint *theirs)
{
	uint8_t record[DV_ENDPOINT_BYTES];
	size_t done = 0;
	ssize_t n;

	while (done < sizeof(record)) {
		n = recv(fd, record + done, sizeof(record) - done, 0);
		if (!n)
			return dv_refuse(ECONNRESET, "the peer closed the connection");
		if (n < 0 && errno != EINTR)
			return dv_refused_by("recv", errno);
		done += n > 0 ? (size_t)n : 0;
	}
	return dv_endpoint_unpack(theirs, record, sizeof(record));
}

/* Both sides send first: a record fits the buffer of any socket. */
int dv_endpoint_exchange(int fd, const struct dv_endpoint *ours, struct dv_endpoint *theirs)
{
	int err = dv_endpoint_send(fd, ours);

	return err ? err : dv_endpoint_recv(fd, theirs);
}
