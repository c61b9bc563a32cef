/* votes: sorts votes by item and by annotator, and numbers texts. */
#include "data/votes/votes.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/schema.h"

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Keeps a copy of a new text, under the next number. */
static uint32_t add_text(struct text_numbers *texts, const char *text, size_t length)
{
    if (texts->count == texts->capacity) {
        size_t capacity = texts->capacity ? 2 * texts->capacity : 64;
        char **name = (char **)mem_resize((void *)texts->name, capacity, sizeof *name);
        if (!name)
            return TEXT_NUMBERS_FULL;
        texts->name = name;
        texts->capacity = capacity;
    }
    char *copy = texts->count < UINT32_MAX - 1 ? mem_alloc(length + 1, 1) : NULL;
    if (!copy || !string_table_add(&texts->table, text, length, (uint32_t)texts->count)) {
        mem_free(copy);
        return TEXT_NUMBERS_FULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    texts->name[texts->count] = copy;
    return (uint32_t)texts->count++;
}

/* Looks the text up in the hash table, and adds a copy of it if it is new. The table has no slots before the first
 * text, where a search would have nothing to probe. */
uint32_t text_numbers_add(struct text_numbers *texts, const char *text, size_t length)
{
    uint32_t number = texts->table.slots ? string_table_find(&texts->table, text, length) : UINT32_MAX;
    return number != UINT32_MAX ? number : add_text(texts, text, length);
}

void text_numbers_free(struct text_numbers *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        mem_free(texts->name[i]);
    mem_free((void *)texts->name);
    string_table_free(&texts->table);
    *texts = (struct text_numbers){0};
}

/* ---- Sorting --------------------------------------------------------------------------------- */

/* The first place of each key in a list sorted by it: start[key], of `keys` + 1, from the numbers in start[key + 1]. */
static void places_from_counts(size_t *start, size_t keys)
{
    for (size_t key = 0; key < keys; key++)
        start[key + 1] += start[key];
}

/* Undoes the shift of a distributing pass: it advances start[key] from the first place of a key to its end, which is
 * the first place of the next key. So all entries move up by one, and the first is 0 again. */
static void restore_places(size_t *start, size_t keys)
{
    memmove(start + 1, start, keys * sizeof *start);
    start[0] = 0;
}

/* Sorts by annotator, and within an annotator by item, into of_annotator: a radix sort of two stable counting sorts,
 * the minor key first. The time is proportional to votes, items and annotators, and needs no comparison function.
 * `sorted` is space for all votes. item_start is left shifted: sort_by_item counts again, after repetitions have been
 * removed. */
static void sort_by_annotator(struct votes *votes, const struct vote *list, size_t count, struct vote *sorted)
{
    for (size_t i = 0; i < count; i++) {
        votes->item_start[list[i].item + 1]++;
        votes->annotator_start[list[i].annotator + 1]++;
    }
    places_from_counts(votes->item_start, votes->items);
    places_from_counts(votes->annotator_start, votes->annotators);
    for (size_t i = 0; i < count; i++)
        sorted[votes->item_start[list[i].item]++] = list[i];
    for (size_t i = 0; i < count; i++)
        votes->of_annotator[votes->annotator_start[sorted[i].annotator]++] =
            (struct half_vote){sorted[i].item, sorted[i].label};
    restore_places(votes->annotator_start, votes->annotators);
}

/* One step of an insertion sort by label: inserts a vote into the run of votes on its item, which ends at
 * of_annotator[kept]. False if the run has this vote already. Runs are short, as an annotator rarely labels an item
 * twice. */
static bool insert_vote(struct votes *votes, size_t first, size_t kept, struct half_vote vote)
{
    struct half_vote *list = votes->of_annotator;
    size_t at = kept;
    while (at > first && list[at - 1].other == vote.other && list[at - 1].label > vote.label)
        at--;
    if (at > first && list[at - 1].other == vote.other && list[at - 1].label == vote.label)
        return false;
    memmove(&list[at + 1], &list[at], (kept - at) * sizeof *list);
    list[at] = vote;
    return true;
}

/* Removes exact repetitions and sorts the labels that one annotator gave to one item, in place: `from` reads and `kept`
 * writes, never in front of it. Votes of one annotator on one item follow one another after sort_by_annotator, so that
 * each is compared with its own run only. */
static void remove_repetitions(struct votes *votes)
{
    size_t kept = 0, from = 0;
    for (size_t a = 0; a < votes->annotators; a++) {
        size_t first = kept, to = votes->annotator_start[a + 1];
        for (; from < to; from++) {
            struct half_vote vote = votes->of_annotator[from];
            bool again = kept > first && votes->of_annotator[kept - 1].other == vote.other;
            bool is_new = insert_vote(votes, first, kept, vote);
            votes->contradicting += again && is_new;
            votes->repeated += !is_new;
            kept += is_new;
        }
        votes->annotator_start[a + 1] = kept;
    }
    votes->count = kept;
}

/* The third counting sort, from the votes by annotator to those by item. It is stable, so that the votes of an item
 * ascend by annotator and label, whatever the order of the input. */
static void sort_by_item(struct votes *votes)
{
    memset(votes->item_start, 0, (votes->items + 1) * sizeof *votes->item_start);
    for (size_t i = 0; i < votes->count; i++)
        votes->item_start[votes->of_annotator[i].other + 1]++;
    places_from_counts(votes->item_start, votes->items);
    for (size_t a = 0; a < votes->annotators; a++)
        for (size_t i = votes->annotator_start[a]; i < votes->annotator_start[a + 1]; i++) {
            struct half_vote vote = votes->of_annotator[i];
            votes->of_item[votes->item_start[vote.other]++] = (struct half_vote){(uint32_t)a, vote.label};
        }
    restore_places(votes->item_start, votes->items);
}

/* Three passes: by annotator, without repetitions, by item. After a failure the votes own whatever was allocated, and
 * votes_free frees it. */
temper_status votes_sort(struct votes *votes, const struct vote *list, size_t count, temper_error *error)
{
    struct vote *sorted = mem_alloc(count, sizeof *sorted);
    votes->of_item = mem_alloc(count, sizeof *votes->of_item);
    votes->of_annotator = mem_alloc(count, sizeof *votes->of_annotator);
    votes->item_start = mem_zeroed(votes->items + 1, sizeof *votes->item_start);
    votes->annotator_start = mem_zeroed(votes->annotators + 1, sizeof *votes->annotator_start);
    bool made = sorted && votes->of_item && votes->of_annotator && votes->item_start && votes->annotator_start;
    votes->repeated = votes->contradicting = 0;
    if (made) {
        sort_by_annotator(votes, list, count, sorted);
        remove_repetitions(votes);
        sort_by_item(votes);
    }
    mem_free(sorted);
    return made ? TEMPER_OK : error_no_memory(error);
}

/* ---- Votes from arrays ----------------------------------------------------------------------- */

/* Classes named by their numbers. */
static temper_status number_classes(struct votes *votes, size_t count, temper_error *error)
{
    for (size_t c = 0; c < count; c++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%zu", c);
        if (classes_add(&votes->classes, name, (size_t)length) == CLASSES_NO_MEMORY)
            return error_no_memory(error);
    }
    return TEMPER_OK;
}

/* Copies the votes into one list, and refuses numbers that are out of range. */
static temper_status list_arrays(const temper_vote_arrays *arrays, struct vote *list, temper_error *error)
{
    for (size_t i = 0; i < arrays->count; i++) {
        list[i] = (struct vote){arrays->item[i], arrays->annotator[i], arrays->label[i]};
        if (list[i].item >= arrays->items || list[i].annotator >= arrays->annotators ||
            list[i].label >= arrays->classes)
            return error_set(
                error, TEMPER_USAGE, "vote %zu: item %lu, annotator %lu or label %lu is not below the number of them",
                i + 1, (unsigned long)list[i].item, (unsigned long)list[i].annotator, (unsigned long)list[i].label);
    }
    return TEMPER_OK;
}

/* Items and annotators are numbers already and keep them; they have no names. Labels must be below `classes`, of which
 * some may have no vote. */
temper_status votes_from_arrays(const temper_vote_arrays *arrays, struct votes **out, temper_error *error)
{
    if (arrays->count == 0 || arrays->classes == 0)
        return error_set(error, TEMPER_BAD_DATA, "no votes; give at least one");
    if (arrays->classes > MOST_CLASSES)
        return error_set(error, TEMPER_BAD_DATA, "more than %s different labels; merge some",
                         count_shown(MOST_CLASSES).text);
    struct vote *list = mem_alloc(arrays->count, sizeof *list);
    struct votes *votes = mem_zeroed(1, sizeof *votes);
    temper_status status = list && votes ? list_arrays(arrays, list, error) : error_no_memory(error);
    if (status == TEMPER_OK && votes) {
        votes->items = arrays->items;
        votes->annotators = arrays->annotators;
        status = number_classes(votes, arrays->classes, error);
    }
    if (status == TEMPER_OK && votes)
        status = votes_sort(votes, list, arrays->count, error);
    mem_free(list);
    if (status == TEMPER_OK)
        *out = votes;
    else
        votes_free(votes);
    return status;
}

void votes_free(struct votes *votes)
{
    if (!votes)
        return;
    mem_free(votes->of_item);
    mem_free(votes->item_start);
    mem_free(votes->of_annotator);
    mem_free(votes->annotator_start);
    classes_free(&votes->classes);
    names_free(&votes->item_names);
    names_free(&votes->annotator_names);
    mem_free(votes->item_line);
    mem_free(votes->path);
    mem_free(votes);
}
