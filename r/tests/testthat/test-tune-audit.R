test_that("a tuning is a data frame of candidates with a model", {
  rows <- noisy_iris()
  tuned <- temper_tune(rows$x, rows$y, grid = "t1=0.3,1 t2=1 l2=1e-3,1e-2", folds = 5)
  expect_s3_class(tuned, c("temper_tune", "data.frame"), exact = TRUE)
  expect_equal(sum(tuned$best), 1)
  expect_s3_class(temper_model(tuned), "temper")
  expect_gt(mean(predict(tuned, rows$x) == iris$Species), 0.9)
  expect_output(print(tuned), "chosen: ")
  expect_output(print(tuned[1:2, ]), "t1")
  expect_identical(coef(tuned), coef(temper_model(tuned)))
})

test_that("a tuning refuses what it chooses itself", {
  expect_error(temper_tune(Species ~ ., data = iris, t1 = 0.5), "t1 is for temper")
})

test_that("an audit finds the wrong labels, by the numbers of the rows in the data", {
  rows <- noisy_iris()
  frame <- data.frame(rows$x, Species = rows$y)
  expect_warning(suspects <- temper_audit(Species ~ ., data = frame), class = "temper_few_rows")
  expect_s3_class(suspects, c("temper_audit", "data.frame"), exact = TRUE)
  expect_setequal(suspects$row, 1:150)
  expect_gt(mean(rows$wrong %in% suspects$row[1:18]), 0.7)
  expect_false(is.unsorted(rev(suspects$score)))
  expect_equal(sum(suspects$listed), summary(suspects)$supported)
  expect_equal(sum(summary(suspects)$transition), 150, tolerance = 1e-6)
  expect_output(print(suspects), "150 rows")

  frame$Sepal.Width[2] <- NA
  expect_setequal(few_rows(temper_audit(Species ~ ., data = frame))$row, setdiff(1:150, 2))
})

test_that("an audit takes given temperatures, and probabilities of another model", {
  rows <- noisy_iris()
  given <- few_rows(temper_audit(rows$x, rows$y, t1 = 0.5, t2 = 1, l2 = 0.01))
  expect_equal(summary(given)$t1, 0.5)
  other <- predict(temper(rows$x, iris$Species), rows$x, type = "prob")
  expect_s3_class(few_rows(temper_audit(rows$x, rows$y, probabilities = other)), "temper_audit")
  expect_error(temper_audit(rows$x, rows$y, probabilities = other[, 1:2]), "a column for each")
})
