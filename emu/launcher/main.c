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
#include "launcher/function.h"
#include "launcher/inject.h"
#include "launcher/interface.h"
#include "launcher/netdev.h"
#include "launcher/sysfs.h"
#include "options/options.h"
#include "prm/visible.h"

/* argp finds it by its name in the executable */
__attribute__((visibility("default"))) const char *argp_program_version =
	"dvkit-emu " DVKIT_VERSION;

#define BAD_DEVICE_FILE 2

/* The number of each option, from which argp's key follows. */
enum id {
#define OPTION(member, ...)	 ID_##member,
#define OPTION_FLAG(member, ...) ID_##member,
#define OPTION_FAULT(KIND, ...)	 ID_##KIND,
#define OPTION_ONLY(id, ...)	 ID_##id,
#include "options/option.def"
	N_IDS
};

enum { FIRST_KEY = 256 };

static const struct argp_option options[] = {
#define OPTION(member, type, key, first, take, put, read, group, name, arg, refusal, help) \
	{ name, FIRST_KEY + ID_##member, arg, 0, help, group },
#define OPTION_FLAG(member, key, on, off, group, name, help) \
	{ name, FIRST_KEY + ID_##member, NULL, 0, help, group },
#define OPTION_FAULT(KIND, name, help) { name, FIRST_KEY + ID_##KIND, "P[:SEED]", 0, help, 3 },
#define OPTION_ONLY(id, read, flags, group, name, argument, help) \
	{ name, FIRST_KEY + ID_##id, argument, flags, help, group },
#include "options/option.def"
	{ 0 },
};

struct request {
	struct options emu;
	const struct fw_device *kind;
	const struct fw_image *img;
	const char *file;	  /* --device FILE; NULL: a device of ours */
	const char *given[N_IDS]; /* the values; "": a flag; NULL: not given */
	char **command;
	struct argp_state *state; /* of the parser */
};

static void list_devices(FILE *to)
{
	for (const struct fw_device *hca = fw_device_next(NULL); hca; hca = fw_device_next(hca))
		fprintf(to, "%-8s %04x  %s\n", hca->name, hca->pci_id, hca->description);
}

/* How an option is read: what its row of option.def says. */
struct row {
	const char *key;  /* of DVKIT_EMU; of a fault its kind */
	const char *text; /* of a flag its value of @key, of others the refusal */
	void (*read)(struct request *r, const struct row *row, const char *arg);
};

#define read_nothing NULL /* its value is used later */

static void read_list(struct request *r, const struct row *row, const char *arg)
{
	(void)r, (void)row, (void)arg;
	list_devices(stdout);
	exit(0);
}

static void read_device(struct request *r, const struct row *row, const char *name)
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
	options_take(&r->emu, row->key, name);
}

static void read_value(struct request *r, const struct row *row, const char *arg)
{
	if (!options_take(&r->emu, row->key, arg))
		argp_failure(r->state, COMMAND_FAILED, 0, row->text, arg);
}

static void read_flag(struct request *r, const struct row *row, const char *arg)
{
	(void)arg;
	options_take(&r->emu, row->key, row->text);
}

static void read_netdev(struct request *r, const struct row *row, const char *arg)
{
	if (!options_netdev(arg, ',', r->emu.netdev))
		argp_failure(r->state, COMMAND_FAILED, 0, row->text, arg);
}

static void read_trace(struct request *r, const struct row *row, const char *list)
{
	const char *bad = list;
	unsigned int mask;

	if (!explain_parse(list, &mask, &bad))
		argp_failure(r->state, COMMAND_FAILED, 0, row->text, bad);
	r->emu.trace |= mask;
}

/* Makes the file absolute, since the command may change its directory, and empty. */
static void read_file(struct request *r, const struct row *row, const char *file)
{
	char cwd[PATH_MAX] = "", path[sizeof(r->emu.pcap)];
	int fd;

	if (*file != '/' && !getcwd(cwd, sizeof(cwd)))
		argp_failure(r->state, COMMAND_FAILED, errno, "current directory");
	if ((size_t)snprintf(path, sizeof(path), "%s%s%s", cwd, *cwd ? "/" : "", file) >=
		    sizeof(path) ||
	    !options_take(&r->emu, row->key, path))
		argp_failure(r->state, COMMAND_FAILED, ENAMETOOLONG, "%s", file);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		argp_failure(r->state, COMMAND_FAILED, errno, "%s", path);
	close(fd);
}

/* The array, to which the processes append their elements. */
static void read_timeline(struct request *r, const struct row *row, const char *file)
{
	FILE *f;

	read_file(r, row, file);
	f = fopen(r->emu.timeline, "w");
	if (!f || fputs("[\n", f) < 0 || fclose(f))
		argp_failure(r->state, COMMAND_FAILED, errno, "%s", r->emu.timeline);
}

/* One more fault, if the whole list is still one. */
static void read_fault(struct request *r, const struct row *row, const char *arg)
{
	char text[sizeof(r->emu.faults)], *before = r->emu.faults;

	if (!strchr(arg, ';') &&
	    (size_t)snprintf(text, sizeof(text), "%s%s%s=%s", before, *before ? ";" : "",
			     row->key, arg) < sizeof(text) &&
	    options_take(&r->emu, "faults", text))
		return;
	argp_failure(
		r->state, COMMAND_FAILED, 0,
		"--%s is a probability, 0.05 or 5%%, with :SEED, :tx, :rx, %s:send, :write, :read, "
		":read_response, :atomic, :atomic_response, :ack, :cnp, :ethernet; not '%s'",
		row->key, strcmp(row->key, "delay") ? "" : ":TIME as 2ms, ", arg);
}

static const struct row rows[] = {
#define OPTION(member, type, key, first, take, put, read, group, name, arg, refusal, help) \
	{ key, refusal, read_##read },
#define OPTION_FLAG(member, key, on, ...) { key, on, read_flag },
#define OPTION_FAULT(KIND, name, help)	  { name, NULL, read_fault },
#define OPTION_ONLY(id, read, ...)	  { NULL, NULL, read_##read },
#include "options/option.def"
};

/* The end of the options. A PCI function has no processes, so no options for them. */
static void take_command(struct request *r, char **command)
{
	static const enum id of_processes[] = { ID_kernel, ID_as,
						ID_wire,   ID_netdev,
						ID_inject, ID_no_memlock,
						ID_stats,  ID_poll_doorbells };

	r->command = command;
	if (!r->given[ID_vfio_user] && !command)
		argp_error(r->state, "no command given");
	if (r->given[ID_control] && !r->given[ID_vfio_user])
		argp_failure(r->state, COMMAND_FAILED, 0, "--control without --vfio-user");
	if (!r->given[ID_vfio_user])
		return;
	if (command)
		argp_failure(r->state, COMMAND_FAILED, 0, "--vfio-user has no command");
	for (size_t i = 0; i < ARRAY_SIZE(of_processes); i++)
		if (r->given[of_processes[i]])
			argp_failure(r->state, COMMAND_FAILED, 0,
				     "--vfio-user and --%s exclude each other",
				     options[of_processes[i]].name);
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;
	int id = key - FIRST_KEY;

	r->state = state;
	if (key == ARGP_KEY_ARGS)
		take_command(r, state->argv + state->next);
	else if (key == ARGP_KEY_NO_ARGS)
		take_command(r, NULL);
	else if (id < 0 || id >= N_IDS)
		return ARGP_ERR_UNKNOWN;
	else {
		r->given[id] = arg ? arg : "";
		if (rows[id].read)
			rows[id].read(r, &rows[id], arg);
	}
	return 0;
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
	if (!r->given[ID_trust])
		dump_bound(img, r->file, stderr);
	*own = fw_image_device(img);
	r->kind = own;
}

/* Files of the tree that the preloaded library reads. */
static int store_files(struct request *r, const struct fw_image *img, const char *tree)
{
	char why[1200], safe[4 * sizeof(why)];
	int err = r->file ? dump_store(img, tree, r->emu.image, sizeof(r->emu.image)) : 0;

	if (err || !r->given[ID_inject] ||
	    inject_store(r->given[ID_inject], tree, r->emu.inject, sizeof(r->emu.inject), why,
			 sizeof(why)))
		return err;
	fprintf(stderr, "dvkit-emu: --inject: %s: %s\n", r->given[ID_inject],
		prm_visible(safe, sizeof(safe), why));
	return -1;
}

/* Address, MTU and fabric that follow from --wire. */
static bool apply_wire(struct request *r)
{
	struct options *o = &r->emu;
	char why[1200];
	uint32_t mtu;

	if (!r->given[ID_wire])
		return true;
	if (r->given[ID_ipv4]) {
		fprintf(stderr,
			"dvkit-emu: --wire and --ip: the address is that of the network "
			"interface, choose it by --wire udp:ADDRESS\n");
		return false;
	}
	if (!interface_find(r->given[ID_wire], &o->wire, why, sizeof(why))) {
		fprintf(stderr, "dvkit-emu: --wire: %s\n", why);
		return false;
	}
	mtu = interface_path_mtu(&o->wire);
	if (r->given[ID_mtu] && o->mtu > mtu) {
		fprintf(stderr,
			"dvkit-emu: --mtu %u: %s has MTU %u, enough for %u; %u needs %u "
			"(ip link set dev %s mtu %u)\n",
			o->mtu, o->wire.netdev, o->wire.mtu, mtu, o->mtu,
			o->mtu + HCA_ROCE_OVERHEAD, o->wire.netdev, o->mtu + HCA_ROCE_OVERHEAD);
		return false;
	}
	if (!r->given[ID_mtu])
		o->mtu = mtu;
	if (options_wire_ipv4(&o->wire))
		o->ipv4 = options_wire_ipv4(&o->wire);
	if (!r->given[ID_fabric])
		interface_fabric(o->fabric, sizeof(o->fabric));
	return true;
}

/* The interfaces of the existing functions. */
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
	if (r.given[ID_vfio_user])
		return function_serve(&(struct function_request){
			.options = &r.emu,
			.kind = r.kind,
			.image = r.file ? &img : NULL,
			.socket = r.given[ID_vfio_user],
			.control = r.given[ID_control],
		});
	return command_keep(launch, &r);
}
