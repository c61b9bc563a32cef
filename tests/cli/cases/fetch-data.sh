#!/usr/bin/env bash
# tools/fetch-data without a network: help is no folder, and an archive that holds one of any name, its own too, is
# unpacked without being overwritten.
need python3 unzip sha256sum
fetch=$CLI_TESTS/../../tools/fetch-data
"$fetch" --help | head -1
"$fetch" --chek data
echo "exit $?"
"$fetch" --check data covtype
echo "exit $?"
ls
python3 - <<'ARCHIVE'
import io, os, zipfile
os.makedirs("data/fonts")
inner = io.BytesIO()
with zipfile.ZipFile(inner, "w") as fonts:
    fonts.writestr("ARIAL.csv", "font,m_label\nARIAL,65\n")
    fonts.writestr("folder/TIMES.csv", "font,m_label\nTIMES,65\n")
    fonts.writestr("notes.txt", "not data\n")
with zipfile.ZipFile("data/fonts/character-font-images.zip", "w") as outer:
    for name in ("fonts.zip", "character-font-images.zip"):
        outer.writestr(name, inner.getvalue())
ARCHIVE
cp data/fonts/character-font-images.zip before.zip
for time in first second; do
    echo "$time"
    "$fetch" data fonts
    cmp before.zip data/fonts/character-font-images.zip && echo "the archive is the same"
    ls data/fonts
done
"$fetch" --check data fonts
echo more >>data/fonts/character-font-images.zip
"$fetch" data fonts
echo "exit $?"
