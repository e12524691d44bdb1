library(testthat)
library(nnz)

test_check("nnz")
