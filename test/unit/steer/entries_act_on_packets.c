/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * acts: actions of STEs in hexadecimal, and what each makes of a packet. Layouts: rdma-core,
 * providers/mlx5/mlx5_ifc.h, struct mlx5_ifc_ste_sx_transmit_bits, ste_rx_steering_mult_bits,
 * ste_modify_packet_bits, ste_single_action_*_bits, ste_double_action_*_bits.
 */
#include "stes.h"

#define REST   "v4:11 udp:35"
#define PLAIN  "eth:800 " REST /* 42 bytes */
#define TAGGED "eth:8100 0005 0800 " REST
#define QINQ   "eth:88a8 0006 8100 0005 0800 " REST
#define VXLAN  "eth:800 v4:11 udp:12b5 08000000 00000700 eth:800 " REST
#define GRE    "eth:800 v4:2f 00000800 " REST
#define HEADER "020000000007 020000000008 88b5 "	   /* of the reformat context R */
#define TUNNEL "eth:86dd v6:11 udp:12b5 0800000000000700 " /* 70 bytes, from A + 2 on */
#define AS_ROWS                                                        \
	"eth:86dd 669abcde 00101140 fd000000000000000000000000000001 " \
	"fd000000000000000000000000000002 123412b5 00100000 0800000000000700 "
#define DMAC "a1b2c3d40002 020000000001 0800 " REST
#define BOTH "a1b2c3d40002 010203040001 0800 " REST
/* format 0: words 0 (destination), 1 (source), 2 (type at 32, kind of tag at 48, tag) */
#define ADDRESSES                                                         \
	"02001010 0a0b0c0d 02000010 00000e0f 02011010 1a1b1c1d 02010010 " \
	"00001e1f 02022010 00000800 "
#define NEW "0a0b0c0d0e0f 1a1b1c1d1e1f "

#define NO_STE	    "!there is no STE"
#define NO_LIST	    "!its list of changes is not in ICM"
#define NO_FIELD    "!it changes a field that there is not"
#define NO_ACTION   "!it has an action that is not executed"
#define NO_REFORMAT "!its reformat context does not exist"
#define NO_ARGUMENT "!its argument does not exist"
#define TOO_OFTEN   "!the packet was changed too often"
#define NO_PACKET   "!no packet is left after its actions"

/* @ste: words; after a semicolon those of the list at unit 1 of both areas, and of the pattern
 * P; after another one those of the argument A, of 32 * 64 bytes. In format 0 the kind
 * of STE and its dwords 3 to 5, in the others one or two words of actions of the format that
 * compares a mask, or three of MATCH. */
