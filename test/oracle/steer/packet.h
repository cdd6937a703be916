/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets out of few addresses and ports, so that rules made of one match others. */
#ifndef ORACLE_STEER_PACKET_H
#define ORACLE_STEER_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"

#define PACKET_MAX 256

struct packet {
	uint8_t bytes[PACKET_MAX];
	size_t len;
};

void packet_random(struct packet *p, struct random *r);

#endif
