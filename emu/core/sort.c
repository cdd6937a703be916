/* SPDX-License-Identifier: BSD-2-Clause */
/* Heapsort: qsort(3) calls malloc(). */
#include "core/core.h"

struct array {
	char *at;
	size_t size;
	int (*compare)(const void *, const void *);
};

static void swap(const struct array *a, size_t i, size_t j)
{
	char *x = a->at + i * a->size, *y = a->at + j * a->size;

	for (size_t k = 0; k < a->size; k++) {
		char c = x[k];

		x[k] = y[k];
		y[k] = c;
	}
}

static bool is_less(const struct array *a, size_t i, size_t j)
{
	return a->compare(a->at + i * a->size, a->at + j * a->size) < 0;
}

/* Moves element @i of the heap of @n elements down to its place. */
static void sink(const struct array *a, size_t i, size_t n)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_less(a, child, child + 1))
			child++;
		if (!is_less(a, i, child))
			return;
		swap(a, i, child);
	}
}

void core_sort(void *at, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	const struct array a = { at, size, compare };

	for (size_t i = n / 2; i--;)
		sink(&a, i, n);
	while (n > 1) {
		swap(&a, 0, --n);
		sink(&a, 0, n);
	}
}
