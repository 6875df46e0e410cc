package io.georep.outbox;

import io.georep.model.EntryId;
import java.util.Map;

/**
 * Thrown by a batch handler when it could not forward the whole batch. It says which entries failed, or that nobody knows
 * which.
 *
 * <pre>{@code
 * outbox.forwardBatches(batch -> {
 *     Map<EntryId, Exception> failures = bulkRequest(batch);
 *     if (!failures.isEmpty()) {
 *         throw new BatchFailedException(failures);
 *     }
 * }, options -> options.batchMax(500));
 * }</pre>
 */
public class BatchFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Map<EntryId, Throwable> failures;

    /**
     * Says that these entries failed and all others of the batch were forwarded. The retry policy decides about each entry
     * with the error of that entry. If an id does not belong to the batch, the batch counts as failed as a whole.
     *
     * @param failures the errors, by {@link Delivery#id}; at least one
     */
    public BatchFailedException(Map<EntryId, ? extends Throwable> failures) {
        super(message(failures), failures.values().iterator().next());
        this.failures = Map.copyOf(failures);
    }

    /**
     * Says that the batch failed as a whole. A handler that throws any other exception says the same; this constructor is for
     * entries that end later, where it makes a difference.
     */
    public BatchFailedException(Throwable cause) {
        super("the batch failed as a whole: " + cause, cause);
        this.failures = Map.of();
    }

    private static String message(Map<EntryId, ? extends Throwable> failures) {
        if (failures.isEmpty()) {
            throw new IllegalArgumentException("no entry failed: return normally, then all were forwarded");
        }
        Map.Entry<EntryId, ? extends Throwable> first =
                failures.entrySet().iterator().next();
        return failures.size() + " entries of a batch failed, among them " + first.getKey() + ": " + first.getValue();
    }

    /** Returns the entries that failed, with their errors; empty if the batch failed as a whole. Immutable. */
    public Map<EntryId, Throwable> failures() {
        return failures;
    }
}
