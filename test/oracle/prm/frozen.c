/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of include/prm that have no second source on this machine, one a line, for
 * frozen.sh to compare with frozen.txt: a change of one of them has to be made in both.
 *
 *	row struct.field bit width count	rows that not_in_kernel.txt lists
 *	need command struct.field		needs.def
 *	unit struct.field unit			unit.def
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "prm/table.h"

static void put_row(const struct prm_struct *s, const struct prm_field *f)
{
	printf("row %s.%s 0x%x %u %u\n", s->name, f->name, f->bit, f->width, f->count);
}

/* @what: "struct", "struct.field", "struct.field(bits)" or "struct(bytes)". */
static bool put_listed(char *what)
{
	char *dot = strchr(what, '.'), *bytes = strchr(what, '(');
	const struct prm_struct *s;
	const struct prm_field *f;

	if (dot)
		*dot++ = 0;
	if (bytes)
		*bytes = 0;
	s = prm_struct(what);
	if (!s)
		return false;
	if (bytes && !dot)
		printf("bytes %s 0x%x\n", s->name, s->bytes);
	else if (!dot)
		for (f = s->fields; f->name; f++)
			put_row(s, f);
	else if (!(f = prm_field(s, dot)))
		return false;
	else
		put_row(s, f);
	return true;
}

static bool put_rows(const char *path)
{
	FILE *list = fopen(path, "r");
	char line[512], what[256];
	bool ok = list;

	while (list && fgets(line, sizeof(line), list))
		if (*line != '#' && sscanf(line, "%255s", what) == 1)
			ok &= put_listed(what);
	if (list)
		fclose(list);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc != 2 || !put_rows(argv[1])) {
		fprintf(stderr, "%s: cannot be read, or names what prm does not have\n",
			argc == 2 ? argv[1] : "usage: frozen LIST");
		return 1;
	}
	for (const struct prm_cmd *c = prm_cmd_next(NULL); c; c = prm_cmd_next(c))
		if (c->needs)
			printf("need %s %s\n", c->name, c->needs);
	for (const struct prm_struct *s = prm_struct_next(NULL); s; s = prm_struct_next(s))
		for (const struct prm_field *f = s->fields; f->name; f++)
			if (prm_unit(s, f->name))
				printf("unit %s.%s %s\n", s->name, f->name,
				       prm_unit(s, f->name));
	return 0;
}
