package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.netty.internal.accept.Newcomers;
import io.georep.netty.internal.accept.NewcomersTest;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AddressTurnsTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final AddressTurns turns = new AddressTurns(executor::add);
    private final List<String> done = new ArrayList<>();

    private Channel work(String address, String what) {
        Channel channel = NewcomersTest.from(address);
        turns.of(channel).execute(() -> done.add(what));
        return channel;
    }

    private List<String> run() {
        executor.forEach(Runnable::run);
        executor.clear();
        return done;
    }

    /** A peer that joins would wait for the handshakes of all strangers before it. */
    @Test
    void addressesTakeTurns() {
        for (int i = 0; i < Newcomers.ADDRESS_MAX; i++) {
            work("192.0.2.1", "crowd");
            work("2001:db8:0:1::" + i, "network");
        }
        work("192.0.2.2", "peer");

        assertThat(run().indexOf("peer")).isLessThan(3);
        assertThat(done).hasSize(2 * Newcomers.ADDRESS_MAX + 1);
    }

    @Test
    void connectionsOfOneAddressKeepTheirOrder() {
        for (int i = 0; i < 5; i++) {
            work("192.0.2.1", "a" + i);
        }
        work("192.0.2.2", "b0");

        assertThat(run()).containsExactly("a0", "b0", "a1", "a2", "a3", "a4");
    }

    @Test
    void nothingIsDoneForAClosedConnection() {
        work("192.0.2.1", "given way").close();
        work("192.0.2.1", "open");

        assertThat(run()).containsExactly("open");
    }

    /** There may be no thread for it. Otherwise one peer's handshake would wait for the next one, for ever. */
    @Test
    void workThatTheExecutorRefusedCostsNobodyATurn() {
        Channel refused = NewcomersTest.from("192.0.2.1");
        AddressTurns exhausted = new AddressTurns(new Executor() {
            private boolean threads;

            @Override
            public void execute(Runnable task) {
                if (!threads) {
                    threads = true;
                    throw new OutOfMemoryError("unable to create native thread");
                }
                task.run();
            }
        });
        assertThatThrownBy(() -> exhausted.of(refused).execute(() -> done.add("refused")))
                .isInstanceOf(OutOfMemoryError.class);
        refused.close();

        exhausted.of(NewcomersTest.from("192.0.2.2")).execute(() -> done.add("peer"));

        assertThat(done).containsExactly("peer");
    }
}
