/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists: order, deleting while walking, nodes that are on no list. */
#include <criterion/criterion.h>

#include "core/core.h"

Test(lists, order_and_membership)
{
	struct core_list head, node[3] = { 0 }, *pos, *tmp;
	int i = 0;

	core_list_init(&head);
	cr_assert(core_list_empty(&head));
	for (i = 0; i < 3; i++) {
		core_list_add(&head, &node[i]);
		core_list_add(&head, &node[i]); /* the second time does nothing */
	}
	i = 0;
	core_list_for_each(pos, tmp, &head) {
		cr_assert_eq(pos, &node[i++]);
		core_list_del(pos);
		cr_assert_not(core_list_linked(pos));
	}
	cr_assert_eq(i, 3);
	cr_assert(core_list_empty(&head));
	core_list_del(&node[0]); /* on no list: harmless */
}
