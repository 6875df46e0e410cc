package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.core.FunnelCommand;
import io.georep.funnel.core.FunnelEvent;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls of replicated maps between the application and the driver. */
class CallQueueTest {
    private final ScriptedNode node = new ScriptedNode();
    private final CallQueue queue = new CallQueue(node, 4 << 20);

    private CompletableFuture<Boolean> call(int bytes, boolean isWrite) {
        return queue.call(
                bytes, isWrite, (applied, value) -> applied, token -> new FunnelCommand.Read(Slice.EMPTY, token));
    }

    private List<Object> gather() {
        List<Object> tokens = new ArrayList<>();
        for (FunnelCommand.Calls calls = queue.gather(); calls != null; calls = queue.gather()) {
            calls.calls().forEach(call -> tokens.add(((FunnelCommand.Read) call).token()));
        }
        return tokens;
    }

    private void done(Object... tokens) {
        List<FunnelEvent.Written> written = new ArrayList<>();
        for (Object token : tokens) {
            written.add(new FunnelEvent.Written(token, true, null));
        }
        queue.answer(written);
    }

    @Test
    void callsAreGatheredInOrderAndTheFirstWakesTheDriver() {
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            calls.add(call(1, true));
        }
        assertThat(node.woken).hasValue(1);
        assertThat(queue.gather().calls()).hasSize(1024);
        assertThat(queue.isEmpty()).isFalse();

        List<Object> rest = gather();
        assertThat(rest).hasSize(3000 - 1024);
        assertThat(queue.isEmpty()).isTrue();
        done(rest.get(0));
        assertThat(calls.get(1024)).isCompletedWithValue(true);
        assertThat(calls.get(1025)).isNotDone();
        call(1, true);
        assertThat(node.woken).hasValue(2);
    }

    @Test
    void moreCallsOrBytesThanAllowedAreRefused() {
        for (int i = 0; i < CallQueue.CALLS_MAX; i++) {
            call(1, true);
        }
        assertRefused(call(1, true));
        List<Object> tokens = gather();
        assertRefused(call(1, true));
        done(tokens.get(0), tokens.get(0));
        assertThat(call(1, true)).isNotDone();
        assertRefused(call(1, true));

        done(tokens.toArray());
        done(gather().toArray());
        assertThat(call((int) CallQueue.BYTES_MAX, true)).isNotDone();
        assertRefused(call(1, true));
        done(gather().toArray());
        assertThat(call((int) CallQueue.BYTES_MAX, false)).isNotDone();
    }

    private static void assertRefused(CompletableFuture<?> call) {
        assertThatThrownBy(call::join)
                .hasCauseInstanceOf(RejectedException.class)
                .hasMessageContaining("wait for earlier calls");
    }

    @Test
    void aNodeThatClosesWaitsForItsWritesAndNotForReads() {
        CompletableFuture<Boolean> write = call(1, true);
        CompletableFuture<Boolean> read = call(1, false);
        queue.close();
        queue.look();
        assertThat(queue.answered()).isNotDone();
        assertThatThrownBy(call(1, true)::join).hasCauseInstanceOf(ClosedException.class);

        Object token = gather().get(0);
        queue.look();
        assertThat(queue.answered()).isNotDone();
        done(token);
        queue.look();
        assertThat(queue.answered()).isDone();
        assertThat(write).isCompletedWithValue(true);
        assertThat(read).isNotDone();
    }

    /** The caller's own completion of what it got hides nothing from the node. */
    @Test
    void whoCompletesItsStageStillCounts() {
        CompletableFuture<Boolean> write = call(1, true);
        write.complete(false);
        Object token = gather().get(0);
        queue.close();
        queue.look();
        assertThat(queue.answered()).isNotDone();

        queue.fail(List.of(token), new IndeterminateException("lost"));
        queue.look();
        assertThat(queue.answered()).isDone();
    }

    @Test
    void theEndIsTyped() {
        CompletableFuture<Boolean> seenWrite = call(1, true);
        CompletableFuture<Boolean> seenRead = call(1, false);
        gather();
        CompletableFuture<Boolean> unseen = call(1, true);

        queue.end();

        assertThatThrownBy(seenWrite::join).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(seenRead::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(unseen::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(call(1, false)::join).hasCauseInstanceOf(ClosedException.class);
        assertThat(queue.answered()).isDone();
    }
}
