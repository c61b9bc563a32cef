/* allreduce: how long a sum over all processes of an MPI job takes, without anything else:
 *
 *     mpirun -n 2 allreduce     a line for each size: doubles, microseconds (the best of many) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200, SIZES = 3 };

static double best_seconds(const double *part, double *sum, int count)
{
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        MPI_Allreduce(part, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double seconds = MPI_Wtime() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const int counts[SIZES] = {785, 7850, 1100000}; /* two classes, ten, 20 Newsgroups */
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *part = calloc((size_t)counts[SIZES - 1], sizeof *part);
    double *sum = calloc((size_t)counts[SIZES - 1], sizeof *sum);
    for (int i = 0; part && sum && i < SIZES; i++) {
        double seconds = best_seconds(part, sum, counts[i]);
        if (rank == 0)
            printf("%d %.3f\n", counts[i], 1e6 * seconds);
    }
    free(part);
    free(sum);
    MPI_Finalize();
    return 0;
}