static const struct row {
	uint8_t format;
	const char *ste, *packet;
	const char *after; /* !why it is refused; @ its flow tag */
} rows[] = {
	/* format 0: kinds of STEs */
	{ 0, "0 0 0 0", PLAIN, NO_STE },
	{ 0, "3 0 0 0", PLAIN, NO_STE },
	{ 0, "7 0 0 0", PLAIN, NO_STE },
	/* transmit: 25:23 of dword 3 */
	{ 0, "1 0 8100a005 0", PLAIN, PLAIN },
	{ 0, "1 800000 8100a005 0", PLAIN, "eth:8100 a005 0800 " REST },
	{ 0, "1 800000 8100a005 0", "eth:88b5 pad:26fe",
	  "eth:8100 a005 88b5 pad:26fe" }, /* of 10000 bytes then */
	{ 0, "1 800000 8100a005 0", "eth:88b5 pad:26ff", NO_PACKET },
	{ 0, "1 1000000 R0 0", PLAIN, NO_ACTION },
	{ 0, "1 1800000 R0 0", PLAIN, HEADER REST },
	{ 0, "1 1800000 R0 0", QINQ, HEADER REST },
	{ 0, "1 2000000 R0 0", PLAIN, HEADER PLAIN },
	{ 0, "1 2000000 R0 0", "eth:88b5 pad:26f4", HEADER "eth:88b5 pad:26f4" },
	{ 0, "1 2000000 R0 0", "eth:88b5 pad:26f5", NO_PACKET },
	{ 0, "1 2000000 R1 0", PLAIN, NO_REFORMAT }, /* without data */
	{ 0, "1 2000000 R2 0", PLAIN, NO_REFORMAT },
	{ 0, "1 2800000 R0 0", PLAIN, NO_ACTION },
	/* receive: bit 31 and a tag in dword 4; 30:28 of dword 5 */
	{ 0, "2 0 80abcdef 0", VXLAN, "@abcdef " VXLAN },
	{ 0, "2 0 abcdef 0", VXLAN, VXLAN },
	{ 0, "2 0 0 10000000", VXLAN, VXLAN },
	{ 0, "2 0 80000005 20000000", VXLAN " | 0102", "@5 " PLAIN },
	{ 0, "2 0 0 20000000", PLAIN, PLAIN },
	{ 0, "2 0 0 30000000", VXLAN, NO_ACTION },
	{ 0, "2 0 0 40000000", PLAIN, PLAIN },
	{ 0, "2 0 0 40000000", TAGGED, PLAIN },
	{ 0, "2 0 0 40000000", QINQ, TAGGED },
	/* modify: how many in dword 3, the unit of 64 bytes in dword 4 */
	{ 0, "6 10000 1 0; 02001000 a1b2c3d4 02170808 0", PLAIN, DMAC },
	{ 0, "6 20000 1 0; 02001000 a1b2c3d4 02170808 0", PLAIN, NO_FIELD },
	{ 0, "6 20000 1 0; 02001000 a1b2c3d4 02011000 01020304", PLAIN, BOTH },
	{ 0, "6 20000 1 0; 00170808 0 02001000 a1b2c3d4", PLAIN, DMAC }, /* 0: nothing */
	{ 0, "6 0 1 0", PLAIN, NO_LIST },
	{ 0, "6 80000 3ff 0", PLAIN, PLAIN },
	{ 0, "6 90000 3ff 0", PLAIN, NO_LIST },
	{ 0, "6 10000 400 0", PLAIN, NO_LIST },
	{ 0, "6 10000 80000001 0", PLAIN, NO_LIST },
	{ 0, "6 fff0000 0 0", PLAIN, PLAIN }, /* 4096 with the STE */
	{ 0, "6 10000000 0 0", PLAIN, TOO_OFTEN },
	{ 0, "6 10000 1 0", "eth:88b5 pad:2702", "eth:88b5 pad:2702" },
	{ 0, "6 10000 1 0", "eth:88b5 pad:2703", NO_PACKET },
	/* an Ethernet header before what a tunnel had; a tag with 27:24 of dword 5 */
	{ 0, "6 50000 1 30000000; " ADDRESSES "02000010 0000ffff", GRE " | 01",
	  NEW "0800 " REST },
	{ 0, "6 50000 1 30000000; " ADDRESSES, PLAIN, PLAIN },
	{ 0, "6 0 1 30000000; " ADDRESSES, GRE, NO_LIST },
	{ 0, "6 60000 1 30000000; " ADDRESSES "02031010 11111111", GRE,
	  NEW "0800 " REST }, /* a word that there is not */
	{ 0, "6 70000 1 31000000; " ADDRESSES "02023010 00000001 02020010 0000a005", GRE,
	  NEW "88a8 a005 0800 " REST },
	{ 0, "6 70000 1 38000000; " ADDRESSES "02023010 00000002 02020010 0000a005", GRE,
	  NEW "8100 a005 0800 " REST },

	/* format 1: words one after the other */
	{ 1, "0c000123 0c000456", PLAIN, "@456 " PLAIN },
	{ 1, "00000000 0c000123", PLAIN, "@123 " PLAIN },
	{ 1, "06002020 a1b2c3d4 0cabcdef", PLAIN, "@abcdef " DMAC },
	{ 1, "0cabcdef 06002020 a1b2c3d4", PLAIN, "@abcdef " DMAC },
	{ 1, "00000000 01000000", PLAIN, NO_ACTION },
	{ 1, "06ff2020 00000000 0c000123", PLAIN, NO_FIELD },
	{ 1, "0c000123 05002020", PLAIN, NO_ACTION }, /* 8 bytes long, and there are 4 */
	{ 1, "0c000123 06002020", PLAIN, NO_ACTION },
	{ 1, "0c000123 07002020", PLAIN, NO_ACTION },
	{ 1, "0c000123 0a000000", PLAIN, NO_ACTION },
	{ 1, "0c000123 0b000000", PLAIN, NO_ACTION },
	{ 1, "0c000123 0e000001", PLAIN, NO_ACTION },
	/* 08 removes 5:0 words at 13:7 words from header 21:16: 0 start, 2 first tag, 7 IP, 13
	 * inner Ethernet, 19 inner IP */
	{ 1, "08000302", TAGGED, PLAIN },
	{ 1, "08020002", PLAIN, PLAIN },
	{ 2, "08020002", TAGGED, PLAIN },
	{ 1, "08020002", QINQ, TAGGED },
	{ 1, "08020004", QINQ, PLAIN },
	{ 1, "08020006", QINQ, PLAIN }, /* no more than the tags */
	{ 1, "08020004 08020001", TAGGED, "020000000002 020000000001 " REST },
	{ 1, "08070504", "eth:800 v4:11 | udp:35", "eth:800 v4:11" },
	{ 1, "08070504", "eth:806 00010800 06040001", "eth:806 00010800 06040001" },
	{ 1, "08130006 09001300", VXLAN, "0800 " REST },
	{ 1, "08130006", GRE, GRE },
	{ 1, "0819000e 09001300", VXLAN, "eth:800" },
	{ 1, "08190001", PLAIN, PLAIN },
	{ 1, "08010001", PLAIN, PLAIN }, /* no header has this number */
	{ 1, "0800000e", PLAIN, "0001 0a000002 12340035 00080000" },
	{ 1, "0800000f", PLAIN, NO_PACKET }, /* 12 bytes */
	{ 1, "08000a80", PLAIN, PLAIN },
	{ 1, "08000a81", PLAIN, NO_PACKET },
	{ 1, "08000b00", PLAIN, NO_PACKET },
	{ 1, "08003f81", "eth:88b5 pad:f2", "eth:88b5 pad:f0" },
	{ 1, "0800003f", "eth:88b5 pad:80 eth:88b6", "pad:10 eth:88b6" },
	{ 3, "08040002", TAGGED, PLAIN }, /* 23:17, 16:9 */
	{ 3, "0801fe01", "eth:88b5 pad:1f2", "eth:88b5 pad:1f0" },
	/* 09 removes up to header 13:8; with bit 3 what follows the IP packet, too */
	{ 1, "09001308", VXLAN " | 01", PLAIN },
	{ 1, "09001300", VXLAN " | 01", PLAIN " | 01" },
	{ 1, "09001308", GRE, GRE },
	{ 1, "09000700", PLAIN, REST },
	{ 1, "09020700", TAGGED, "020000000002 020000000001 " REST },
	{ 1, "09020700", PLAIN, PLAIN },
	{ 1, "09070000", PLAIN, PLAIN },
	{ 1, "09070700", PLAIN, PLAIN },
	{ 3, "09004c08", VXLAN " | 01", PLAIN },
	{ 3, "09041c00", TAGGED, "020000000002 020000000001 " REST },
	/* 0a inserts 4 bytes at 15:9 words */
	{ 1, "0a000c00 81000005", PLAIN, TAGGED },
	{ 1, "0a070000 81000005", PLAIN, "eth:800 81000005 " REST },
	{ 1, "0a020000 88a80006", TAGGED, QINQ },
	{ 1, "0a020000 88a80006", PLAIN, PLAIN },
	{ 1, "0a002a00 01020304", PLAIN, PLAIN " | 01020304" },
	{ 1, "0a002c00 01020304", PLAIN, NO_PACKET },
	{ 1, "0a00fe00 01020304", "eth:88b5 pad:f0", "eth:88b5 pad:f0 01020304" },
	{ 3, "0a010000 01020304", "eth:88b5 pad:f2", "eth:88b5 pad:f2 01020304" },
	{ 3, "0a040000 88a80006", TAGGED, QINQ },
	/* 0b: a reformat context */
	{ 1, "0b000000 R00000000", PLAIN, HEADER PLAIN },
	{ 1, "0b000000 R00000000", "eth:88b5 pad:26f5", NO_PACKET },
	{ 1, "0b070000 R00000000", PLAIN, NO_ACTION },
	{ 1, "0b000200 R00000000", PLAIN, NO_ACTION },
	/* … 8:3 words of an argument; with bit 0 at the start it writes their lengths */
	{ 1, "0b000c10 A80000000; ; 81000005", PLAIN, TAGGED },
	{ 1, "0b020010 A80000000; ; 88a80006", TAGGED, QINQ },
	{ 1, "0b020010 A80000000; ; 88a80006", PLAIN, PLAIN },
	{ 1, "0b002a10 A80000000; ; 01020304", PLAIN, PLAIN " | 01020304" },
	{ 1, "0b002c10 A80000000; ; 01020304", PLAIN, NO_PACKET },
	{ 1, "0b000df8 A80000004", "eth:88b5", "020000000002 020000000001 pad:7e 88b5" },
	{ 1, "0b000d00 A8000001f", "eth:88b5", "020000000002 020000000001 pad:40 88b5" },
	{ 1, "0b000d08 A8000001f", "eth:88b5", NO_ARGUMENT }, /* 66 bytes of 64 */
	{ 1, "0b000c10 A80000020", PLAIN, NO_ARGUMENT },      /* a sampler */
	{ 1, "0b000119 A80000002", PLAIN, TUNNEL PLAIN },
	{ 1, "0b000119 A80000002", "eth:88b5 pad:26bc", TUNNEL "eth:88b5 pad:26bc" },
	{ 1, "0b000119 A80000002", "eth:88b5 pad:26bd", NO_PACKET },
	{ 1, "0b000118 A80000002", PLAIN, AS_ROWS PLAIN },
	{ 1, "0b000319 A80000002", PLAIN, "0200 " AS_ROWS "00000002 020000000001 0800 " REST },
	{ 3, "0b010010 A80000000; ; 01020304", "eth:88b5 pad:f2", "eth:88b5 pad:f2 01020304" },
	/* 0f: 23:16 changes at unit 15:0 */
	{ 1, "0f010001 00000000; 06002020 a1b2c3d4 06ff2020 0", PLAIN, DMAC },
	{ 1, "0f020001 00000000; 06ff2020 0 06002020 a1b2c3d4", PLAIN, NO_FIELD },
	{ 1, "0f020001 0c000123; 06002020 a1b2c3d4 06082020 01020304", PLAIN, "@123 " BOTH },
	{ 1, "0f010001 00000000; 0c000123 0", PLAIN, NO_ACTION },
	{ 1, "0f010001 00000000; 0b000000 R00000000", PLAIN, HEADER PLAIN },
	{ 1, "0f000001", PLAIN, NO_LIST },
	{ 1, "0f0803ff", PLAIN, PLAIN },
	{ 1, "0f0903ff", PLAIN, NO_LIST },
	{ 1, "0f010400", PLAIN, NO_LIST },
	/* 0e: a pattern of 31:24 changes, their data in an argument of 8 bytes each */
	{ 1, "0e000001 A01000000; 06002020 0 06ff2020 0; 0 a1b2c3d4", PLAIN, DMAC },
	{ 1, "0e000001 A02000000; 06ff2020 0 06002020 0; 0 a1b2c3d4", PLAIN, NO_FIELD },
	{ 1, "0e000001 A02000000; 06002020 0 06082020 0; 0 a1b2c3d4 0 01020304 0 ffffffff",
	  PLAIN, BOTH },
	{ 1, "P0e000000 A02000000; 06002020 0 06082020 0; 0 a1b2c3d4 0 01020304", PLAIN, BOTH },
	{ 1, "P0e000000 A02000000; 06002020 0; 0 a1b2c3d4", PLAIN, NO_LIST },
	{ 1, "P0e000001 A01000000; 06002020 0; 0 a1b2c3d4", PLAIN, NO_LIST },
	{ 1, "0e00ffff A01000000; 06002020 0; 0 a1b2c3d4", PLAIN, NO_LIST },
	{ 1, "0e000001 A01000000; 07002020 0; 0 00000001", PLAIN,
	  "020000010002 020000000001 0800 " REST },
	{ 1, "0e000001 A01000000; 0a000c00 0; 0 81000005", PLAIN, TAGGED },
	{ 1, "0e000001 A01000000; 05093010 00013000; 0 ffffffff", PLAIN,
	  "020000000002 020000000002 0800 " REST }, /* a copy has its source */
	{ 1, "0e000001 A01000000; 08000302 0; 0 ffffffff", TAGGED, PLAIN },
	{ 1, "0e000001 A01000000; 0c000123 0", PLAIN, NO_ACTION },
	{ 1, "0e000001 A00000000", PLAIN, NO_LIST },
	{ 1, "0e0003ff A08000000", PLAIN, PLAIN },
	{ 1, "0e0003ff A09000000", PLAIN, NO_LIST },
	{ 1, "0e000400 A01000000", PLAIN, NO_LIST },
	{ 1, "0e000001 A0800001f", PLAIN, PLAIN },
	{ 1, "0e000001 A0900001f", PLAIN, NO_ARGUMENT },
	{ 1, "0e000001 A01000020", PLAIN, NO_ARGUMENT },
};

