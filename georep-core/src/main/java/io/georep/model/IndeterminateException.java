package io.georep.model;

/**
 * The entry did not reach f other nodes in time, but some copy may exist that cannot be withdrawn: it may still be
 * forwarded. Sending it again risks a duplicate, not sending it again risks a loss (gap G2).
 */
public final class IndeterminateException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public IndeterminateException(String message) {
        super(message);
    }
}
