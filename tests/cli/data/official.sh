#!/usr/bin/env bash
# Small data sets in the layouts of the official files, below the folder "data". Rows are easy to
# tell apart, so that every method gets all of them right whatever the machine. Uses $TEMPER, which
# writes the binary formats.

# rows COLUMNS CLASSES COUNT: CSV without a header, the label last; bytes, with some spread.
official_rows() {
    awk -v columns="$1" -v classes="$2" -v count="$3" 'BEGIN {
        split(classes, class, ",")
        n = length(class)
        for (i = 0; i < count; i++) {
            c = i % n
            for (j = 0; j < columns; j++)
                printf "%d,", (j % n == c ? 180 : 20) + (i * 7 + j * 13) % 40
            print class[c + 1]
        }
    }'
}

official_fashion() { # two IDX files with their labels, packed
    mkdir -p data/fashion-mnist
    official_rows 9 0,5,6 240 >train.csv
    official_rows 9 0,5,6 60 >t10k.csv
    for part in train t10k; do
        $TEMPER convert -q --header no $part.csv "data/fashion-mnist/$part-images-idx3-ubyte"
    done
    gzip data/fashion-mnist/*
}

official_cifar() { # six batches in the folder that the archive has
    local folder=data/cifar10/cifar-10-batches-bin batch
    mkdir -p $folder
    official_rows 3072 6,8,9 30 >batch.csv
    $TEMPER convert -q --header no batch.csv batch.bin --to cifar
    for batch in data_batch_1 data_batch_2 data_batch_3 data_batch_4 data_batch_5 test_batch; do
        cp batch.bin $folder/$batch.bin
    done
}

official_covtype() {
    mkdir -p data/covtype
    official_rows 54 2,3,7 300 | gzip >data/covtype/covtype.data.gz
}

official_font() { # official_font NAME ROWS LEVEL: the header of the UCI files, one font a file
    mkdir -p data/fonts
    awk -v font="$1" -v rows="$2" -v level="$3" 'BEGIN {
        printf "font,fontVariant,m_label,strength,italic,orientation,m_top,m_left"
        printf ",originalH,originalW,h,w"
        for (r = 0; r < 20; r++)
            for (c = 0; c < 20; c++)
                printf ",r%dc%d", r, c
        printf "\n"
        for (i = 0; i < rows; i++) {
            printf "%s,%s,%d,0.400000,0,0.000000,%d,22,29,20,20,20", font, font, 33 + i % 90, 35 + i % 3
            for (j = 0; j < 400; j++)
                printf ",%d", (j % 2 == level % 2 ? 200 : 1) + (i * 7 + j * 13) % 40
            printf "\n"
        }
    }' >"data/fonts/$1.csv"
}

official_fonts() { # the two largest are to be found; the others are for instance noise
    official_font AGENCY 20 3
    official_font ARIAL 60 1
    official_font BITPAP 30 3
    official_font TIMES 50 2
}