#define NOPS "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " /* 8 changes */

static struct hca_general *argument, *patterns;
static struct hca_packet_reformat *reformat;
static struct hca_pattern *pattern;
static uint64_t leads_to; /* the STE; 0: to the TIR */

static uint8_t *copy_of(const char *packet)
{
	uint8_t *copy = malloc(sizeof(bytes));

	build(packet);
	return memcpy(copy, bytes, sizeof(bytes));
}

static void setup(void)
{
	start();
	begin(0);
	patterns = allocate(HCA_ICM_PATTERN);
	pattern = hca_object_new(&hca, HCA_KIND_pattern, 1);
	reformat = hca_packet_reformat_new(&hca);
	reformat->data = copy_of(HEADER);
	reformat->size = (uint16_t)len;
	hca_packet_reformat_new(&hca);
	argument = hca_object_new(&hca, HCA_KIND_general, 32);
	argument->type = PRM_OBJ_MODIFY_HEADER_ARG;
	argument->memory.size = 32 * 64;
	argument->memory.bytes = calloc(32, 64);
	((struct hca_general *)hca_object_new(&hca, HCA_KIND_general, 1))->type =
		PRM_OBJ_SAMPLER;
}

TestSuite(acts, .init = setup, .fini = stop);

/* The words of @text up to a semicolon, one with a letter with the number of an object added.
 * Returns what follows. */
