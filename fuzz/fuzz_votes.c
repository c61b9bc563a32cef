/* Any bytes as a table of votes, with any options: read, with a consensus that is one, or refused with advice. */
#define _GNU_SOURCE /* memfd_create */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "data/votes/votes.h"

enum { MOST_ITEMS = 200 }; /* of those whose consensus is computed */

/* Both orders have the same votes, sorted, within their ranges. */
static void check_votes(const struct votes *votes)
{
    REQUIRE(votes->count > 0 && votes->item_start[votes->items] == votes->count, "%zu votes", votes->count);
    REQUIRE(votes->annotator_start[votes->annotators] == votes->count, "%zu votes", votes->count);
    REQUIRE(votes->annotator_names.count == votes->annotators, "%zu names", votes->annotator_names.count);
    REQUIRE(votes->item_names.count == 0 || votes->item_names.count == votes->items, "names of items");
    for (size_t item = 0; item < votes->items; item++)
        for (size_t i = votes->item_start[item]; i < votes->item_start[item + 1]; i++) {
            struct half_vote vote = votes->of_item[i];
            REQUIRE(vote.other < votes->annotators && vote.label < votes->classes.count, "vote %zu", i);
            REQUIRE(i == votes->item_start[item] || vote.other > votes->of_item[i - 1].other ||
                        (vote.other == votes->of_item[i - 1].other && vote.label > votes->of_item[i - 1].label),
                    "vote %zu is out of order", i);
        }
    for (size_t item = 0; item < votes->items; item++)
        REQUIRE(votes->item_line[item] > (item > 0 ? votes->item_line[item - 1] : 0), "line of item %zu", item);
}

/* Probabilities are probabilities, and every item is once in the list. */
static void check_consensus(const temper_votes *votes)
{
    temper_consensus_options options = temper_consensus_defaults();
    temper_consensus_report report;
    temper_error error;
    options.threads = 1;
    REQUIRE(temper_consensus(votes, &options, &report, &error) == TEMPER_OK, "%s", error.message);
    bool seen[MOST_ITEMS] = {false};
    for (size_t i = 0; i < report.items; i++) {
        double sum = 0;
        for (size_t c = 0; c < report.classes; c++)
            sum += report.posterior[i * report.classes + c];
        REQUIRE(fabs(sum - 1) < 1e-9, "item %zu: %g", i, sum);
        REQUIRE(!seen[report.again[i]], "item %zu twice", report.again[i]);
        seen[report.again[i]] = true;
    }
    for (size_t a = 0; a < report.annotators; a++) {
        const temper_annotator_summary *one = &report.annotator[a];
        REQUIRE(one->low <= one->accuracy && one->accuracy <= one->high && one->high <= 1, "annotator %zu: %g", a,
                one->accuracy);
    }
    temper_consensus_report_free(&report);
}

static void check_error(const temper_error *error, temper_status status)
{
    size_t length = strlen(error->message);
    REQUIRE(status == TEMPER_BAD_DATA || status == TEMPER_USAGE, "%s", error->message);
    REQUIRE(length > 0 && length < sizeof error->message - 1, "cut off: %s", error->message);
    REQUIRE(strstr(error->message, "; ") || strstr(error->message, "--"), "no advice: %s", error->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static const char *const layouts[] = {NULL, "long", "wide", "auto"};
    static const char *const columns[] = {NULL, "1,2,3", "1", "none"};
    static const char *const headers[] = {NULL, "yes", "no", "auto"};
    struct bytes bytes = {input, size};
    unsigned first = take_byte(&bytes);
    temper_votes_options options = temper_votes_defaults();
    temper_votes *votes;
    temper_error error = {0};
    char path[32];
    options.layout = layouts[first & 3];
    options.columns = columns[first >> 2 & 3];
    options.header = headers[first >> 4 & 3];
    options.format = first & 64 ? "tsv" : NULL;
    int file = memfd_create("votes", 0);
    REQUIRE(file >= 0 && write(file, bytes.at, bytes.left) == (ssize_t)bytes.left, "no file");
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    temper_status status = temper_votes_read(path, &options, &votes, &error);
    if (status == TEMPER_OK) {
        check_votes((const struct votes *)votes);
        if (temper_votes_items(votes) <= MOST_ITEMS && temper_votes_classes(votes) <= 20)
            check_consensus(votes);
        temper_votes_free(votes);
    } else {
        check_error(&error, status);
    }
    close(file);
    return 0;
}
