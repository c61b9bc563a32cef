/* Any bytes as decisions of a person about labels, or as probabilities for an audit: applied, or refused with advice.
 */
#define _GNU_SOURCE /* memfd_create */
#include "read_fixture.h"
#include "temper_extra.h"

enum { ROWS = 6, CLASSES = 3 };

static const char table[] = "a,b,label\n1,2,x\n2,1,\"y,z\"\n3,5,=w\n4,1,x\n5,9,\"y,z\"\n6,1,=w\n";

static void check_error(temper_status status, const temper_error *error)
{
    size_t length = strlen(error->message);
    REQUIRE(status == TEMPER_BAD_DATA || status == TEMPER_USAGE, "%d: %s", (int)status, error->message);
    REQUIRE(length > 0 && length < sizeof error->message - 1, "cut off: %s", error->message);
    REQUIRE(strstr(error->message, "; "), "no advice: %s", error->message);
}

static void apply(const temper_data *data, const char *path)
{
    temper_audit_fix_file file = {.how = "relabel", .path = "/dev/null", .format = "csv"};
    temper_corrections summary;
    temper_error error = {0};
    temper_status status = temper_audit_apply(data, path, &file, &summary, &error);
    if (status != TEMPER_OK)
        check_error(status, &error);
    else
        REQUIRE(summary.rows <= ROWS && summary.changed + summary.right + summary.unsure == summary.rows,
                "%zu decisions", summary.rows);
}

static void read_probabilities(const temper_data *data, const char *path)
{
    double out[ROWS * CLASSES];
    int named = 0;
    temper_error error = {0};
    temper_status status = temper_audit_read_probabilities(path, data, out, &named, &error);
    if (status != TEMPER_OK) {
        check_error(status, &error);
        return;
    }
    for (size_t i = 0; i < ROWS * (size_t)CLASSES; i++)
        REQUIRE(isfinite(out[i]), "number %zu: %g", i, out[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static temper_data *rows;
    struct bytes bytes = {data, size};
    unsigned first = take_byte(&bytes);
    temper_error error = {0};
    if (!rows)
        REQUIRE(temper_data_read_memory("d.csv", table, sizeof table - 1, NULL, &rows, &error) == TEMPER_OK, "%s",
                error.message);
    const char *path = fuzz_file(bytes.at, bytes.left);
    if (first & 1)
        read_probabilities(rows, path);
    else
        apply(rows, path);
    return 0;
}
