/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel: the release of Linux that the emulator answers like, and what changed with it.
 *
 *	--kernel=6.12 -> options -> uverbs, ucma, nldev: kernel_has(release, KERNEL_SPEED_EX)
 *
 * No state, no lock.
 */
#ifndef EMU_KERNEL_H
#define EMU_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KERNEL_RELEASE(major, minor) ((major) << 8 | (minor))

/* That of Debian 12; a release of 0, as in tests that choose none, answers like it. */
#define KERNEL_DEFAULT KERNEL_RELEASE(6, 1)

/* Those that can be chosen. */
#define KERNEL_NAMES "6.1 or 6.12"

enum kernel_change {
	KERNEL_ALWAYS,
#define KERNEL_ROW(name, major, minor, text) KERNEL_##name,
#include "kernel/kernel.def"
#undef KERNEL_ROW
};

static inline bool kernel_has(uint16_t release, enum kernel_change change)
{
	static const uint16_t since[] = {
		0,
#define KERNEL_ROW(name, major, minor, text) KERNEL_RELEASE(major, minor),
#include "kernel/kernel.def"
#undef KERNEL_ROW
	};

	return release >= since[change];
}

/* False: not a release that can be chosen. */
static inline bool kernel_find(const char *name, uint16_t *release)
{
	if (strcmp(name, "6.1") && strcmp(name, "6.12"))
		return false;
	*release = strcmp(name, "6.1") ? KERNEL_RELEASE(6, 12) : KERNEL_RELEASE(6, 1);
	return true;
}

#endif
