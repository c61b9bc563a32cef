# The command in a small image: docker build -t temper . && docker run --rm -v "$PWD:/data" temper train rows.csv
FROM debian:bookworm-slim AS build
# Versions are those of the Debian release.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev make cmake ninja-build pkg-config zlib1g-dev libzstd-dev libxxhash-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY CMakeLists.txt LICENSE ./
COPY cmake cmake
COPY include include
COPY src src
COPY cli cli
RUN cmake -S . -B build -G Ninja -DTEMPER_TESTS=OFF -DTEMPER_MPI=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    && cmake --build build && cmake --install build --prefix /usr --strip

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends zlib1g libzstd1 libxxhash0 \
    && rm -rf /var/lib/apt/lists/* && useradd --create-home --uid 1000 temper
COPY --from=build /usr/bin/temper /usr/bin/temper
COPY --from=build /usr/share/man/man1 /usr/share/man/man1
COPY --from=build /source/LICENSE /usr/share/doc/temper/copyright
USER 1000
WORKDIR /data
ENTRYPOINT ["temper"]
CMD ["--help"]
