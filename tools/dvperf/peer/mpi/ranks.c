/* SPDX-License-Identifier: BSD-2-Clause */
/* The ranks of an MPI job, by MPI. */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/base.h"
#include "peer/ranks.h"

static MPI_Request here = MPI_REQUEST_NULL;

/* An MPI call that fails ends the job by itself: MPI_ERRORS_ARE_FATAL is MPI's default. */

void ranks_open(char **argv)
{
	int level;

	(void)argv;
	/* MPI would take the adapter for itself: its traffic must not be in our counters.
	 * Settings of the user stay. */
	setenv("OMPI_MCA_pml", "ob1", 0);
	setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
	setenv("OMPI_MCA_osc", "^ucx", 0);
	setenv("UCX_TLS", "tcp,sm,self", 0); /* MPICH's way, where it is built with UCX */
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	if (level < MPI_THREAD_FUNNELED)
		base_refuse("--pattern: this MPI does not support threads");
}

void ranks_close(void)
{
	MPI_Finalize();
}

unsigned int ranks_own(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return (unsigned int)rank;
}

unsigned int ranks_count(void)
{
	int n;

	MPI_Comm_size(MPI_COMM_WORLD, &n);
	return (unsigned int)n;
}

void ranks_announce(void)
{
	MPI_Ibarrier(MPI_COMM_WORLD, &here);
}

bool ranks_are_here(void)
{
	int all;

	MPI_Test(&here, &all, MPI_STATUS_IGNORE);
	return all;
}

void ranks_await(void)
{
	MPI_Wait(&here, MPI_STATUS_IGNORE);
}

bool ranks_all(bool ours)
{
	int all = ours;

	MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	return all;
}

void ranks_share(const void *ours, void *all, size_t size)
{
	MPI_Allgather(ours, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}

char **ranks_gather(const char *ours)
{
	int own = (int)strlen(ours) + 1, n = (int)ranks_count(), sum = 0;
	int *length = base_made(calloc((size_t)n, sizeof(*length)));
	int *begin = base_made(calloc((size_t)n, sizeof(*begin)));
	char **texts = NULL, *all;

	MPI_Allgather(&own, 1, MPI_INT, length, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++) {
		begin[i] = sum;
		sum += length[i];
	}
	all = base_made(malloc((size_t)sum));
	MPI_Gatherv(ours, own, MPI_CHAR, all, length, begin, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (!ranks_own()) {
		texts = base_made(calloc((size_t)n, sizeof(*texts)));
		for (int i = 0; i < n; i++)
			texts[i] = base_made(strdup(all + begin[i]));
	}
	free(all);
	free(begin);
	free(length);
	return texts;
}
