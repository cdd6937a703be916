/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEST_DEVICE_LAYOUTS_H
#define TEST_DEVICE_LAYOUTS_H

struct layout {
	const char *name;
	unsigned long value, size;
};

extern const struct layout hosted[], freestanding[];

#endif
