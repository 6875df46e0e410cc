package io.georep.outbox;

import io.georep.model.EntryId;
import java.util.Map;

/**
 * Says what became of a batch that was not forwarded completely: which entries failed, or that nobody knows which.
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
     * These entries failed, all others of the batch were forwarded. The retry policy decides about each with its own
     * error. When an id is not of the batch, nothing is believed: the batch failed as a whole.
     *
     * @param failures at least one, by {@link Delivery#id}
     */
    public BatchFailedException(Map<EntryId, ? extends Throwable> failures) {
        super(message(failures), failures.values().iterator().next());
        this.failures = Map.copyOf(failures);
    }

    /** The batch failed as a whole, as any other exception says too; for a stage, where it makes a difference. */
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

    /** The entries that failed, with their errors; empty when the batch failed as a whole. Immutable. */
    public Map<EntryId, Throwable> failures() {
        return failures;
    }
}
