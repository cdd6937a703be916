/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answers that the launcher gets from the machine: its interfaces, its executable, the
 * libraries that are loaded. Where it changes something, a call is a step that may fail
 * (lib/steps.h).
 */
#ifndef TEST_LAUNCHER_KERNEL_H
#define TEST_LAUNCHER_KERNEL_H

#include <ifaddrs.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/descriptors.h"

extern struct kernel {
	int error;		   /* of a step that fails; 0: EPERM */
	struct ifaddrs *addresses; /* NULL: getifaddrs() fails */
	int given_back;		   /* calls of freeifaddrs() */
	bool interfaces;	   /* socket() and ioctl() are those of a test */
	bool exists;		   /* the interface */
	uint8_t mac[6];
	int mtu;
	char calls[300];   /* of socket() and ioctl() */
	const char *self;  /* /proc/self/exe; NULL: the real one */
	const char *asan;  /* the path of a library that is loaded */
	uint64_t free_shm; /* bytes in /dev/shm; 0: those that there are */
	long processors;   /* 0: those that there are */
} kernel;

#endif
