/* Groups by TCP: each "process" is a thread with a group of its own. Collective operations, sums, and what happens when
 * a peer is lost, silent, garbled, of another version, or not invited. Waiting is by events; times are limits that only
 * a failing test reaches, except where a time-out itself is tested. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "comm/socket.h"
#include "comm/tcp_group.h"
#include "comm/tree_sum.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { MOST = 6, TOKEN = 32, FAR = 240, GREETING = 112, REPLY = 16, NUMBERS = 20000 };

static const char token[TOKEN + 1] = "0123456789abcdef0123456789ABCDEF";

/* What all ranks of a test share; each rank has one of `result`. */
struct party {
    size_t size;
    unsigned port;
    temper_tcp_listener *listener;
    void (*work)(struct party *party, temper_tcp *tcp, size_t rank);
    size_t absent;         /* this rank does not come */
    double meet, silence;  /* seconds; 0: FAR */
    const char *own_token; /* of the highest rank, if it differs */
    size_t own_size;       /* the same */
    bool until_refused;    /* rank 0 waits until the highest rank has its answer */
    atomic_int answered;
    pthread_barrier_t gone;
    struct {
        temper_status status; /* of the meeting, then of what the work sets */
        temper_error error;
        bool good;
    } result[MOST];
};

struct guest {
    struct party *party;
    size_t rank;
    pthread_t thread;
};

static int is_answered(void *context)
{
    struct party *party = context;
    return atomic_load(&party->answered);
}

static temper_tcp_options options_for(struct party *party, size_t rank)
{
    temper_tcp_options options = temper_tcp_defaults();
    bool last = rank + 1 == party->size;
    options.rank = rank;
    options.size = last && party->own_size ? party->own_size : party->size;
    options.listener = rank == 0 ? party->listener : NULL;
    options.host = "127.0.0.1";
    options.port = party->port;
    options.token = last && party->own_token ? party->own_token : token;
    options.token_length = TOKEN;
    options.meet_seconds = party->meet > 0 ? party->meet : FAR;
    options.silence_seconds = party->silence > 0 ? party->silence : FAR;
    if (party->until_refused && rank == 0) {
        options.stop = is_answered;
        options.stop_context = party;
    }
    return options;
}

static void *attend(void *argument)
{
    struct guest *guest = argument;
    struct party *party = guest->party;
    temper_tcp_options options = options_for(party, guest->rank);
    temper_tcp *tcp = NULL;
    temper_status status = temper_tcp_meet(&options, &tcp, &party->result[guest->rank].error);
    party->result[guest->rank].status = status;
    if (guest->rank + 1 == party->size)
        atomic_store(&party->answered, 1);
    if (status == TEMPER_OK && party->work)
        party->work(party, tcp, guest->rank);
    temper_tcp_free(tcp);
    return NULL;
}

static void open_party(struct party *party)
{
    temper_error error;
    CHECK(temper_tcp_listen("127.0.0.1", 0, &party->listener, &error) == TEMPER_OK);
    party->port = temper_tcp_listener_port(party->listener);
    CHECK(party->port > 0);
}

static void attend_all(struct party *party)
{
    struct guest guest[MOST];
    for (size_t r = 0; r < party->size; r++) {
        guest[r] = (struct guest){party, r, 0};
        if (r != party->absent)
            CHECK(pthread_create(&guest[r].thread, NULL, attend, &guest[r]) == 0);
    }
    for (size_t r = 0; r < party->size; r++)
        if (r != party->absent)
            pthread_join(guest[r].thread, NULL);
}

static void run_party(struct party *party)
{
    party->absent = party->absent ? party->absent : MOST;
    open_party(party);
    attend_all(party);
    temper_tcp_listener_free(party->listener);
}

