/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boot: the only file that includes all modules. Starts the layers from the lowest up, and ends
 * them in reverse order at exit.
 *
 *	wire_open -> network -> slot -> hca_init -> port -> fw_init -> upcalls -> explain
 *	          -> uverbs_probe -> pcap -> ucma_probe -> net -> engine_start -> check
 *
 * A function comes up when its device is opened first and stays until the process ends; exit()
 * stops the engines, so that capture files are complete. A process that is killed or calls
 * _exit() just ends: the kernel frees its slot.
 *
 * fork(): the child starts without an adapter. Its inherited descriptors answer EIO: a limit
 * of the emulator, as the adapter is in the parent (a kernel would continue to serve the
 * child). An open in the child boots a separate function in another slot. The child's copy
 * of the parent's struct boot is not used again: threads that do not exist may hold its lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/core.h"
#include "explain/explain.h"
#include "fw/fw.h"
#include "options/options.h"
#include "preload/boot.h"
#include "preload/check.h"
#include "preload/ending.h"
#include "preload/environment.h"
#include "preload/files.h"
#include "preload/hw_counter.h"
#include "preload/last_thread.h"
#include "preload/netlink.h"
#include "preload/outside.h"
#include "preload/signals.h"
#include "preload/stats.h"
#include "preload/watch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct boot *) running[OPTIONS_FUNCTIONS];
static struct boot *all; /* adapters are never freed, but stay reachable for leak checkers */
static bool refused;	 /* said so once; lock held */
static _Atomic uint64_t pinned; /* pages of all functions that count against RLIMIT_MEMLOCK */
static __thread bool fork_inside;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static bool read_options(struct options *o)
{
	const char *text = environment_options();
	char why[1200];

	if (options_parse(o, text ? text : "", why, sizeof(why)))
		return true;
	boot_complain("%s: %s", OPTIONS_ENV, why);
	return false;
}

/* Its port, its role, and what firmware says of it. */
static void make_function(struct boot *b, const struct fw_device *kind)
{
	bool dpu = options_is_dpu(b->options.as, b->function);
	struct hca_port *port = &b->hca.port;
	uint8_t first[6];

	options_port_mac(&b->options, dpu, port->mac);
	options_port_mac(&b->options, false, first);
	port->sys_image_guid = options_guid(first);
	port->node_guid = options_guid(port->mac);
	port->mtu = b->options.mtu;
	b->hca.role = !kind->dpu ? HCA_ROLE_NIC : dpu ? HCA_ROLE_DPU : HCA_ROLE_HOST;
	if (*b->options.image)
		fw_init_image(&b->hca, &b->image);
	else
		fw_init(&b->hca, kind);
	if (*b->options.wire.netdev)
		fw_public_frames(&b->hca);
}

/* Opens where trace lines and findings go. A high number keeps out of the application's
 * way; a copy of stderr survives the application closing its own. */
