package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large writes on slow links, and who passes on what it has already. */
class LargeWritesTest {
    private static final View ABC = FunnelNodes.view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");
    private final ArrayDeque<TestTurn.Sent> held = new ArrayDeque<>();
    private final List<Integer> repairs = new ArrayList<>();

    /** Holds back what goes from a to this node and is of this type. */
    private void hold(FunnelNodes.Node to, int type) {
        nodes.delivers = sent -> {
            boolean isHeld =
                    nodes.sender == a && sent.type() == type && sent.to().equals(to.id);
            if (isHeld) {
                held.add(sent);
            } else if (sent.type() == FunnelMessages.FETCH || sent.type() == FunnelMessages.GROUP) {
                repairs.add(sent.type());
            }
            return !isHeld;
        };
    }

    private void comes(FunnelNodes.Node to, TestTurn.Sent message) {
        to.protocol.onMessage(to.peers.peer(a.id), message.type(), new BinReader(message.body()), to.turn);
    }

    private void aLargeWriteIsOnItsWayTo(FunnelNodes.Node to, Topology topology) {
        nodes.grant(ABC);
        hold(to, FunnelMessages.PART);
        a.write(FunnelCommand.Kind.PUT, "k", "v".repeat(500_000), null, topology);
        nodes.run();
        assertThat(held).hasSize(16);
    }

    @Test
    void whatIsStillArrivingIsNotFetched() {
        aLargeWriteIsOnItsWayTo(c, Topology.STAR);
        while (!held.isEmpty()) {
            comes(c, held.remove());
            nodes.pass(Duration.ofMillis(300), ABC);
        }
        assertThat(repairs).isEmpty();
        assertThat(a.done()).hasSize(1);
    }

    /** No more parts come, or those that come do not fit. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatHasStoppedArrivingIsFetched(boolean othersCome) {
        aLargeWriteIsOnItsWayTo(c, Topology.STAR);
        for (int i = 0; i < 3; i++) {
            comes(c, held.remove());
        }
        held.remove();
        for (int i = 0; i < 10; i++) {
            if (othersCome) {
                comes(c, held.remove());
            }
            nodes.pass(Duration.ofMillis(300), ABC);
        }
        assertThat(repairs).contains(FunnelMessages.FETCH, FunnelMessages.GROUP);
        assertThat(a.done()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {FunnelMessages.DATA, FunnelMessages.PART})
    void whoHasAWriteAlreadyPassesItOn(int type) {
        nodes.grant(ABC);
        hold(b, type);
        int size = type == FunnelMessages.DATA ? 100 : 100_000;
        a.write(FunnelCommand.Kind.PUT, "k", "v".repeat(size), null, Topology.CHAIN);
        nodes.run();
        b.protocol.relay().group(GroupCodec.read(a.context().writes.log(0).get(1).group.encoded), b.turn);
        nodes.run();
        assertThat(a.done()).isEmpty();
        held.forEach(message -> comes(b, message));
        nodes.run();
        assertThat(a.done()).hasSize(1);
        assertThat(repairs).isEmpty();
    }

    /** After a break of the link a report names all that is under way, with its keys. */
    @Test
    void aReportOfVeryManyFitsIntoAFrame() {
        FunnelSettings settings = FunnelSettings.defaults().bounds(10_000, 1 << 28, 50_000);
        FunnelNodes two = new FunnelNodes(settings, "a", "b");
        FunnelNodes.Node head = two.node("a");
        two.grant(FunnelNodes.view(1, "a", "b"));
        List<Integer> reports = new ArrayList<>();
        two.delivers = sent -> {
            if (sent.type() == FunnelMessages.REPORT) {
                reports.add(sent.body().length());
            }
            return false;
        };
        String value = "v".repeat(48_900);
        for (int i = 0; i < 1300; i++) {
            head.put("%01000d".formatted(i), value);
            two.turn(head);
        }
        assertThat(head.context().writes.size()).isEqualTo(1300);
        head.protocol.relay().reportAll();
        two.turn(head);
        assertThat(reports.get(reports.size() - 1)).isBetween(1_000_000, FunnelProtocol.messageBytesMax(settings));
    }
}
