/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread makes and destroys rules for datagrams to port 1001, by three back ends, another
 * sends datagrams to ports 1000, 1001 and 1002. Whatever the rules are at a moment, those to
 * 1000 and 1002 all arrive, in order and unchanged.
 *
 * A plain program with an exit status, since Criterion does not start under ThreadSanitizer
 * (DVKIT_SANITIZE=thread).
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ethernet.h"

enum { ROUNDS = 100, ROUND = 20, FIRST = 1000, CHANGING = 1001, LAST = 1999 };

/* Two contexts of one device: no queue receives what a queue of the same context (transport
 * domain) sends. */
static struct ethernet from, to;
static struct device a, b;
static atomic_bool done;
static unsigned int changes;

static void change(const char *backend, const char *text)
{
	const struct dv_flow_targets targets = { .qp = (struct ibv_qp *const[]){ to.qp },
						 .n_qp = 1 };
	struct dv_flow_rule rule;
	struct dv_flow_error error;
	struct dv_flow_port *port;
	struct dv_flow *flow;

	if (dv_flow_parse(&rule, text, &error) ||
	    dv_flow_open(&port, b.ctx, backend, &targets, &error) ||
	    dv_flow_create(&flow, port, &rule, &error))
		errx(1, "%s: %s: %s", backend, text, error.message);
	if (changes % 2)
		ok(dv_flow_destroy(flow));
	dv_flow_close(port);
	changes++;
}

static void *change_rules(void *unused)
{
	while (!atomic_load(&done)) {
		change("verbs", "ingress pattern eth / ipv4 / udp dst is 1001 / end "
				"actions count / drop / end");
		change("kernel",
		       "ingress pattern eth / ipv4 / udp dst is 1001 / end "
		       "actions tag value 7 / set_ttl ttl_value 3 / queue index 0 / end");
		change("devx", "ingress pattern eth / ipv4 / udp dst is 1001 / end "
			       "actions set_tp_dst port 1003 / count / queue index 0 / end");
	}
	return unused;
}

static void send_to(uint16_t port, uint32_t number)
{
	struct packet p = { IPPROTO_UDP, "192.0.2.1", "192.0.2.2", 9000, port, 18 };
	uint32_t len = ethernet_frame(from.frame, from.mac, to.mac, &p);

	memcpy(ethernet_payload(from.frame), &number, sizeof(number));
	ethernet_send(&from, len);
}

/* The next packet: its port and number. */
static uint16_t receive(uint32_t *number)
{
	uint8_t *packet;
	const struct mlx5_cqe64 *cqe = ethernet_receive(&to, &packet);
	uint16_t port = (uint16_t)(packet[36] << 8 | packet[37]);

	memcpy(number, ethernet_payload(packet), sizeof(*number));
	ethernet_receive_end(&to, cqe);
	return port;
}

static void round_of(uint32_t first)
{
	uint32_t number, next = first;
	uint16_t port;

	for (uint32_t i = 0; i < ROUND; i++)
		send_to((uint16_t)(FIRST + i % 3), first + i);
	send_to(LAST, 0);
	while ((port = receive(&number)) != LAST) {
		if (port == CHANGING || port == 1003)
			continue;
		if ((next - first) % 3 == 1) /* to the port whose rules change */
			next++;
		if (number != next || port != FIRST + (next - first) % 3)
			errx(1, "packet %u of port %u arrived where %u was next", number, port,
			     next);
		next++;
	}
	if (next < first + ROUND - 1)
		errx(1, "packet %u did not arrive", next);
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv, "Rules change while packets arrive");
	struct dv_flow_port *rules;
	pthread_t thread;

	a = device_open(o);
	b = device_open(o);
	ethernet_open(&from, &a);
	ethernet_open(&to, &b);
	rules = ethernet_rules(&to, &b);
	rule(rules,
	     "ingress priority 5 pattern eth / ipv4 / udp / end actions queue index 0 / end");
	ok(pthread_create(&thread, NULL, change_rules, NULL));
	for (uint32_t i = 0; i < ROUNDS; i++)
		round_of(i * ROUND);
	atomic_store(&done, true);
	ok(pthread_join(thread, NULL));
	printf("%d packets, %u rules\n", ROUNDS * ROUND, changes);
	if (!changes)
		errx(1, "no rule was made");
	dv_flow_close(rules);
	ethernet_close(&to);
	ethernet_close(&from);
	device_close(&b);
	device_close(&a);
	return 0;
}