static int open_log(const struct options *o)
{
	int fd;

	if (!*o->trace_file)
		return core_own(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
	fd = core_own(open(o->trace_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
	if (fd < 0)
		boot_complain("%s: %s", o->trace_file, strerror(errno));
	return fd;
}

/* -1: there is no file. */
static int open_timeline(const struct options *o)
{
	int fd = -1;

	if (*o->timeline)
		fd = core_own(
			open(o->timeline, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
	if (*o->timeline && fd < 0)
		boot_complain("%s: %s", o->timeline, strerror(errno));
	return fd;
}

static bool start_trace(struct boot *b)
{
	unsigned int mask = b->options.trace | (b->options.check ? 1u << TRACE_CHECK : 0);
	const struct boot *first = boot_running(0) ? boot_running(0) : boot_running(1);

	core_trace_slot = b->hca.slot;
	b->log_fd = b->timeline_fd = -1;
	if (first) {
		b->log_fd = first->log_fd;
		return true;
	}
	core_trace_mask = 0;
	if (mask || b->options.stats)
		b->log_fd = open_log(&b->options);
	if ((mask || b->options.stats) && b->log_fd < 0 && *b->options.trace_file)
		return false;
	if (b->log_fd < 0)
		mask = 0;
	b->timeline_fd = open_timeline(&b->options);
	if (b->timeline_fd < 0 && *b->options.timeline)
		return false;
	if (mask || b->timeline_fd >= 0)
		explain_start(b->log_fd, mask, b->timeline_fd, program_invocation_short_name);
	return true;
}

static bool present(const struct hca *hca, uint8_t vhca_id)
{
	return wire_present(core_container(hca, struct boot, hca)->wire, vhca_id);
}

static void catch_up(struct hca *hca, struct hca_qp *qp)
{
	engine_catch_up(core_container(hca, struct boot, hca)->engine, qp);
}

/* fw, uverbs, ucma and engine on a device whose state is ready. */
static bool connect_modules(struct boot *b, const struct fw_device *kind)
{
	uint8_t addresses[OPTIONS_ADDRESSES][16];
	struct uverbs_config cfg = {
		.pci_id = kind->pci_id,
		.fw_ver = kind->fw_ver,
		.addresses = addresses,
		.naddresses = options_addresses(
			&b->options, options_is_dpu(b->options.as, b->function), addresses),
		.w = b->wire,
		.kernel = b->options.kernel,
		.no_memlock = b->options.no_memlock,
		.pinned = &pinned,
	};

	make_function(b, kind);
	b->hca.vhcas = wire_vhcas(b->wire);
	b->hca.adapters = wire_adapters(b->wire);
	b->hca.present = present;
	hca_vhca_publish(&b->hca, b->options.ipv4);
	b->hca.irq = uverbs_irq;
	b->hca.kick = engine_kick;
	b->hca.unread = uverbs_unread;
	b->hca.look = last_thread_look;
	if (!start_trace(b))
		return false;
	b->uverbs = uverbs_probe(&b->hca, &cfg);
	if (!b->uverbs) {
		boot_complain("probe: %s", strerror(errno));
		return false;
	}
	if (!outside_pcap(b))
		goto remove_uverbs;
	if (b->function == BOOT_CM)
		b->ucma = ucma_probe(&b->hca, b->wire, b->options.ipv4, b->options.kernel);
	if (b->function == BOOT_CM && !b->ucma) {
		boot_complain("rdma_cm: %s", strerror(errno));
		goto remove_uverbs;
	}
	signals_start();
	if (!outside_net(b))
		goto remove_ucma;
	b->engine = engine_start(&b->hca, b->wire, b->net);
	if (b->engine) {
		b->hca.catch_up = catch_up;
		return true;
	}
	boot_complain("engine: %s", strerror(errno));
	net_close(b->net);
remove_ucma:
	ucma_remove(b->ucma);
	ucma_free(b->ucma);
remove_uverbs:
	uverbs_remove(b->uverbs);
	return false;
}

/* The slot may have been that of a process which died, and its peers may still send to the QPs
 * that it had. An adapter assigns its numbers round robin, across the processes that it serves;
 * this one begins again with each. So if a peer of an earlier process may exist, it begins at
 * another number; alone it begins at 1, which makes traces easy to compare. */
static void set_numbers(struct boot *b)
{
	if (!wire_alone(b->wire) || wire_has_network(b->wire))
		core_ids_shift(&b->hca.qps, core_now_ns() * 0x9e3779b97f4a7c15ull >> 32);
}

/* The launcher's file: of the same build, so its bytes are those of the structure. */
static bool read_image(struct boot *b)
{
	int fd = open(b->options.image, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, &b->image, sizeof(b->image));

	close(fd);
	if (n == sizeof(b->image) &&
	    !memcmp(b->image.magic, FW_IMAGE_MAGIC, sizeof(b->image.magic)))
		return true;
	boot_complain("%s: not a device image of this dvkit-emu", b->options.image);
	return false;
}

static bool find_kind(struct boot *b, struct fw_device const **kind, struct fw_device *own)
{
	if (*b->options.image) {
		if (!read_image(b))
			return false;
		*own = fw_image_device(&b->image);
		*kind = own;
		return true;
	}
	*kind = fw_device_find(b->options.device);
	if (!*kind)
		boot_complain("there is no device '%s'", b->options.device);
	if (*kind && b->options.as && !(*kind)->dpu) {
		boot_complain("%s has one function, 'as' is for a DPU", b->options.device);
		return false;
	}
	return *kind;
}

static const char *const names[OPTIONS_FUNCTIONS] = { "mlx5_0", "mlx5_1" };
static const char *const uverbs_names[OPTIONS_FUNCTIONS] = { "uverbs0", "uverbs1" };

/* The device of @function that would boot. False: it cannot, or there is none. Lock held. */
static bool read_identity(struct nldev_device *d, unsigned int function)
{
	struct boot *b = calloc(1, sizeof(*b));
	const struct fw_device *kind;
	struct fw_device own;
	bool ok = b && read_options(&b->options) && find_kind(b, &kind, &own) &&
		  function < options_functions(b->options.as, kind->dpu);
	static char fw_ver[sizeof(b->image.fw_ver)], netdevs[OPTIONS_FUNCTIONS][16];
	static char fabric[sizeof(b->options.fabric)];

	if (ok) {
		b->function = function;
		make_function(b, kind);
		snprintf(netdevs[function], sizeof(netdevs[function]), "%s",
			 options_netdev_of(&b->options, function));
		snprintf(fw_ver, sizeof(fw_ver), "%s", kind->fw_ver);
		snprintf(fabric, sizeof(fabric), "%s", b->options.fabric);
		*d = (struct nldev_device){
			.name = names[function],
			.uverbs_name = uverbs_names[function],
			.fw_ver = fw_ver,
			.node_guid = b->hca.port.node_guid,
			.sys_image_guid = b->hca.port.sys_image_guid,
			.cap_flags = uverbs_device_flags(&b->hca),
			.netdev = netdevs[function],
			.kernel = b->options.kernel,
			.uverbs_node =
				makedev(OPTIONS_UVERBS_MAJOR, OPTIONS_UVERBS_MINOR + function),
			.cm_node = makedev(OPTIONS_CM_MAJOR, OPTIONS_CM_MINOR),
			.counted = hw_counter_sum,
			.fabric = fabric,
			.ipv4 = b->options.ipv4,
			.role = b->hca.role,
		};
	}
	free(b);
	return ok;
}

static bool bring_up(struct boot *b)
{
	const struct fw_device *kind;
	struct fw_device own;
	int err;

	if (!read_options(&b->options) || !find_kind(b, &kind, &own))
		return false;
	if (b->function >= options_functions(b->options.as, kind->dpu)) {
		boot_complain("there is no mlx5_%u", b->function);
		return false;
	}
	b->wire = wire_open(b->options.fabric);
	if (!b->wire) {
		boot_complain_fabric(b->options.fabric, errno);
		return false;
	}
	wire_send_frames(b->wire, environment_frames());
	err = wire_host(b->wire, b->options.ipv4);
	if (err) {
		boot_complain("fabric %s: %s", b->options.fabric, strerror(-err));
		goto close_wire;
	}
	if (!outside_network(b))
		goto close_wire;
	err = hca_init(&b->hca, wire_slot(b->wire));
	if (err) {
		boot_complain(
			err == EFBIG
				? "device: the limit of file sizes (RLIMIT_FSIZE, ulimit -f) "
				  "is below 3 GiB, and cannot be raised"
				: "device: %s",
			strerror(err));
		goto close_wire;
	}
	set_numbers(b);
	if (connect_modules(b, kind)) {
		if (b->options.check && b->log_fd >= 0)
			check_start(b);
		if ((b->options.check || b->options.stats) && b->log_fd >= 0)
			ending_start(b);
		return true;
	}
	if (!boot_any())
		core_trace_mask = 0;
	hca_fini(&b->hca);
close_wire:
	wire_close(b->wire);
	return false;
}

static struct boot_held forking; /* lock held */

/* With the device locks held no thread is inside the emulator, and its other locks are free in
 * the child. Until fork returns no handler runs, in parent or child. From inside
 * only the handler of a fault forks: it is killed if it opens the device. */
static void fork_prepare(void)
{
	fork_inside = core_inside();
	if (fork_inside)
		return;
	core_lock(&lock);
	boot_hold(&forking);
	files_fork_prepare();
	core_bus_fork_prepare();
	uar_pages_fork_prepare();
	core_memory_fork_prepare();
}

static void fork_parent(void)
{
	if (fork_inside)
		return;
	core_memory_fork_done();
	uar_pages_fork_done();
	core_bus_fork_parent();
	files_fork_parent();
	boot_release(&forking);
	core_unlock(&lock);
}

/* Slots and names are free when the parent ends, and frames for it do not pile up in a queue
 * that is never read. */
static void fork_child(void)
{
	bool any = boot_any();

	if (fork_inside)
		return;
	core_memory_fork_done();
	uar_pages_fork_done();
	watch_fork_child();
	core_bus_fork_child();
	files_fork_child();
	core_trace_mask = 0;
	atomic_store(&pinned, 0);
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		running[i] = NULL;
		if (forking.of[i])
			outside_abandon(forking.of[i]);
	}
	if (any)
		core_own_forked();
	boot_release(&forking);
	core_unlock(&lock);
}

static void watch_fork(void)
{
	netlink_watch_fork();
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* It may use pages as soon as it is up: not while a thread moves them with the locks of the
 * others. */
static void publish(struct boot *b)
{
	struct boot_held others;

	boot_hold(&others);
	running[b->function] = b;
	boot_release(&others);
}

/* Lock held. A refusal is said once and lasts. */
static struct boot *boot_new(unsigned int function)
{
	struct boot *b = refused ? NULL : calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->function = function;
	if (!bring_up(b)) {
		refused = true;
		free(b);
		return NULL;
	}
	b->older = all;
	all = b;
	publish(b);
	return b;
}

struct boot *boot_device(unsigned int function)
{
	struct boot *b = running[function];

	if (b)
		return b;
	core_lock(&lock);
	pthread_once(&fork_once, watch_fork);
	b = running[function];
	if (!b)
		b = boot_new(function);
	core_unlock(&lock);
	if (!b)
		errno = ENODEV;
	return b;
}

/* Function 0 always exists. */
size_t boot_identity(struct nldev_device d[OPTIONS_FUNCTIONS])
{
	static struct nldev_device known[OPTIONS_FUNCTIONS];
	static size_t n;

	core_lock(&lock);
	if (!n && !refused) {
		refused = !read_identity(&known[0], 0);
		n = 1 + (!refused && read_identity(&known[1], 1));
	}
	for (size_t i = 0; i < OPTIONS_FUNCTIONS; i++) {
		const struct boot *b = running[i];

		d[i] = known[i];
		d[i].uverbs = b ? b->uverbs : NULL;
		d[i].ucma = b ? b->ucma : NULL;
	}
	core_unlock(&lock);
	return n ? n : 1;
}

struct boot *boot_running(unsigned int function)
{
	return running[function];
}

bool boot_any(void)
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++)
		if (running[i])
			return true;
	return false;
}

static void hold(struct boot_held *held)
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		held->of[i] = running[i];
		if (held->of[i])
			hca_lock(&held->of[i]->hca);
	}
}

/* Has none come up meanwhile? While one is held, none does (publish). */
static bool is_all(const struct boot_held *held)
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		struct boot *b = running[i];

		if (b && b != held->of[i])
			return false;
	}
	return true;
}

