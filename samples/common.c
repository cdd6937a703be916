/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all samples: options, errors, deadlines, and waiting for a CQE. */
#include <signal.h>
#include <unistd.h>
#include "common.h"

int option_number(int name, const char *arg, int low, int high)
{
	char *end;
	long value = strtol(arg, &end, 10);

	if (end == arg || *end || value < low || value > high)
		errx(1, "-%c wants a number from %d to %d, not '%s'", name, low, high, arg);
	return (int)value;
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key == 'd')
		o->device = arg;
	else if (key == 'i')
		o->port = option_number(key, arg, 1, 255);
	else if (key == 'x')
		o->gid_index = option_number(key, arg, 0, 255);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static error_t parse_two(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = o;
	else if (key == 'p')
		o->tcp_port = option_number(key, arg, 1, 65535);
	else if (key == ARGP_KEY_ARG && !o->host)
		o->host = arg;
	else if (key == ARGP_KEY_ARG)
		errx(1, "one HOST is enough");
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp_option one[] = {
	{ "ib-dev", 'd', "DEVICE", 0, "the device (default: the first mlx5 device)", 0 },
	{ "ib-port", 'i', "PORT", 0, "its port (default: 1)", 0 },
	{ "gid-index", 'x', "INDEX", 0, "GID index (default: RoCE v2, IPv4 if any)", 0 },
	{ 0 },
};
static const struct argp_option two[] = {
	{ "port", 'p', "PORT", 0, "TCP port (default: 18515)", 0 },
	{ 0 },
};

const struct argp options_argp = { one, parse_one, NULL, NULL, NULL, NULL, NULL };

struct options options_parse(int argc, char **argv, const char *doc)
{
	const struct argp argp = { one, parse_one, NULL, doc, NULL, NULL, NULL };
	struct options o = { .port = 1, .gid_index = DV_GID_DEFAULT };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return o;
}

struct options options_parse_two_ends(int argc, char **argv, const char *doc)
{
	const struct argp_child children[] = { { &options_argp, 0, NULL, 0 }, { 0 } };
	const struct argp argp = { two, parse_two, "[HOST]", doc, children, NULL, NULL };
	struct options o = { .port = 1, .gid_index = DV_GID_DEFAULT, .tcp_port = 18515 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return o;
}

static void show(const char *title, const struct dv_sq *sq, enum dv_transport transport)
{
	char text[4096];

	dv_wqe_format(text, sizeof(text), sq->last, DV_WQE_MAX_NBB * DV_WQE_BB, transport,
		      DV_FIELDS);
	printf("-- %s\n%s", title, text);
}

void show_wqe(const char *title, const struct dv_sq *sq)
{
	show(title, sq, DV_RC);
}

void show_ud_wqe(const char *title, const struct dv_sq *sq)
{
	show(title, sq, DV_UD);
}

void show_xrc_wqe(const char *title, const struct dv_sq *sq)
{
	show(title, sq, DV_XRC);
}

void show_cqe(const char *title, const struct mlx5_cqe64 *cqe)
{
	if (dv_cqe_is_error(cqe)) {
		dv_cqe_perror(title, cqe);
		exit(1);
	}
	printf("-- %s: ", title);
	dv_cqe_print(stdout, cqe);
}

static const char *waiting_for;

static void too_late(int sig)
{
	(void)sig;
	if (write(2, "gave up waiting for ", 20) < 0 ||
	    write(2, waiting_for, strlen(waiting_for)) < 0 || write(2, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

void deadline(unsigned int seconds, const char *event)
{
	waiting_for = event;
	signal(SIGALRM, too_late);
	alarm(seconds);
}

const struct mlx5_cqe64 *cqe_wait(struct dv_cq *cq, const char *title)
{
	const struct mlx5_cqe64 *cqe;

	deadline(10, title);
	while (!(cqe = dv_cq_poll(cq)))
		;
	show_cqe(title, cqe);
	return cqe;
}
