/* SPDX-License-Identifier: BSD-2-Clause */
/* dv/freestanding.h has the layouts and values of rdma-core's headers. */
#include <stdio.h>

#include "layouts.h"

int main(void)
{
	unsigned int n = 0, different = 0;

	for (; hosted[n].name && freestanding[n].name; n++) {
		if (hosted[n].value == freestanding[n].value &&
		    hosted[n].size == freestanding[n].size)
			continue;
		printf("%s: %lu, %lu bytes; freestanding: %lu, %lu bytes\n", hosted[n].name,
		       hosted[n].value, hosted[n].size, freestanding[n].value,
		       freestanding[n].size);
		different++;
	}
	printf("%u names compared\n", n);
	return different || n < 80;
}