void boot_hold(struct boot_held *held)
{
	hold(held);
	while (!is_all(held)) {
		boot_release(held);
		hold(held);
	}
}

void boot_release(const struct boot_held *held)
{
	for (unsigned int i = OPTIONS_FUNCTIONS; i--;)
		if (held->of[i])
			hca_unlock(&held->of[i]->hca);
}

void boot_unmapped(const struct boot_held *held)
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		if (!held->of[i])
			continue;
		core_trace_slot = held->of[i]->hca.slot;
		engine_unmapped(&held->of[i]->hca);
	}
}

/* Only one call stops the adapter; others, from the exit() of a handler, go on without. False:
 * there is none, or not any more. */
static bool stop_serving(struct boot *stopped[OPTIONS_FUNCTIONS])
{
	bool any = false;

	watch_stop();
	core_lock(&lock);
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++) {
		stopped[i] = running[i];
		running[i] = NULL;
		any |= stopped[i] != NULL;
	}
	refused = true;
	core_unlock(&lock);
	return any;
}

static void stop_engine(struct boot *b)
{
	stats_finish(b);
	ucma_remove(b->ucma);
	hca_lock(&b->hca);
	b->hca.catch_up = NULL;
	hca_unlock(&b->hca);
	engine_stop(b->engine);
}

static void summarize(struct boot *b)
{
	if (b->options.check && b->log_fd >= 0)
		check_finish(b, 0);
}

static void leave_fabric(struct boot *b)
{
	net_close(b->net);
	wire_close(b->wire);
}

static void each(struct boot *const of[OPTIONS_FUNCTIONS], void (*act)(struct boot *b))
{
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++)
		if (of[i])
			act(of[i]);
}

/* Runs after the application's atexit handlers. The adapter's memory is left alone: other
 * threads may still be in an ioctl. The handler of a fault inside may exit: then the locks are
 * held by this thread, and the adapter ends with the process. */
__attribute__((destructor)) static void shut_down(void)
{
	struct boot *stopped[OPTIONS_FUNCTIONS];
	int cancel;

	if (core_inside())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!stop_serving(stopped))
		return;
	ending_stop();
	/* No engine runs while another function leaves the fabric: its work would end in
	 * errors, and findings. */
	each(stopped, stop_engine);
	each(stopped, summarize);
	each(stopped, leave_fabric);
}
