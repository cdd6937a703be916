/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the library. */
#include <dvkit/version.h>

const char *dvkit_version(void)
{
	return DVKIT_VERSION;
}
