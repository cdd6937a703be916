/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second way to the firmware: is there a device of fwctl, and does it open?
 *
 *	/sys/class/fwctl  ->  a device with the adapter as parent  ->  /dev/fwctl/fwctlN  ->  FWCTL_INFO
 *
 * It is a warning at most: DevX does not need it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/base.h"
#include "doctor/doctor.h"

#define WITHOUT "objects of other programs are not visible ('dvfw objects')"

static void say_no_class(struct doctor *dr)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	if (major < 6 || (major == 6 && minor < 15))
		doctor_say(dr, DOCTOR_WARN, "fwctl",
			   "Linux 6.15 or later with CONFIG_FWCTL_MLX5, if you need it",
			   "missing in Linux %s: " WITHOUT, u.release);
	else
		doctor_say(
			dr, DOCTOR_WARN, "fwctl",
			"modprobe mlx5_fwctl (CONFIG_FWCTL_MLX5 of the kernel), if you need it",
			"missing: mlx5_fwctl is not loaded: " WITHOUT);
}

/* None is the adapter's, or it has no file. */
static void say_no_device(struct doctor *dr, const struct fwctl *f)
{
	const char *name = dr->dvfw->device ? dr->dvfw->device : "an mlx5 device";
	char path[64];

	snprintf(path, sizeof(path), "/dev/fwctl/%s", f->name);
	if (*f->name && access(path, F_OK))
		doctor_say(dr, DOCTOR_WARN, "fwctl",
			   "containers: --device /dev/fwctl; 'ls /sys/class/fwctl' names those "
			   "that the kernel has",
			   "there is no %s", path);
	else
		doctor_say(dr, DOCTOR_WARN, "fwctl",
			   "modprobe mlx5_fwctl; 'ls -l /sys/class/fwctl' shows whose those "
			   "that are there are",
			   "none of %s: " WITHOUT, name);
}

void doctor_fwctl(struct doctor *dr)
{
	struct fwctl f;
	int err = fwctl_open(&f, dr->dvfw->device);

	switch (err) {
	case 0:
		doctor_say(dr, DOCTOR_OK, "fwctl", NULL,
			   "/dev/fwctl/%s opens: objects of all programs can be queried "
			   "(--via=fwctl)",
			   f.name);
		fwctl_close(&f);
		return;
	case ENODEV:
		if (access("/sys/class/fwctl", F_OK) && !*f.name)
			say_no_class(dr);
		else
			say_no_device(dr, &f);
		return;
	case EACCES:
	case EPERM:
		doctor_say(dr, DOCTOR_WARN, "fwctl",
			   "run as root, or give the user read and write access by a udev rule",
			   "/dev/fwctl/%s: %s: " WITHOUT, f.name, strerror(err));
		return;
	default:
		doctor_say(dr, DOCTOR_WARN, "fwctl", "see 'dmesg | grep -e fwctl -e mlx5'",
			   "/dev/fwctl/%s does not open: %s", f.name, strerror(err));
	}
}
