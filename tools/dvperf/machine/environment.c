/* SPDX-License-Identifier: BSD-2-Clause */
/* The environment of a result, read from /proc, /sys and the device; device counters. */
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <dvkit/emu.h>

#include "base/base.h"
#include "effort.h"
#include "environment.h"
#include "memory.h"

static void add_text(struct json_object *to, const char *name, const char *value)
{
	json_object_object_add(to, name, json_object_new_string(value));
}

static void add_number(struct json_object *to, const char *name, double value)
{
	json_object_object_add(to, name, json_object_new_double(value));
}

/* The first line of a file, without its end; false: it does not exist. */
static bool read_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool have = f && fgets(line, size, f);

	if (f)
		fclose(f);
	if (have)
		line[strcspn(line, "\n")] = 0;
	return have;
}

/* ---- the machine ---- */

static bool cpuinfo(const char *field, char *value, size_t size)
{
	char line[8192];
	bool found = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = !strncmp(line, field, strlen(field)) && strchr(line, ':');
		if (found)
			snprintf(value, size, "%.*s", (int)size - 1, strchr(line, ':') + 2);
	}
	if (f)
		fclose(f);
	value[found ? strcspn(value, "\n") : 0] = 0;
	return found;
}

static bool is_virtual(void)
{
	char flags[8192];

	return cpuinfo("flags", flags, sizeof(flags)) && strstr(flags, " hypervisor");
}

static const char *governor(void)
{
	static char line[64];

	return read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", line,
			 sizeof(line))
		       ? line
		       : NULL;
}

/* When it was measured, in UTC. */
static void add_date(struct json_object *to)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	add_text(to, "date", text);
}

/* "0,4 1,5": the CPUs of each core, one core after the other. */
static void add_siblings(struct json_object *to)
{
	char path[96], line[64], all[2048] = "";

	for (int i = 0; i < sysconf(_SC_NPROCESSORS_CONF); i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
		if (!read_line(path, line, sizeof(line)) || atoi(line) != i)
			continue; /* the first CPU of a core has named it */
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? " " : "",
			 line);
	}
	if (*all)
		add_text(to, "thread_siblings", all);
}

/* Kernel parameters that keep others off the cores, as they were given. */
static void add_isolation(struct json_object *to)
{
	static const char *const names[] = { "isolcpus=", "nohz_full=", "rcu_nocbs=" };
	char line[4096], *at, *save = NULL;

	if (!read_line("/proc/cmdline", line, sizeof(line)))
		return;
	for (at = strtok_r(line, " ", &save); at; at = strtok_r(NULL, " ", &save))
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (!strncmp(at, names[i], strlen(names[i]))) {
				at[strlen(names[i]) - 1] = 0;
				add_text(to, at, at + strlen(names[i]));
				break;
			}
}

/* "POLL C1 C6": those that the first core may enter. */
static void add_idle_states(struct json_object *to)
{
	char path[120], name[32], disabled[16], all[256] = "";

	for (int i = 0; i < 16; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cpuidle/state%d/name", i);
		if (!read_line(path, name, sizeof(name)))
			break;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable", i);
		if (read_line(path, disabled, sizeof(disabled)) && strcmp(disabled, "0"))
			continue;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? " " : "",
			 name);
	}
	if (*all)
		add_text(to, "idle_states", all);
}

static void add_pmu(struct json_object *to)
{
	struct effort_meter meter;
	char text[80] = "instructions, cycles";
	int error = effort_open(&meter);

	if (error)
		snprintf(text, sizeof(text), "no PMU: %s", strerror(error));
	effort_end(&meter);
	add_text(to, "pmu", text);
}

/* ---- libraries ---- */

struct library {
	const char *name;
	char *path;
};

static int is_library(struct dl_phdr_info *info, size_t size, void *to)
{
	struct library *l = (struct library *)to;
	const char *file = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!file || strncmp(file + 1, l->name, strlen(l->name)))
		return 0;
	l->path = realpath(info->dlpi_name, NULL);
	return 1;
}

/* The file that is loaded; its name ends in the version. */
static void add_library(struct json_object *to, const char *name)
{
	struct library l = { .name = name };

	dl_iterate_phdr(is_library, &l);
	add_text(to, name, l.path ? l.path : "not loaded");
	free(l.path);
}

