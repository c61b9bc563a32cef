#!/usr/bin/env bash
# A model as a program, or as a graph, by the extension; test_model_export runs what comes out.
train_on two.csv model.temper
$TEMPER convert model.temper model.c && grep -c temper model.c | awk '{ print ($1 > 0) }'
$TEMPER convert model.temper model.onnx && head -c 1 model.onnx | od -An -tx1
temper_exit convert model.temper model.csv
temper_exit convert model.temper -
temper_exit convert model.temper out --to csv
temper_exit convert model.temper nowhere/model.c
ls