static const char *words(const char *text, uint8_t *to, uint32_t *n)
{
	char word[16];
	int used;

	for (*n = 0; sscanf(text, " %9[^; ]%n", word, &used) == 1; text += used) {
		uint32_t id = *word == 'A'   ? argument->id
			      : *word == 'P' ? pattern->id
			      : *word == 'R' ? reformat->id
					     : 0;

		put32(to + 4 * (*n)++, id + (uint32_t)strtoul(word + (id != 0), NULL, 16));
	}
	text = strchr(text, ';');
	return text ? text + 1 : "";
}

static void set_up(const struct row *r)
{
	uint8_t w[32] = { 0 };
	uint32_t n;
	const char *text = words(r->ste, w, &n);
	bool match = n == 3;
	uint64_t hit = leads_to ? leads_to : tir_address();
	uint8_t *s = r->format ? ste_1(0, match ? 0x040f : 0x000f, hit, DROP)
			       : ste_0(0, 0x0f, hit, DROP);

	PRM_SET(cmd_hca_cap, caps, steering_format_version, r->format);
	if (r->format) {
		memcpy(s + (match ? 20 : 24), w, match ? 12 : 8);
	} else {
		s[0] = (uint8_t)(w[3] << 4);
		memcpy(s + 12, w + 4, 12);
	}
	memset(list->memory.bytes, 0, SIZE);
	memset(argument->memory.bytes, 0, 128);
	text = words(text, list->memory.bytes + 64, &n);
	memcpy(patterns->memory.bytes, list->memory.bytes, SIZE);
	pattern->n = n / 2;
	memcpy(pattern->change, list->memory.bytes + 64, 4 * (size_t)n);
	words(text, argument->memory.bytes, &n);
}

