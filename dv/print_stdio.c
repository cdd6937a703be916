/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs to a stream in one call (print.h), with what to check first. */
#include <stdio.h>
#include <dv/cqe.h>
#include <dv/print.h>

/* The longest line: a receive with tag matching, all of its fields; checked by a test. */
enum { LINE = 1024 };

static void put(FILE *out, const char *what, const struct mlx5_cqe64 *cqe)
{
	bool error = dv_cqe_is_error(cqe);
	char line[LINE];

	dv_cqe_format(line, sizeof(line), cqe, sizeof(*cqe), DV_LINE);
	fprintf(out, "%s%s%s%s%s\n", what ? what : "", what ? ": " : "", line,
		error ? ": " : "", error ? dv_syndrome_hint(dv_cqe_syndrome(cqe)) : "");
}

void dv_cqe_print(FILE *out, const void *cqe)
{
	put(out, NULL, cqe);
}

void dv_cqe_perror(const char *what, const void *cqe)
{
	put(stderr, what, cqe);
}
