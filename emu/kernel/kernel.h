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

/* Those that can be chosen. The first, that of Debian 12, is the default; a release of 0, as in
 * tests that choose none, answers like it. */
#define KERNEL_CHOICES(FIRST, OTHER) FIRST(6, 1) OTHER(6, 12)

#define KERNEL_NAME(major, minor) #major "." #minor
#define KERNEL_OR(major, minor)	  " or " KERNEL_NAME(major, minor)
#define KERNEL_IT(major, minor)	  KERNEL_NAME(major, minor) " (default)"
#define KERNEL_NAMES		  KERNEL_CHOICES(KERNEL_NAME, KERNEL_OR) /* "6.1 or 6.12" */
#define KERNEL_HELP		  KERNEL_CHOICES(KERNEL_IT, KERNEL_OR)

#define KERNEL_NOT(major, minor)
#define KERNEL_DEFAULT KERNEL_CHOICES(KERNEL_RELEASE, KERNEL_NOT)

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
	static const struct {
		const char *name;
		uint16_t release;
	} choices[] = {
#define KERNEL_CHOICE(major, minor) { KERNEL_NAME(major, minor), KERNEL_RELEASE(major, minor) },
		KERNEL_CHOICES(KERNEL_CHOICE, KERNEL_CHOICE)
#undef KERNEL_CHOICE
	};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (!strcmp(name, choices[i].name)) {
			*release = choices[i].release;
			return true;
		}
	return false;
}

#endif