static void add_variables(struct json_object *to)
{
	static const char *const names[] = {
		"MLX5_SHUT_UP_BF",   "MLX5_POST_SEND_PREFER_BF", "MLX5_SINGLE_THREADED",
		"MLX5_TOTAL_UUARS",  "MLX5_NUM_LOW_LAT_UUARS",	 "MLX_QP_ALLOC_TYPE",
		"MLX_CQ_ALLOC_TYPE", "MLX5_SCATTER_TO_CQE"
	};
	struct json_object *variables = json_object_new_object();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i]))
			add_text(variables, names[i], getenv(names[i]));
	json_object_object_add(to, "variables", variables);
}

static void add_flag(struct json_object *to, const char *name, bool value)
{
	json_object_object_add(to, name, json_object_new_boolean(value));
}

/* As its configuration space says; what cannot be read is left out. */
static void add_settings(struct json_object *to, const char *device)
{
	uint8_t config[256];
	struct pcie_settings s;
	char path[300];
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/config", device);
	f = fopen(path, "re");
	if (f) {
		size = fread(config, 1, sizeof(config), f);
		fclose(f);
	}
	if (!pcie_settings_of(config, size, &s))
		return;
	json_object_object_add(to, "max_payload", json_object_new_int64(s.max_payload));
	json_object_object_add(to, "max_read_request",
			       json_object_new_int64(s.max_read_request));
	add_flag(to, "relaxed_ordering", s.relaxed_ordering);
	add_flag(to, "extended_tags", s.extended_tags);
	add_flag(to, "aspm", s.aspm);
	snprintf(path, sizeof(path), "%ux%u", s.link.generation, s.link.width);
	add_text(to, "link_status", path);
}

static void add_device(struct json_object *to, const struct device *dev,
		       const struct options *o)
{
	struct json_object *d = json_object_new_object();
	bool known;
	struct pcie_link link = device_link(dev, o, &known);
	char text[80], node[300];

	if (dev->ctx) {
		add_text(d, "name", ibv_get_device_name(dev->ctx->device));
		add_text(d, "firmware", dev->attr.fw_ver);
		snprintf(text, sizeof(text), "0x%x", dev->attr.vendor_part_id);
		add_text(d, "part_id", text);
		add_text(d, "link_layer",
			 dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet"
									      : "InfiniBand");
		snprintf(node, sizeof(node), "/sys/class/infiniband/%s/device/numa_node",
			 ibv_get_device_name(dev->ctx->device));
		if (read_line(node, text, sizeof(text)))
			add_text(d, "numa_node", text);
		add_settings(d, ibv_get_device_name(dev->ctx->device));
	}
	add_flag(d, "emulated", dev->emulated);
	if (dev->emulated)
		add_text(d, "emulator", "dvkit-emu");
	snprintf(text, sizeof(text), "%ux%u", link.generation, link.width);
	add_text(d, "pcie", text);
	add_text(d, "pcie_is", known ? "read or given" : "assumed");
	json_object_object_add(to, "device", d);
}

struct json_object *environment_json(const struct device *dev, const struct options *o)
{
	struct json_object *e = json_object_new_object();
	char text[256], line[4096];
	struct utsname u;
	double load[1];

	uname(&u);
	add_date(e);
	add_text(e, "host", u.nodename);
	add_text(e, "dvkit", DVKIT_VERSION);
	if (*dvperf_commit)
		add_text(e, "commit", dvperf_commit);
	snprintf(text, sizeof(text), "%s %s", u.release, u.machine);
	add_text(e, "kernel", text);
	if (cpuinfo("model name", text, sizeof(text)))
		add_text(e, "cpu", text);
	if (cpuinfo("microcode", text, sizeof(text)))
		add_text(e, "microcode", text);
	add_siblings(e);
	json_object_object_add(e, "cpus", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_object_add(e, "virtual_machine", json_object_new_boolean(is_virtual()));
	add_text(e, "governor", governor() ? governor() : "unknown");
	if (read_line("/sys/devices/system/cpu/smt/active", text, sizeof(text)))
		add_text(e, "smt_active", text);
	if (getloadavg(load, 1) == 1)
		add_number(e, "load", load[0]);
	add_text(e, "pin", o->pin ? o->pin : "no");
	add_number(e, "tsc_ghz", clock_rate() / 1e9);
	add_number(e, "core_cycles_per_tick", clock_core_ratio());
	if (read_line("/sys/devices/system/node/online", text, sizeof(text)))
		add_text(e, "numa_nodes", text);
	if (o->numa >= 0)
		json_object_object_add(e, "numa", json_object_new_int64(o->numa));
	json_object_object_add(e, "memory", memory_json(o));
	if (read_line("/proc/cmdline", line, sizeof(line)))
		add_text(e, "kernel_command_line", line);
	add_isolation(e);
	add_idle_states(e);
	add_pmu(e);
	add_library(e, "libibverbs");
	add_library(e, "libmlx5");
#ifdef __clang__
	add_text(e, "compiler", "clang " __clang_version__);
#else
	add_text(e, "compiler", "gcc " __VERSION__);
#endif
	add_variables(e);
	add_device(e, dev, o);
	return e;
}

void environment_distrust(struct result *r, const struct device *dev)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double load[1];

