/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --stats: for each device of a process, and the faults of its link if it had any.
 *
 *	dvkit-emu: [1] ib_write_bw, mlx5_0: 5000 doorbells, 5000 WQEs, 5000 CQEs
 *	dvkit-emu: [1] messages: 5000 of 327680000 bytes
 *	dvkit-emu: [1] frames: sent 320000 of 345600000 bytes, 0 again; received 20000 of 1240000, 0 not taken
 *	dvkit-emu: [1] faults: frames 0 dropped, …
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/stats.h"

static void say(const struct boot *b, const char *line, int len)
{
	core_output(b->log_fd, CORE_LOG, line, len);
}

static void say_faults(const struct boot *b, const struct wire_fault_counts *c)
{
	static const char *const words[] = {
		[OPTIONS_DROP] = "dropped",	 [OPTIONS_DUP] = "doubled",
		[OPTIONS_REORDER] = "reordered", [OPTIONS_DELAY] = "delayed",
		[OPTIONS_CORRUPT] = "corrupted", [OPTIONS_ECN] = "marked",
	};
	char line[256];
	int len = snprintf(line, sizeof(line), "dvkit-emu: [%u] faults: frames", b->hca.slot);
	uint64_t all = 0;

	for (unsigned int i = 0; i < OPTIONS_FAULT_KINDS; i++) {
		all += c->frames[i];
		len += snprintf(line + len, sizeof(line) - len, "%s %llu %s", i ? "," : "",
				(unsigned long long)c->frames[i], words[i]);
	}
	len += snprintf(line + len, sizeof(line) - len, "\n");
	if (all)
		say(b, line, len);
}

void stats_finish(struct boot *b)
{
	struct wire_fault_counts faults;
	struct engine_counters e;
	char line[512];

	if (!b->options.stats || b->log_fd < 0)
		return;
	engine_counters(b->engine, &e);
	hca_lock(&b->hca);
	faults = wire_fault_counts(b->wire);
	hca_unlock(&b->hca);
#define N(n) (unsigned long long)(n)
	say(b, line,
	    snprintf(
		    line, sizeof(line),
		    "dvkit-emu: [%u] %s, mlx5_%u: %llu doorbells, %llu WQEs, %llu CQEs\n"
		    "dvkit-emu: [%u] messages: %llu of %llu bytes\n"
		    "dvkit-emu: [%u] frames: sent %llu of %llu bytes, %llu again; received %llu of "
		    "%llu, %llu not taken\n",
		    b->hca.slot, program_invocation_short_name, b->function, N(e.doorbells),
		    N(e.wqes), N(e.cqes), b->hca.slot, N(e.messages), N(e.message_bytes),
		    b->hca.slot, N(e.tx_frames), N(e.tx_bytes), N(e.retransmits),
		    N(e.rx_frames), N(e.rx_bytes), N(e.rx_dropped)));
#undef N
	say_faults(b, &faults);
}
