test_that("print and summary name what was fitted", {
  fit <- temper(Species ~ ., data = iris, holdout = "cv")
  expect_output(print(fit), "150 rows, 4 features, 3 classes: setosa")
  expect_output(print(fit), "expected on new rows")
  expect_output(print(summary(fit)), "Coefficients")
  expect_equal(sum(summary(fit)$confusion), 150)
})

test_that("all plots are drawn", {
  fit <- temper(Species ~ ., data = iris)
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  for (which in c("margins", "importance", "loss")) expect_identical(plot(fit, which), fit)
  grDevices::dev.off()
  expect_gt(file.size(path), 1000)
  unlink(path)
  expect_gt(nrow(fit$history), 1)
  expect_lte(fit$history[nrow(fit$history), "objective"], fit$history[1, "objective"])
})

test_that("the true classes are predicted where the noise was estimated", {
  rows <- noisy_iris()
  fit <- few_rows(temper(rows$x, rows$y, estimate_noise = TRUE))
  expect_equal(unname(rowSums(predict(fit, rows$x, type = "true"))), rep(1, 150))
  expect_error(predict(temper(rows$x, rows$y), rows$x, type = "true"), "estimate_noise")
})
