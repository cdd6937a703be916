/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever a stranger sends, the reader neither crashes nor takes it for a frame. */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "unit/wire/packet.h"

/* A socket bound to the abstract name @name; "": to none. */
static int stranger(const char *name)
{
	struct sockaddr_un self = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);

	memcpy(self.sun_path + 1, name, strlen(name));
	if (*name)
		cr_assert_eq(bind(fd, (struct sockaddr *)&self, len), 0, "%m");
	return fd;
}

static void throw_at(int fd, struct wire *w, const void *bytes, size_t len)
{
	struct sockaddr_un name;
	socklen_t name_len = sizeof(name);

	getsockname(wire_fd(w), (struct sockaddr *)&name, &name_len);
	cr_assert_eq(sendto(fd, bytes, len, 0, (struct sockaddr *)&name, name_len),
		     (ssize_t)len, "%m");
}

/* One good frame as it stands in a burst. */
static size_t good_burst(uint8_t *burst)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint16_t len = wire_pack(&p, burst + 2, false);

	memcpy(burst, &len, 2);
	return 2 + len;
}

static int frames_at(struct wire *w)
{
	uint8_t from;
	size_t len;
	int n = 0;

	while (wire_next(w, &len, &from))
		n++;
	return n;
}

static void name_of(char *name, const char *slot)
{
	sprintf(name, "dvkit-emu/%u/test-%d/%s", (unsigned int)getuid(), (int)getpid(), slot);
}

Test(wire, senders_that_are_on_no_slot_are_dropped)
{
	static const char *const no_slot[] = { "0", "01", "256", "999", "1234", "x", "-1", "" };
	struct wire *w = join_test_fabric();
	uint8_t burst[WIRE_MAX_FRAME + 2];
	size_t len = good_burst(burst);
	char name[100];
	int fd;

	for (size_t i = 0; i < sizeof(no_slot) / sizeof(no_slot[0]); i++) {
		name_of(name, no_slot[i]);
		fd = stranger(name);
		throw_at(fd, w, burst, len);
		cr_expect_eq(frames_at(w), 0, "from %s", name);
		close(fd);
	}
	fd = stranger("");
	throw_at(fd, w, burst, len);
	cr_expect_eq(frames_at(w), 0, "from a socket with no name");
	close(fd);
	sprintf(name, "dvkit-emu/%u/other-%d/7", (unsigned int)getuid(), (int)getpid());
	fd = stranger(name);
	throw_at(fd, w, burst, len);
	cr_expect_eq(frames_at(w), 0, "from another fabric");
	close(fd);
	name_of(name, "7");
	fd = stranger(name);
	throw_at(fd, w, burst, len);
	cr_expect_eq(frames_at(w), 1, "a slot of this fabric");
	close(fd);
	wire_close(w);
}

Test(wire, bursts_with_wrong_lengths_end_where_they_go_wrong)
{
	struct wire *w = join_test_fabric();
	uint8_t burst[3 * (WIRE_MAX_FRAME + 2)] = { 0 };
	size_t good = good_burst(burst);
	uint16_t wrong[] = { 0, WIRE_MAX_FRAME + 1, 0xffff, 9 };
	char name[100];
	int fd;

	name_of(name, "7");
	fd = stranger(name);
	throw_at(fd, w, burst, 0);
	cr_expect_eq(frames_at(w), 0);
	for (size_t len = 1; len < good; len++) {
		throw_at(fd, w, burst, len);
		cr_expect_eq(frames_at(w), 0, "%zu bytes", len);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(burst + good, &wrong[i], 2);
		throw_at(fd, w, burst, good + 2 + 8);
		cr_expect_eq(frames_at(w), 1, "length %u", wrong[i]);
	}
	throw_at(fd, w, burst, good + 1);
	cr_expect_eq(frames_at(w), 1);
	close(fd);
	wire_close(w);
}

Test(wire, a_datagram_larger_than_any_burst_is_dropped)
{
	struct wire *w = join_test_fabric();
	size_t size = 64 * 1024;
	uint8_t *burst = calloc(1, size);
	char name[100];
	int fd;

	good_burst(burst);
	name_of(name, "7");
	fd = stranger(name);
	throw_at(fd, w, burst, size);
	cr_expect_eq(frames_at(w), 0);
	close(fd);
	free(burst);
	wire_close(w);
}

Test(wire, random_datagrams_crash_nobody)
{
	struct wire *w = join_test_fabric();
	uint8_t noise[512];
	char name[100];
	int fd;

	srandom(2);
	name_of(name, "7");
	fd = stranger(name);
	for (int round = 0; round < 5000; round++) {
		size_t len = random() % sizeof(noise);
		struct wire_packet p;
		const uint8_t *frame;
		uint8_t from;

		for (size_t i = 0; i < len; i++)
			noise[i] = random() & (i % 7 ? 0xff : 0x00);
		throw_at(fd, w, noise, len);
		while ((frame = wire_next(w, &len, &from)))
			cr_expect_not(wire_unpack(&p, frame, len));
	}
	close(fd);
	wire_close(w);
}
