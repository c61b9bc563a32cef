#!/usr/bin/env bash
# What cannot be run is refused before anything is measured.
mkdir data
temper_exit experiment
temper_exit experiment table3
temper_exit experiment table1 --data data
temper_exit experiment table1 --data nowhere --sets covtype
temper_exit experiment table1 --data data --sets mnist
temper_exit experiment table1 --data data --sets covtype,cifar10 --classes 2,3
temper_exit experiment table1 --data data --sets covtype --noise loud
temper_exit experiment table1 --data data --sets covtype --rates 0.2,0.1
temper_exit experiment table1 --data data --sets covtype --grid t3=1
temper_exit experiment table1 --data data --sets covtype --methods perceptron
temper_exit experiment table2 --data data --folds 3
temper_exit experiment selection --data data --methods hinge
temper_exit experiment figure1 --splits 3
temper_exit experiment figure1 --report no/such/folder.html
ls
