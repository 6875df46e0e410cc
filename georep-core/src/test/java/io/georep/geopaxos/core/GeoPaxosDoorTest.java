package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.LogTiming;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.map.Procedure;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.Channels;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.HandMadePeers.HandMadePeer;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a node takes of others, and at its boot. */
class GeoPaxosDoorTest {
    private static HandMadePeer peer(String name, HandMadePeers peers) {
        HandMadePeer peer = new HandMadePeer(NodeId.of(name));
        peer.channels = Channels.of(Map.of(1, 1, GeoPaxosProtocol.CHANNEL, GeoPaxosProtocol.VERSION));
        peers.all.put(peer.id(), peer);
        return peer;
    }

    private static GeoPaxosProtocol boot(HandMadePeers peers, List<NodeId> nodes, TestTurn turn) {
        GeoPaxosProtocol protocol = new GeoPaxosProtocol(
                ThreeGroups.of(nodes), () -> new OrderedMapService(List.of()), peers, new CallerReads());
        protocol.boot(turn.disk(), turn);
        turn.completeStore();
        return protocol;
    }

    /** Returns the messages with which a node answers nobody's question: those of an election. */
    private static List<TestTurn.Sent> election(GeoPaxosProtocol protocol, TestTurn turn) {
        for (int step = 0; step < 50; step++) {
            turn.advance(Duration.ofMillis(100));
            protocol.onTimer(turn);
            protocol.endOfTurn(turn);
            turn.completeStore();
        }
        return turn.sent.stream()
                .filter(sent -> sent.to().equals(NodeId.of("n1")))
                .toList();
    }

    private static BinReader body(TestTurn.Sent sent) {
        return new BinReader(sent.body());
    }

    @Test
    void messagesOfLimitedNodesAndOfThoseWithOtherGroupsAreNotTaken() {
        HandMadePeers ofTwo = new HandMadePeers(NodeId.of("n2"));
        peer("n1", ofTwo);
        TestTurn two = new TestTurn();
        List<TestTurn.Sent> said = election(boot(ofTwo, ThreeGroups.NODES, two), two);
        assertThat(said).isNotEmpty();
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        HandMadePeer other = peer("n2", peers);
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);

        other.limited = true;
        said.forEach(each -> one.onMessage(other, each.type(), body(each), turn));
        turn.completeStore();
        assertThat(turn.sent).as("to a limited node").isEmpty();
        TestTurn elsewhere = new TestTurn();
        GeoPaxosProtocol unlike = boot(peers, ThreeGroups.nodes("n1", "n2", "n4"), elsewhere);
        other.limited = false;
        said.forEach(each -> unlike.onMessage(other, each.type(), body(each), elsewhere));
        assertThat(elsewhere.sent).isEmpty();
        assertThat(elsewhere.events).containsExactly(new GeoEvent.OtherGroups(other.id()));

