/* outcome_table: bits by candidate and row, and paired comparisons on them. */
#include "search/outcome_table.h"

#include <math.h>

#include "base/memory.h"

/* Rows with bits, at most: more would not change a decision, as the standard error of an accuracy is then 0.2 points
 * at most. And bits of a stage, at most: 128 MB, for grids of many thousand candidates. */
static const size_t MOST_ROWS = 65536, MOST_BITS = (size_t)1 << 30;

/* The smallest stride that respects both limits. */
static size_t stride_for(size_t candidates, size_t rows)
{
    size_t most = MOST_BITS / (candidates ? candidates : 1);
    most = most > MOST_ROWS ? MOST_ROWS : most < 64 ? 64 : most;
    return rows > most ? (rows + most - 1) / most : 1;
}

/* Rows 0, stride, 2 stride, ... have bits: a systematic sample, the same in every process and session. */
static struct outcome_table sizes_for(size_t candidates, size_t rows)
{
    struct outcome_table table = {.candidates = candidates, .stride = stride_for(candidates, rows)};
    table.rows = (rows + table.stride - 1) / table.stride;
    table.words = (table.rows + 63) / 64;
    return table;
}

temper_status outcome_table_new(size_t candidates, size_t rows, struct outcome_table *out, temper_error *error)
{
    struct outcome_table table = sizes_for(candidates, rows);
    for (size_t i = 0; i < OUTCOME_STAGES; i++) {
        table.bits[i] = mem_zeroed(candidates, table.words * sizeof *table.bits[i]);
        if (!table.bits[i]) {
            outcome_table_free(&table);
            return error_no_memory(error);
        }
    }
    *out = table;
    return TEMPER_OK;
}

void outcome_table_free(struct outcome_table *table)
{
    for (size_t i = 0; i < OUTCOME_STAGES; i++)
        mem_free(table->bits[i]);
    *table = (struct outcome_table){0};
}

/* The same sizes as outcome_table_new, in a double, since the product may be beyond a size_t. */
double outcome_table_bytes(size_t candidates, size_t rows)
{
    struct outcome_table table = sizes_for(candidates, rows);
    return (double)OUTCOME_STAGES * (double)candidates * (double)table.words * (double)sizeof(uint64_t);
}

/* Packs the outcomes into bits, bit row % 64 of word row / 64, of the rows that are in the sample. Bits of earlier
 * outcomes are cleared, those behind the last row stay 0. */
void outcome_table_set(struct outcome_table *table, enum outcome_stage stage, size_t candidate, const uint8_t *correct)
{
    uint64_t *word = table->bits[stage] + candidate * table->words;
    for (size_t i = 0; i < table->words; i++)
        word[i] = 0;
    for (size_t row = 0; row < table->rows; row++)
        word[row / 64] |= (uint64_t)(correct[row * table->stride] != 0) << (row % 64);
}

/* With d = +1, 0 or -1 for each row, the weighted mean of d and the standard error of that mean: the square root of
 * sum w^2 (d - mean)^2, over sum w. Rows on which both are right or both wrong hardly contribute. */
struct paired_difference outcome_difference(const struct outcome_table *table, enum outcome_stage stage, size_t first,
                                            size_t second, const double *weight)
{
    double all = 0, sum = 0, discordant = 0, squares = 0;
    for (size_t row = 0; row < table->rows; row++) {
        double w = weight[row * table->stride];
        int d = (int)outcome_of(table, stage, first, row) - (int)outcome_of(table, stage, second, row);
        all += w;
        sum += w * d;
        discordant += d ? w : 0;
    }
    double mean = sum / all;
    for (size_t row = 0; row < table->rows; row++) {
        double w = weight[row * table->stride];
        int d = (int)outcome_of(table, stage, first, row) - (int)outcome_of(table, stage, second, row);
        squares += w * w * (d - mean) * (d - mean);
    }
    return (struct paired_difference){mean, sqrt(squares) / all, discordant / all};
}
