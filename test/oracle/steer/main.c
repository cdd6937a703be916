/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steering differential: for random flow tables and packets, the entry that the emulator
 * finds must be the first, by index, whose filter compiled by libpcap accepts the packet.
 *
 *	oracle_steer [--count PAIRS] [--seed S]
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

#include "filter.h"
#include "packet.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define PACKETS	   200 /* of a table */
#define GROUPS_MAX 4
#define RULES_MAX  24
#define SPAN	   16 /* indexes of a group */

struct rule {
	uint32_t index;
	char text[8192];
	struct bpf_program program;
};

static struct {
	struct random random;
	uint64_t seed, pairs, hits, tables;
	struct hca hca;
	struct packet packet[PACKETS];
	struct rule rule[RULES_MAX];
	uint32_t rules;
	int64_t met; /* index of the entry; -1: none */
} run;

static void step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	if (s->did == STEER_HIT)
		run.met = s->entry->index;
}

static const struct steer_sink sink = { .step = step };

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

static void add_rule(pcap_t *pcap, struct hca_flow_group *g, uint32_t index)
{
	const struct hca_fte_do drop = { .action = PRM_FLOW_CONTEXT_ACTION_DROP };
	struct rule *rule = &run.rule[run.rules++];
	uint8_t value[HCA_MATCH_SIZE];

	random_value(value, g->mask);
	rule->index = index;
	filter_text(rule->text, sizeof(rule->text), g->mask, value);
	/* Not optimized: the optimizer of libpcap 1.10.3 changes what some filters with "not"
	 * accept. */
	if (pcap_compile(pcap, &rule->program, rule->text, 0, PCAP_NETMASK_UNKNOWN))
		errx(2, "%s: %s", rule->text, pcap_geterr(pcap));
	if (!hca_fte_new(g, index, value, &drop))
		errx(2, "no memory");
}

/* Groups at random places, made in random order; in each, entries at random indexes. */
static void add_group(pcap_t *pcap, struct hca_flow_table *t)
{
	struct hca_flow_group *g = hca_flow_group_new(&run.hca);
	uint32_t place, n = 1 + random_below(&run.random, 6);
	uint32_t skip = 1 + random_below(&run.random, 3);

	if (!g)
		errx(2, "no memory");
	do
		place = SPAN * random_below(&run.random, 16);
	while (hca_flow_overlaps(t, place, place + SPAN - 1));
	g->table = t;
	g->first = place;
	g->last = place + SPAN - 1;
	random_mask(g->mask);
	if (!hca_flow_group_join(g))
		errx(2, "no memory");
	for (uint32_t i = 0; i < n; i++)
		add_rule(pcap, g, place + (i * skip + 5) % SPAN);
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
	exit(1);
}

static void compare(const struct packet *p)
{
	const struct steer_packet sp = { .bytes = p->bytes,
					 .len = p->len,
					 .meta = { .source_vport = STEER_UPLINK } };
	int64_t want = expected(p);

	run.met = -1;
	steer_receive(&run.hca, &sp, &sink);
	if (run.met != want)
		show(p, want);
	run.pairs++;
	run.hits += want >= 0;
}

static void one_table(pcap_t *pcap)
{
	uint32_t groups = 1 + random_below(&run.random, GROUPS_MAX);
	struct hca_flow_table *t;

	if (hca_init(&run.hca, 1) || !(t = hca_flow_table_new(&run.hca)))
		errx(2, "no adapter");
	t->size = 1024;
	run.hca.roots[PRM_FT_TYPE_NIC_RX] = t;
	run.rules = 0;
	for (uint32_t i = 0; i < PACKETS; i++)
		packet_random(&run.packet[i], &run.random);
	while (groups--)
		add_group(pcap, t);
	for (uint32_t i = 0; i < PACKETS; i++)
		compare(&run.packet[i]);
	for (uint32_t i = 0; i < run.rules; i++)
		pcap_freecode(&run.rule[i].program);
	hca_fini(&run.hca);
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
