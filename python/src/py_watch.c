/* py_watch: while the library chooses or audits, without the GIL, this looks for signals now and then
 * and asks the caller. */
#include "core.h"

/* Seconds between two looks: a fit has many iterations, and the GIL is not free. */
static const double PATIENCE = 0.02;

bool take_caller(PyObject *object, struct progress_caller *caller)
{
    *caller = (struct progress_caller){0};
    return object == Py_None ||
           PyArg_ParseTuple(object, "Odp:follow", &caller->callable, &caller->after, &caller->models);
}

bool watch_begin(struct tuning_watch *watch, PyObject *caller, PyObject *signals)
{
    *watch = (struct tuning_watch){.signals = PyObject_IsTrue(signals) == 1, .caller = PyThread_get_thread_ident()};
    return take_caller(caller, &watch->follow);
}

static bool ask(PyObject *callable, const temper_tune_progress *p)
{
    PyObject *answer = PyObject_CallFunction(callable, "snndd", p->phase, (Py_ssize_t)p->done, (Py_ssize_t)p->all,
                                             p->seconds, p->left);
    int stop = answer ? PyObject_IsTrue(answer) : 1;
    Py_XDECREF(answer);
    return stop != 0;
}

/* Fits of many classes run on threads of the library, which Python does not know: each registers
 * itself, and takes along what was raised. */
int watch_tuning(void *context, const temper_tune_progress *progress)
{
    struct tuning_watch *w = context;
    double now = progress->seconds;
    bool look = w->signals && PyThread_get_thread_ident() == w->caller && now - w->looked >= PATIENCE;
    bool tell =
        w->follow.callable && now >= w->follow.after && (progress->done != w->done || now - w->told >= PATIENCE);
    bool stop = false;
    if (!look && !tell)
        return 0;
    PyGILState_STATE state = PyGILState_Ensure();
    if (look) {
        w->looked = now;
        stop = PyErr_CheckSignals() != 0;
    }
    if (tell && !stop) {
        w->told = now;
        w->done = progress->done;
        stop = ask(w->follow.callable, progress);
    }
    if (PyErr_Occurred() && !w->exception)
        w->exception = pending_exception();
    PyErr_Clear();
    PyGILState_Release(state);
    return stop;
}
