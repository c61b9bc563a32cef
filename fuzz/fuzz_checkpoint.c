/* Any bytes as the checkpoint of a training or of a search: the run continues, or refuses it with advice.
 *
 * Half of the inputs are the file itself. The others are edits of a genuine checkpoint, place and byte, which gets the
 * right checksum: what follows the checksum sees every kind of contradiction, too. */
#include <unistd.h>

#include "base/checkpoint_file.h"
#include "base/source.h"
#include "base/text.h"
#include "bytes.h"
#include "temper.h"

enum { ROWS = 24, COLUMNS = 2, KINDS = 2 };

static struct {
    char folder[64], path[96];
    temper_data *data;
    struct text genuine[KINDS]; /* of a training and of a search */
} fixed;

static temper_status run(int kind, int resume, temper_error *error)
{
    temper_status status;
    temper_model *model = NULL;
    temper_train_options train = temper_train_defaults();
    train.threads = 1;
    train.solver = "lbfgs";
    train.max_iterations = 4;
    train.checkpoint_seconds = 0;
    if (kind == 0) {
        train.calibrate = "none";
        train.checkpoint = fixed.path;
        train.resume = resume;
        status = temper_train(fixed.data, &train, &model, NULL, error);
    } else {
        temper_tune_options tune = temper_tune_defaults();
        tune.train = train;
        tune.folds = 3;
        tune.grid = "t1=0.5,1 t2=1,1.2 l2=1e-2";
        tune.checkpoint = fixed.path;
        tune.resume = resume;
        status = temper_tune(fixed.data, &tune, &model, NULL, error);
    }
    temper_model_free(model);
    return status;
}

static void write_file(const void *bytes, size_t length)
{
    FILE *file = fopen(fixed.path, "wb");
    REQUIRE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "%s", fixed.path);
}

static void remove_files(void)
{
    unlink(fixed.path);
    rmdir(fixed.folder);
}

static void prepare(void)
{
    double x[ROWS * COLUMNS];
    int label[ROWS];
    temper_error error;
    snprintf(fixed.folder, sizeof fixed.folder, "%s/temper-fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    REQUIRE(mkdtemp(fixed.folder), "%s", fixed.folder);
    snprintf(fixed.path, sizeof fixed.path, "%s/checkpoint", fixed.folder);
    atexit(remove_files);
    for (int i = 0; i < ROWS; i++) {
        label[i] = i % 3 == 0;
        for (int j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = sin(i * (j + 2)) + label[i];
    }
    REQUIRE(temper_data_from_f64(x, ROWS, COLUMNS, label, &fixed.data, &error) == TEMPER_OK, "%s", error.message);
    for (int kind = 0; kind < KINDS; kind++) {
        unlink(fixed.path);
        REQUIRE(run(kind, 0, &error) == TEMPER_OK, "%s", error.message);
        REQUIRE(source_whole(fixed.path, NULL, &fixed.genuine[kind], &error) == TEMPER_OK, "%s", error.message);
    }
}

/* The genuine content with some bytes replaced, under its checksum. */
static void write_edited(int kind, struct bytes *bytes)
{
    const struct text *genuine = &fixed.genuine[kind];
    struct checkpoint_part content;
    temper_error error;
    const char *why = checkpoint_file_check(genuine->bytes, genuine->length, genuine->bytes, &content);
    REQUIRE(!why, "%s", why);
    unsigned char *edited = malloc(content.length);
    REQUIRE(edited, "no memory");
    memcpy(edited, content.bytes, content.length);
    while (bytes->left >= 3) {
        size_t place = take_byte(bytes);
        place = (place << 8 | take_byte(bytes)) % content.length;
        edited[place] = take_byte(bytes);
    }
    size_t length = bytes->left == 2 ? content.length - take_byte(bytes) % content.length : content.length;
    const struct checkpoint_part parts[] = {{edited, length}};
    REQUIRE(checkpoint_file_save(fixed.path, genuine->bytes, parts, 1, &error) == TEMPER_OK, "%s", error.message);
    free(edited);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    unsigned first = take_byte(&bytes);
    int kind = first & 1;
    temper_error error = {0};
    if (!fixed.data)
        prepare();
    unlink(fixed.path);
    if (first & 2)
        write_edited(kind, &bytes);
    else
        write_file(bytes.at, bytes.left);
    temper_status status = run(kind, 1, &error);
    REQUIRE(status == TEMPER_OK || status == TEMPER_BAD_DATA, "%d: %s", (int)status, error.message);
    REQUIRE(status == TEMPER_OK || strstr(error.message, "; "), "no advice: %s", error.message);
    return 0;
}
