/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening by DevX and by fwctl, scopes of fwctl, probing: what is tried, and what is said. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "lib/capture.h"
#include "machine.h"
#include "prm/prm.h"

static uint8_t status;
static uint8_t in[16], out[16];

static int answer(const uint8_t *box, size_t box_len, uint8_t *to, size_t to_len)
{
	cr_assert(box_len == 16 && to_len == 16 && box[0] == in[0]);
	to[0] = status;
	to[7] = 0x42;
	return 0;
}

static void begin(void)
{
	machine_begin();
	machine.command = answer;
}

TestSuite(ways, .init = begin, .fini = machine_end);

static int opens(struct dvfw *d, int n, char **word)
{
	(void)word;
	return n > 1 ? dvfw_connect(d) : dvfw_open(d);
}

/* dvfw_open() or dvfw_connect(); device, way, a call and the error that it returns; what is
 * printed after "dvfw: ". "-": none. */
Test(ways, are_refused)
{
	static const char *const rows[] = {
		"open - - devx_open ENODEV 1 none of the devices here is an mlx5 device: alien_0 mlx5_0",
		"open mlx5_9 - devx_open ENODEV 1 there is no device 'mlx5_9'; these are here: alien_0 mlx5_0",
		"open mlx5_0 - devx_open EOPNOTSUPP 1 mlx5_0 is not an mlx5 device: DevX is mlx5's",
		"open - - devx_open EINVAL 1 the device opens, but not for DevX: its firmware offers no user contexts (log_max_uctx is 0); try 'dvfw doctor'",
		"open mlx5_0 - devx_open EPERM 1 mlx5_0: Operation not permitted; may you read and write /dev/infiniband/uverbs*?",
		"open mlx5_0 - devx_open EACCES 1 mlx5_0: Permission denied; may you read and write /dev/infiniband/uverbs*?",
		"open mlx5_0 - devx_open EIO 1 mlx5_0 does not open: Input/output error; try 'dvfw doctor'",
		"open fwctl4 - - - 1 this needs DevX, for objects of this process: fwctl is for 'cmd', 'caps', 'reg', 'watch' and 'objects'",
		"open mlx5_0 fwctl - - 1 this needs DevX, for objects of this process: fwctl is for 'cmd', 'caps', 'reg', 'watch' and 'objects'",
		"connect fwctl4 devx - - 1 this needs DevX, for objects of this process: fwctl is for 'cmd', 'caps', 'reg', 'watch' and 'objects'",
		"connect fwctl9 - - - 1 there is no fwctl device of fwctl9: it needs Linux 6.15 or later and the module mlx5_fwctl (modprobe mlx5_fwctl); ls /dev/fwctl",
		"connect - fwctl open ENOENT 1 there is no fwctl device of any mlx5 device: it needs Linux 6.15 or later and the module mlx5_fwctl (modprobe mlx5_fwctl); ls /dev/fwctl",
		"connect mlx5_0 fwctl open EPERM 1 mlx5_0: Operation not permitted; may you read and write /dev/fwctl/*?",
		"connect mlx5_0 fwctl open EACCES 1 mlx5_0: Permission denied; may you read and write /dev/fwctl/*?",
		"connect mlx5_0 fwctl info EIO 1 the fwctl device of mlx5_0 does not open: Input/output error",
		"connect mlx5_9 - devx_open EIO 1 mlx5_9 does not open: Input/output error; try 'dvfw doctor'",
		"connect mlx5_9 devx devx_open EIO 1 mlx5_9 does not open: Input/output error; try 'dvfw doctor'",
		"connect mlx5_0 - devx_open EIO 0 ",
		"connect mlx5_0 fwctl - - 0 ",
		"connect fwctl5 - - - 0 ",
		"open - - - - 0 ",
	};
	int before = machine_descriptors();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char how[8], device[16], via[8], call[32], err[16], text[512], line[512];
		struct dvfw d = { .device = device, .via = via };
		int expected, at;

		cr_assert_eq(sscanf(rows[i], "%7s %15s %7s %31s %15s %d %n", how, device, via,
				    call, err, &expected, &at),
			     6);
		d.device = *device == '-' ? NULL : device;
		d.via = *via == '-' ? NULL : via;
		machine.fails = call;
		machine.err = *err == '-' ? 0 : machine_errno(err);
		cr_expect_eq(machine_run(opens, &d, *how == 'c' ? how : "", text, sizeof(text)),
			     expected);
		snprintf(line, sizeof(line), expected ? "dvfw: %s\n" : "%s", rows[i] + at);
		cr_expect_str_eq(text, line);
		cr_expect(!d.ctx && !d.fwctl);
		cr_expect_eq(machine.made, 0, "%s", rows[i]);
	}
	cr_expect_eq(machine_descriptors(), before);
}

