/* temper_tcp: processes that share one training, connected by TCP, and sums over them. The rules of temper.h hold here
 * too.
 *
 *   rank 0          temper_tcp_listen, and makes its host and port known to the others
 *   each process    temper_tcp_meet: connected with all others when it returns
 *                   temper_tcp_comm: for temper_read_options.comm, or for temper_comm_sum
 *                   temper_tcp_free */
#ifndef TEMPER_TCP_H
#define TEMPER_TCP_H

#include "temper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* The sum of vectors of all processes, of `length` numbers each, in the order of a binary tree over their numbers: the
 * same bits on any number of processes, and those of temper_shard_sum. Rank r holds the vectors from first[r] up to
 * first[r + 1], of size + 1 numbers; vectors[0] is its first one. They are overwritten. `sum` is the same on all. */
TEMPER_API temper_status temper_comm_sum(const temper_comm *comm, const size_t *first, double *const *vectors,
                                         size_t length, double *sum, temper_error *error);

/* ---- Connections ------------------------------------------------------------------------------------------------- */

/* A temper_comm of processes that are connected by TCP, each with each. They have to be started, and given their ranks,
 * the address of rank 0 and a token, by something else: tasks of Spark, Dask or Ray, or a shell. Rank 0 calls
 * temper_tcp_listen and makes the port known, then all call temper_tcp_meet. Nothing is encrypted. Not on Windows. */
typedef struct temper_tcp_listener temper_tcp_listener;
typedef struct temper_tcp temper_tcp;

/* Accepts connections at a host of this machine (NULL: at all its addresses) and a port (0: one that is free). */
TEMPER_API temper_status temper_tcp_listen(const char *host, unsigned port, temper_tcp_listener **listener,
                                           temper_error *error);
TEMPER_API unsigned temper_tcp_listener_port(const temper_tcp_listener *listener);
TEMPER_API void temper_tcp_listener_free(temper_tcp_listener *listener);

/* Begin with temper_tcp_defaults(). */
typedef struct temper_tcp_options {
    size_t struct_size;            /* set by temper_tcp_defaults() */
    size_t rank, size;             /* the number of this process, from 0, and how many there are */
    temper_tcp_listener *listener; /* of rank 0, which may free it after the meeting */
    const char *host;              /* of rank 0; not needed by itself */
    unsigned port;
    const void *token; /* 16 to 64 bytes, equal in all processes: others are refused. Make random ones for each group */
    size_t token_length;
    double meet_seconds;        /* how long to wait for all; 60 */
    double silence_seconds;     /* a peer that sends nothing for so long while it is waited for is lost; 600 */
    int (*stop)(void *context); /* called several times a second while waiting; not 0: TEMPER_INTERRUPTED */
    void *stop_context;
} temper_tcp_options;
TEMPER_API temper_tcp_options temper_tcp_defaults(void);

/* Connects all processes. TEMPER_USAGE if this one is refused (token, size, rank, version), TEMPER_IO if not all come.
 */
TEMPER_API temper_status temper_tcp_meet(const temper_tcp_options *options, temper_tcp **tcp, temper_error *error);
/* Valid until temper_tcp_free. */
TEMPER_API const temper_comm *temper_tcp_comm(const temper_tcp *tcp);
/* Why an operation failed: which rank is lost, silent, or has aborted. TEMPER_OK if none has. A group that has failed
 * stays so. */
TEMPER_API temper_status temper_tcp_failure(const temper_tcp *tcp, temper_error *error);
/* Ends the group because this process cannot continue: the operations of all others fail with this reason. */
TEMPER_API void temper_tcp_abort(temper_tcp *tcp, const char *reason);
/* Closes the connections; others that wait for this process notice it. NULL is allowed. */
TEMPER_API void temper_tcp_free(temper_tcp *tcp);

#ifdef __cplusplus
}
#endif

#endif
