package io.georep.keys.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.core.KeyCommand;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.runtime.NodeHandle;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls of key spaces between the application and the driver. */
class CallQueueTest {
    private int woken;

    /** Counts how often it is woken, and can do nothing else. */
    private final NodeHandle handle = (NodeHandle) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {NodeHandle.class}, (proxy, method, given) -> {
                assertThat(method.getName()).isEqualTo("wake");
                woken++;
                return null;
            });

    private final CallQueue queue = new CallQueue(handle);
    private final List<Object> tokens = new ArrayList<>();

    private CompletableFuture<Void> call(int bytes, boolean isWrite) {
        return queue.call(bytes, isWrite, token -> {
            tokens.add(token);
            return new KeyCommand.ReadStatistics(token);
        });
    }

    private static Class<?> failure(CompletableFuture<?> call) {
        return call.handle((answer, cause) -> cause.getCause() == null
                        ? cause.getClass()
                        : cause.getCause().getClass())
                .join();
    }

    @Test
    void callsAreGatheredInOrderAndTheFirstWakesTheDriver() {
        call(1, true);
        call(1, false);

        assertThat(woken).isEqualTo(1);
        assertThat(queue.gather().calls()).hasSize(2);
        assertThat(queue.gather()).isNull();
        call(1, true);
        assertThat(woken).isEqualTo(2);
    }

    @Test
    void nobodyIsDoneWhileAWriteIsUnderWay() {
        CompletableFuture<Void> queued = call(1, true);
        CompletableFuture<Void> read = call(1, false);
        queue.close();
        queue.look();
        assertThat(queue.answered()).as("queued").isNotDone();
        queue.gather();
        queue.look();
        assertThat(queue.answered()).as("under way").isNotDone();

        queue.answer(tokens.get(0), null);
        queue.look();

        assertThat(queued).isCompleted();
        assertThat(queue.answered()).as("nobody waits for reads").isCompleted();
        assertThat(read).isNotDone();
        assertThat(failure(call(1, true))).isEqualTo(ClosedException.class);
    }

    @Test
    void atTheEndWritesThatWereSeenAreIndeterminateAndTheRestIsRefused() {
        CompletableFuture<Void> seen = call(1, true);
        CompletableFuture<Void> read = call(1, false);
        queue.gather();
        CompletableFuture<Void> unseen = call(1, true);

        queue.end();

        assertThat(failure(seen)).isEqualTo(IndeterminateException.class);
        assertThat(failure(read)).isEqualTo(ClosedException.class);
        assertThat(failure(unseen)).isEqualTo(ClosedException.class);
        assertThat(queue.answered()).isCompleted();
    }

    @Test
    void bytesThatWaitAreBoundedUntilTheirAnswer() {
        CompletableFuture<Void> large = call((int) CallQueue.BYTES_MAX, true);
        assertThat(failure(call(1, true))).isEqualTo(RejectedException.class);
        queue.gather();
        assertThat(failure(call(1, true))).isEqualTo(RejectedException.class);

        queue.answer(tokens.get(0), null);

        assertThat(large).isCompleted();
        assertThat(call(1, true)).isNotDone();
    }

    @Test
    void aCallerCannotAnswerForTheNode() {
        CompletableFuture<Void> call = call(1, true);
        queue.gather();
        call.complete(null);
        queue.close();
        queue.look();

        assertThat(queue.answered()).isNotDone();
    }
}
