package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.core.stream.QueueNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues by the ten thousand: all of them work, one too many is refused by name, and a send costs what it always did. */
@Timeout(120)
class ManyQueuesTest extends SoloNode {
    private static final int MANY = 20_000;
    private static final int LOOKS = 300;

    @Test
    void oneQueueTooManyIsRefusedAndTheOthersGoOn() throws Exception {
        List<Outbox<String>> outboxes = new ArrayList<>(List.of(outbox));
        while (outboxes.size() < QueueNames.QUEUES_MAX) {
            outboxes.add(node.outbox("queue " + outboxes.size(), String.class, options -> options.f(0)));
        }

        assertThatThrownBy(() -> node.outbox("one more", String.class, options -> options.f(0)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'one more' is one too many")
                .hasMessageContaining("65536");
        List<CompletionStage<EntryId>> sends = new ArrayList<>();
        for (Outbox<String> each : outboxes) {
            sends.add(each.send("hello"));
        }
        for (CompletionStage<EntryId> send : sends) {
            assertThat(get(send)).isNotNull();
        }
        Outbox<String> last = outboxes.get(outboxes.size() - 1);
        last.forward(taken::add);
        assertThat(next().payload()).isEqualTo("hello");
        assertThat(node.state()).isEqualTo(NodeState.RUNNING);
    }

    @Test
    void aSendCostsTheSameHoweverManyQueuesHaveHandlers() throws Exception {
        outbox.forward(taken::add, options -> options.executor(Runnable::run));
        long alone = nanosPerSend();
        for (int i = 0; i < MANY; i++) {
            node.outbox("queue " + i, String.class, options -> options.f(0))
                    .forward(taken::add, options -> options.executor(Runnable::run));
        }
        node.statistics();

        long amongMany = nanosPerSend();

        // Looking at each queue in each turn and each pass of the application thread would take some fifty times as
        // long.
        assertThat(amongMany).isLessThan(10 * alone);
    }

    /** From a send to its handler; the best of many, so that pauses of the machine do not count. */
    private long nanosPerSend() throws InterruptedException {
        long best = Long.MAX_VALUE;
        for (int look = 0; look < LOOKS; look++) {
            long begin = System.nanoTime();
            outbox.sendAndWait("hello", LONG);
            next();
            best = Math.min(best, System.nanoTime() - begin);
        }
        return best;
    }
}
