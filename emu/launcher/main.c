/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvkit-emu: runs a command on an emulated mlx5 adapter.
 *
 *	options -> sysfs tree -> environment -> child -> its exit status
 *	             '----------- removed at the end ------------'
 *
 * Everything that makes the adapter happens in the command's own process, in the preloaded
 * library; the launcher only arranges that it is found. All options are checked here, so
 * that a typo is one line and not a device that is missing.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dvkit/version.h>

#include "explain/explain.h"
#include "launcher/command.h"
#include "launcher/dump.h"
#include "launcher/env.h"
#include "launcher/inject.h"
#include "launcher/interface.h"
#include "launcher/netdev.h"
#include "launcher/sysfs.h"
#include "options/options.h"
#include "prm/visible.h"

/* argp finds it by its name in the executable */
__attribute__((visibility("default"))) const char *argp_program_version =
	"dvkit-emu " DVKIT_VERSION;

enum {
	OPT_DEVICE = 256,
	OPT_LIST,
	OPT_MTU,
	OPT_TRACE,
	OPT_TRACE_FILE,
	OPT_PCAP,
	OPT_TIMELINE,
	OPT_STATS,
	OPT_FABRIC,
	OPT_IP,
	OPT_CHECK,
	OPT_TRUST,
	OPT_NO_MEMLOCK,
	OPT_POLL_DOORBELLS,
	OPT_KERNEL,
	OPT_AS,
	OPT_WIRE,
	OPT_TAP,
	OPT_INJECT,
	OPT_NETDEV,
	OPT_DROP,
	OPT_DUP,
	OPT_REORDER,
	OPT_DELAY,
	OPT_CORRUPT,
	OPT_ECN,
};

#define BAD_DEVICE_FILE 2

static const struct argp_option options[] = {
	{ "device", OPT_DEVICE, "NAME|FILE", 0,
	  "Adapter to emulate: cx5 (default), cx6dx, cx7, cx8, bf2, bf3, or a dump of one", 1 },
	{ "list-devices", OPT_LIST, NULL, 0, "List the adapters and exit", 1 },
	{ "devices", OPT_LIST, NULL, OPTION_ALIAS, NULL, 1 },
	{ "trust-device", OPT_TRUST, NULL, 0,
	  "Keep what FILE claims and the model does not execute", 1 },
	{ "as", OPT_AS, "host|dpu", 0,
	  "Of a BlueField, only the function of the host, or of the DPU", 1 },
	{ "mtu", OPT_MTU, "BYTES", 0, "Path MTU: 256, 512, 1024 (default), 2048 or 4096", 1 },
	{ "ip", OPT_IP, "A.B.C.D", 0, "Address of the port (default 192.168.0.1)", 1 },
	{ "fabric", OPT_FABRIC, "NAME", 0, "Network to join (default 0)", 1 },
	{ "wire", OPT_WIRE, "udp[:ADDRESS]", 0,
	  "Exchange RoCE v2 with other hosts, as the network interface that has ADDRESS", 1 },
	{ "tap", OPT_TAP, "NAME", 0,
	  "Connect this TAP interface: the kernel becomes a host of the network", 1 },
	{ "netdev", OPT_NETDEV, "NAME[,NAME]", 0,
	  "Network interface of the port, of both ports (default lo); created if there is none",
	  1 },
	{ "inject", OPT_INJECT, "FILE", 0,
	  "Deliver the Ethernet frames of a capture as if they arrived", 1 },
	{ "drop", OPT_DROP, "P[:SEED]", 0,
	  "Lose frames that are sent with probability P, 0.05 or 5%; also :rx, :OPERATION", 3 },
	{ "dup", OPT_DUP, "P[:SEED]", 0, "Deliver frames twice", 3 },
	{ "reorder", OPT_REORDER, "P[:SEED]", 0, "Deliver frames after later ones", 3 },
	{ "delay", OPT_DELAY, "P[:SEED]", 0, "Deliver frames later, :TIME (default 1ms)", 3 },
	{ "corrupt", OPT_CORRUPT, "P[:SEED]", 0, "Invert a bit of frames", 3 },
	{ "ecn", OPT_ECN, "P[:SEED]", 0, "Mark frames as a congested switch does (ECN CE)", 3 },
	{ "kernel", OPT_KERNEL, "RELEASE", 0, "Answer like Linux " KERNEL_HELP, 1 },
	{ "no-memlock", OPT_NO_MEMLOCK, NULL, 0, "Do not apply RLIMIT_MEMLOCK", 1 },
	{ "poll-doorbells", OPT_POLL_DOORBELLS, NULL, 0,
	  "With --check: poll doorbell registers; have stores to them raise no SIGSEGV", 1 },
	{ "trace", OPT_TRACE, "LIST", 0,
	  "Print what happens: fw,doorbell,wqe,cqe,eqe,wire,steer,check or all", 2 },
	{ "trace-file", OPT_TRACE_FILE, "FILE", 0, "Write trace and findings there", 2 },
	{ "pcap", OPT_PCAP, "FILE", 0, "Capture all frames for Wireshark", 2 },
	{ "timeline", OPT_TIMELINE, "FILE", 0,
	  "Draw doorbells, WQEs, frames and CQEs for Perfetto", 2 },
	{ "stats", OPT_STATS, NULL, 0,
	  "Print doorbells, WQEs, messages and frames when a process ends", 2 },
	{ "check", OPT_CHECK, NULL, 0, "Report what works here but is odd", 2 },
	{ 0 },
};

