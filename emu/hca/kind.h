/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of the adapter in general; part of hca.h. Their kinds are rows of kind.def, from
 * which follow the tables of struct hca, hca_pd_new() and similar functions, the counts, and
 * what is in use.
 *
 *	hca_object_new --> zeroed, with a number --> hca_object_refer(o, 1) --> in use: o->refs of others
 *	hca_object_free <-- hca_object_refer(o, -1) <--
 *
 * Here are memory and references. Whether an object may be destroyed is for firmware to say.
 */
#ifndef EMU_HCA_KIND_H
#define EMU_HCA_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

struct hca;

enum hca_kind_id {
	HCA_KIND_NONE, /* of no table: a part of another object */
#define HCA_KIND(name, ...) HCA_KIND_##name,
#include "hca/kind.def"
	HCA_KINDS
};

/* The first members of each. */
struct hca_object {
	uint32_t id;	  /* the first of its numbers */
	uint32_t numbers; /* how many there are: more than one for bulks and ranges */
	uint32_t refs;	  /* of objects that refer to it; of a uctx, that belong to it */
	uint16_t uid;	  /* of the owner; 0: the driver */
	uint8_t kind;	  /* enum hca_kind_id */
};

/* The head of an object whose number is called @number. */
#define HCA_OBJECT(number)                      \
	union {                                 \
		struct hca_object object;       \
		struct {                        \
			uint32_t number;        \
			uint32_t numbers, refs; \
			uint16_t uid;           \
			uint8_t kind;           \
		};                              \
	}

struct hca_kind {
	const char *text;
	size_t size, table; /* bytes of an object; offset of its core_ids in struct hca */
	bool local, round;  /* numbers: not by slot; all of 24 bits */
	uint32_t base, limit;
	bool (*init)(struct hca *hca, void *obj); /* sets nonzero members; false: no memory */
	void (*fini)(struct hca *hca,
		     void *obj); /* memory, lists; after an init that failed, too */
	void (*refer)(const void *obj, int by); /* references that HCA_REF() cannot describe */
};

extern const struct hca_kind hca_kinds[HCA_KINDS];

/* The tables, empty; and all objects freed. */
void hca_objects_init(struct hca *hca);
void hca_objects_fini(struct hca *hca);

/* A zeroed object with @numbers numbers in a row; NULL: no number or no memory. */
void *hca_object_new(struct hca *hca, enum hca_kind_id kind, uint32_t numbers);
/* Takes it out of tables and lists. */
void hca_object_free(struct hca *hca, void *obj);
/* Adds @by to the references of all that @obj refers to. */
void hca_object_refer(const void *obj, int by);

static inline const struct core_ids *hca_object_table(const struct hca *hca, size_t kind)
{
	return (const void *)((const char *)hca + hca_kinds[kind].table);
}

static inline void *hca_object_find(const struct hca *hca, enum hca_kind_id kind, uint32_t id)
{
	return core_ids_get(hca_object_table(hca, kind), id);
}

/* hca_pd_new(), hca_pd_free() … */
#define HCA_KIND(name, type, ...)                                             \
	static inline struct type *hca_##name##_new(struct hca *hca)          \
	{                                                                     \
		return hca_object_new(hca, HCA_KIND_##name, 1);               \
	}                                                                     \
	static inline void hca_##name##_free(struct hca *hca, struct type *o) \
	{                                                                     \
		hca_object_free(hca, o);                                      \
	}
#include "hca/kind.def"

/* How many there are, with allocations of device memory and entries of the rate table. In
 * @text, if it is not NULL, how many of each kind: "pd 1, cq 2". */
uint32_t hca_objects_count(const struct hca *hca, char *text, size_t size);

#endif
