package io.georep.spring;

/**
 * Says what became of entries that a listener with {@link AckMode#MANUAL} got: of one entry, or of all entries of a batch that
 * were not ended yet. A batch listener can take a {@code List<Acknowledgement>} to end each entry separately. The first call
 * counts; later calls do nothing. An acknowledgement may be used after the method has returned. An entry that is never ended
 * stays with this node until the node stops, and keeps its place in the listener's window. Thread-safe.
 */
public interface Acknowledgement {
    /** Says that the entries were forwarded. All their copies are deleted. */
    void acknowledge();

    /**
     * Says that the consumer did not take the entries. The retry policy decides what happens. For a batch, a {@link
     * io.georep.outbox.BatchFailedException} says which entries failed; after any other cause all of them are retried one by
     * one.
     */
    void fail(Throwable cause);

    /** Returns whether the entries were ended. */
    boolean ended();
}
