package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.flagons.FleetConsistency;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node with links, and others that come by several addresses or by those of others. */
class AccountsTest {
    private static final RequestId REQUEST = new RequestId(7, 1);
    private static final String B = "b:1";

    private final TestTurn turn = new TestTurn();
    private final FleetProtocol node =
            new FleetProtocol(FleetSettings.hardened(5), List.of(B), new HandMadePeers(NodeId.of("a")), event -> false);

    private void runs(long millis) {
        for (long i = 0; i < millis; i += 25) {
            turn.advance(Duration.ofMillis(25));
            if (node.nextDeadlineNanos() <= turn.now()) {
                node.onTimer(turn);
            }
            turn.completeStore();
        }
    }

    private void hears(String name, String address, FleetMessage message) {
        NodeIdentity from = new NodeIdentity(NodeId.of(name), 1, 1, 1, address, "");
        node.onStranger(from, FleetCodec.type(message), new BinReader(FleetCodec.write(message)), turn);
    }

    private void linkUp() {
        node.onLinkUp(B, new NodeIdentity(NodeId.of("b"), 1, 1, 1, B, ""), turn);
    }

    private void meets() {
        node.boot(turn.disk(), turn);
        turn.completeStore();
        runs(1_000);
        linkUp();
        Contact other = new Contact(2, B, 1, 0);
        hears("b", B, new FleetMessage.Shuffle(other, List.of(new Aged(other, 0)), true, turn.wallMillis()));
        hears("b", B, new FleetMessage.Members(List.of(new Aged(other, 0))));
    }

    /** Nodes have more others than links. */
    @Test
    void theWordOfWhomItHasAskedCountsThoughTheLinkMadeRoomForAnother() {
        meets();
        runs(6_000);
        assertThat(turn.sentOver).anyMatch(each -> each.type() == FleetCodec.DIGEST);
        node.onLinkDown(B, "test", turn);
        OrderKey bound = node.inspect().coverage().boundOf(Range.ALL);
        FleetMessage.Same same = new FleetMessage.Same(Range.ALL, bound, true);
        hears("liar", B, same);
        assertThat(node.inspect().coverage().covers(Range.ALL)).isFalse();
        hears("b", B, same);
        assertThat(node.inspect().coverage().covers(Range.ALL)).isTrue();
    }

    @Test
    void aMemberCountsOnceThoughTheLinkToItMadeRoomForAnotherAndByWhateverAddress() {
        meets();
        FleetOperation get = new FleetOperation(REQUEST, FleetOperation.Kind.GET, Slice.utf8("k"), null);
        node.onCommand(
                new FleetCommand.Submit(get, FleetConsistency.ORDERED, OrderKey.FIRST, 2, 20_000, "token"), turn);
        FleetMessage lie = new FleetMessage.Answer(
                REQUEST, new Outcome(Outcome.Status.FOUND, new OrderKey(1, 1), Slice.utf8("lie"), OrderKey.FIRST));
        hears("b", B, lie);
        hears("b", "b:2", lie);
        node.onLinkDown(B, "test", turn);
        hears("b", B, lie);
        assertThat(turn.events(FleetEvent.Answered.class)).isEmpty();

        hears("c", "c:1", lie);
        assertThat(turn.events(FleetEvent.Answered.class)).hasSize(1);
    }
}
