/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The version of these headers, and of the library that the program has loaded.
 *
 *	#if DVKIT_VERSION_NUMBER >= 200            0.2.0 or newer
 *	puts(DVKIT_VERSION);                       "0.1.0": what the program was compiled with
 *	puts(dvkit_version());                     "0.1.0": what it runs with
 *
 * The build takes the version from here (CMakeLists.txt).
 */
#ifndef DVKIT_VERSION_H
#define DVKIT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define DVKIT_VERSION_MAJOR 0
#define DVKIT_VERSION_MINOR 1
#define DVKIT_VERSION_PATCH 0

#define DVKIT_VERSION_NUMBER \
	(DVKIT_VERSION_MAJOR * 10000 + DVKIT_VERSION_MINOR * 100 + DVKIT_VERSION_PATCH)

#define DVKIT_VERSION_TEXT_(major, minor, patch)   #major "." #minor "." #patch
#define DVKIT_VERSION_EXPAND_(major, minor, patch) DVKIT_VERSION_TEXT_(major, minor, patch)
#define DVKIT_VERSION \
	DVKIT_VERSION_EXPAND_(DVKIT_VERSION_MAJOR, DVKIT_VERSION_MINOR, DVKIT_VERSION_PATCH)

#pragma GCC visibility push(default)

/* The version of libdvkit as "MAJOR.MINOR.PATCH". */
const char *dvkit_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
