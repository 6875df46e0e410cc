package io.georep.model;

/**
 * Thrown because an entry did not reach f other nodes in time, although some copy of it may exist that could not be
 * withdrawn. So the entry may still be forwarded. Sending it again risks a duplicate; not sending it again risks a loss.
 */
public final class IndeterminateException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public IndeterminateException(String message) {
        super(message);
    }
}
