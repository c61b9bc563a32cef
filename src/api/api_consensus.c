/* api_consensus: votes of several annotators, and the consensus that they give. */
#include "api/api_internal.h"
#include "audit/annotators/consensus.h"
#include "base/memory.h"

static const struct votes *votes_of(const temper_votes *votes)
{
    return (const struct votes *)votes;
}

/* ---- Votes ------------------------------------------------------------------------------------------------------- */

/* NULL everywhere: all is inferred. */
temper_votes_options temper_votes_defaults(void)
{
    return (temper_votes_options){.struct_size = sizeof(temper_votes_options)};
}

/* *votes is set on success only, here and below. */
temper_status temper_votes_read(const char *path, const temper_votes_options *options, temper_votes **votes,
                                temper_error *error)
{
    temper_votes_options full = temper_votes_defaults();
    struct votes *made;
    TRY(api_options(&full, sizeof full, options, "votes", error));
    TRY(votes_read(path, &full, &made, error));
    *votes = (temper_votes *)made;
    return TEMPER_OK;
}

temper_status temper_votes_from_arrays(const temper_vote_arrays *arrays, temper_votes **votes, temper_error *error)
{
    struct votes *made;
    TRY(votes_from_arrays(arrays, &made, error));
    *votes = (temper_votes *)made;
    return TEMPER_OK;
}

void temper_votes_free(temper_votes *votes)
{
    votes_free((struct votes *)votes);
}

temper_status temper_votes_match(temper_votes *votes, const temper_data *data, const char *id, temper_error *error)
{
    return votes_match((struct votes *)votes, dataset_of(data), id, error);
}

size_t temper_votes_count(const temper_votes *votes)
{
    return votes_of(votes)->count;
}

size_t temper_votes_items(const temper_votes *votes)
{
    return votes_of(votes)->items;
}

size_t temper_votes_annotators(const temper_votes *votes)
{
    return votes_of(votes)->annotators;
}

size_t temper_votes_classes(const temper_votes *votes)
{
    return votes_of(votes)->classes.count;
}

/* NULL for items without names, and for numbers that are out of range. */
const char *temper_votes_item_name(const temper_votes *votes, size_t item)
{
    const struct names *names = &votes_of(votes)->item_names;
    return item < names->count ? names->name[item] : NULL;
}

const char *temper_votes_annotator_name(const temper_votes *votes, size_t annotator)
{
    const struct names *names = &votes_of(votes)->annotator_names;
    return annotator < names->count ? names->name[annotator] : NULL;
}

const char *temper_votes_class_name(const temper_votes *votes, size_t class_number)
{
    const struct classes *classes = &votes_of(votes)->classes;
    return class_number < classes->count ? classes->name[class_number] : NULL;
}

const char *temper_votes_notes(const temper_votes *votes)
{
    return votes_of(votes)->notes;
}

int temper_votes_names_columns(const temper_votes *votes, const char *path)
{
    return votes_name_columns(votes_of(votes), path);
}

temper_status temper_votes_probabilities(const temper_votes *votes, const temper_data *table, double *probabilities,
                                         temper_error *error)
{
    return consensus_probabilities(votes_of(votes), dataset_of(table), probabilities, error);
}

/* ---- Consensus --------------------------------------------------------------------------------------------------- */

temper_consensus_options temper_consensus_defaults(void)
{
    return (temper_consensus_options){
        .struct_size = sizeof(temper_consensus_options), .folds = 5, .rounds = 3, .seed = 1};
}

temper_status temper_consensus(const temper_votes *votes, const temper_consensus_options *options,
                               temper_consensus_report *report, temper_error *error)
{
    temper_consensus_options full = temper_consensus_defaults();
    TRY(api_options(&full, sizeof full, options, "consensus", error));
    return consensus(votes_of(votes), &full, report, error);
}

/* The report itself belongs to the caller. Pointers are reset, so freeing twice is harmless. */
void temper_consensus_report_free(temper_consensus_report *report)
{
    if (!report)
        return;
    mem_free(report->item);
    mem_free(report->posterior);
    mem_free(report->annotator);
    mem_free(report->confusion);
    mem_free(report->shares);
    mem_free(report->again);
    report->item = NULL;
    report->annotator = NULL;
    report->posterior = report->confusion = report->shares = NULL;
    report->again = NULL;
    report->items = report->annotators = 0;
}

temper_status temper_consensus_label(const temper_data *data, const temper_votes *votes,
                                     const temper_consensus_report *report, temper_data **labelled, temper_error *error)
{
    struct dataset *made;
    TRY(consensus_label(dataset_of(data), votes_of(votes), report, &made, error));
    *labelled = (temper_data *)made;
    return TEMPER_OK;
}
