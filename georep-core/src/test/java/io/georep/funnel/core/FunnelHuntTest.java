package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Channels;
import io.georep.model.ConfigurationException;
import io.georep.model.IndeterminateException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rare sequences of events in which a write was lost, came back, or was waited for without end. */
class FunnelHuntTest extends ThreeNodes {
    @Test
    void removedKeyDoesNotComeBackOutOfTheRecordOfItsGroup() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.DATA || !sent.to().equals(a.id);
        b.put("held", "x");
        nodes.run();
        nodes.delivers = sent -> sent.type() != FunnelMessages.UPDATE && sent.type() != FunnelMessages.FETCH;
        a.put("k", "v");
        a.put("held", "y"); // in the same group, and waits for b's
        nodes.run();
        c.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        assertThat(c.done()).containsExactly("REMOVE k null");
        nodes.pass(Duration.ofSeconds(1), ABC);
        c.put("other", "v");
        nodes.pass(Duration.ofSeconds(1), ABC);
        b.reboot();
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b", "c"));

        assertThat(b.get("k")).as("removed, and that was acknowledged").isEqualTo("none");
        assertThat(b.get("held")).isEqualTo("y");
        nodes.assertSame("a", "b", "c");
        nodes.pass(Duration.ofSeconds(1), view(2, "a", "b", "c"));
        c.put("other", "w");
        nodes.pass(Duration.ofSeconds(1), view(2, "a", "b", "c"));
        assertThat(b.context().tables.removals()).as("forgotten in the end").isZero();
    }

    @Test
    void operationThatALaterOneOvertookIsNotSaidToBeDone() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.DATA || !sent.to().equals(a.id);
        b.put("k", "x");
        nodes.run();
        nodes.delivers = sent -> true;
        a.put("first", "v");
        a.retry(FunnelCommand.Kind.PUT, "k", "7", "client", 7, "seven"); // waits for b's write
        a.retry(FunnelCommand.Kind.PUT, "l", "8", "client", 8, "eight");
        nodes.run();
        nodes.pass(Duration.ofSeconds(3), ABC);

        assertThat(a.get("k")).as("the seventh had no effect").isEqualTo("x");
        assertThat(a.done()).containsExactly("PUT first v", "eight");
        FunnelEvent.Failed failed = a.turn.events(FunnelEvent.Failed.class).get(0);
        assertThat(failed.tokens()).containsExactly("seven");
        assertThat(failed.cause()).isInstanceOf(IndeterminateException.class);
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void staleStoreIsNotCompleteAnyMore() {
        nodes.grant(ABC);
        assertThat(b.lastAsk().renewal().activeView()).isEqualTo(1);
        b.protocol.onStaleStore(true, b.turn);
        nodes.run();

        assertThat(b.lastAsk().renewal().activeView())
                .as("so the master takes it out")
                .isZero();
        b.reboot();
        nodes.run();
        assertThat(b.lastAsk().renewal().activeView())
                .as("also as another process")
                .isZero();
    }

    @Test
    void largestPageFitsIntoAMessage() {
        FunnelSettings settings = FunnelSettings.defaults().bounds(1000, 256L << 20, 24 << 20);
        FunnelNodes large = new FunnelNodes(settings, "a", "b");
        FunnelNodes.Node one = large.node("a");
        large.grant(view(1, "a", "b"));
        String value = "v".repeat(settings.valueBytesMax() - 100);
        one.put("k", value);
        large.run();
        AtomicInteger longest = new AtomicInteger();
        large.delivers = sent -> {
            longest.accumulateAndGet(sent.body().length(), Math::max);
            return sent.type() != FunnelMessages.COMMIT;
        };
        one.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "w", "client", 1, "token");
        large.run();
        large.delivers = sent -> {
            longest.accumulateAndGet(sent.body().length(), Math::max);
            return true;
        };
        one.put("l", "v");
        large.run();

        assertThat(one.done()).contains("token", "PUT l v");
        assertThat(longest.get())
                .isGreaterThan(2 * value.length())
                .isLessThanOrEqualTo(FunnelProtocol.messageBytesMax(settings));
    }

    @Test
    void missingWriteOfOneHeadIsNamedThoughAnotherHasThousandsUnderWay() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.DATA;
        b.put("lost", "v");
        nodes.run();
        nodes.delivers = sent -> true;
        for (int i = 0; i < 1500; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();
        assertThat(a.done())
                .as("the tail waits for the write of b, which may have to come first")
                .isEmpty();
        nodes.pass(Duration.ofSeconds(8), ABC);

        assertThat(b.done()).containsExactly("PUT lost v");
        assertThat(a.done()).hasSize(1500);
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void removalsOfWhatHasHadItsTimeLeaveRoomForWrites() {
        FunnelNodes some = new FunnelNodes(FunnelSettings.defaults().uncommitted(100, 100), "a", "b");
        View ab = view(1, "a", "b");
        FunnelNodes.Node tail = some.node("b");
        some.grant(ab);
        for (int i = 0; i < 300; i++) {
            tail.protocol.onCommand(
                    new FunnelCommand.Write(
                            FunnelCommand.Kind.PUT,
                            FunnelNodes.key("k" + i),
                            FunnelNodes.slice("v"),
                            null,
                            5000,
                            null,
                            0,
                            Topology.AUTO,
                            i),
                    tail.turn);
            some.run();
        }
        some.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        some.pass(Duration.ofSeconds(20), ab);
        tail.put("k", "v");
        assertThat(tail.turn.events(FunnelEvent.Failed.class))
                .as("refused writes")
                .isEmpty();
        assertThat(tail.context().writes.size()).isLessThanOrEqualTo(51);
        some.delivers = sent -> true;
        some.pass(Duration.ofSeconds(8), ab);

        assertThat(tail.context().tables.keys()).isEqualTo(1);
        some.assertSame("a", "b");
    }

    @Test
    void noViewHasMoreMembersThanTheTailCanCount() {
        String[] names = IntStream.range(0, 65).mapToObj(i -> "n" + i).toArray(String[]::new);
        assertThatThrownBy(() -> view(1, names))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("at most 64");
        assertThat(ViewLedger.MEMBERS_MAX).isEqualTo(Long.SIZE);
    }

    @Test
    void repeatedQuestionsAddNothingToAFullLink() {
        View bc = view(1, "b", "c");
        nodes.grant(bc);
        b.put("k", "v");
        nodes.run();
        c.peers.peer(a.id).full = true;
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> {
            pages.addAndGet(sent.type() == FunnelMessages.PAGE ? 1 : 0);
            return sent.type() != FunnelMessages.PAGE;
        };
        b.put("l", "v");
        nodes.pass(Duration.ofSeconds(30), bc);
        assertThat(pages.get()).as("the page is on its way").isEqualTo(1);
        nodes.delivers = sent -> true;
        c.peers.peer(a.id).full = false;
        nodes.pass(Duration.ofSeconds(11), bc);

        assertThat(a.context().progress.applied())
                .isEqualTo(c.context().progress.applied());
    }

    /** The first write of a head is missing here, so it is not the oldest one that is here. */
    @Test
    void memberThatMissesAWriteAsksForItByItself() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.DATA || !sent.to().equals(b.id);
        a.put("missed", "v");
        nodes.run();
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        a.put("k", "v");
        nodes.run();

        assertThat(b.context().writes.oldest()).isEqualTo(b.turn.now());
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(5), ABC);
        nodes.assertSame("a", "b", "c");
    }

    /** By more than nanoseconds can count: what is due then must not be due at once. */
    @Test
    void clocksThatAreCenturiesApartKeepNobodyBusy() {
        nodes.grant(ABC);
        a.turn.stepWallClock(Duration.ofDays(400 * 365));
        a.protocol.onCommand(
                new FunnelCommand.Write(
                        FunnelCommand.Kind.PUT,
                        FunnelNodes.key("k"),
                        FunnelNodes.slice("v"),
                        null,
                        5000,
                        null,
                        0,
                        Topology.AUTO,
                        "put"),
                a.turn);
        nodes.run();
        nodes.pass(Duration.ofSeconds(1), ABC);

        assertThat(a.done()).containsExactly("put");
        assertThat(c.protocol.nextDeadlineNanos()).isGreaterThan(c.turn.now());
    }

    /** The master may never let it join: it misses a link to another member, for example. */
    @Test
    void removalsAreForgottenThoughANodeFollowsForEver() {
        View bc = view(1, "b", "c");
        nodes.grant(bc);
        nodes.pass(Duration.ofSeconds(3), bc);
        assertThat(a.lastAsk().renewal().readyView()).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            b.put("k" + i, "v");
            b.write(FunnelCommand.Kind.REMOVE, "k" + i, null, null, Topology.AUTO);
            nodes.run();
        }
        for (int i = 0; i < 10; i++) {
            nodes.pass(Duration.ofSeconds(5), bc);
            b.put("other", "v" + i);
            nodes.run();
        }
        assertThat(a.context().progress.applied())
                .isEqualTo(c.context().progress.applied());
        assertThat(c.context().tables.removals()).isZero();
        assertThat(b.context().tables.removals()).isZero();
        assertThat(a.context().progress.wiped()).as("it had not to begin anew").isEqualTo(Version.NONE);
    }

    @Test
    void nodeWithoutALinkToAMemberSaysSoBeforeItJoins() {
        View bc = view(1, "b", "c");
        a.peers.peer(b.id).linked = false;
        nodes.grant(bc);
        nodes.pass(Duration.ofSeconds(3), bc);

        assertThat(a.lastAsk().renewal().readyView()).isEqualTo(1);
        assertThat(a.lastAsk().renewal().unreachable())
                .as("it would be taken out again")
                .containsExactly(b.id);
        a.peers.peer(b.id).linked = true;
        nodes.pass(Duration.ofSeconds(1), bc);
        assertThat(a.lastAsk().renewal().unreachable()).isEmpty();
    }

    /** It has a link, and yet nothing of the maps reaches it. */
    @Test
    void aMemberThatIsThereWithoutMapsCannotBeReached() {
        nodes.grant(ABC);
        a.peers.peer(b.id).channels = Channels.of(Map.of(1, 1));
        nodes.pass(Duration.ofSeconds(3), ABC);
        assertThat(a.lastAsk().renewal().unreachable()).containsExactly(b.id);
    }

    /** Its store is older than it thought; and the master does not answer any more. */
    @Test
    void callsOfAViewThatIsNoMoreComeToAnEnd() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT && sent.type() != FunnelMessages.QUERY;
        a.put("k", "v");
        nodes.run();
        a.read("k", "read");
        nodes.run();
        a.protocol.onStaleStore(true, a.turn);
        a.protocol.endOfTurn(a.turn);
        assertThat(a.protocol.nextDeadlineNanos()).isLessThan(a.turn.now() + 10_000_000_000L);
        a.turn.advance(Duration.ofSeconds(10));
        a.protocol.onTimer(a.turn);
        a.protocol.endOfTurn(a.turn);
        assertThat(a.turn.events(FunnelEvent.Failed.class)).hasSize(2);
        assertThat(a.protocol.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }
}
