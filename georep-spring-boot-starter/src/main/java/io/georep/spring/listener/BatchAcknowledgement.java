package io.georep.spring.listener;

import io.georep.model.EntryId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.Delivery;
import io.georep.spring.Acknowledgement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Ends those entries of a batch that were not ended yet. */
final class BatchAcknowledgement implements Acknowledgement {
    private final List<? extends Delivery<?>> deliveries;
    private final List<OneTimeAcknowledgement> each;

    BatchAcknowledgement(List<? extends Delivery<?>> deliveries, List<OneTimeAcknowledgement> each) {
        this.deliveries = deliveries;
        this.each = each;
    }

    @Override
    public void acknowledge() {
        each.forEach(OneTimeAcknowledgement::acknowledge);
    }

    @Override
    public void fail(Throwable cause) {
        if (cause instanceof BatchFailedException named && !named.failures().isEmpty()) {
            fail(named);
        } else if (each.size() == 1) {
            each.get(0).fail(own(cause));
        } else if (cause instanceof BatchFailedException) {
            each.forEach(entry -> entry.fail(cause));
        } else {
            BatchFailedException together = new BatchFailedException(cause);
            each.forEach(entry -> entry.fail(together));
        }
    }

    /** A batch of one entry failed, so there is no other entry that could have failed instead. */
    static Throwable own(Throwable failure) {
        Throwable cause = failure instanceof BatchFailedException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    /** Returns the failure of one entry: what its own acknowledgement says of others is not said of it. */
    static Throwable ofOne(EntryId id, Throwable failure) {
        if (failure instanceof BatchFailedException named && !named.failures().isEmpty()) {
            Throwable own = named.failures().get(id);
            return own == null ? new BatchFailedException(named) : own;
        }
        return failure;
    }

    private void fail(BatchFailedException named) {
        long known = deliveries.stream()
                .filter(delivery -> named.failures().containsKey(delivery.id()))
                .count();
        if (known < named.failures().size()) {
            fail(new IllegalArgumentException("entries were named as failed that are not in the batch", named));
            return;
        }
        for (int i = 0; i < each.size(); i++) {
            Throwable own = named.failures().get(deliveries.get(i).id());
            if (own == null) {
                each.get(i).acknowledge();
            } else {
                each.get(i).fail(own);
            }
        }
    }

    @Override
    public boolean ended() {
        return each.stream().allMatch(OneTimeAcknowledgement::ended);
    }

    /** Completes when all entries ended; fails with an error of one of them. */
    CompletionStage<Void> ends() {
        return CompletableFuture.allOf(
                each.stream().map(entry -> entry.end().toCompletableFuture()).toArray(CompletableFuture[]::new));
    }
}
