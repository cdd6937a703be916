/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steering differential: for random flow tables and packets, the rule that the emulator
 * finds must be the first, by index, whose filter compiled by libpcap accepts the packet.
 *
 *	oracle_steer [--count PAIRS] [--seed S]			flow tables of firmware
 *	dvkit-emu -- oracle_steer_dr [--count PAIRS] [--seed S]	tables of mlx5dv_dr
 *
 * A pair is a table and a packet. Values are taken from packets of the same table, with a bit
 * changed now and then, so that most packets match an entry.
 */
#include <err.h>
#include <getopt.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "filter.h"
#include "packet.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define PACKETS 200 /* of a table */

struct rule {
	uint32_t index;
	char text[8192];
	struct bpf_program program;
};

static struct {
	struct random random;
	uint64_t seed, pairs, hits, tables;
	struct packet packet[PACKETS];
	struct rule rule[RULES_MAX];
	uint32_t rules;
	int64_t met; /* index of the rule; NO_RULE */
} run;

/* One to four fields; of each all bits, or some. */
static void random_mask(uint8_t *mask)
{
	uint32_t n = 1 + random_below(&run.random, 4);

	memset(mask, 0, HCA_MATCH_SIZE);
	while (n--) {
		const struct field *f = &fields[random_below(&run.random, field_count)];
		uint32_t bits =
			random_once_in(&run.random, 3) ? random_32(&run.random) : UINT32_MAX;

		prm_store(mask, f->bit, f->width, bits);
	}
}

static void random_value(uint8_t *value, const uint8_t *mask)
{
	const struct packet *from = &run.packet[random_below(&run.random, PACKETS)];
	const struct steer_packet p = { .bytes = from->bytes, .len = from->len };
	struct steer_headers h;

	if (!steer_parse(&h, p.bytes, p.len))
		errx(2, "a packet without headers");
	steer_match(value, &p, &h);
	if (random_once_in(&run.random, 4))
		value[random_below(&run.random, 0x40)] ^= 1 << random_below(&run.random, 8);
	for (size_t i = 0; i < HCA_MATCH_SIZE; i++)
		value[i] &= mask[i];
}

static void add_rule(pcap_t *pcap, const uint8_t *mask, uint32_t index)
{
	struct rule *rule = &run.rule[run.rules];
	uint8_t value[HCA_MATCH_SIZE];

	random_value(value, mask);
	if (!backend.rule(index, mask, value))
		return;
	run.rules++;
	rule->index = index;
	filter_text(rule->text, sizeof(rule->text), mask, value);
	/* Not optimized: the optimizer of libpcap 1.10.3 changes what some filters with "not"
	 * accept. */
	if (pcap_compile(pcap, &rule->program, rule->text, 0, PCAP_NETMASK_UNKNOWN))
		errx(2, "%s: %s", rule->text, pcap_geterr(pcap));
}

/* Groups at random places, made in random order; in each, rules at random indexes. */
static void add_group(pcap_t *pcap, uint32_t *taken)
{
	uint32_t place, n = 1 + random_below(&run.random, 6);
	uint32_t skip = 1 + random_below(&run.random, 3);
	uint8_t mask[HCA_MATCH_SIZE];

	do
		place = random_below(&run.random, PLACES);
	while (*taken >> place & 1);
	*taken |= 1u << place;
	do
		random_mask(mask);
	while (!backend.group(SPAN * place, mask));
	for (uint32_t i = 0; i < n; i++)
		add_rule(pcap, mask, SPAN * place + (i * skip + 5) % SPAN);
}

static int64_t expected(const struct packet *p)
{
	const struct pcap_pkthdr header = { .caplen = p->len, .len = p->len };
	int64_t lowest = -1;

	for (uint32_t i = 0; i < run.rules; i++)
		if ((lowest < 0 || run.rule[i].index < lowest) &&
		    pcap_offline_filter(&run.rule[i].program, &header, p->bytes))
			lowest = run.rule[i].index;
	return lowest;
}

static void show(const struct packet *p, int64_t want)
{
	fprintf(stderr, "table %llu of --seed %llu: entry %lld, libpcap: %lld\npacket",
		(unsigned long long)run.tables, (unsigned long long)run.seed,
		(long long)run.met, (long long)want);
	for (size_t i = 0; i < p->len; i++)
		fprintf(stderr, " %02x", p->bytes[i]);
	fprintf(stderr, "\n");
	for (uint32_t i = 0; i < run.rules; i++)
		if (run.rule[i].index == run.met || run.rule[i].index == want)
			fprintf(stderr, "%u: %s\n", run.rule[i].index, run.rule[i].text);
	if (backend.explain)
		backend.explain(p);
	exit(1);
}

static void compare(const struct packet *p)
{
	int64_t want = expected(p);

	run.met = backend.ask(p);
	if (run.met == NOT_ASKED)
		return;
	if (run.met != want)
		show(p, want);
	run.pairs++;
	run.hits += want >= 0;
}

static void one_table(pcap_t *pcap)
{
	uint32_t groups = 1 + random_below(&run.random, GROUPS_MAX), taken = 0;

	backend.begin();
	run.rules = 0;
	for (uint32_t i = 0; i < PACKETS; i++)
		packet_random(&run.packet[i], &run.random);
	while (groups--)
		add_group(pcap, &taken);
	for (uint32_t i = 0; i < PACKETS; i++)
		compare(&run.packet[i]);
	for (uint32_t i = 0; i < run.rules; i++)
		pcap_freecode(&run.rule[i].program);
	backend.end();
	run.tables++;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument, NULL, 'c' },
						 { "seed", required_argument, NULL, 's' },
						 { 0 } };
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
	uint64_t count = 1000000;
	int c;

	run.seed = (uint64_t)time(NULL);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (c == 's')
			run.seed = strtoull(optarg, NULL, 0);
		else
			errx(2, "usage: oracle_steer [--count PAIRS] [--seed S]");
	}
	run.random.state = run.seed;
	printf("seed %llu\n", (unsigned long long)run.seed);
	while (run.pairs < count)
		one_table(pcap);
	pcap_close(pcap);
	printf("%llu pairs of %llu tables: equal; %llu packets matched an entry\n",
	       (unsigned long long)run.pairs, (unsigned long long)run.tables,
	       (unsigned long long)run.hits);
	/* Comparisons that find nothing to compare prove nothing. */
	return run.hits * 10 < run.pairs || run.hits * 10 > 9 * run.pairs;
}