struct request {
	struct options emu;
	const struct fw_device *kind;
	const struct fw_image *img;
	const char *file;   /* --device FILE; NULL: a device of ours */
	const char *inject; /* a capture; NULL: none */
	const char *wire;   /* udp[:ADDRESS]; NULL: the fabric is the network */
	bool has_mtu, has_ip, has_fabric;
	bool trust;
	char **command;
};

static void list_devices(FILE *to)
{
	for (const struct fw_device *hca = fw_device_next(NULL); hca; hca = fw_device_next(hca))
		fprintf(to, "%-8s %04x  %s\n", hca->name, hca->pci_id, hca->description);
}

static void take_device(struct request *r, const char *name)
{
	r->file = NULL;
	r->kind = fw_device_find(name);
	if (!r->kind && (strpbrk(name, "/.") || !access(name, F_OK))) {
		r->file = name;
		return;
	}
	if (!r->kind) {
		fprintf(stderr, "dvkit-emu: there is no device '%s'; these are:\n", name);
		list_devices(stderr);
		exit(COMMAND_FAILED);
	}
	snprintf(r->emu.device, sizeof(r->emu.device), "%s", name);
}

/* Makes @file absolute, since the command may change its directory, and empty. */
static void take_file(char *dst, size_t size, const char *file, struct argp_state *state)
{
	char cwd[PATH_MAX] = "";
	int fd;

	if (*file != '/' && !getcwd(cwd, sizeof(cwd)))
		argp_failure(state, COMMAND_FAILED, errno, "current directory");
	if ((size_t)snprintf(dst, size, "%s%s%s", cwd, *cwd ? "/" : "", file) >= size)
		argp_failure(state, COMMAND_FAILED, ENAMETOOLONG, "%s", file);
	fd = open(dst, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		argp_failure(state, COMMAND_FAILED, errno, "%s", dst);
	close(fd);
}

/* The array, to which the processes append their elements. */
static void begin_timeline(const char *file, struct argp_state *state)
{
	FILE *f = fopen(file, "w");

	if (!f || fputs("[\n", f) < 0 || fclose(f))
		argp_failure(state, COMMAND_FAILED, errno, "%s", file);
}

static void take_trace(struct request *r, const char *list, struct argp_state *state)
{
	const char *bad = list;
	unsigned int mask;

	if (!explain_parse(list, &mask, &bad))
		argp_failure(state, COMMAND_FAILED, 0, "--trace: unknown word at '%s'", bad);
	r->emu.trace |= mask;
}

static void take_output(struct request *r, int key, const char *arg, struct argp_state *state)
{
	struct options *o = &r->emu;

	if (key == OPT_TRACE)
		take_trace(r, arg, state);
	if (key == OPT_TRACE_FILE)
		take_file(o->trace_file, sizeof(o->trace_file), arg, state);
	if (key == OPT_PCAP)
		take_file(o->pcap, sizeof(o->pcap), arg, state);
	if (key == OPT_TIMELINE) {
		take_file(o->timeline, sizeof(o->timeline), arg, state);
		begin_timeline(o->timeline, state);
	}
}

static void take_network(struct request *r, int key, const char *arg, struct argp_state *state)
{
	if (key == OPT_MTU && !options_mtu(arg, &r->emu.mtu))
		argp_failure(state, COMMAND_FAILED, 0,
			     "--mtu is 256, 512, 1024, 2048 or 4096, not '%s'", arg);
	if (key == OPT_IP && !options_ip(arg, &r->emu.ipv4))
		argp_failure(state, COMMAND_FAILED, 0,
			     "--ip: '%s' is not a unicast IPv4 address", arg);
	if (key == OPT_FABRIC && !options_fabric(arg))
		argp_failure(state, COMMAND_FAILED, 0,
			     "--fabric: 1 to 32 of letters, digits and . _ -, not '%s'", arg);
	if (key == OPT_NETDEV && !options_netdev(arg, ',', r->emu.netdev))
		argp_failure(state, COMMAND_FAILED, 0,
			     "--netdev: '%s' is not one name of an interface, or two", arg);
	if (key == OPT_TAP && !options_tap(arg))
		argp_failure(state, COMMAND_FAILED, 0,
			     "--tap: '%s' is not a name of an interface", arg);
	r->has_mtu |= key == OPT_MTU;
	r->has_ip |= key == OPT_IP;
	r->has_fabric |= key == OPT_FABRIC;
	if (key == OPT_WIRE)
		r->wire = arg;
	if (key == OPT_TAP)
		snprintf(r->emu.tap, sizeof(r->emu.tap), "%s", arg);
	if (key == OPT_FABRIC)
		snprintf(r->emu.fabric, sizeof(r->emu.fabric), "%s", arg);
}

static void take_machine(struct request *r, int key, const char *arg, struct argp_state *state)
{
	if (key == OPT_KERNEL && !kernel_find(arg, &r->emu.kernel))
		argp_failure(state, COMMAND_FAILED, 0, "--kernel is " KERNEL_NAMES ", not '%s'",
			     arg);
	if (key == OPT_AS && !options_as(arg, &r->emu.as))
		argp_failure(state, COMMAND_FAILED, 0, "--as is host or dpu, not '%s'", arg);
}

/* One more fault, if the whole list is still one. */
static void take_fault(struct request *r, int key, const char *arg, struct argp_state *state)
{
	static const char *const kinds[] = {
		"drop", "dup", "reorder", "delay", "corrupt", "ecn"
	};
	struct options_fault faults[OPTIONS_FAULTS];
	const char *kind = kinds[key - OPT_DROP];
	char *text = r->emu.faults;
	size_t size = sizeof(r->emu.faults), len = strlen(text);

	if (!strchr(arg, ';') &&
	    snprintf(text + len, size - len, "%s%s=%s", len ? ";" : "", kind, arg) <
		    (int)(size - len) &&
	    options_faults(text, faults) > 0)
		return;
	argp_failure(
		state, COMMAND_FAILED, 0,
		"--%s is a probability, 0.05 or 5%%, with :SEED, :tx, :rx, %s:send, :write, :read, "
		":read_response, :atomic, :atomic_response, :ack, :cnp, :ethernet; not '%s'",
		kind, key == OPT_DELAY ? ":TIME as 2ms, " : "", arg);
}

static void take_flag(struct request *r, int key)
{
	r->emu.check |= key == OPT_CHECK;
	r->emu.stats |= key == OPT_STATS;
	r->emu.no_memlock |= key == OPT_NO_MEMLOCK;
	r->emu.poll_doorbells |= key == OPT_POLL_DOORBELLS;
	r->trust |= key == OPT_TRUST;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case OPT_DEVICE:
		take_device(r, arg);
		return 0;
	case OPT_LIST:
		list_devices(stdout);
		exit(0);
	case OPT_MTU:
	case OPT_IP:
	case OPT_FABRIC:
	case OPT_WIRE:
	case OPT_TAP:
	case OPT_NETDEV:
		take_network(r, key, arg, state);
		return 0;
	case OPT_DROP:
	case OPT_DUP:
	case OPT_REORDER:
	case OPT_DELAY:
	case OPT_CORRUPT:
	case OPT_ECN:
		take_fault(r, key, arg, state);
		return 0;
	case OPT_TRACE:
	case OPT_TRACE_FILE:
	case OPT_PCAP:
	case OPT_TIMELINE:
		take_output(r, key, arg, state);
		return 0;
	case OPT_CHECK:
	case OPT_STATS:
	case OPT_TRUST:
	case OPT_NO_MEMLOCK:
	case OPT_POLL_DOORBELLS:
		take_flag(r, key);
		return 0;
	case OPT_KERNEL:
	case OPT_AS:
		take_machine(r, key, arg, state);
		return 0;
	case OPT_INJECT:
		r->inject = arg;
		return 0;
	case ARGP_KEY_ARGS:
		r->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no command given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = take,
	.args_doc = "-- COMMAND [ARG...]",
	.doc = "Runs COMMAND on an emulated mlx5 adapter: mlx5_0 appears, and everything on it "
	       "happens in software.",
};

/* Makes the device of r->file. */
static void read_dump(struct request *r, struct fw_image *img, struct fw_device *own)
{
	char why[1200], safe[4 * sizeof(why)];

	if (!dump_read(img, r->file, why, sizeof(why))) {
		fprintf(stderr, "dvkit-emu: %s\n", prm_visible(safe, sizeof(safe), why));
		exit(BAD_DEVICE_FILE);
	}
	if (!r->trust)
		dump_bound(img, r->file, stderr);
	*own = fw_image_device(img);
	r->kind = own;
}

/* Files of the tree that the preloaded library reads. */
static int store_files(struct request *r, const struct fw_image *img, const char *tree)
{
	char why[1200], safe[4 * sizeof(why)];
	int err = r->file ? dump_store(img, tree, r->emu.image, sizeof(r->emu.image)) : 0;

	if (err || !r->inject ||
	    inject_store(r->inject, tree, r->emu.inject, sizeof(r->emu.inject), why,
			 sizeof(why)))
		return err;
	fprintf(stderr, "dvkit-emu: --inject: %s: %s\n", r->inject,
		prm_visible(safe, sizeof(safe), why));
	return -1;
}

/* Address, MTU and fabric that follow from --wire. */
static bool apply_wire(struct request *r)
{
	struct options *o = &r->emu;
	char why[1200];
	uint32_t mtu;

	if (!r->wire)
		return true;
	if (r->has_ip) {
		fprintf(stderr,
			"dvkit-emu: --wire and --ip: the address is that of the network "
			"interface, choose it by --wire udp:ADDRESS\n");
		return false;
	}
	if (!interface_find(r->wire, &o->wire, why, sizeof(why))) {
		fprintf(stderr, "dvkit-emu: --wire: %s\n", why);
		return false;
	}
	mtu = interface_path_mtu(&o->wire);
	if (r->has_mtu && o->mtu > mtu) {
		fprintf(stderr,
			"dvkit-emu: --mtu %u: %s has MTU %u, enough for %u; %u needs %u "
			"(ip link set dev %s mtu %u)\n",
			o->mtu, o->wire.netdev, o->wire.mtu, mtu, o->mtu,
			o->mtu + HCA_ROCE_OVERHEAD, o->wire.netdev, o->mtu + HCA_ROCE_OVERHEAD);
		return false;
	}
	if (!r->has_mtu)
		o->mtu = mtu;
	if (options_wire_ipv4(&o->wire))
		o->ipv4 = options_wire_ipv4(&o->wire);
	if (!r->has_fabric)
		interface_fabric(o->fabric, sizeof(o->fabric));
	return true;
}

/* The interfaces of the functions that there are. */
static bool provide_netdevs(const struct request *r)
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		const char *name = r->emu.netdev[i];
		char why[200];
		uint8_t mac[6];

		if (!*name || i >= options_functions(r->emu.as, r->kind->dpu))
			continue;
		options_port_mac(&r->emu, options_is_dpu(r->emu.as, i), mac);
		if (netdev_provide(name, mac, why, sizeof(why)))
			continue;
		fprintf(stderr, "dvkit-emu: --netdev: %s\n", why);
		return false;
	}
	return true;
}

