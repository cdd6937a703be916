/* SPDX-License-Identifier: BSD-2-Clause */
/* MPI: messages of several sizes go around a ring of ranks, each is checked; then a sum over
 * all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(unsigned char *buf, int size, int rank)
{
	for (int i = 0; i < size; i++)
		buf[i] = (unsigned char)(i * 7 + i / 251 + rank);
}

/* The rank before sends what this one expects. */
static void pass(int size, int rank, int ranks)
{
	unsigned char *out = malloc((size_t)size + 1), *in = malloc((size_t)size + 1);
	int before = (rank + ranks - 1) % ranks;

	fill(out, size, rank);
	MPI_Sendrecv(out, size, MPI_BYTE, (rank + 1) % ranks, size, in, size, MPI_BYTE, before,
		     size, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	fill(out, size, before);
	for (int i = 0; i < size; i++) {
		if (in[i] == out[i])
			continue;
		fprintf(stderr, "rank %d: byte %d of %d\n", rank, i, size);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	free(out);
	free(in);
}

int main(int argc, char **argv)
{
	static const int sizes[] = { 0, 1, 64, 1000, 8192, 100001, 1 << 20 };
	int rank, ranks, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		pass(sizes[i], rank, ranks);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	if (sum != ranks * (ranks - 1) / 2)
		return 1;
	if (rank == 0)
		printf("%d ranks, sum %d\n", ranks, sum);
	return 0;
}
