/* SPDX-License-Identifier: BSD-2-Clause */
/* dvkit_version() and DVKIT_VERSION are the three numbers of version.h, and so is
 * DVKIT_VERSION_NUMBER. */
#include <stdio.h>
#include <dvkit/version.h>
#include <criterion/criterion.h>

Test(version, is_that_of_the_header)
{
	int major, minor, patch, end = 0;

	cr_assert_eq(sscanf(dvkit_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
	cr_assert_eq(dvkit_version()[end], 0, "%s", dvkit_version());
	cr_assert_eq(major, DVKIT_VERSION_MAJOR);
	cr_assert_eq(minor, DVKIT_VERSION_MINOR);
	cr_assert_eq(patch, DVKIT_VERSION_PATCH);
	cr_assert_str_eq(dvkit_version(), DVKIT_VERSION);
	cr_assert_eq(DVKIT_VERSION_NUMBER, major * 10000 + minor * 100 + patch);
}
