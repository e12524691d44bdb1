// The only function of the compiled part. It returns a value, or an error with the lowest bit of the pointer set.
#include <stdint.h>
#include <stdlib.h>

#include <Rinternals.h>
#include <R_ext/Rdynload.h>

SEXP savvy_call__ffi(SEXP name, SEXP arguments);

static SEXP nnz_call(SEXP name, SEXP arguments) {
    uintptr_t result = (uintptr_t)savvy_call__ffi(name, arguments);
    if ((result & 1) == 0) {
        return (SEXP)result;
    }
    // All frames of Rust have ended, so that R may jump.
    SEXP error = (SEXP)(result & ~(uintptr_t)1);
    if (TYPEOF(error) == CHARSXP) {
        Rf_errorcall(R_NilValue, "%s", CHAR(error));
    }
    R_ContinueUnwind(error);
    return R_NilValue;
}

static const R_CallMethodDef calls[] = {
    {"nnz_call", (DL_FUNC)&nnz_call, 2},
    {NULL, NULL, 0},
};

void R_init_nnz(DllInfo *dll) {
    R_registerRoutines(dll, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
}
