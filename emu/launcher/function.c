/* SPDX-License-Identifier: BSD-2-Clause */
/* A function without a program: emu/pci in this process, its trace, its end by a signal. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "explain/explain.h"
#include "launcher/command.h"
#include "launcher/function.h"
#include "pci/pci.h"

/* Trace and findings; the launcher has created the files. */
static void start_trace(const struct options *o)
{
	unsigned int mask = o->trace | (o->check ? 1u << TRACE_CHECK : 0);
	int fd = -1, timeline = -1;

	if (mask)
		fd = *o->trace_file ? open(o->trace_file,
					   O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
				    : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (*o->timeline)
		timeline = open(o->timeline, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 || timeline >= 0)
		explain_start(fd, mask, timeline, "dvkit-emu");
}

/* Blocked before there is another thread, so that none of them ends the process. */
static int ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int function_serve(const struct function_request *r)
{
	const struct pci_config c = { .options = r->options,
				      .kind = r->kind,
				      .image = r->image };
	int stop = ending_signals(), err;
	uint64_t refused;
	struct pci *p;
	char why[300];

	start_trace(r->options);
	p = pci_open(&c, why, sizeof(why));
	if (!p) {
		fprintf(stderr, "dvkit-emu: --vfio-user: %s\n", why);
		return COMMAND_FAILED;
	}
	err = r->control ? pci_control_open(p, r->control) : 0;
	if (err)
		fprintf(stderr, "dvkit-emu: --control: %s: %s\n", r->control, strerror(err));
	else if ((err = pci_serve(p, r->socket, stop)))
		fprintf(stderr, "dvkit-emu: --vfio-user: %s: %s\n", r->socket, strerror(err));
	refused = core_bus_refused();
	if (r->options->check && refused)
		fprintf(stderr,
			"dvkit-emu: check: %" PRIu64
			" DMA accesses to addresses that were not mapped were refused\n",
			refused);
	pci_close(p);
	close(stop);
	return err ? COMMAND_FAILED : 0;
}
