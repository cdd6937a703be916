/* SPDX-License-Identifier: BSD-2-Clause */
/* flow dump FILE: tables of mlx5dv_dr from what the library wrote of them. */
#ifndef DVFW_DR_DUMP_H
#define DVFW_DR_DUMP_H

#include "base/base.h"

/* The words after "dump". An exit status. */
int flows_dr_dump(const struct dvfw *d, int n, char **word);

/* Prints them as text (dr_dump_print.c). */
void dr_dump_print(const struct dvfw *d, struct json_object *domains);

/* Each member @o of a list, @i its index. */
#define EACH(i, o, list)                                            \
	for (size_t i = 0; i < json_object_array_length(list); i++) \
		for (struct json_object *o = json_object_array_get_idx(list, i); o; o = NULL)

#endif
