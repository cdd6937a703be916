/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of host_dpu_dma.c beside its topic: options, messages, contents, progress. */
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "transfer.h"

/* ---- options ---- */

/* "64", "4K", "16M", "1G", between 1 and @high. */
static uint64_t size_option(int name, const char *arg, uint64_t high)
{
	static const char suffixes[] = "KMG";
	char *end;
	unsigned long long value = strtoull(arg, &end, 10);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	unsigned int shift = suffix ? 10 * (unsigned int)(suffix - suffixes + 1) : 0;

	if (end == arg || *arg == '-' || (*end && !suffix) || (suffix && end[1]) || !value ||
	    value > high >> shift)
		errx(1, "-%c wants 1 to %llu bytes, with K, M or G, not '%s'", name,
		     (unsigned long long)high, arg);
	return value << shift;
}

static void argument(struct transfer_options *t, const char *arg, struct argp_state *state)
{
	static const char *const commands[] = { "both", "export", "import" };
	unsigned int n = state->arg_num;

	for (unsigned int i = 0; !n && i < 3; i++)
		if (!strcmp(arg, commands[i])) {
			t->command = (enum command)i;
			return;
		}
	if (n != 1 || t->command != IMPORT)
		argp_error(state, "'%s' is not known here", arg);
	t->o.host = arg;
}

static void check(struct transfer_options *t, struct argp_state *state)
{
	char *comma = t->o.device ? strchr(t->o.device, ',') : NULL;

	if (t->command == IMPORT && !t->o.host)
		argp_error(state, "import wants the HOST where the exporter runs");
	if (comma && t->command != BOTH)
		argp_error(state, "two devices are for 'both'");
	if (t->command != BOTH)
		return;
	if (comma) {
		*comma = 0;
		t->importer = comma + 1;
	}
	if (!t->o.device)
		t->o.device = "mlx5_0";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct transfer_options *t = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &t->o;
	else if (key == 's')
		t->size = size_option(key, arg, 1ull << 40);
	else if (key == 'c')
		t->chunk = size_option(key, arg, 1ull << 31);
	else if (key == 'n')
		t->iterations = option_number(key, arg, 1, 1000000000);
	else if (key == 'q')
		t->depth = option_number(key, arg, 1, 8192);
	else if (key == 'p')
		t->o.tcp_port = option_number(key, arg, 1, 65535);
	else if (key == ARGP_KEY_ARG)
		argument(t, arg, state);
	else if (key == ARGP_KEY_END)
		check(t, state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp_option list[] = {
	{ "size", 's', "SIZE", 0, "bytes of the exported memory, with K, M or G (default: 16M)",
	  1 },
	{ "iterations", 'n', "N", 0, "how often in each direction (default: 3)", 1 },
	{ "chunk", 'c', "SIZE", 0, "bytes of a work request (default: 1M)", 1 },
	{ "depth", 'q', "N", 0, "work requests in flight (default: 16)", 1 },
	{ "port", 'p', "PORT", 0, "TCP port (default: 18515)", 1 },
	{ 0 },
};
static const char doc[] =
	"Copies between the memory of two functions of an adapter, by the adapter, in both directions."
	"\v"
	"export   exports memory, and waits for the importer\n"
	"import   copies out of the memory of the exporter at HOST, and into it\n"
	"both     the two in one process, -d EXPORTER[,IMPORTER] (default: mlx5_0,mlx5_1)\n\n"
	"-s and -n are the same as in perftest, -q is its tx-depth. -s is an option of the exporter, "
	"-n, -c and -q are the importer's.\n\n"
	"Exit status: 0 all bytes arrived; 1 an error; 3 the other side ended before the end, or "
	"its memory could not be reached any more; 64 wrong usage.";

struct transfer_options transfer_options_parse(int argc, char **argv)
{
	const struct argp_child children[] = { { &options_argp, 0, NULL, 2 }, { 0 } };
	const struct argp argp = { list, parse, "[both]\nexport\nimport HOST", doc, children,
				   NULL, NULL };
	struct transfer_options t = {
		.o = { .port = 1,
		       .gid_index = DV_GID_DEFAULT,
		       .tcp_port = 18515,
		       .emulated = "--device bf2 " },
		.importer = "mlx5_1",
		.size = 16 << 20,
		.chunk = 1 << 20,
		.iterations = 3,
		.depth = 16,
	};

	argp_parse(&argp, argc, argv, 0, NULL, &t);
	return t;
}

/* ---- messages ---- */

bool send_all(int fd, const void *message, size_t size)
{
	return send(fd, message, size, MSG_NOSIGNAL) == (ssize_t)size;
}

bool receive_all(int fd, void *message, size_t size)
{
	return recv(fd, message, size, MSG_WAITALL) == (ssize_t)size;
}

/* ---- contents ---- */

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return next_random(state) % limit;
}

void fill(uint8_t *memory, uint64_t size, uint64_t seed)
{
	for (uint64_t at = 0; at < size; at += 8) {
		uint64_t word = next_random(&seed);

		memcpy(memory + at, &word, size - at < 8 ? size - at : 8);
	}
}

uint64_t sum_of(const uint8_t *memory, uint64_t size)
{
	uint64_t sum = size;

	for (uint64_t at = 0; at < size; at += 8) {
		uint64_t word = 0;

		memcpy(&word, memory + at, size - at < 8 ? size - at : 8);
		sum = (sum ^ le64toh(word)) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

/* ---- progress ---- */

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct progress progress_start(const char *what, uint64_t size)
{
	double now = seconds_now();

	return (struct progress){ .what = what, .size = size, .start = now, .shown = now };
}

void progress_show(struct progress *p, uint64_t done)
{
	double now = seconds_now();

	if (now - p->shown < 1)
		return;
	p->shown = now;
	fprintf(stderr, "%s: %.0f %%, %.2f GB/s%s", p->what,
		100 * (double)done / (double)p->size, (double)done / (now - p->start) / 1e9,
		isatty(2) ? "  \r" : "\n");
}

double progress_end(struct progress *p)
{
	double taken = seconds_now() - p->start;

	if (p->shown > p->start && isatty(2))
		fputc('\n', stderr);
	return taken > 0 ? (double)p->size / taken / 1e9 : 0;
}