	if (dev->emulated)
		result_distrust(r, "the device is the emulator: its speed is that of software");
	if (!dev->ctx)
		result_distrust(r, "no device: rings in ordinary memory, no PCI Express");
	if (r->o.barriers != BARRIERS_DEFAULT)
		result_distrust(r, "WRONG BARRIERS (--barriers): unsafe on every adapter");
	if (!r->o.pin && r->o.numa < 0)
		result_distrust(r, "unpinned: see --pin");
	if (is_virtual())
		result_distrust(r, "a virtual machine: others have part of its time");
	if (governor() && strcmp(governor(), "performance"))
		result_distrust(r, "the CPU frequency governor is not 'performance'");
	if (getloadavg(load, 1) == 1 && load[0] > 0.5 * (double)cpus)
		result_distrust(r, "noisy: the machine was busy before the run");
	if (r->o.threads + (dev->emulated && r->o.mode != MODE_POST) > cpus)
		result_distrust(r, "more threads than CPUs");
	if (!clock_is_invariant())
		result_distrust(r, "the time stamp counter changes its rate here");
}

uint64_t environment_throttled(void)
{
	char path[120], line[32];
	uint64_t sum = 0;

	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count",
			 i);
		if (read_line(path, line, sizeof(line)))
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

/* ---- counters ---- */

static void add_directory(struct json_object *to, const char *device, int port, const char *sub)
{
	char path[600], line[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/%s", device, port, sub);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/%s/%.200s",
			 device, port, sub, entry->d_name);
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "lifespan") &&
		    read_line(path, line, sizeof(line)))
			json_object_object_add(to, entry->d_name,
					       json_object_new_int64(strtoll(line, NULL, 10)));
	}
	if (dir)
		closedir(dir);
}

static void add_emulator(struct json_object *to)
{
	struct dvkit_emu_counters c;

	if (dvkit_emu_query_counters(&c, sizeof(c)))
		return;
	json_object_object_add(to, "doorbells", json_object_new_int64((int64_t)c.doorbells));
	json_object_object_add(to, "wqes", json_object_new_int64((int64_t)c.wqes));
	json_object_object_add(to, "cqes", json_object_new_int64((int64_t)c.cqes));
	json_object_object_add(to, "tx_frames", json_object_new_int64((int64_t)c.tx_frames));
	json_object_object_add(to, "rx_frames", json_object_new_int64((int64_t)c.rx_frames));
	json_object_object_add(to, "rx_dropped", json_object_new_int64((int64_t)c.rx_dropped));
	json_object_object_add(to, "retransmits",
			       json_object_new_int64((int64_t)c.retransmits));
}

struct json_object *counters_read(const struct device *dev)
{
	struct json_object *all = json_object_new_object();

	if (dev->emulated) {
		add_emulator(all);
	} else if (dev->ctx) {
		add_directory(all, ibv_get_device_name(dev->ctx->device), dev->port,
			      "counters");
		add_directory(all, ibv_get_device_name(dev->ctx->device), dev->port,
			      "hw_counters");
	}
	return all;
}

struct json_object *counters_moved(struct json_object *before, struct json_object *after)
{
	struct json_object *moved = json_object_new_object(), *old;

	json_object_object_foreach(after, name, value)
	{
		int64_t was = json_object_object_get_ex(before, name, &old)
				      ? json_object_get_int64(old)
				      : 0;
		int64_t by = json_object_get_int64(value) - was;

		if (by)
			json_object_object_add(moved, name, json_object_new_int64(by));
	}
	json_object_put(before);
	json_object_put(after);
	return moved;
}