static void check(const struct row *r)
{
	const char *after = r->after;
	uint32_t tag = *after == '@' ? (uint32_t)strtoul(after + 1, (char **)&after, 16) : 0;
	uint8_t *wanted = copy_of(*after == '!' ? "" : after);
	size_t n = len;

	set_up(r);
	build(r->packet);
	findings = 0;
	cr_expect_eq(receive(), *after != '!', "%s: %s: %s", r->ste, r->packet, got.why);
	if (*after == '!')
		cr_expect(findings == 1 && !strcmp(got.why, after + 1), "%s: %s: %s", r->ste,
			  r->packet, got.why);
	else
		cr_expect(got.len == n && !memcmp(got.bytes, wanted, n) &&
				  got.meta.flow_tag == tag,
			  "%s: %s: %zu bytes, tag %x", r->ste, r->packet, got.len,
			  got.meta.flow_tag);
	free(wanted);
}

Test(acts, each_action_of_each_format)
{
	uint8_t *tunnel = copy_of(TUNNEL);

	memcpy(argument->memory.bytes + 2 * 64, tunnel, len);
	free(tunnel);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&rows[i]);
}

/* An STE that leads to itself: 4096 of them, with the changes of their lists. */
Test(acts, changes_of_lists_count_as_entries)
{
	static const char too_many[] = "!the packet has hit too many";
	static const struct row loops[] = {
		{ 1, "0f030001 00000000", PLAIN, too_many }, /* 4096 exactly, and one more */
		{ 1, "0f040001 00000000", PLAIN, TOO_OFTEN },
		{ 1, "0e000001 A1f000000", PLAIN, too_many },
		{ 1, "0e000001 A20000000", PLAIN, TOO_OFTEN },
		{ 1, "P0e000000 A1f000000; " NOPS NOPS NOPS NOPS, PLAIN, too_many },
		{ 1, "P0e000000 A20000000; " NOPS NOPS NOPS NOPS, PLAIN, TOO_OFTEN },
	};

	leads_to = ICM;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++)
		check(&loops[i]);
}
