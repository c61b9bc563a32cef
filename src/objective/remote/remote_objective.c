/* remote_objective: values, gradients and lengths where the rows are held by remote workers: an engine returns the
 * means over all rows, and the penalty is added here. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "objective/objective_internal.h"
#include "objective/remote/remote_reply.h"
#include "temper_extra.h"

/* Only a buffer for the largest reply: the workers hold rows and loss tables. */
temper_status remote_objective_new(struct objective *o, temper_error *error)
{
    o->reply = mem_alloc(reply_length(o->size, TEMPER_SHARD_GRADIENT), sizeof *o->reply);
    return o->reply ? TEMPER_OK : error_no_memory(error);
}

/* One request to all workers; their combined reply is stored in o->reply. */
static temper_status request(struct objective *o, temper_shard_request_kind kind, const double *w, temper_error *error)
{
    const temper_shard_engine *engine = o->spec.engine;
    temper_shard_request what = {kind, o->spec.loss};
    return engine->request(engine->context, &what, w, o->reply, error);
}

/* Value and gradient of the regularised objective. The workers return means without penalty, in which the intercepts
 * are last, and only the other weights are penalised. */
temper_status remote_evaluate(struct objective *o, const double *w, double *value, double *gradient,
                              temper_error *error)
{
    size_t plain = o->columns * o->vectors;
    TRY(request(o, TEMPER_SHARD_GRADIENT, w, error));
    o->loss = o->reply[REPLY_LOSS];
    o->accuracy = o->reply[REPLY_ACCURACY];
    *value = o->loss + penalties(w, plain, o->spec.l2, o->spec.l1);
    /* The gradient of the mean loss, intercepts included. */
    memcpy(gradient, o->reply + REPLY_GRADIENT, o->size * sizeof *gradient);
    for (size_t i = 0; i < plain; i++)
        gradient[i] += o->spec.l2 * w[i];
    return TEMPER_OK;
}

/* The workers return the mean square of the scores. */
temper_status remote_length(struct objective *o, const double *v, double *length, temper_error *error)
{
    TRY(request(o, TEMPER_SHARD_SQUARED_NORM, v, error));
    *length = sqrt(o->reply[REPLY_SQUARES]);
    return TEMPER_OK;
}
