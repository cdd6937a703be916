/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of the emulator, as a program outside the tree uses it: <dvkit/emu.h>
 * and nothing to link with. "present" or "absent" on standard output; status 1 when a call
 * returned something else than its documentation says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include <dvkit/emu.h>

#define EXPECT(condition)                                                  \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "line %d: " #condition, __LINE__); \
			exit(1);                                           \
		}                                                          \
	} while (0)

static void without_open_device(void)
{
	struct dvkit_emu_counters c;
	char text[8] = "before";

	EXPECT(dvkit_emu_pause() == ENODEV);
	EXPECT(dvkit_emu_resume() == ENODEV);
	EXPECT(!dvkit_emu_step());
	EXPECT(dvkit_emu_query_counters(&c, sizeof(c)) == ENODEV);
	EXPECT(dvkit_emu_retire(1) == ENODEV);
	EXPECT(dvkit_emu_fail_command(1, 1, 0) == ENODEV);
	EXPECT(dvkit_emu_fail_command(1, 0, 0) == EINVAL);
	EXPECT(dvkit_emu_fail_qp(1) == ENODEV);
	EXPECT(dvkit_emu_fail_device() == ENODEV);
	EXPECT(dvkit_emu_faults("") == ENODEV);
	EXPECT(dvkit_emu_link(false) == ENODEV);
	EXPECT(dvkit_emu_objects(text, sizeof(text)) == 0);
	EXPECT(!*text);
	EXPECT(dvkit_emu_executes(0x100));  /* QUERY_HCA_CAP */
	EXPECT(!dvkit_emu_executes(0xfff)); /* no command */
}

/* A program of an older header has fewer members, one of a newer header has more. */
static void counters_of_any_size(void)
{
	struct {
		struct dvkit_emu_counters c;
		uint64_t later;
	} more = { .later = 1 };
	struct dvkit_emu_counters fewer = { .doorbells = 7 };

	EXPECT(!dvkit_emu_query_counters(&more.c, sizeof(more)));
	EXPECT(!more.later);
	EXPECT(!dvkit_emu_query_counters(&fewer,
					 offsetof(struct dvkit_emu_counters, doorbells)));
	EXPECT(fewer.doorbells == 7);
}

static enum ibv_port_state port_state(struct ibv_context *ctx)
{
	struct ibv_port_attr attr;

	EXPECT(!ibv_query_port(ctx, 1, &attr));
	return attr.state;
}

static void with_open_device(struct ibv_context *ctx)
{
	char text[256], small[4];
	uint32_t n;

	EXPECT(!dvkit_emu_step()); /* not paused */
	EXPECT(!dvkit_emu_pause());
	EXPECT(!dvkit_emu_pause());
	while (dvkit_emu_step())
		;
	EXPECT(dvkit_emu_retire(0xffffff) == ENOENT);
	EXPECT(dvkit_emu_fail_qp(0xffffff) == ENOENT);
	EXPECT(dvkit_emu_faults("drop=1:ack") == 0);
	EXPECT(dvkit_emu_faults("no fault") == EINVAL);
	EXPECT(dvkit_emu_faults("") == 0);
	EXPECT(dvkit_emu_fail_command(1, 0, 0) == EINVAL);
	EXPECT(dvkit_emu_fail_command(0, 0, 0) == 0);
	EXPECT(dvkit_emu_link(false) == 0 && port_state(ctx) == IBV_PORT_DOWN);
	EXPECT(dvkit_emu_link(true) == 0 && port_state(ctx) == IBV_PORT_ACTIVE);
	counters_of_any_size();
	n = dvkit_emu_objects(text, sizeof(text));
	EXPECT(n > 0 && strstr(text, "pd "));
	EXPECT(dvkit_emu_objects(small, sizeof(small)) == n &&
	       strlen(small) == sizeof(small) - 1);
	EXPECT(dvkit_emu_objects(NULL, 0) == n);
	EXPECT(!dvkit_emu_resume());
}

static void after_fork(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		EXPECT(dvkit_emu_pause() == ENODEV);
		exit(0);
	}
	EXPECT(child > 0 && waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	struct ibv_device **list;
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	if (!dvkit_emu_present()) {
		puts("absent");
		return 0;
	}
	without_open_device();
	list = ibv_get_device_list(NULL);
	EXPECT(list && *list && (ctx = ibv_open_device(*list)) && (pd = ibv_alloc_pd(ctx)));
	with_open_device(ctx);
	after_fork();
	EXPECT(!ibv_dealloc_pd(pd) && !ibv_close_device(ctx));
	puts("present");
	return 0;
}
