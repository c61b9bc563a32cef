/* pieces_made: reads a file with any number of processes, and compares. */
#include "pieces_made.h"

#include <string.h>

#include "data/dataset.h"
#include "test.h"

static void read_share(void *context, const temper_comm *comm)
{
    struct reading_team *team = context;
    temper_read_options options = team->options;
    size_t rank = comm->rank;
    options.comm = comm;
    options.threads = 1;
    team->status[rank] =
        temper_data_read(team->path, &options, &team->data[rank], &team->error[rank]);
}

void free_team(struct reading_team *team)
{
    for (size_t r = 0; r < TEAM_MOST; r++)
        temper_data_free(team->data[r]);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const size_t element_size[] = {
    [MATRIX_F32] = sizeof(float), [MATRIX_F64] = sizeof(double), [MATRIX_U8] = 1, [MATRIX_CSR] = 0};

static bool same_row(const struct dataset *a, uint64_t i, const struct dataset *b, uint64_t j)
{
    struct row one = matrix_row(&a->x, i), two = matrix_row(&b->x, j);
    bool same = one.kind == two.kind && one.count == two.count;
    if (same && one.kind == MATRIX_CSR)
        same = memcmp(one.column, two.column, one.count * sizeof *one.column) == 0 &&
               memcmp(one.value, two.value, one.count * sizeof *one.value) == 0;
    else if (same)
        same = memcmp(one.dense, two.dense, one.count * element_size[one.kind]) == 0;
    return same && !a->label == !b->label && (!a->label || a->label[i] == b->label[j]) &&
           !a->line == !b->line && (!a->line || a->line[i] == b->line[j]) &&
           !a->weight == !b->weight && (!a->weight || a->weight[i] == b->weight[j]);
}

static bool same_classes(const struct dataset *a, const struct dataset *b)
{
    bool same = a->classes.count == b->classes.count;
    for (size_t c = 0; same && c < a->classes.count; c++)
        same = strcmp(a->classes.name[c], b->classes.name[c]) == 0;
    return same;
}

/* The rows of the ranks, one after another, are those of all. */
static void check_rows(const struct dataset *all, const struct reading_team *team, size_t size)
{
    uint64_t before = 0;
    for (size_t r = 0; r < size; r++) {
        const struct dataset *part = (const struct dataset *)team->data[r];
        CHECKF(part != NULL, "%s, %zu of %zu: %s", team->path, r, size, team->error[r].message);
        if (!part)
            return;
        bool same = part->x.columns == all->x.columns && same_classes(part, all) &&
                    strcmp(part->notes, all->notes) == 0;
        CHECKF(same, "%s, %zu of %zu: another shape", team->path, r, size);
        CHECK(temper_data_rows_of_all(team->data[r]) == all->x.rows);
        CHECK(size == 1 || (part->first_row == before && part->all_nonzeros == all->x.nonzeros));
        for (uint64_t i = 0; same && i < part->x.rows; i++)
            same = before + i < all->x.rows && same_row(part, i, all, before + i);
        CHECKF(same, "%s, %zu of %zu: other rows", team->path, r, size);
        before += part->x.rows;
    }
    CHECKF(before == all->x.rows, "%s by %zu: %llu rows", team->path, size,
           (unsigned long long)before);
}

void check_file(const char *path, temper_read_options options)
{
    temper_data *all = NULL;
    temper_error error = {0};
    options.threads = 1;
    CHECKF(temper_data_read(path, &options, &all, &error) == TEMPER_OK, "%s", error.message);
    for (size_t size = 1; all && size <= 5; size++) {
        struct reading_team team = {.path = path, .options = options};
        team_run(size, read_share, &team);
        check_rows((const struct dataset *)all, &team, size);
        free_team(&team);
    }
    temper_data_free(all);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

void check_fault(const char *path)
{
    temper_data *none = NULL;
    temper_error alone = {0};
    CHECK(temper_data_read(path, &(temper_read_options){.threads = 1}, &none, &alone) != TEMPER_OK);
    for (size_t size = 2; size <= 5; size++) {
        struct reading_team team = {.path = path};
        team_run(size, read_share, &team);
        for (size_t r = 0; r < size; r++) {
            CHECKF(team.status[r] == alone.status && !team.data[r], "%s, %zu of %zu", path, r,
                   size);
            CHECKF(strcmp(team.error[r].message, alone.message) == 0 &&
                       team.error[r].line == alone.line,
                   "%s, %zu of %zu: %s", path, r, size, team.error[r].message);
        }
        free_team(&team);
    }
}
