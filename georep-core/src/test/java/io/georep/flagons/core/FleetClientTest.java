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

/** A client and nodes that take no more, and those who answer in their names. */
class FleetClientTest {
    private static final RequestId REQUEST = new RequestId(1, 1);
    private static final Outcome APPLIED =
            new Outcome(Outcome.Status.APPLIED, new OrderKey(1, 1), null, OrderKey.FIRST);

    private final TestTurn turn = new TestTurn();
    private final FleetClientProtocol client =
            new FleetClientProtocol(List.of("b:1", "c:1"), new HandMadePeers(NodeId.of("a")));

    private void asks() {
        asks(1);
        linksUp();
    }

    private void asks(int quorum) {
        client.boot(turn.disk(), turn);
        for (String address : List.of("b:1", "c:1")) {
            // Whoever is asked can be reached.
            turn.links.add(address);
        }
        FleetOperation put = new FleetOperation(REQUEST, FleetOperation.Kind.PUT, Slice.utf8("k"), Slice.utf8("v"));
        client.onCommand(
                new FleetCommand.Submit(put, FleetConsistency.ORDERED, OrderKey.FIRST, quorum, 20_000, "token"), turn);
    }

    private void linksUp() {
        turn.links.forEach(address -> client.onLinkUp(address, identity(address), turn));
    }

    private static NodeIdentity identity(String address) {
        return new NodeIdentity(NodeId.of(address.substring(0, 1)), 1, 1, 1, address, "");
    }

    private String lastAsked() {
        return turn.sentOver.get(turn.sentOver.size() - 1).address();
    }

    private void answers(String node, Outcome outcome) {
        FleetMessage answer = new FleetMessage.Answer(REQUEST, outcome);
        client.onStranger(identity(node), FleetCodec.type(answer), new BinReader(FleetCodec.write(answer)), turn);
        linksUp();
    }

    @Test
    void whenOneRefusesTheNextIsAsked() {
        asks();
        String first = lastAsked();
        answers(first, Outcome.refused());
        assertThat(lastAsked()).isNotEqualTo(first);
        answers(lastAsked(), APPLIED);

        assertThat(turn.events).containsExactly(new FleetEvent.Answered("token", APPLIED));
    }

    /** It is asked by a name that only the client knows, or through a port that is passed on. */
    @Test
    void whenOneRefusesThatCallsItselfByAnotherAddressTheNextIsAsked() {
        asks();
        String first = lastAsked();
        FleetMessage answer = new FleetMessage.Answer(REQUEST, Outcome.refused());
        NodeIdentity inside = new NodeIdentity(NodeId.of(first.substring(0, 1)), 1, 1, 1, "inside:9", "");
        client.onStranger(inside, FleetCodec.type(answer), new BinReader(FleetCodec.write(answer)), turn);
        linksUp();
        assertThat(lastAsked()).isNotEqualTo(first);
    }

    @Test
    void whenAllRefuseItIsToldSo() {
        asks();
        String first = lastAsked();
        answers(first, Outcome.refused());
        answers(first, Outcome.refused());
        assertThat(turn.events).as("the same one again").isEmpty();
        answers(lastAsked(), Outcome.refused());

        assertThat(turn.events(FleetEvent.Refused.class)).hasSize(1);
        assertThat(turn.events(FleetEvent.Refused.class).get(0).token()).isEqualTo("token");
        answers(first, APPLIED);
        turn.advance(Duration.ofSeconds(30));
        client.onTimer(turn);
        assertThat(turn.events).as("and nothing else").hasSize(1);
    }

    /** The one that has not answered may have begun it. */
    @Test
    void whenOneHasNotAnsweredItMayHaveAnEffectThoughTheOthersRefuse() {
        asks();
        turn.advance(Duration.ofSeconds(5));
        client.onTimer(turn);
        linksUp();
        assertThat(turn.sentOver).hasSize(2);
        answers(lastAsked(), Outcome.refused());
        answers(lastAsked(), Outcome.refused());
        assertThat(turn.events).isEmpty();
        turn.advance(Duration.ofSeconds(30));
        client.onTimer(turn);

        assertThat(turn.events).containsExactly(new FleetEvent.Answered("token", Outcome.unsure()));
    }

    /** It answers before the client has reached it, after that, and when the link has made room for another. */
    @Test
    void oneMemberIsNoQuorumWhateverLinksThereAreWhenItAnswers() {
        asks(2);
        linksUp();
        String asked = lastAsked();
        String other = asked.equals("b:1") ? "c:1" : "b:1";
        tells(identity(other));
        turn.advance(Duration.ofSeconds(5));
        client.onTimer(turn);
        client.onLinkUp(other, identity(other), turn);
        assertThat(lastAsked()).isEqualTo(other);
        tells(identity(other));
        client.onLinkDown(other, "test", turn);
        tells(identity(other));
        tells(new NodeIdentity(identity(other).id(), 1, 1, 1, "inside:9", ""));
        assertThat(turn.events).isEmpty();

        tells(identity(asked));
        assertThat(turn.events).containsExactly(new FleetEvent.Answered("token", APPLIED));
    }

    private void tells(NodeIdentity from) {
        FleetMessage answer = new FleetMessage.Answer(REQUEST, APPLIED);
        client.onStranger(from, FleetCodec.type(answer), new BinReader(FleetCodec.write(answer)), turn);
    }

    @Test
    void whoNamesTheAddressOfAnotherNodeIsNotHeard() {
        asks();
        FleetMessage answer = new FleetMessage.Answer(REQUEST, APPLIED);
        NodeIdentity liar = new NodeIdentity(NodeId.of("liar"), 1, 1, 1, lastAsked(), "");
        client.onStranger(liar, FleetCodec.type(answer), new BinReader(FleetCodec.write(answer)), turn);
        assertThat(turn.events).isEmpty();
        answers(lastAsked(), APPLIED);
        assertThat(turn.events).hasSize(1);

        client.onCommand(new FleetCommand.ReadStatus("status"), turn);
        assertThat(turn.events(FleetEvent.Status.class).get(0).status().refused())
                .isEqualTo(1);
    }

    @Test
    void norByANode() {
        FleetProtocol node = new FleetProtocol(
                FleetSettings.hardened(5), List.of("b:1"), new HandMadePeers(NodeId.of("a")), event -> false);
        node.boot(turn.disk(), turn);
        turn.completeStore();
        node.onTimer(turn);
        turn.advance(Duration.ofSeconds(1));
        node.onTimer(turn);
        assertThat(turn.links).contains("b:1");
        node.onLinkUp("b:1", identity("b:1"), turn);

        Contact other = new Contact(2, "b:1", 1, 0);
        FleetMessage shuffle = new FleetMessage.Shuffle(other, List.of(), true, turn.wallMillis());
        NodeIdentity liar = new NodeIdentity(NodeId.of("liar"), 1, 1, 1, "b:1", "");
        for (NodeIdentity each : List.of(liar, identity("b:1"))) {
            assertThat(node.inspect().peers().entries()).isEmpty();
            node.onStranger(each, FleetCodec.type(shuffle), new BinReader(FleetCodec.write(shuffle)), turn);
        }
        assertThat(node.inspect().peers().entries()).hasSize(1);
    }
}
