package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.QUEUE;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node knew before it was started again. */
class OldNewsTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    /** The adopter was away when the producer decided, and the origin was started again before it was back. */
    @Test
    void aCommitIsToldAgainAfterARestartOfTheOrigin() {
        a.node.onCommand(
                new OutboxCommand.PutAll(List.of(new OutboxCommand.Put(QUEUE, 1, Slice.utf8("text"), "token", true))),
                a.turn);
        a.settle();
        StreamId own = a.own();
        a.ack(B, own, OutboxMessages.STATUS_STORED, 0, range(0, 1)).settle();
        Custody adopted = new Custody(EntryState.COPY, 1, List.of(A, B), List.of(B, A), null);
        a.claim(B, OutboxMessages.UPDATE, own, adopted, range(0, 1)).settle();
        a.node.onCommand(new OutboxCommand.AllowAdoption(false), a.turn);
        a.become(B, PeerState.TERMINATED);
        a.node.onCommand(new OutboxCommand.Decide(List.of(new EntryId(own, 0)), true), a.turn);
        a.settle();
        assertThat(a.told(B, OutboxMessages.DECIDED).isEmpty()).isTrue();

        a.become(B, PeerState.PROSPECT).reboot(BootKind.PROMPT);
        a.become(B, PeerState.ACTIVE).reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    @Test
    void whatAPeerRemovedBeforeTheBootHeldIsAdoptedOnceTheApplicationHadTimeToForbidIt() {
        a.node.onCommand(new OutboxCommand.AllowAdoption(false), a.turn);
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        removed(B);

        a.reboot(BootKind.PROMPT);
        assertThat(stateAt()).as("nobody could say anything yet").isEqualTo(EntryState.COPY);
        a.advance(a.config.failoverAfter().minusSeconds(1));
        assertThat(stateAt()).isEqualTo(EntryState.COPY);
        a.advance(Duration.ofSeconds(2));
        assertThat(stateAt()).isEqualTo(EntryState.HELD);
    }

    @Test
    void whoForbidsAdoptionAfterTheBootAdoptsNothing() {
        a.node.onCommand(new OutboxCommand.AllowAdoption(false), a.turn);
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        removed(B);

        a.reboot(BootKind.PROMPT);
        a.node.onCommand(new OutboxCommand.AllowAdoption(false), a.turn);
        a.advance(a.config.failoverAfter().multipliedBy(2));

        assertThat(stateAt()).isEqualTo(EntryState.COPY);
    }

    /** Peers may go by what the process before it said of T_s + T_x, so long as they have not heard this one. */
    @Test
    void whoIsStartedWithAShorterFailoverTimeAdoptsNoEarlierThanItSaidBefore() {
        Duration before = a.config.failoverAfter();
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.config = quick();

        a.become(B, PeerState.ACTIVE).reboot(BootKind.PROMPT);
        assertThat(a.turn.events(OutboxEvent.AdoptionPaused.class))
                .containsExactly(new OutboxEvent.AdoptionPaused(before));
        a.advance(quick().failoverAfter());
        a.become(B, PeerState.TERMINATED).settle();
        assertThat(stateAt()).isEqualTo(EntryState.COPY);
        a.reboot(BootKind.PROMPT).advance(before.minusSeconds(1));
        assertThat(stateAt()).as("in the next boot as well").isEqualTo(EntryState.COPY);
        assertThat(a.turn.events(OutboxEvent.AdoptionPaused.class)).hasSize(1);

        a.turn.forget();
        a.advance(Duration.ofSeconds(2));
        assertThat(stateAt()).isEqualTo(EntryState.HELD);
        assertThat(a.turn.events(OutboxEvent.AdoptionPaused.class))
                .containsExactly(new OutboxEvent.AdoptionPaused(Duration.ZERO));
    }

    @Test
    void onceThatTimeIsOverTheNextBootAdoptsAsItSays() {
        a.config = quick();
        a.reboot(BootKind.PROMPT)
                .advance(ProtocolConfig.defaults().failoverAfter().plusSeconds(2));
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();

        a.reboot(BootKind.PROMPT).become(B, PeerState.TERMINATED).settle();

        assertThat(stateAt()).isEqualTo(EntryState.HELD);
        assertThat(a.turn.events(OutboxEvent.AdoptionPaused.class)).isEmpty();
    }

    private static ProtocolConfig quick() {
        return ProtocolConfig.builder()
                .suspectAfter(Duration.ofSeconds(4))
                .terminateAfter(Duration.ofSeconds(3))
                .build();
    }

    /** A process that found its store to be older was stopped before anybody answered. */
    @Test
    void theDoubtOfAStoreThatIsOlderOutlivesARestart() {
        a.stored(1, B);

        a.reboot(BootKind.STALE).credit(1).settle();

        assertThat(a.delivered()).isEmpty();
        assertThat(a.table(a.own()).heldBack.all()).hasToString("[0..1]");
    }

    private EntryState stateAt() {
        return a.custodyOf(OF_B, 0).state();
    }

    /** The next boot begins at a time of its own, and finds the removal in its store. */
    private void removed(NodeId peer) {
        a.peers.peer(peer).removed = true;
        a.peers.peer(peer).state = PeerState.TERMINATED;
        a.peers.peer(peer).linked = false;
        a.peers.peer(peer).stateSinceNanos =
                a.turn.nextBoot(Duration.ofSeconds(1)).now();
    }
}
