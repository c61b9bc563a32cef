#!/usr/bin/env bash
# The function as bash calls it.
documents
# shellcheck disable=SC1091
. documents/temper.bash
mkdir folder
touch folder/file 'a file'
bash_complete temper ''
bash_complete temper pl
bash_complete temper --
bash_complete temper plot ''
bash_complete temper plot lo
bash_complete temper plot path fo
bash_complete temper plot --
bash_complete temper plot --t
bash_complete temper plot losses --p
bash_complete temper plot -o fold
bash_complete temper plot -o folder/
bash_complete temper plot --output a
bash_complete temper plot --output = fold
bash_complete temper plot --panels ''
bash_complete temper plot --panels = ''
bash_complete temper plot --panels =
bash_complete temper plot --losses t
bash_complete temper plot --losses hinge,t
bash_complete temper plot --losses = hinge,b
bash_complete temper plot --t1 ''
bash_complete temper help ''
bash_complete temper help p
bash_complete temper version ''
bash_complete temper documents fold
bash_complete temper no-such-command ''