Test(ways, no_device)
{
	struct dvfw d = { 0 };
	char text[512];

	machine.fails = "ibv_get_device_list";
	machine.err = ENODEV;
	cr_expect_eq(machine_run(opens, &d, "x", text, sizeof(text)), 0);
	machine_file("/dev/fwctl/fwctl4", NULL);
	machine_file("/dev/fwctl/fwctl5", NULL);
	machine.fails = "devx_open";
	machine.alien = true;
	cr_expect_eq(machine_run(opens, &d, "x", text, sizeof(text)), DVFW_REFUSED);
	cr_expect_str_eq(text, "dvfw: none of the devices here is an mlx5 device: alien_0\n");
}

/* The least scope that the driver passes; the one that taints only where it is needed. */
Test(ways, scopes)
{
	static const struct {
		uint16_t opcode;
		unsigned int passes;
		int err;
		const char *calls;
	} rows[] = {
		{ PRM_OP_NOP, 1, 0, "configuration " },
		{ PRM_OP_NOP, 6, 0, "configuration read " },
		{ PRM_OP_NOP, 4, EBADMSG, "configuration read " },
		{ PRM_OP_SET_DIAGNOSTIC_PARAMS, 4, 0, "configuration read write " },
		{ PRM_OP_SET_DIAGNOSTIC_PARAMS, 2, 0, "configuration read " },
		{ PRM_OP_SET_DIAGNOSTIC_PARAMS, 0, EBADMSG, "configuration read write " },
	};
	struct fwctl f;

	cr_assert_eq(fwctl_open(&f, "mlx5_0"), 0);
	cr_expect(f.uid == 7 && f.caps == 5 && !strcmp(f.name, "fwctl4"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		in[0] = (uint8_t)(rows[i].opcode >> 8);
		in[1] = (uint8_t)rows[i].opcode;
		machine.scopes = rows[i].passes;
		*machine.calls = '\0';
		cr_expect_eq(fwctl_cmd(&f, in, 16, out, 16), rows[i].err);
		cr_expect_str_eq(machine.calls, rows[i].calls);
	}
	machine.scopes = 7;
	machine.fails = "configuration";
	machine.err = EIO;
	*machine.calls = '\0';
	cr_expect_eq(fwctl_cmd(&f, in, 16, out, 16), EIO);
	cr_expect_str_eq(machine.calls, "configuration ");
	fwctl_close(&f);
	cr_expect_eq(f.fd, -1);
	machine.type = 2; /* of another driver */
	machine.fails = NULL;
	cr_expect_eq(fwctl_open(&f, "fwctl4"), ENODEV);
	cr_expect_eq(fwctl_open(&f, NULL), ENODEV);
	cr_expect_eq(f.fd, -1);
}

Test(ways, refusals_of_commands)
{
	static const struct {
		int err;
		const char *text;
	} rows[] = {
		{ EREMOTEIO,
		  "dvfw: NOP: firmware: BAD_PARAM (0x3), syndrome 0x42 in the log of the kernel\n" },
		{ EBADMSG,
		  "dvfw: NOP: the kernel will refuse this: through fwctl4 it passes queries and "
		  "registers; what creates or changes objects needs DevX\n" },
		{ EIO, "dvfw: NOP: fwctl4: Input/output error\n" },
	};
	struct dvfw d = { .device = "fwctl4" };
	struct capture c;
	char text[512];

	in[0] = PRM_OP_NOP >> 8;
	in[1] = PRM_OP_NOP & 0xff;
	in[7] = 9;
	status = 3;
	cr_assert_eq(dvfw_connect(&d), DVFW_OK);
	cr_expect_eq(dvfw_command(&d, in, 16, out, 16), EREMOTEIO);
	cr_expect(d.fwctl->error.origin == DEVX_FROM_FIRMWARE && d.fwctl->error.op_mod == 9);
	cr_expect(d.fwctl->error.syndrome == 0x42 && d.fwctl->error.opcode == PRM_OP_NOP);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		capture_begin(&c, stderr);
		cr_expect_eq(dvfw_command_refused(&d, in, rows[i].err), DVFW_REFUSED);
		capture_end(&c, text, sizeof(text));
		if (i)
			cr_expect_str_eq(text, rows[i].text);
		else
			cr_expect_eq(strncmp(text, rows[i].text, 34), 0, "%s", text);
	}
	dvfw_disconnect(&d);
}
