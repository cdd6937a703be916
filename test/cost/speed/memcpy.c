/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memcpy BYTES AREA: what copying costs without an adapter. Prints MiB/s of memcpy() of BYTES
 * from one area of AREA bytes to another, block after block; with AREA = BYTES both blocks stay
 * in the cache, as they do in a benchmark that sends one buffer again and again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/clock.h"

#define SECONDS 0.3

/* Memory that is there: pages that were never written to are all one page of zeros. */
static uint8_t *area_of(size_t bytes)
{
	uint8_t *area = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);

	if (!area) {
		perror("memory");
		exit(1);
	}
	memset(area, 1, bytes);
	return area;
}

/* MiB/s of whole passes over the areas, for SECONDS. */
static double measure(uint8_t *to, const uint8_t *from, size_t bytes, size_t area)
{
	double start = now_s(), elapsed;
	size_t copied = 0;

	do {
		for (size_t at = 0; at + bytes <= area; at += bytes) {
			memcpy(to + at, from + at, bytes);
			__asm__ volatile("" ::: "memory"); /* each copy is made */
			copied += bytes;
		}
		elapsed = now_s() - start;
	} while (elapsed < SECONDS);
	return (double)copied / elapsed / (1 << 20);
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 3 ? strtoul(argv[1], NULL, 0) : 0;
	size_t area = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	uint8_t *from, *to;

	if (!bytes || area < bytes) {
		fprintf(stderr, "usage: memcpy BYTES AREA\n");
		return 2;
	}
	from = area_of(area);
	to = area_of(area);
	measure(to, from, bytes, area); /* the processor's clock rises */
	printf("%.1f\n", measure(to, from, bytes, area));
	free(from);
	free(to);
	return 0;
}
