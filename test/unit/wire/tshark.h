/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture of what a, the only process on its fabric, sends, and what tshark says of it. */
#ifndef TEST_UNIT_WIRE_TSHARK_H
#define TEST_UNIT_WIRE_TSHARK_H

#include <stdlib.h>

#include "unit/wire/fabric.h"

static char capture[64];

static inline void begin_capture(void)
{
	if (system("command -v tshark >/dev/null"))
		cr_skip_test("tshark is not installed");
	join_one();
	snprintf(capture, sizeof(capture), "/tmp/dvkit-tshark-%d.pcap", (int)getpid());
	cr_assert_eq(wire_pcap(a, capture), 0);
}

/* The process leaves; tshark reads its frames with @options. */
static inline FILE *tshark(const char *options)
{
	char command[1000];

	leave();
	snprintf(command, sizeof(command), "WIRESHARK_CONFIG_DIR=/nonexistent tshark -r %s %s",
		 capture, options);
	return popen(command, "r");
}

static inline void end_capture(FILE *out)
{
	pclose(out);
	unlink(capture);
}

#endif
