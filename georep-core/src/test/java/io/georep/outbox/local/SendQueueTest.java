package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SendQueueTest {
    private final AtomicInteger wakes = new AtomicInteger();
    private final SendQueue queue = new SendQueue(wakes::incrementAndGet);

    @Test
    void makesOneCommandOfAllSendsInOrderAndWakesOnce() {
        PendingSend first = send();
        List<PendingSend> more = List.of(send(), send());
        queue.offer(first, first);
        queue.offer(TestSends.link(more), more.get(0));

        List<OutboxCommand.Put> puts = gathered();

        assertThat(puts).extracting(OutboxCommand.Put::token).containsExactly(first, more.get(0), more.get(1));
        assertThat(wakes).hasValue(1);
        assertThat(queue.gather()).isNull();
    }

    @Test
    void boundsOneTurnAndKeepsTheRest() {
        List<PendingSend> sends = new ArrayList<>();
        for (int i = 0; i < SendQueue.SENDS_PER_TURN + 1; i++) {
            sends.add(send());
            queue.offer(sends.get(i), sends.get(i));
        }

        int first = gathered().size();
        boolean left = !queue.isEmpty();
        List<OutboxCommand.Put> second = gathered();

        assertThat(first).isEqualTo(SendQueue.SENDS_PER_TURN);
        assertThat(left).isTrue();
        assertThat(second).extracting(OutboxCommand.Put::token).containsExactly(sends.get(sends.size() - 1));
    }

    @Test
    void knowsAtItsEndWhatWasNeverSeenAndWhatWasNotAnswered() {
        PendingSend answered = send();
        PendingSend unanswered = send();
        PendingSend unseen = send();
        queue.offer(answered, answered);
        queue.offer(unanswered, unanswered);
        gathered();
        answered.stored(new EntryId(new StreamId(NodeId.of("a"), 1, 0), 0));
        queue.gather();
        queue.offer(unseen, unseen);

        queue.close();
        queue.close();

        assertThat(queue.firstUnseen()).isSameAs(unseen);
        assertThat(unseen.next()).isNull();
        assertThat(queue.firstUnanswered()).isSameAs(unanswered);
        assertThat(unanswered.next()).isNull();
        PendingSend late = send();
        assertThat(queue.offer(late, late)).isFalse();
    }

    private List<OutboxCommand.Put> gathered() {
        return queue.gather().puts();
    }

    private static PendingSend send() {
        return new PendingSend("q", 1, Slice.utf8("x"));
    }
}
