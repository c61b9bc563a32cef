/* r_values: values of R made of those of the library, and options taken from lists. */
#include <string.h>

#include "r_temper.h"

SEXP text_of(const char *text)
{
    return text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING;
}

SEXP failure_of(const temper_error *error)
{
    const char *names[] = {"status", "message", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, Rf_mkString(temper_status_name(error->status)));
    SET_VECTOR_ELT(list, 1, Rf_ScalarString(text_of(error->message)));
    Rf_setAttrib(list, R_ClassSymbol, Rf_mkString("temper_failure"));
    UNPROTECT(1);
    return list;
}

SEXP warning_texts(const temper_warnings *warnings)
{
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)warnings->count));
    SEXP codes = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)warnings->count));
    for (size_t i = 0; i < warnings->count; i++) {
        SET_STRING_ELT(texts, (R_xlen_t)i, text_of(warnings->list[i].text));
        SET_STRING_ELT(codes, (R_xlen_t)i, text_of(temper_warning_name(warnings->list[i].code)));
    }
    Rf_setAttrib(texts, R_NamesSymbol, codes);
    UNPROTECT(2);
    return texts;
}

SEXP block_holder(size_t bytes, R_CFinalizer_t finalize)
{
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, finalize, TRUE);
    R_SetExternalPtrAddr(pointer, R_Calloc(bytes, char));
    UNPROTECT(1);
    return pointer;
}

SEXP column_of(const void *structs, size_t count, size_t size, size_t offset)
{
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        memcpy(&REAL(numbers)[i], (const char *)structs + i * size + offset, sizeof(double));
    UNPROTECT(1);
    return numbers;
}

SEXP option_value(SEXP options, const char *name)
{
    SEXP names = Rf_getAttrib(options, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(options, i);
    return R_NilValue;
}

double option_number(SEXP options, const char *name, double standard)
{
    SEXP value = option_value(options, name);
    return value == R_NilValue ? standard : Rf_asReal(value);
}

size_t option_count(SEXP options, const char *name, size_t standard)
{
    SEXP value = option_value(options, name);
    return value == R_NilValue ? standard : (size_t)Rf_asReal(value);
}

/* Valid until the call from R ends. */
const char *option_text(SEXP options, const char *name)
{
    SEXP value = option_value(options, name);
    return value == R_NilValue ? NULL : Rf_translateCharUTF8(STRING_ELT(value, 0));
}
