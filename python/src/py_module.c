/* py_module: the extension temperlr._temper: a thin skin on temper.h. What users see is in the Python
 * files around it. */
#include "core.h"
#include "temper_extra.h"

struct core *core_of(PyObject *module)
{
    return PyModule_GetState(module);
}

bool dict_put(PyObject *dict, const char *name, PyObject *value)
{
    int failed = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return failed == 0;
}

static PyObject *kernel_name(PyObject *module, PyObject *nothing)
{
    const char *name = temper_kernel_name();
    (void)module;
    (void)nothing;
    return PyUnicode_FromString(name ? name : "");
}

static PyMethodDef methods[] = {
    {"data", data_new, METH_VARARGS, "data(x, labels, class_names, feature_names, weights)"},
    {"read", data_from_path, METH_VARARGS, "read(path, options)"},
    {"arrow", data_from_arrow, METH_VARARGS, "arrow(stream, options, model, labels)"},
    {"attach", data_attach, METH_VARARGS, "attach(data, class_names, weights)"},
    {"train", (PyCFunction)(void (*)(void))train_from_python, METH_VARARGS | METH_KEYWORDS,
     "train(data, warm, follow, signals, *, ...)"},
    {"fit_folds", (PyCFunction)(void (*)(void))fit_folds, METH_VARARGS | METH_KEYWORDS,
     "fit_folds(data, arrays, None, signals, *, ...)"},
    {"tune", (PyCFunction)(void (*)(void))tune_model, METH_VARARGS | METH_KEYWORDS,
     "tune(data, trusted, follow, signals, *, ...)"},
    {"audit", (PyCFunction)(void (*)(void))audit_rows, METH_VARARGS | METH_KEYWORDS,
     "audit(data, follow, signals, *, ...)"},
    {"consensus", (PyCFunction)(void (*)(void))find_consensus, METH_VARARGS | METH_KEYWORDS,
     "consensus(item, annotator, label, follow, signals, *, ...)"},
    {"noise", (PyCFunction)(void (*)(void))make_noise, METH_VARARGS | METH_KEYWORDS, "noise(data, pool, *, ...)"},
    {"survey", survey_rows, METH_VARARGS, "survey(data, threads)"},
    {"plan", (PyCFunction)(void (*)(void))plan_new, METH_VARARGS | METH_KEYWORDS,
     "plan(surveys, None, None, False, *, ...)"},
    {"plan_from_text", plan_from_bytes, METH_VARARGS, "plan_from_text(bytes)"},
    {"shard", shard_from_python, METH_VARARGS, "shard(data, plan, threads)"},
    {"reduce", reduce_answers, METH_VARARGS, "reduce(answers, out)"},
    {"listen", listener_new, METH_VARARGS, "listen(host, port)"},
    {"meet", group_new, METH_VARARGS, "meet(rank, size, listener, host, port, token, meet_seconds, silence_seconds)"},
    {"load", model_from_path, METH_VARARGS, "load(path)"},
    {"from_text", model_from_bytes, METH_VARARGS, "from_text(bytes)"},
    {"kernel_name", kernel_name, METH_NOARGS, "the hot loops that run here"},
    {NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type ? PyModule_AddType(module, *type) : -1;
}

static int execute(PyObject *module)
{
    struct core *core = core_of(module);
    if (add_type(module, &data_spec, &core->data) != 0 || add_type(module, &model_spec, &core->model) != 0 ||
        add_type(module, &plan_spec, &core->plan) != 0 || add_type(module, &shard_spec, &core->shard) != 0 ||
        add_type(module, &listener_spec, &core->listener) != 0 || add_type(module, &group_spec, &core->group) != 0 ||
        PyModule_AddFunctions(module, function_methods) != 0)
        return -1;
    return PyModule_AddStringConstant(module, "version", temper_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    struct core *core = core_of(module);
    Py_VISIT(core->data);
    Py_VISIT(core->model);
    Py_VISIT(core->plan);
    Py_VISIT(core->shard);
    Py_VISIT(core->listener);
    Py_VISIT(core->group);
    return 0;
}

static int clear(PyObject *module)
{
    struct core *core = core_of(module);
    Py_CLEAR(core->data);
    Py_CLEAR(core->model);
    Py_CLEAR(core->plan);
    Py_CLEAR(core->shard);
    Py_CLEAR(core->listener);
    Py_CLEAR(core->group);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "temperlr._temper",
                                        .m_doc = "temper.h for Python",
                                        .m_size = sizeof(struct core),
                                        .m_methods = methods,
                                        .m_slots = slots,
                                        .m_traverse = traverse,
                                        .m_clear = clear};

PyMODINIT_FUNC PyInit__temper(void)
{
    return PyModuleDef_Init(&definition);
}
