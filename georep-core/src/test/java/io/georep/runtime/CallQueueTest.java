package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls between the application and the driver; a command is its token. */
class CallQueueTest {
    private final IdleHandle<Object> node = new IdleHandle<>("n1");
    private final CallQueue<Object, Boolean> queue = new CallQueue<>(
            node, new CallQueue.Kind<>("tests", CallQueue.BYTES_MAX, "nobody knows", commands -> commands));

    private CompletableFuture<Boolean> call(int bytes, boolean isWrite) {
        return queue.call(bytes, isWrite, answer -> answer, token -> token);
    }

    private List<Object> gather() {
        List<Object> tokens = new ArrayList<>();
        for (Object calls = queue.gather(); calls != null; calls = queue.gather()) {
            tokens.addAll((List<?>) calls);
        }
        return tokens;
    }

    private void done(Object... tokens) {
        queue.answer(List.of(tokens), token -> token, token -> true);
    }

    @Test
    void callsAreGatheredInOrderAndTheFirstWakesTheDriver() {
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            calls.add(call(1, true));
        }
        assertThat(node.woken).hasValue(1);
        assertThat((List<?>) queue.gather()).hasSize(1024);
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

    /** Memory may be at its end, or here the stack, at each step; then it is ended once more. */
    @Test
    void anEndThatBreaksOffForgetsNobody() {
        CallQueue<Object, Boolean> other = new CallQueue<>(
                node, new CallQueue.Kind<>("others", CallQueue.BYTES_MAX, "nobody knows", commands -> commands));
        CompletableFuture<Boolean> warm = other.call(1, true, answer -> answer, token -> token);
        other.end(); // classes are loaded then
        assertThat(warm).isCompletedExceptionally();
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            calls.add(call(1, true));
        }
        gather();
        calls.add(call(1, true));

        dive(new AtomicInteger(3));
        queue.end();

        assertThat(calls).allMatch(CompletableFuture::isDone);
    }

    /** Memory is at its end, which ends the node: those whose turn did not come get their answer then. */
    @Test
    void answersThatBreakOffForgetNobody() {
        List<CompletableFuture<Boolean>> calls = List.of(call(1, true), call(1, true), call(1, true));
        List<Object> tokens = gather();
        OutOfMemoryError error = new OutOfMemoryError("for the test");

        assertThatThrownBy(() -> queue.answer(tokens, token -> token, token -> {
                    if (token == tokens.get(1)) {
                        throw error;
                    }
                    return true;
                }))
                .isSameAs(error);
        queue.end();

        assertThat(calls.get(0)).isCompletedWithValue(true);
        assertThat(calls.get(1)).isCompletedExceptionally();
        assertThat(calls.get(2)).isCompletedExceptionally();
    }

    /** Ends it at each depth at which a stack may end, until that succeeded a few times. */
    @SuppressWarnings("InfiniteRecursion")
    private void dive(AtomicInteger ends) {
        try {
            dive(ends);
        } catch (StackOverflowError e) {
            // the end of the stack
        }
        if (ends.get() > 0) {
            try {
                queue.end();
                ends.decrementAndGet();
            } catch (StackOverflowError e) {
                // a little further down there is more of it
            }
        }
    }

    @Test
    void callsOfCallbacksWakeTheDriverOnce() {
        for (int i = 0; i < 3; i++) {
            call(1, true).thenRun(() -> {
                call(1, true);
                assertThat(node.woken).as("within a callback").hasValue(1);
            });
        }
        done(gather().toArray());
        assertThat(node.woken).hasValue(2);

        List<Object> tokens = gather();
        assertThat(tokens).hasSize(3);
        queue.fail(tokens.subList(0, 1), new IllegalStateException());
        done(tokens.get(1));
        assertThat(node.woken).as("without a call").hasValue(2);
    }

    @Test
    void callsThatWereGatheredDuringACallbackNeedNoWaking() {
        List<Object> gathered = new ArrayList<>();
        call(1, true).thenRun(() -> {
            call(1, true);
            gathered.addAll(gather());
        });
        done(gather().toArray());
        assertThat(gathered).hasSize(1);
        assertThat(node.woken).hasValue(1);
    }

    @Test
    void callOfAnotherThreadIsNotHeldUpByACallback() throws Exception {
        CompletableFuture<Integer> seen = new CompletableFuture<>();
        call(1, true).thenRun(() -> {
            call(1, true);
            CompletableFuture.runAsync(() -> call(1, true)).join();
            seen.complete(node.woken.get());
        });
        done(gather().toArray());
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(node.woken).as("nobody is left to be told of").hasValue(2);
        assertThat(gather()).hasSize(2);
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
    void whatCannotBeMadeOfAnAnswerIsTheCallersError() {
        CompletableFuture<Boolean> call = queue.call(
                1,
                false,
                answer -> {
                    throw new IllegalStateException("not of this map");
                },
                token -> token);
        queue.answer(gather().get(0), true);
        assertThatThrownBy(call::join).hasMessageContaining("not of this map");
    }

    /** Or the node would never be done, and its bytes would be taken for ever. */
    @Test
    void aCallWhoseCommandCannotBeMadeIsNone() {
        int all = (int) CallQueue.BYTES_MAX;
        assertThatThrownBy(() -> queue.call(all, true, answer -> answer, token -> {
                    throw new IllegalArgumentException("no such key");
                }))
                .hasMessageContaining("no such key");

        assertThat(call(all, false)).isNotDone();
        queue.close();
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

        assertThatThrownBy(seenWrite::join)
                .hasCauseInstanceOf(IndeterminateException.class)
                .hasMessageContaining("nobody knows");
        assertThatThrownBy(seenRead::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(unseen::join).hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(call(1, false)::join).hasCauseInstanceOf(ClosedException.class);
        assertThat(queue.answered()).isDone();
    }
}
