/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and bytes, the same for the same seed. */
#ifndef TEST_FUZZ_CHANCE_H
#define TEST_FUZZ_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void chance_seed(uint64_t seed);
uint64_t chance(void);
uint32_t below(uint32_t n); /* 0 … n - 1 */
bool one_in(uint32_t n);
#define PICK(array) ((array)[below(sizeof(array) / sizeof((array)[0]))])
/* Numbers at which code goes wrong: 0, powers of two and their neighbours, all ones … */
uint64_t odd_number(void);
void chance_bytes(void *p, size_t len);
/* Changes one place: a bit, a byte, a word. */
void spoil(void *p, size_t len);

#endif
