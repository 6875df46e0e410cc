package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.QUEUE;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.PeerState;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.Takeover;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What operators see of entries that change their holder, while it goes on. */
class TakeoversTest {
    private static final Duration TICK = Duration.ofMillis(1100);

    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxFixture withAdopted() {
        a.copy(B, OF_B, 0, 4, custody(0, B, A, C)).settle();
        return a.become(B, PeerState.TERMINATED).settle();
    }

    private OutboxStatistics statistics() {
        a.node.onCommand(new OutboxCommand.ReadStatistics("token"), a.turn);
        return a.turn.events(OutboxEvent.Statistics.class)
                .get(a.turn.events(OutboxEvent.Statistics.class).size() - 1)
                .statistics();
    }

    private Takeover only() {
        assertThat(statistics().takeovers()).hasSize(1);
        return statistics().takeovers().get(0);
    }

    @Test
    void anAdoptionGetsOnUntilItsEntriesAreOver() {
        withAdopted().credit(10).settle();
        assertThat(only()).isEqualTo(new Takeover(QUEUE, B, A, 4, 4, Duration.ZERO, Duration.ZERO));

        a.forwarded(OF_B, 0, 1, 2).advance(TICK);
        assertThat(only().entries()).isEqualTo(4);
        assertThat(only().left()).isEqualTo(1);
        assertThat(only().lasted()).isEqualTo(TICK);

        a.forwarded(OF_B, 3).advance(TICK);
        Duration lasted = only().lasted();
        assertThat(only().left()).isZero();
        a.advance(TICK.multipliedBy(5));
        assertThat(only().lasted()).as("it is over").isEqualTo(lasted);
        assertThat(only().age()).isEqualTo(TICK.multipliedBy(7));
    }

    @Test
    void whatIsAdoptedAfterTheEndOfOneIsAnother() {
        withAdopted().credit(10).settle().forwarded(OF_B, 0, 1, 2, 3).advance(TICK);
        a.become(B, PeerState.ACTIVE).copy(B, OF_B, 4, 2, custody(0, B, A, C)).settle();

        a.become(B, PeerState.TERMINATED).settle();

        assertThat(only()).isEqualTo(new Takeover(QUEUE, B, A, 2, 2, Duration.ZERO, Duration.ZERO));
    }

    @Test
    void aDeadLetterWaitsForSomebodyAndHoldsNoAdoptionUp() {
        withAdopted().credit(10).settle().forwarded(OF_B, 1, 2, 3);

        a.node.onCommand(new OutboxCommand.MakeDeadLetter(new EntryId(OF_B, 0), 3, "broken"), a.turn);
        a.advance(TICK);

        assertThat(only().left()).isZero();
    }

    @Test
    void whatIsLeftAfterARestartIsToldFromThenOn() {
        withAdopted().credit(1).settle().forwarded(OF_B, 0).settle().reboot(BootKind.PROMPT);

        assertThat(only()).isEqualTo(new Takeover(QUEUE, B, A, 3, 3, Duration.ZERO, Duration.ZERO));
    }

    @Test
    void whoHearsThatItsEntriesWereAdoptedSeesWhatIsLeftOfThem() {
        a.stored(3, B);

        a.claim(B, OutboxMessages.UPDATE, a.own(), custody(0, A, B).adoptedBy(B), range(0, 3))
                .settle();
        assertThat(only()).isEqualTo(new Takeover(QUEUE, A, B, 3, 3, Duration.ZERO, Duration.ZERO));

        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 2)).advance(TICK);
        assertThat(only().left()).isEqualTo(1);
    }

    @Test
    void whoIsReplacedAsOwnerOfWhatWasSentToItSeesItUntilItIsOver() {
        a.stored(3, B);

        a.claim(B, OutboxMessages.RELEASE, a.own(), custody(1, B, C), range(0, 3))
                .settle();
        assertThat(only()).isEqualTo(new Takeover(QUEUE, A, B, 3, 3, Duration.ZERO, Duration.ZERO));

        a.about(B, OutboxMessages.DELETE, a.own(), range(0, 1)).advance(TICK);
        assertThat(only().left()).as("nothing else was forwarded").isEqualTo(2);
    }

    @Test
    void copiesAreToldByTheNodeThatIsToForwardTheirEntries() {
        a.copy(B, OF_B, 0, 4, custody(0, B, A, C)).settle();
        assertThat(statistics().copiesOf()).isEqualTo(Map.of(B, 4L));

        a.claim(C, OutboxMessages.UPDATE, OF_B, custody(0, B, A, C).adoptedBy(C), range(0, 4))
                .settle();

        assertThat(statistics().copiesOf()).isEqualTo(Map.of(C, 4L));
        assertThat(statistics().takeovers()).as("neither from nor to this node").isEmpty();
    }
}
