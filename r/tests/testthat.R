library(testthat)
library(temper)

test_check("temper")
