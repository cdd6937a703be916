/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of a function with the machine: network, capture file, TAP interface, file of
 * frames. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/outside.h"

bool outside_network(struct boot *b)
{
	const struct options_wire *w = &b->options.wire;
	uint8_t own[OPTIONS_ADDRESSES][16];
	unsigned int n;
	int err;

	if (!*w->netdev)
		return true;
	n = options_addresses(&b->options, options_is_dpu(b->options.as, b->function), own);
	err = wire_network(b->wire, w, (const uint8_t(*)[16])own, n);
	if (err)
		boot_complain("--wire: %s", err == EPERM	? OPTIONS_WIRE_EPERM
					    : err == EADDRINUSE ? OPTIONS_WIRE_EADDRINUSE
								: strerror(err));
	return !err;
}

/* The first function of a run writes FILE itself, later ones FILE.PID, or FILE.PID.1 if they
 * are the second of a process. A claim is a lock on an empty file, held as long as the process
 * lives. */
bool outside_pcap(struct boot *b)
{
	const char *path = b->options.pcap;
	char mine[sizeof(b->options.pcap) + 20];
	struct stat st;
	int err, claim;

	if (!*path)
		return true;
	claim = core_own(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
	if (claim >= 0 && !flock(claim, LOCK_EX | LOCK_NB) && !fstat(claim, &st) &&
	    !st.st_size) {
		snprintf(mine, sizeof(mine), "%s", path);
	} else {
		snprintf(mine, sizeof(mine), "%s.%d%s", path, (int)getpid(),
			 b->function ? ".1" : "");
		core_own_close(claim);
	}
	err = wire_pcap(b->wire, mine);
	if (err)
		boot_complain("%s: %s", mine, strerror(err));
	return !err;
}

int outside_faults(struct boot *b, const char *text)
{
	struct options_fault faults[OPTIONS_FAULTS];
	int n = options_faults(text, faults);

	return n < 0 ? EINVAL : wire_faults(b->wire, faults, n);
}

static int join(struct hca *hca, const uint8_t gid[16])
{
	return wire_join(core_container(hca, struct boot, hca)->wire, gid);
}

static void leave(struct hca *hca, const uint8_t gid[16])
{
	wire_leave(core_container(hca, struct boot, hca)->wire, gid);
}

static void tap_gone(struct hca *hca)
{
	boot_complain("--tap: %s was deleted: the link is down",
		      core_container(hca, struct boot, hca)->options.tap);
}

bool outside_net(struct boot *b)
{
	const struct options *o = &b->options;
	int err = outside_faults(b, o->faults);

	if (err) {
		boot_complain("faults: %s", strerror(err));
		return false;
	}
	b->hca.join = join;
	b->hca.leave = leave;
	b->hca.tap_gone = tap_gone;
	b->net = net_open(&b->hca, b->wire);
	if (!b->net) {
		boot_complain("network: %s", strerror(errno));
		return false;
	}
	net_answer(b->net);
	err = *o->netdev[b->function] ? net_netdev(b->net, o->netdev[b->function]) : 0;
	if (err)
		boot_complain("%s: %s", o->netdev[b->function], strerror(err));
	if (err || b->function)
		return !err; /* the first one connects the rest */
	err = *o->tap ? net_tap(b->net, o->tap) : 0;
	if (err)
		boot_complain("%s: %s%s", o->tap, strerror(err),
			      err == EPERM ? ": create the interface before: ip tuntap add dev "
					     "NAME mode tap user USER"
			      : err == EBUSY ? ": another process has the TAP interface"
					     : "");
	if (!err && *o->inject) {
		err = net_inject(b->net, o->inject);
		if (err)
			boot_complain("%s: %s", o->inject, strerror(err));
	}
	if (err)
		net_close(b->net);
	return !err;
}

void outside_abandon(struct boot *b)
{
	net_abandon(b->net);
	wire_abandon(b->wire);
}
