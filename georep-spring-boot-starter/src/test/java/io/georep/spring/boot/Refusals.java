package io.georep.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import io.georep.outbox.SendInterceptor;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Refuses the sends to one outbox in a way that a test chooses. */
final class Refusals implements SendInterceptor {
    /** What an outbox may return for a send. */
    enum Refusal {
        TOO_FEW_PEERS(() -> rejected(Reason.TOO_FEW_PEERS)),
        QUEUE_FULL(() -> rejected(Reason.QUEUE_FULL)),
        STORE_FULL(() -> rejected(Reason.STORE_FULL)),
        STORE_STALLED(() -> rejected(Reason.STORE_STALLED)),
        LEAVING(() -> rejected(Reason.LEAVING)),
        INDETERMINATE(() -> new IndeterminateException("copies may exist")),
        CLOSED(() -> new ClosedException("the node is stopping")),
        BROKEN(() -> new IllegalStateException("an advice of the application failed")),
        /** Nothing is returned as long as it lasts. */
        SLOW(null),
        /** The call itself throws. */
        THROWS(() -> new IllegalStateException("an advice of the application threw")),
        TOO_LARGE(() -> rejected(Reason.PAYLOAD_TOO_LARGE));

        private final @Nullable Supplier<Throwable> error;

        Refusal(@Nullable Supplier<Throwable> error) {
            this.error = error;
        }
    }

    private final String outbox;
    private final AtomicInteger refused = new AtomicInteger();
    private final Queue<Runnable> slow = new ConcurrentLinkedQueue<>();
    private final Queue<Object> accepted = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Refusal refusal;
    private volatile String refusedBeginning = "";

    Refusals(String outbox) {
        this.outbox = outbox;
    }

    private static RejectedException rejected(Reason reason) {
        return new RejectedException(reason, "refused for a test: " + reason);
    }

    /** Refuses from now on. */
    void begin(Refusal how) {
        begin(how, "");
    }

    /** Refuses payloads that begin like this. */
    void begin(Refusal how, String beginning) {
        refusedBeginning = beginning;
        refusal = how;
    }

    /** Refuses nothing any more, and goes on with what was slow. */
    void end() {
        refusal = null;
        for (Runnable send = slow.poll(); send != null; send = slow.poll()) {
            send.run();
        }
    }

    /** How many sends were refused or are slow. */
    int refused() {
        return refused.get();
    }

    /** The payloads whose entries have their copies. */
    Collection<Object> accepted() {
        return List.copyOf(accepted);
    }

    private <T> CompletionStage<EntryId> passOn(Call<T> call, Next<T> next) {
        return next.send(call).get(0).thenApply(id -> {
            accepted.add(call.payloads().get(0));
            return id;
        });
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        Refusal how = refusal;
        if (!call.queue().equals(outbox)) {
            return next.send(call);
        }
        if (how == null || !new String((byte[]) call.payloads().get(0), UTF_8).startsWith(refusedBeginning)) {
            return List.of(passOn(call, next));
        }
        refused.incrementAndGet();
        CompletableFuture<EntryId> stage = new CompletableFuture<>();
        if (how == Refusal.SLOW) {
            slow.add(() -> passOn(call, next).whenComplete((id, error) -> {
                if (error == null) {
                    stage.complete(id);
                } else {
                    stage.completeExceptionally(error);
                }
            }));
            return List.of(stage);
        }
        Throwable error = how.error.get();
        if (how == Refusal.THROWS) {
            throw (RuntimeException) error;
        }
        stage.completeExceptionally(error);
        return List.of(stage);
    }
}
