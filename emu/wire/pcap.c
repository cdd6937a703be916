/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames into a libpcap file, for Wireshark:
 *
 *	| magic a1b23c4d | 2 | 4 | zone 0 | 0 | snap length | link type 1 |     once
 *	| seconds | nanoseconds | bytes here | bytes on the wire | frame |      per frame
 *
 * The magic number means nanoseconds, and its byte order is that of all fields (pcap file
 * format, draft-ietf-opsawg-pcap). One write per frame and no buffer, so the file is complete
 * at any moment, also if the process is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "wire/inside.h"

#define MAGIC_NANOSECONDS 0xa1b23c4d
#define LINKTYPE_ETHERNET 1
#define ICRC_LEN	  4

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snap_len, link_type;
};

struct record_header {
	uint32_t sec, nsec, caught, len;
};

int wire_pcap(struct wire *w, const char *path)
{
	struct file_header head = {
		.magic = MAGIC_NANOSECONDS,
		.major = 2,
		.minor = 4,
		.snap_len = 65535,
		.link_type = LINKTYPE_ETHERNET,
	};
	int fd = core_own(
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
	ssize_t put;

	if (fd < 0)
		return errno;
	put = write(fd, &head, sizeof(head));
	if (put != sizeof(head)) {
		int err = put < 0 ? errno : ENOSPC;

		core_own_close(fd);
		return err;
	}
	core_own_close(w->pcap_fd);
	w->pcap_fd = fd;
	return 0;
}

/* The ICRC of @frame, computed if its sender left it out. */
static uint32_t icrc_of(const uint8_t *frame, size_t len)
{
	struct wire_packet p;
	uint32_t icrc;

	memcpy(&icrc, frame + len - ICRC_LEN, ICRC_LEN);
	return icrc || !wire_unpack(&p, frame, len) ? icrc : wire_icrc(frame, len);
}

static void put(struct wire *w, const uint8_t *frame, size_t len, const uint32_t *icrc)
{
	size_t end = icrc ? sizeof(*icrc) : 0;
	struct record_header head = { .caught = len, .len = len };
	struct timespec now;
	ssize_t n;
	struct iovec part[3] = {
		{ &head, sizeof(head) },
		{ (void *)frame, len - end },
		{ (void *)icrc, end },
	};

	clock_gettime(CLOCK_REALTIME, &now);
	head.sec = now.tv_sec;
	head.nsec = now.tv_nsec;
	n = writev(w->pcap_fd, part, 3);
	if (n == (ssize_t)(sizeof(head) + len))
		return;
	core_output_ends(CORE_CAPTURE, n < 0 ? errno : ENOSPC);
	core_own_close(w->pcap_fd);
	w->pcap_fd = -1;
}

void pcap_roce(struct wire *w, const uint8_t *frame, size_t len)
{
	uint32_t icrc;

	if (len < ICRC_LEN)
		return;
	icrc = icrc_of(frame, len);
	put(w, frame, len, &icrc);
}

void pcap_frame(struct wire *w, const uint8_t *frame, size_t len)
{
	put(w, frame, len, NULL);
}
