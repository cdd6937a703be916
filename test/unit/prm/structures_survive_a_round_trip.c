/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For every structure in the tables: random values set by path come back, what the walk decodes
 * encodes to bytes that decode to the same, a bit of the structure belongs to a named field or
 * the search for unnamed bits finds it, and printing any bytes stays inside buffer and text.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "prm/prm.h"
#include "prm/table.h"
#include "prm/walk.h"

#define SPACE (0x4100 + 64)

static uint64_t state;

static uint64_t draw(void) /* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t draw_for(const struct prm_field *f)
{
	return draw() >> (64 - f->width);
}

/* The values of a structure's own numbers, drawn again from the same seed. */
static void set_or_check(const struct prm_struct *s, uint8_t *p, size_t len, uint64_t seed,
			 bool check)
{
	size_t end = 0;

	state = seed;
	for (const struct prm_field *f = s->fields; f->name; f++) {
		char path[96];
		uint64_t v, got;

		/* A field that overlays an earlier one would overwrite it. */
		if (f->type || f->bit < end)
			continue;
		v = draw_for(f);
		end = f->bit + f->width;
		snprintf(path, sizeof(path), f->array ? "%s[0]" : "%s", f->name);
		if (!check) {
			cr_assert(prm_set(s, p, len, path, v), "%s.%s", s->name, path);
			continue;
		}
		cr_assert(prm_get(s, p, len, path, &got), "%s.%s", s->name, path);
		cr_expect_eq(got, v, "%s.%s", s->name, path);
	}
}

Test(structures_survive_a_round_trip, random_values_come_back)
{
	static uint8_t p[SPACE];
	int n = 0;

	for (const struct prm_struct *s = prm_struct_next(NULL); s;
	     s = prm_struct_next(s), n++) {
		cr_assert(s->bytes + 64 <= SPACE);
		memset(p, 0, sizeof(p));
		set_or_check(s, p, s->bytes + 64, 4711 + n, false);
		set_or_check(s, p, s->bytes + 64, 4711 + n, true);
	}
	cr_expect_geq(n, 700);
}

/* Clears what no row names: afterwards setting every field to itself changes nothing. */
static void copy_numbers(const struct prm_struct *s, const uint8_t *from, uint8_t *to,
			 size_t base)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		for (size_t i = 0; i < f->count; i++) {
			size_t bit = base + f->bit + i * f->width;

			if (f->type)
				copy_numbers(f->type, from, to, bit);
			else
				prm_store(to, bit, f->width, prm_load(from, bit, f->width));
		}
}

Test(structures_survive_a_round_trip, named_bits_are_the_bits_of_fields)
{
	static uint8_t noise[SPACE], p[SPACE], again[SPACE];
	size_t bit;

	state = 42;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = draw();
	for (const struct prm_struct *s = prm_struct_next(NULL); s; s = prm_struct_next(s)) {
		memset(p, 0, sizeof(p));
		copy_numbers(s, noise, p, 0);
		cr_expect_not(prm_unnamed(s, p, s->bytes, &bit), "%s bit 0x%zx", s->name, bit);
		memset(again, 0, sizeof(again));
		copy_numbers(s, p, again, 0);
		cr_expect_arr_eq(again, p, s->bytes, "%s", s->name);
		/* A bit of the noise that was not copied is one without a name. */
		for (bit = 0; bit < 8 * s->bytes && bit < 2048; bit++) {
			uint8_t one[256] = { 0 };
			size_t found;
			bool copied =
				(p[bit / 8] ^ noise[bit / 8]) << bit % 8 & 0x80 ? false : true;

			if (copied)
				continue;
			one[bit / 8] = 0x80 >> bit % 8;
			cr_expect(prm_unnamed(s, one, bit / 8 + 1, &found), "%s bit 0x%zx",
				  s->name, bit);
			cr_expect_eq(found, bit);
		}
	}
}

Test(structures_survive_a_round_trip, printing_noise_stays_inside)
{
	static uint8_t noise[SPACE];
	static char text[1 << 18];

	state = 7;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = draw();
	for (const struct prm_struct *s = prm_struct_next(NULL); s; s = prm_struct_next(s)) {
		static const int extra[] = { -1, 0, 40 };

		for (size_t k = 0; k < sizeof(extra) / sizeof(extra[0]); k++) {
			size_t len = s->bytes || extra[k] >= 0 ? s->bytes + extra[k] : 0;
			/* Its own block: a read beyond len is a read beyond the block. */
			uint8_t *p = malloc(len ? len : 1);

			memcpy(p, noise, len);
			for (enum prm_style style = PRM_LINE; style <= PRM_LINES; style++) {
				size_t n = prm_format(text, sizeof(text), s, p, len, style);

				cr_assert_lt(n, sizeof(text), "%s", s->name);
				cr_expect_eq(strlen(text), n, "%s", s->name);
			}
			free(p);
		}
	}
}

/* Stores what the walk over @from finds; returns the elements. */
static size_t encode_walk(const struct prm_struct *s, const uint8_t *from, size_t len,
			  uint8_t *to)
{
	struct prm_walk w;
	struct prm_item it;
	size_t n = 0;

	prm_walk_begin(&w, s, from, len);
	while (prm_walk_next(&w, &it))
		for (size_t i = 0; i < it.count; i++, n++) {
			size_t bit = it.bit + i * it.width;

			cr_assert_leq((bit + it.width + 7) / 8, len, "%s %s", s->name, it.path);
			prm_store(to, bit, it.width, prm_load(from, bit, it.width));
		}
	return n;
}

Test(structures_survive_a_round_trip, what_is_decoded_encodes_to_the_same)
{
	static uint8_t noise[SPACE], once[SPACE], twice[SPACE];
	static char before[1 << 20], after[1 << 20];
	size_t n = 0;

	state = 99;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = draw();
	for (const struct prm_struct *s = prm_struct_next(NULL); s; s = prm_struct_next(s)) {
		size_t len = s->bytes;

		memset(once, 0, sizeof(once));
		memset(twice, 0, sizeof(twice));
		n += encode_walk(s, noise, len, once);
		encode_walk(s, once, len, twice);
		cr_expect_arr_eq(once, twice, len, "%s", s->name);
		prm_format(before, sizeof(before), s, noise, len, PRM_LINES);
		prm_format(after, sizeof(after), s, once, len, PRM_LINES);
		cr_expect_str_eq(before, after, "%s", s->name);
	}
	cr_expect_geq(n, 5000);
}
