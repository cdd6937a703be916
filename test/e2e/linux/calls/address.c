/* SPDX-License-Identifier: BSD-2-Clause */
/* Address handles. */
#include "calls.h"

struct bad {
	const char *name;
	size_t at, size;
	uint32_t value;
};

#define BAD(member, value)                                                \
	{                                                                 \
#member "=" #value, offsetof(struct ibv_ah_attr, member), \
			sizeof(((struct ibv_ah_attr *)0)->member), value  \
	}

static const struct bad values[] = { BAD_ADDRESSES(BAD) };

static const struct destination {
	const char *name;
	uint8_t raw[16];
} destinations[] = {
	{ "zero", { 0 } },
	{ "loopback", { [15] = 1 } },
	{ "multicast", { 0xff, 0x0e, [15] = 1 } },
	{ "multicast-link", { 0xff, 0x02, [15] = 1 } },
	{ "ipv4-multicast", { [10] = 0xff, 0xff, 224, 1, 1, 1 } },
	{ "ipv4-self", { [10] = 0xff, 0xff, 192, 168, 0, 1 } },
	{ "ipv4-loopback", { [10] = 0xff, 0xff, 127, 0, 0, 1 } },
	{ "ipv4-broadcast", { [10] = 0xff, 0xff, 192, 168, 0, 255 } },
};

static struct ibv_ah_attr attributes(void)
{
	return (struct ibv_ah_attr){ .grh = { .dgid = bench.gid, .hop_limit = 64 },
				     .is_global = 1,
				     .port_num = 1 };
}

/* The UDP port is in rlid; it is random without a flow label. */
static void put_vector(struct ibv_ah *ah, bool any_port)
{
	struct mlx5dv_ah dv = { 0 };
	struct mlx5dv_obj obj = { .ah = { ah, &dv } };

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH))
		return;
	if (any_port)
		dv.av->rlid = 0;
	put("vector=");
	for (size_t i = 0; i < sizeof(*dv.av); i++)
		printf("%02x", ((const uint8_t *)dv.av)[i]);
}

static void create(struct ibv_ah_attr *a, const char *what, unsigned int sgid)
{
	struct ibv_ah *ah =
		MADE(ibv_create_ah(bench.pd, a), "ibv_create_ah %s sgid=%u", what, sgid);

	if (!ah)
		return;
	put_vector(ah, !a->grh.flow_label);
	DONE(ibv_destroy_ah(ah), "ibv_destroy_ah");
}

void address_calls(void)
{
	struct ibv_ah_attr a = attributes();

	create(&a, "self", 0);
	for (size_t i = 0; i < COUNT(values); i++) {
		a = attributes();
		memcpy((char *)&a + values[i].at, &values[i].value, values[i].size);
		create(&a, values[i].name, a.grh.sgid_index);
	}
	for (size_t i = 0; i < COUNT(destinations); i++)
		for (uint8_t sgid = 0; sgid < 4; sgid++) {
			a = attributes();
			memcpy(a.grh.dgid.raw, destinations[i].raw, 16);
			a.grh.sgid_index = sgid;
			create(&a, destinations[i].name, sgid);
		}
}