static int launch(void *arg)
{
	struct request *r = arg;
	const char *why = command_obstacle(r->command[0]);
	char *library, *tree;
	int status = COMMAND_FAILED, err;

	if (why)
		fprintf(stderr, "dvkit-emu: %s will not see the adapter: %s\n", r->command[0],
			why);
	library = env_find_library();
	if (!library)
		return COMMAND_FAILED;
	if (!provide_netdevs(r)) {
		free(library);
		return COMMAND_FAILED;
	}
	sysfs_sweep();
	tree = sysfs_create(r->kind, &r->emu);
	if (!tree) {
		perror("dvkit-emu: sysfs tree in TMPDIR, or /dev/shm, or /tmp");
		free(library);
		return COMMAND_FAILED;
	}
	err = store_files(r, r->img, tree);
	if (!err)
		err = env_set(&r->emu, library, tree);
	if (err > 0)
		fprintf(stderr, "dvkit-emu: environment: %s\n", strerror(err));
	else if (!err)
		status = command_run(r->command, r->emu.check);
	if (status == 128 + SIGSEGV && r->emu.check && !r->emu.poll_doorbells)
		fprintf(stderr,
			"dvkit-emu: check: the command was ended by SIGSEGV; if it rings with SIGSEGV "
			"blocked, or on a small stack, try --poll-doorbells\n");
	command_wait_for_daemons(status);
	sysfs_remove(tree);
	free(tree);
	free(library);
	return status;
}

int main(int argc, char **argv)
{
	static struct fw_image img;
	struct request r = { 0 };
	struct fw_device own;

	argp_err_exit_status = COMMAND_FAILED;
	options_default(&r.emu);
	r.kind = fw_device_find(r.emu.device);
	argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &r);
	if (*r.emu.trace_file && !r.emu.trace && !r.emu.check && !r.emu.stats) {
		fprintf(stderr,
			"dvkit-emu: --trace-file without --trace, --check or --stats\n");
		return COMMAND_FAILED;
	}
	if (r.file)
		read_dump(&r, &img, &own);
	if (r.emu.as && !r.kind->dpu) {
		fprintf(stderr,
			"dvkit-emu: --as: %s has one function only; bf2 and bf3 have two\n",
			r.file ? r.file : r.emu.device);
		return COMMAND_FAILED;
	}
	if (!apply_wire(&r))
		return COMMAND_FAILED;
	r.img = &img;
	return command_keep(launch, &r);
}
