package io.georep.flagons.core;

import io.georep.model.Slice;

/**
 * Says who wants an operation.
 *
 * @param writer a hash of the key that the signature is to be checked with
 * @param millis the wall clock of the writer
 * @param signature of the operation and the time
 */
public record Proof(long writer, long millis, Slice signature) {
    /** How long a signature of Ed25519 is. */
    static final int BYTES = 64;
}
