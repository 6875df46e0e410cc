package io.georep.bench.maps;

/** What a client does; the names are those of the checker. */
enum Kind {
    READ,
    PUT,
    REMOVE,
    PUT_IF_ABSENT,
    REPLACE,
    TRANSFER
}
