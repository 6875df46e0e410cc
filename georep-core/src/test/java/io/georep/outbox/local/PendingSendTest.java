package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a producer does to the stage of a send harms nobody else who waits for the same answer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PendingSendTest {
    private static final EntryId ID = new EntryId(new StreamId(NodeId.of("n1"), 1, 0), 7);
    private static final Executor AT_ONCE = Runnable::run;

    private final PendingSend send = new PendingSend("q", 1, Slice.utf8("x"));

    @Test
    void onlyTheNodeCompletesIt() {
        assertThat(send.complete(ID)).isFalse();
        assertThat(send.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(send.cancel(true)).isFalse();
        assertThatThrownBy(() -> send.obtrudeValue(ID)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> send.obtrudeException(new IllegalStateException()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(send).isNotDone();

        send.stored(ID);

        assertThat(send).isCompletedWithValue(ID);
    }

    @Test
    void derivedFuturesAreTheCallersOwn() {
        CompletableFuture<EntryId> cancelled = send.toCompletableFuture();
        CompletableFuture<EntryId> timedOut = send.orTimeout(1, TimeUnit.NANOSECONDS);
        CompletableFuture<EntryId> defaulted = send.completeOnTimeout(ID, 1, TimeUnit.NANOSECONDS);
        CompletableFuture<EntryId> supplied = send.completeAsync(() -> ID, AT_ONCE);
        CompletableFuture<EntryId> suppliedElsewhere = send.completeAsync(() -> ID);
        cancelled.cancel(true);

        assertThat(cancelled).isCancelled();
        assertThatThrownBy(timedOut::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(defaulted.join()).isEqualTo(ID);
        assertThat(supplied.join()).isEqualTo(ID);
        assertThat(suppliedElsewhere.join()).isEqualTo(ID);
        assertThat(send).isNotDone();
    }

    @Test
    void derivedFuturesGetTheAnswer() {
        CompletableFuture<EntryId> before = send.toCompletableFuture();
        CompletableFuture<EntryId> inTime = send.orTimeout(1, TimeUnit.HOURS);
        IllegalStateException cause = new IllegalStateException("no");

        send.failed(cause);

        assertThat(before).isCompletedExceptionally();
        assertThat(inTime).isCompletedExceptionally();
        assertThatThrownBy(() -> send.toCompletableFuture().get()).hasCause(cause);
    }

    @Test
    void theCallersOwnFutureFailsWithTheVeryException() {
        CompletableFuture<Boolean> before =
                send.toCompletableFuture().handle((id, error) -> error instanceof IllegalStateException);

        send.failed(new IllegalStateException("no"));

        assertThat(before).isCompletedWithValue(true);
        assertThat(send.toCompletableFuture().handle((id, error) -> error instanceof IllegalStateException))
                .isCompletedWithValue(true);
    }
}
