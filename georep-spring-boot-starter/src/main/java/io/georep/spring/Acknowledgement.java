package io.georep.spring;

/**
 * Ends deliveries of a listener with {@link AckMode#MANUAL}: one entry, or all entries of one batch that were not ended
 * yet; a batch listener with a {@code List<Acknowledgement>} ends each of its entries. The first call counts, later ones do
 * nothing. Thread-safe; may be used after the method returned. An entry that is never ended stays
 * with this node until it stops, and uses a place of the listener's window.
 */
public interface Acknowledgement {
    /** The entries were forwarded: all copies are deleted. */
    void acknowledge();

    /**
     * The consumer did not take them: the retry policy decides what happens. For a batch, a
     * {@link io.georep.outbox.BatchFailedException} tells which entries failed; after any other cause all of them are retried one
     * by one.
     */
    void fail(Throwable cause);

    /** Whether it was ended. */
    boolean ended();
}