static bool says(const struct party *party, size_t rank, const char *words)
{
    if (strstr(party->result[rank].error.message, words))
        return true;
    printf("rank %zu: %s\n", rank, party->result[rank].error.message);
    return false;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Lengths that differ, some 0: the letter of each rank, rank times. */
static bool gathers(const temper_comm *comm)
{
    char mine[MOST], all[MOST * MOST], expected[MOST * MOST];
    size_t bytes[MOST], to = 0;
    memset(mine, 'a' + (int)comm->rank, sizeof mine);
    for (size_t r = 0; r < comm->size; to += bytes[r++]) {
        bytes[r] = r;
        memset(expected + to, 'a' + (int)r, r);
    }
    return comm->gather(comm->context, mine, bytes, all) == 0 && memcmp(all, expected, to) == 0;
}

/* Blocks far beyond the buffers of a socket, so that all have to send and receive at once. */
static bool exchanges(const temper_comm *comm)
{
    enum { EACH = 700000 };
    size_t bytes[MOST];
    char *out = malloc(EACH * comm->size), *in = malloc(EACH * comm->size);
    for (size_t r = 0; r < comm->size; r++) {
        bytes[r] = EACH;
        memset(out + r * EACH, (int)(16 * comm->rank + r), EACH);
    }
    bool good = comm->exchange(comm->context, out, bytes, in, bytes) == 0;
    for (size_t r = 0; r < comm->size; r++)
        for (size_t i = 0; i < EACH; i += 997)
            good = good && (unsigned char)in[r * EACH + i] == 16 * r + comm->rank;
    free(out);
    free(in);
    return good;
}

/* Twelve vectors, short and long, held by all in uneven shares: the bits of one process. */
static bool sums(const temper_comm *comm, size_t length)
{
    enum { VECTORS = 12 };
    size_t first[MOST + 1];
    double *each[VECTORS], *sum = malloc(length * sizeof *sum), *expected = malloc(length * sizeof *expected);
    for (size_t r = 0; r <= comm->size; r++)
        first[r] = r == comm->size ? VECTORS : r * r * VECTORS / (comm->size * comm->size);
    for (size_t v = 0; v < VECTORS; v++) {
        each[v] = malloc(length * sizeof **each);
        for (size_t i = 0; i < length; i++)
            each[v][i] = 1 / (double)(1 + v * length + i);
    }
    temper_shard_sum((const double *const *)each, VECTORS, length, expected);
    bool good = temper_comm_sum(comm, first, each + first[comm->rank], length, sum, NULL) == TEMPER_OK &&
                memcmp(sum, expected, length * sizeof *sum) == 0;
    for (size_t v = 0; v < VECTORS; v++)
        free(each[v]);
    free(sum);
    free(expected);
    return good;
}

static void operate(struct party *party, temper_tcp *tcp, size_t rank)
{
    const temper_comm *comm = temper_tcp_comm(tcp);
    bool good = comm->rank == rank && comm->size == party->size;
    for (int again = 0; again < 3; again++)
        good = gathers(comm) && good;
    good = exchanges(comm) && good;
    good = sums(comm, 3) && sums(comm, NUMBERS) && good;
    party->result[rank].good = good && temper_tcp_failure(tcp, NULL) == TEMPER_OK;
}

TEST(groups_of_any_size_gather_exchange_and_sum)
{
    for (size_t size = 1; size <= MOST; size++) {
        struct party party = {.size = size, .work = operate};
        run_party(&party);
        for (size_t r = 0; r < size; r++)
            CHECKF(party.result[r].good, "rank %zu of %zu: %s", r, size, party.result[r].error.message);
    }
}

/* ---- Peers that fail ------------------------------------------------------------------------- */

static void try_gather(struct party *party, temper_tcp *tcp, size_t rank)
{
    const temper_comm *comm = temper_tcp_comm(tcp);
    char all[MOST];
    size_t bytes[MOST];
    for (size_t r = 0; r < comm->size; r++)
        bytes[r] = 1;
    party->result[rank].good = comm->gather(comm->context, "x", bytes, all) == 0;
    party->result[rank].status = temper_tcp_failure(tcp, &party->result[rank].error);
}

/* The last rank closes its connections after one operation; the others fail in the next, and in all later ones. */
static void close_last(struct party *party, temper_tcp *tcp, size_t rank)
{
    try_gather(party, tcp, rank);
    if (rank + 1 == party->size || !party->result[rank].good)
        return;
    for (int again = 0; again < 3; again++)
        try_gather(party, tcp, rank);
}

TEST(a_lost_peer_ends_the_operations_of_all)
{
    struct party party = {.size = 4, .work = close_last};
    run_party(&party);
    CHECK(party.result[3].good && party.result[3].status == TEMPER_OK);
    for (size_t r = 0; r < 3; r++) {
        CHECK(!party.result[r].good && party.result[r].status == TEMPER_IO);
        /* Of rank 3, or of one that has noticed it before and closed. */
        CHECK(says(&party, r, "rank ") &&
              (strstr(party.result[r].error.message, "closed") || strstr(party.result[r].error.message, "lost")));
    }
}

static void abort_last(struct party *party, temper_tcp *tcp, size_t rank)
{
    if (rank + 1 < party->size) {
        try_gather(party, tcp, rank);
    } else {
        temper_tcp_abort(tcp, "row 7 of a shard is not finite");
        try_gather(party, tcp, rank);
    }
}

TEST(a_peer_that_aborts_gives_its_reason)
{
    struct party party = {.size = 2, .work = abort_last};
    run_party(&party);
    CHECK(party.result[0].status == TEMPER_IO && !party.result[0].good);
    CHECK(says(&party, 0, "rank 1 at 127.0.0.1 has failed: row 7 of a shard is not finite"));
    CHECK(party.result[1].status == TEMPER_IO && says(&party, 1, "this process has ended the group"));
}

/* Rank 1 makes a call of another length. */
static void differ(struct party *party, temper_tcp *tcp, size_t rank)
{
    const temper_comm *comm = temper_tcp_comm(tcp);
    size_t bytes[2] = {1 + rank, 1};
    char all[8];
    party->result[rank].good = comm->gather(comm->context, "xy", bytes, all) == 0;
    party->result[rank].status = temper_tcp_failure(tcp, &party->result[rank].error);
}

TEST(processes_that_make_different_calls_notice_it)
{
    struct party party = {.size = 2, .work = differ};
    run_party(&party);
    CHECK(!party.result[1].good && party.result[1].status == TEMPER_USAGE && says(&party, 1, "made another call"));
}

/* Rank 1 is silent until rank 0 has given up. */
static void be_silent(struct party *party, temper_tcp *tcp, size_t rank)
{
    if (rank == 0)
        try_gather(party, tcp, rank);
    pthread_barrier_wait(&party->gone);
}

TEST(a_silent_peer_is_given_up)
{
    struct party party = {.size = 2, .work = be_silent, .silence = 0.3};
    CHECK(pthread_barrier_init(&party.gone, NULL, 2) == 0);
    run_party(&party);
    pthread_barrier_destroy(&party.gone);
    CHECK(party.result[0].status == TEMPER_IO && !party.result[0].good);
    CHECK(says(&party, 0, "rank 1 at 127.0.0.1 has sent or taken nothing for 0.3 seconds"));
}

static int stop_at_third(void *context)
{
    return ++*(int *)context >= 3;
}

TEST(waiting_can_be_stopped)
{
    struct party party = {.size = 2};
    temper_tcp *tcp = NULL;
    temper_error error;
    int asked = 0;
    open_party(&party);
    temper_tcp_options options = options_for(&party, 0);
    options.stop = stop_at_third;
    options.stop_context = &asked;
    CHECK(temper_tcp_meet(&options, &tcp, &error) == TEMPER_INTERRUPTED && !tcp && asked == 3);
    /* A peer that accepts the connection and sends nothing. */
    options = options_for(&party, 1);
    options.stop = stop_at_third;
    options.stop_context = &asked;
    asked = 0;
    CHECK(temper_tcp_meet(&options, &tcp, &error) == TEMPER_INTERRUPTED && asked == 3);
    temper_tcp_listener_free(party.listener);
}

/* ---- Meetings that fail ---------------------------------------------------------------------- */

TEST(who_does_not_come_is_named)
{
    struct party party = {.size = 3, .absent = 1, .meet = 0.5};
    run_party(&party);
    CHECK(party.result[0].status == TEMPER_IO);
    CHECK(says(&party, 0, "of 3 processes, the first of them rank 1, did not connect within 0.5 seconds"));
    CHECK(party.result[2].status == TEMPER_IO);
}

TEST(another_token_or_size_is_refused)
{
    struct party party = {.size = 2, .until_refused = true, .own_token = "0123456789abcdef0123456789ABCDEx"};
    run_party(&party);
    CHECK(party.result[1].status == TEMPER_USAGE && says(&party, 1, "the token differs"));
    CHECK(party.result[0].status == TEMPER_INTERRUPTED);
    struct party other = {.size = 2, .until_refused = true, .own_size = 3};
    run_party(&other);
    CHECK(other.result[1].status == TEMPER_USAGE && says(&other, 1, "the number of processes differs"));
}

TEST(no_listener_is_an_error_in_time)
{
    struct party party = {.size = 2, .meet = 0.3};
    temper_tcp *tcp = NULL;
    temper_error error;
    open_party(&party);
    temper_tcp_options options = options_for(&party, 1);
    temper_tcp_listener_free(party.listener); /* nothing is at that port now */
    CHECK(temper_tcp_meet(&options, &tcp, &error) == TEMPER_IO && !tcp);
    CHECK(strstr(error.message, "connecting to 127.0.0.1, port"));
    options.host = "no such host";
    CHECK(temper_tcp_meet(&options, &tcp, &error) == TEMPER_IO && strstr(error.message, "is not known"));
}

TEST(options_are_checked)
{
    temper_tcp *tcp = NULL;
    temper_error error;
    struct party party = {.size = 2, .port = 1};
    const temper_tcp_options good = options_for(&party, 1);
    temper_tcp_options bad[8];
    for (size_t i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].rank = 2;
    bad[1].size = 0;
    bad[2].token_length = TCP_TOKEN_LEAST - 1;
    bad[3].token = NULL;
    bad[4].meet_seconds = 0;
    bad[5].host = "";
    bad[6].port = 65536;
    bad[7].rank = 0; /* without a listener */
    for (size_t i = 0; i < 8; i++)
        CHECKF(temper_tcp_meet(&bad[i], &tcp, &error) == TEMPER_USAGE, "%zu", i);
    temper_tcp_listener *listener = NULL;
    CHECK(temper_tcp_listen("127.0.0.1", 70000, &listener, &error) == TEMPER_USAGE);
    CHECK(temper_tcp_listen("192.0.2.1", 0, &listener, &error) == TEMPER_IO && !listener); /* not of this machine */
    size_t first[2] = {0, 0}, crossed[2] = {1, 0};
    double sum;
    CHECK(temper_comm_sum(NULL, first, NULL, 1, &sum, &error) == TEMPER_USAGE);
    CHECK(temper_comm_sum(NULL, crossed, NULL, 1, &sum, &error) == TEMPER_USAGE);
}

/* ---- Strangers ------------------------------------------------------------------------------- */

static int stranger(unsigned port, const void *bytes, size_t length)
{
    struct socket_address to = {.host = "127.0.0.1", .port = port};
    struct socket_patience patience = {.until = socket_now() + FAR};
    int fd = socket_connect(&to, &patience, NULL);
    CHECK(fd >= 0 && socket_send(fd, bytes, length, &patience, NULL) == TEMPER_OK);
    return fd;
}

/* A greeting as rank 1 of 2 with the token, of another protocol. */
static void make_greeting(char *greeting, uint32_t protocol)
{
    const uint32_t words[2] = {protocol, 0x01020304};
    const uint64_t numbers[4] = {1, 2, 0, TOKEN};
    memset(greeting, 0, GREETING);
    memcpy(greeting, "tempertc", 8);
    memcpy(greeting + 8, words, sizeof words);
    memcpy(greeting + 16, numbers, sizeof numbers);
    memcpy(greeting + 48, token, TOKEN);
}

/* The second word of the reply to a stranger; it has to be closed afterwards. */
static uint32_t verdict_of(int fd)
{
    char reply[REPLY + 1];
    uint32_t verdict;
    struct socket_patience patience = {.until = socket_now() + FAR};
    CHECK(socket_receive(fd, reply, REPLY, &patience, NULL) == TEMPER_OK);
    CHECK(socket_receive(fd, reply + REPLY, 1, &patience, NULL) == TEMPER_IO); /* closed */
    memcpy(&verdict, reply + 8, sizeof verdict);
    socket_close(fd);
    return verdict;
}

/* A web browser, one that sends nothing, one that sends half a greeting, more silent ones than are kept, and another
 * version: all are refused or ignored, and the group meets. */
TEST(strangers_do_not_disturb_a_meeting)
{
    enum { SILENT = 70 };
    struct party party = {.size = 2, .work = operate};
    struct guest guest[2] = {{&party, 0, 0}, {&party, 1, 0}};
    char greeting[GREETING];
    int silent[SILENT];
    open_party(&party);
    CHECK(pthread_create(&guest[0].thread, NULL, attend, &guest[0]) == 0);
    for (size_t i = 0; i < SILENT; i++)
        silent[i] = stranger(party.port, "temp", i % 5);
    CHECK(verdict_of(stranger(party.port, "GET / HTTP/1.1\r\n", 4)) == 1);
    make_greeting(greeting, 2);
    CHECK(verdict_of(stranger(party.port, greeting, GREETING)) == 1);
    make_greeting(greeting, 1);
    greeting[40]--; /* the length of the token */
    CHECK(verdict_of(stranger(party.port, greeting, GREETING)) == 2);
    make_greeting(greeting, 1);
    greeting[16] = 0; /* the rank of the one that listens */
    CHECK(verdict_of(stranger(party.port, greeting, GREETING)) == 4);
    CHECK(pthread_create(&guest[1].thread, NULL, attend, &guest[1]) == 0);
    for (size_t r = 0; r < 2; r++)
        pthread_join(guest[r].thread, NULL);
    CHECK(party.result[0].good && party.result[1].good);
    for (size_t i = 0; i < SILENT; i++)
        socket_close(silent[i]);
    temper_tcp_listener_free(party.listener);
}

/* Who waits in vain names the one that was refused; with more time, where the machine was too busy to see it. */
TEST(who_was_refused_is_named)
{
    char greeting[GREETING];
    bool named = false;
    make_greeting(greeting, 2);
    for (double seconds = 0.2; seconds < FAR && !named; seconds *= 4) {
        struct party party = {.size = 2, .meet = seconds};
        temper_tcp *tcp = NULL;
        temper_error error;
        open_party(&party);
        int fd = stranger(party.port, greeting, GREETING);
        temper_tcp_options options = options_for(&party, 0);
        CHECK(temper_tcp_meet(&options, &tcp, &error) == TEMPER_IO);
        named = strstr(error.message, "a process at 127.0.0.1 was refused: it has another version of temper") != NULL;
        socket_close(fd);
        temper_tcp_listener_free(party.listener);
    }
    CHECK(named);
}

/* What answers at the address of rank 0 is another program. */
TEST(a_program_of_another_kind_is_no_rank_0)
{
    struct party party = {.size = 2};
    struct guest guest = {&party, 1, 0};
    struct socket_patience patience = {.until = socket_now() + FAR};
    open_party(&party);
    int listener = ((struct tcp_listener *)party.listener)->fd, fd = -1;
    CHECK(pthread_create(&guest.thread, NULL, attend, &guest) == 0);
    struct pollfd arrival = {.fd = listener, .events = POLLIN};
    CHECK(socket_wait(&arrival, 1, &patience) == SOCKET_READY);
    fd = socket_accept(listener);
    CHECK(fd >= 0 && socket_send(fd, "HTTP/1.1 400 Bad Request\r\n", REPLY, &patience, NULL) == TEMPER_OK);
    pthread_join(guest.thread, NULL);
    socket_close(fd);
    temper_tcp_listener_free(party.listener);
    CHECK(party.result[1].status == TEMPER_USAGE && says(&party, 1, "is no process of temper"));
}

/* Rank 1 as a program that behaves badly after the meeting: it sends a frame and closes. */
static void send_frame_alone(struct party *party, struct tcp_frame frame)
{
    struct guest guest = {party, 0, 0};
    char greeting[GREETING], reply[REPLY], addresses[2 * sizeof(struct socket_address)];
    struct socket_patience patience = {.until = socket_now() + FAR};
    open_party(party);
    CHECK(pthread_create(&guest.thread, NULL, attend, &guest) == 0);
    make_greeting(greeting, 1);
    int fd = stranger(party->port, greeting, GREETING);
    CHECK(socket_receive(fd, reply, REPLY, &patience, NULL) == TEMPER_OK);
    CHECK(socket_receive(fd, addresses, sizeof addresses, &patience, NULL) == TEMPER_OK);
    CHECK(socket_send(fd, &frame, sizeof frame, &patience, NULL) == TEMPER_OK);
    CHECK(shutdown(fd, SHUT_WR) == 0);
    pthread_join(guest.thread, NULL);
    socket_close(fd);
    temper_tcp_listener_free(party->listener);
}

TEST(a_block_that_ends_early_is_noticed)
{
    struct party party = {.size = 2, .work = try_gather};
    send_frame_alone(&party, (struct tcp_frame){0, 1});
    CHECK(party.result[0].status == TEMPER_IO && !party.result[0].good);
    CHECK(says(&party, 0, "rank 1 at 127.0.0.1 has closed its connection"));
}

TEST(a_block_of_another_call_is_refused)
{
    struct party party = {.size = 2, .work = try_gather};
    send_frame_alone(&party, (struct tcp_frame){1, 1});
    CHECK(party.result[0].status == TEMPER_USAGE && !party.result[0].good);
    CHECK(says(&party, 0, "made another call: number 1 of 1 bytes, not 0 of 1"));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A group of one, whose allocations are all made in this thread. */
TEST(without_memory_nothing_is_left)
{
    for (size_t n = 1;; n++) {
        struct party party = {.size = 1};
        temper_tcp *tcp = NULL;
        temper_tcp_listener *listener = NULL;
        temper_tcp_options options = options_for(&party, 0);
        fault_arm(n);
        temper_status status = temper_tcp_listen("127.0.0.1", 0, &listener, NULL);
        if (status == TEMPER_OK)
            status = temper_tcp_meet(&options, &tcp, NULL);
        fault_disarm();
        temper_tcp_free(tcp);
        temper_tcp_listener_free(listener);
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
}

/* A connection that the other side has closed has no error of the system. */
TEST(who_has_closed_a_connection_is_told)
{
    int fd[2];
    char byte;
    temper_error error = {0};
    struct socket_patience patience = {.until = socket_now() + FAR};
    if (!CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0))
        return;
    socket_close(fd[1]);
    CHECK(socket_receive(fd[0], &byte, 1, &patience, &error) == TEMPER_IO);
    CHECKF(strstr(error.message, "was lost: the process there has closed it"), "%s", error.message);
    socket_close(fd[0]);
}

/* A time that has passed before the call: nothing is sent or received, although the connection works. */
TEST(what_is_late_is_an_error)
{
    int fd[2];
    char byte = 'x';
    temper_error error = {0};
    struct socket_patience none = {.until = 0};
    if (!CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0))
        return;
    CHECK(socket_send(fd[0], &byte, 1, &none, &error) == TEMPER_IO);
    CHECK_EQ_TEXT(error.message, "no answer in time while sending to another process");
    CHECK(socket_receive(fd[0], &byte, 1, &none, &error) == TEMPER_IO);
    CHECK_EQ_TEXT(error.message, "no answer in time while waiting for another process");
    socket_close(fd[0]);
    socket_close(fd[1]);
}

TEST_LIST(LISTED(groups_of_any_size_gather_exchange_and_sum), LISTED(a_lost_peer_ends_the_operations_of_all),
          LISTED(a_peer_that_aborts_gives_its_reason), LISTED(processes_that_make_different_calls_notice_it),
          LISTED(a_silent_peer_is_given_up), LISTED(waiting_can_be_stopped), LISTED(who_does_not_come_is_named),
          LISTED(another_token_or_size_is_refused), LISTED(no_listener_is_an_error_in_time),
          LISTED(options_are_checked), LISTED(strangers_do_not_disturb_a_meeting), LISTED(who_was_refused_is_named),
          LISTED(a_program_of_another_kind_is_no_rank_0), LISTED(a_block_that_ends_early_is_noticed),
          LISTED(a_block_of_another_call_is_refused), LISTED(without_memory_nothing_is_left),
          LISTED(who_has_closed_a_connection_is_told), LISTED(what_is_late_is_an_error))
