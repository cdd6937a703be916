/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other processes of an MPI job, for --pattern. MPI carries addresses, results and
 * barriers; what is measured never uses it.
 *
 *	mpirun -n 4 dvperf bw --pattern=incast
 *	   4 times dvperf becomes dvperf-mpi, the same program with MPI (libexec_exec())
 *	   rank 0 … rank 3    ranks_open() … ranks_close(), all of them in the same order
 *
 * mpi/ranks.c is of dvperf-mpi, ranks_none.c of dvperf, which is not linked with MPI: it would
 * load MPI, and UCX, into every run. One thread calls. A rank that ends without ranks_close()
 * takes the whole job with it: mpirun ends the others.
 */
#ifndef DVPERF_RANKS_H
#define DVPERF_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* Joins the job; dvperf becomes dvperf-mpi, with @argv, and refuses where that is not
 * installed. */
void ranks_open(char **argv);
void ranks_close(void);

/* This one, and how many there are. 1: not started by a launcher. */
unsigned int ranks_own(void);
unsigned int ranks_count(void);

/* Announces that this rank has reached this point; whether all have (does not wait); waits
 * until they have. */
void ranks_announce(void);
bool ranks_are_here(void);
void ranks_await(void);

/* True where all say so. */
bool ranks_all(bool ours);

/* @size bytes of each rank, in the order of ranks, to all of them. */
void ranks_share(const void *ours, void *all, size_t size);

/* On rank 0 the texts of all, in the order of ranks, to be freed one by one; elsewhere NULL. */
char **ranks_gather(const char *ours);

#endif