        said.forEach(each -> one.onMessage(other, each.type(), body(each), turn));
        turn.completeStore();
        assertThat(turn.sent(other.id(), 1)).as("as a control").isNotEmpty();
    }

    @Test
    void twoVotersInOneSiteAreTold() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        HandMadePeer two = peer("n2", peers);
        HandMadePeer three = peer("n3", peers);
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        two.site = "nyc";
        three.site = "sgp";
        one.onPeerReachable(two, turn);
        one.onPeerReachable(three, turn);
        assertThat(turn.events).isEmpty();

        three.site = "nyc";
        one.onPeerReachable(three, turn);
        one.onPeerReachable(three, turn);
        assertThat(turn.events).containsExactly(new GeoEvent.SameSite(three.id(), two.id(), "nyc"));
    }

    /** As far as its settings tell, the node takes part. */
    @Test
    void aNodeWithoutPartRefusesNothingBecauseOfANodeThatMayBeReplaced() {
        Procedure procedure = new Procedure() {
            @Override
            public String name() {
                return "touch";
            }

            @Override
            public int version() {
                return 1;
            }

            @Override
            public Keys keys(Slice argument) {
                return new Keys(List.of(), List.of(argument));
            }

            @Override
            public Slice execute(View view, Slice argument) {
                return argument;
            }
        };
        HandMadePeers ofThree = new HandMadePeers(NodeId.of("n3"));
        TestTurn three = new TestTurn();
        boot(ofThree, ThreeGroups.NODES, three).onPeerReachable(peer("n9", ofThree), three);
        HandMadePeers peers = new HandMadePeers(NodeId.of("n9"));
        TestTurn turn = new TestTurn();
        HandMadePeer contact = peer("n1", peers);
        HandMadePeer lacking = peer("n3", peers);
        GeoPaxosProtocol guest = new GeoPaxosProtocol(
                ThreeGroups.of(ThreeGroups.NODES),
                () -> new OrderedMapService(List.of(procedure)),
                peers,
                new CallerReads());
        guest.boot(turn.disk(), turn);
        turn.completeStore();
        three.sent.forEach(said -> guest.onMessage(lacking, said.type(), body(said), turn));

        Slice call = MapOperation.encode(new MapOperation.Call("touch", 1, Slice.utf8("key")));
        guest.onCommand(new GeoCommand.Submit("call", call), turn);
        guest.endOfTurn(turn);
        turn.completeStore();
        assertThat(turn.events).doesNotHaveAnyElementsOfTypes(GeoEvent.Refused.class);
        assertThat(turn.sent).anyMatch(sent -> sent.to().equals(contact.id()) && sent.type() == GeoMessage.CALL);
    }

    /** Nobody takes its word, so it never votes, and the group has one voter less than it seems. */
    @Test
    void aVoterWithALimitedCertificateIsTold() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        HandMadePeer two = peer("n2", peers);
        HandMadePeer four = peer("n4", peers);
        two.limited = true;
        four.limited = true;
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        assertThat(turn.events).isEmpty();
        one.onPeerReachable(two, turn);
        one.onPeerReachable(two, turn);
        one.onPeerReachable(four, turn);
        assertThat(turn.events).containsExactly(new GeoEvent.LimitedVoter(two.id()));

        GeoCommand.Change change = new GeoCommand.Change("a", two.id(), four.id(), true);
        one.onCommand(change, turn);
        assertThat(turn.events.get(1))
                .isInstanceOfSatisfying(
                        GeoEvent.Refused.class,
                        refused -> assertThat(refused.why()).contains("n4 is a limited one"));

        HandMadePeers own = new HandMadePeers(NodeId.of("n1"));
        own.selfIsLimited();
        TestTurn another = new TestTurn();
        boot(own, ThreeGroups.NODES, another);
        assertThat(another.events).containsExactly(new GeoEvent.LimitedVoter(NodeId.of("n1")));
    }

    private static TestTurn.Sent offer(NodeId from, boolean forgets) {
        HandMadePeers peers = new HandMadePeers(from);
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol protocol = new GeoPaxosProtocol(
                ThreeGroups.of(ThreeGroups.NODES), () -> new OrderedMapService(List.of()), peers, new CallerReads());
        GeoPaxosProtocol said = forgets ? protocol.forgetting() : protocol;
        said.boot(turn.disk(), turn);
        assertThat(said.seat().store() < 0).isEqualTo(forgets);
        said.onPeerReachable(peer("n1", peers), turn);
        return turn.sent.stream()
                .filter(sent -> sent.type() == GeoMessage.OFFER)
                .findFirst()
                .orElseThrow();
    }

    /** A vote that a restart forgets can be cast twice. */
    @Test
    void aNodeThatForgetsAtARestartIsGivenNoVote() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        HandMadePeer two = peer("n2", peers);
        HandMadePeer four = peer("n4", peers);
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        for (boolean forgets : new boolean[] {true, false}) {
            TestTurn.Sent offer = offer(four.id(), forgets);
            one.onMessage(four, offer.type(), body(offer), turn);
            one.onCommand(new GeoCommand.Change("replace", two.id(), four.id(), true), turn);
            one.onCommand(new GeoCommand.Change("group", null, null, List.of(four.id()), true), turn);
            one.onCommand(new GeoCommand.Change("add", null, four.id(), true), turn);
            assertThat(turn.events.stream()
                            .filter(GeoEvent.Refused.class::isInstance)
                            .map(each -> ((GeoEvent.Refused) each).why()))
                    .hasSize(2)
                    .allSatisfy(why -> assertThat(why).contains("n4 would vote, and its durability is MEMORY"));
        }
        TestTurn.Sent offer = offer(two.id(), true);
        one.onMessage(two, offer.type(), body(offer), turn);
        one.onMessage(two, offer.type(), body(offer), turn);
        assertThat(turn.events).containsOnlyOnce(new GeoEvent.ForgetfulVoter(two.id()));
    }

    /** Otherwise its former seat could stand for an older image of what it promised. */
    @Test
    void aStoreThatForgetsFromNowOnHasAnotherSeat() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        long before = boot(peers, ThreeGroups.NODES, turn).seat().store();
        GeoPaxosProtocol again = new GeoPaxosProtocol(
                        ThreeGroups.of(ThreeGroups.NODES),
                        () -> new OrderedMapService(List.of()),
                        peers,
                        new CallerReads())
                .forgetting();
        again.boot(turn.disk(), turn);
        assertThat(before).isPositive();
        assertThat(again.seat().store()).isNegative();
    }

    @Test
    void aMessageThatIsTooLongOrCutShortIsRefused() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n2"));
        peer("n1", peers);
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol two = boot(peers, ThreeGroups.NODES, turn);
        for (TestTurn.Sent sent : election(two, turn)) {
            Slice whole = sent.body();
            Slice less = new Slice(whole.array(), whole.offset(), whole.length() - 1);
            Slice more = new BinWriter().raw(whole).u8(0).toSlice();
            for (Slice bad : List.of(less, more)) {
                assertThatThrownBy(() ->
                                two.onMessage(peers.all.get(NodeId.of("n1")), sent.type(), new BinReader(bad), turn))
                        .isInstanceOf(MalformedException.class);
            }
        }
    }

    @Test
    void whatCannotBeOrderedIsRefusedWithAReason() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        Slice call = MapOperation.encode(new MapOperation.Call("unknown", 1, Slice.EMPTY));
        Map<GeoCommand, GeoEvent.Reason> refusals = new LinkedHashMap<>();
        refusals.put(new GeoCommand.Submit("a", 1, 1, 0, call), GeoEvent.Reason.INVALID);
        refusals.put(new GeoCommand.Read("b", Slice.utf8("?")), GeoEvent.Reason.INVALID);
        refusals.put(new GeoCommand.Submit("c", 1, 1, 0, Slice.of(new byte[(1 << 20) + 1])), GeoEvent.Reason.BYTES);
        refusals.put(new GeoCommand.Give("d", new long[1025], 1, 2), GeoEvent.Reason.KEYS);
        refusals.put(new GeoCommand.Give("e", new long[1], 1, 8), GeoEvent.Reason.GROUPS);
        refusals.put(
                new GeoCommand.Submit("f", 1, 0, 0, MapOperation.encode(new MapOperation.Get(Slice.EMPTY))),
                GeoEvent.Reason.INVALID);

        refusals.forEach((command, reason) -> {
            turn.events.clear();
            one.onCommand(command, turn);
            assertThat(turn.events).singleElement().isInstanceOfSatisfying(GeoEvent.Refused.class, refused -> {
                assertThat(refused.token()).isEqualTo(command.token());
                assertThat(refused.reason()).as(refused.why()).isEqualTo(reason);
            });
        });
        assertThat(one.node().underWay()).isZero();
    }

    /** None of the groups has a leader, so nothing is answered. */
    @Test
    void requestsThatAreNotAnsweredAreBounded() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        Slice large = MapOperation.encode(new MapOperation.Put(
                new MapEntry(Slice.utf8("k"), Slice.of(new byte[MapOperation.VALUE_BYTES_MAX]), 0), Guard.NONE));
        int most = OpenRequests.OPEN_BYTES_MAX / large.length() + 1;
        for (int i = 1; i <= most; i++) {
            one.onCommand(new GeoCommand.Submit(i, 1, i, 0, large), turn);
        }
        assertThat(turn.events).isEmpty();
        one.onCommand(new GeoCommand.Submit("over", 1, 1 + most, 0, large), turn);
        assertThat(turn.events)
                .singleElement()
                .isInstanceOfSatisfying(
                        GeoEvent.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(GeoEvent.Reason.OPEN));
    }

    /** Each other acceptor has counted this very process as present, and would not have if it had met a later one. */
    @Test
    void theWordOfALimitedNodeTakesNoSeatFromWhomAllAcceptorsHaveHeard() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        peer("n2", peers).heardSentNanos = 0;
        HandMadePeer last = peer("n3", peers);
        long seat = one.seat().store();

        last.heardSentNanos = 0;
        one.onStaleStore(false, turn);
        assertThat(one.seat().store()).isEqualTo(seat);

        last.heardSentNanos = Long.MIN_VALUE;
        one.onStaleStore(false, turn);
        assertThat(one.seat().store()).as("n3 may have met a later process").isNotEqualTo(seat);

        last.heardSentNanos = 0;
        long next = one.seat().store();
        one.onStaleStore(true, turn);
        assertThat(one.seat().store()).as("a full node says so").isNotEqualTo(next);
    }

    /** What it has asked for without a number may take effect, or have done so. With a number it takes effect once, however often it is asked for. */
    @Test
    void aNodeWithAnOlderStoreAsksForNoWriteWithoutANumberAgain() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        GeoPaxosProtocol one = boot(peers, ThreeGroups.NODES, turn);
        Slice put = MapOperation.encode(
                new MapOperation.Put(new MapEntry(Slice.utf8("k"), Slice.utf8("v"), 0), Guard.NONE));
        one.onCommand(new GeoCommand.Submit("unnumbered", put), turn);
        one.onCommand(new GeoCommand.Submit("numbered", 7, 1, 0, put), turn);
        assertThat(one.node().underWay()).isEqualTo(2);

        one.onStaleStore(true, turn);
        assertThat(turn.events).containsExactly(new GeoEvent.Answered("unnumbered", null));
        assertThat(one.open().size()).isEqualTo(1);
        assertThat(one.node().underWay()).as("the one with a number").isEqualTo(1);
    }

    /** An operator may have replaced nodes, and put that into the settings. */
    @Test
    void theNodesThatAreStoredCountNotThoseOfTheSettings() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        boot(peers, ThreeGroups.NODES, turn);
        assertThat(turn.events).isEmpty();
        GeoPaxosProtocol again = boot(peers, ThreeGroups.nodes("n2", "n3", "n4"), turn);
        assertThat(turn.events).containsExactly(new GeoEvent.OtherSettings());
        assertThat(again.node().membership().layout().nodes()).isEqualTo(ThreeGroups.NODES);
    }

    @Test
    void moreOrFewerGroupsThanThoseOfTheStoreAreNoChoice() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n1"));
        TestTurn turn = new TestTurn();
        boot(peers, ThreeGroups.NODES, turn);
        GeoGroups one =
                new GeoGroups(ThreeGroups.NODES, List.of(ThreeGroups.NODES), 1, node -> 0, new LogTiming(1, 10, 1, 30));
        GeoPaxosProtocol other =
                new GeoPaxosProtocol(one, () -> new OrderedMapService(List.of()), peers, new CallerReads());
        assertThatThrownBy(() -> other.boot(turn.disk(), turn))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("cannot be changed");
    }

    /** An operator may add it. */
    @Test
    void aNodeThatNobodyNamesWaits() {
        HandMadePeers peers = new HandMadePeers(NodeId.of("n9"));
        TestTurn turn = new TestTurn();
        List<TestTurn.Sent> said = election(boot(peers, ThreeGroups.NODES, turn), turn);
        assertThat(said).isEmpty();
        assertThat(turn.events).containsExactly(new GeoEvent.Unnamed());
    }
}
