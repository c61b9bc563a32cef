/* away: rows that lie elsewhere: what an engine answers for all of them, and the penalty. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/objective_internal.h"
#include "objective/remote/remote_reply.h"

temper_status remote_objective_new(struct objective *o, temper_error *error)
{
    o->answer = mem_alloc(answer_length(o->size, TEMPER_SHARD_GRADIENT), sizeof *o->answer);
    return o->answer ? TEMPER_OK : error_no_memory(error);
}

static temper_status ask(struct objective *o, temper_shard_request_kind asked, const double *w, temper_error *error)
{
    const temper_shard_engine *engine = o->spec.engine;
    temper_shard_request request = {asked, o->spec.loss};
    return engine->request(engine->context, &request, w, o->answer, error);
}

temper_status remote_evaluate(struct objective *o, const double *w, double *value, double *gradient,
                              temper_error *error)
{
    size_t plain = o->columns * o->vectors;
    temper_status status = ask(o, TEMPER_SHARD_GRADIENT, w, error);
    if (status != TEMPER_OK)
        return status;
    o->loss = o->answer[ANSWER_LOSS];
    o->accuracy = o->answer[ANSWER_ACCURACY];
    *value = o->loss + penalty(w, plain, o->spec.l2);
    memcpy(gradient, o->answer + ANSWER_GRADIENT, o->size * sizeof *gradient);
    for (size_t i = 0; i < plain; i++)
        gradient[i] += o->spec.l2 * w[i];
    return TEMPER_OK;
}

temper_status remote_length(struct objective *o, const double *v, double *length, temper_error *error)
{
    temper_status status = ask(o, TEMPER_SHARD_SQUARED_NORM, v, error);
    if (status == TEMPER_OK)
        *length = sqrt(o->answer[ANSWER_SQUARES]);
    return status;
}
