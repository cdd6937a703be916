/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libpcap reads the capture here, so that it is not loaded into the program. A frame that the
 * capture cut, or that no network carries, is an error: something else would arrive.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "launcher/inject.h"
#include "net/net.h"

static bool write_frame(FILE *to, const struct pcap_pkthdr *head, const uint8_t *bytes,
			uint64_t ns)
{
	struct net_record r = { .ns = ns, .len = head->caplen, .magic = NET_RECORD_MAGIC };

	return fwrite(&r, sizeof(r), 1, to) == 1 && fwrite(bytes, head->caplen, 1, to) == 1;
}

/* In a capture of nanoseconds tv_usec is in nanoseconds. */
static uint64_t time_of(const struct pcap_pkthdr *head)
{
	return (uint64_t)head->ts.tv_sec * 1000000000 + (uint64_t)head->ts.tv_usec;
}

static bool convert(pcap_t *from, FILE *to, char *why, size_t len)
{
	struct pcap_pkthdr *head;
	const uint8_t *bytes;
	uint64_t first = 0;
	unsigned int n = 0;
	int got;

	while ((got = pcap_next_ex(from, &head, &bytes)) == 1) {
		uint64_t at = time_of(head);

		first = n++ ? first : at;
		if (head->caplen != head->len || head->len < WIRE_MIN_ETHERNET ||
		    head->len > WIRE_MAX_ETHERNET) {
			snprintf(why, len,
				 "frame %u has %u bytes of %u; whole frames of %d to %d bytes "
				 "can be sent",
				 n, head->caplen, head->len, WIRE_MIN_ETHERNET,
				 WIRE_MAX_ETHERNET);
			return false;
		}
		if (!write_frame(to, head, bytes, at > first ? at - first : 0)) {
			snprintf(why, len, "%s", strerror(errno));
			return false;
		}
	}
	if (got == PCAP_ERROR)
		snprintf(why, len, "after frame %u: %s", n, pcap_geterr(from));
	else if (!n)
		snprintf(why, len, "no frames");
	return n && got != PCAP_ERROR;
}

static pcap_t *open_capture(const char *file, char *why, size_t len)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *p =
		pcap_open_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text);

	if (!p) {
		snprintf(why, len, "%s", text);
	} else if (pcap_datalink(p) != DLT_EN10MB) {
		snprintf(why, len, "link type %s, not Ethernet",
			 pcap_datalink_val_to_name(pcap_datalink(p)));
		pcap_close(p);
		p = NULL;
	}
	return p;
}

bool inject_store(const char *file, const char *root, char *path, size_t len, char *why,
		  size_t why_len)
{
	pcap_t *from = open_capture(file, why, why_len);
	FILE *to;
	bool ok;

	if (!from)
		return false;
	to = (size_t)snprintf(path, len, "%s/inject", root) < len ? fopen(path, "wxe") : NULL;
	if (!to) {
		snprintf(why, why_len, "%s: %s", path, strerror(errno));
		pcap_close(from);
		return false;
	}
	ok = convert(from, to, why, why_len);
	if (fclose(to) && ok) {
		snprintf(why, why_len, "%s: %s", path, strerror(errno));
		ok = false;
	}
	pcap_close(from);
	return ok;
}
