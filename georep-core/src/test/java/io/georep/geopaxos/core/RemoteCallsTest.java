package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of a node without part, made by n1, the nearest, or by n2. */
class RemoteCallsTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final long LEASE = ThreeGroups.of(ThreeGroups.NODES).timing().lease();

    private record Sent(NodeId to, GeoMessage.Call call) {}

    private final HandMadePeers peers = new HandMadePeers(NodeId.of("n9"));
    private final List<Sent> sent = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final GeoOutlet outlet = (GeoOutlet) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, values) -> {
                told.add(method.getName() + " " + values[0] + " " + values[1]);
                return null;
            });
    private final RemoteCalls calls = new RemoteCalls(
            peers,
            ThreeGroups.of(ThreeGroups.NODES),
            () -> ThreeGroups.NODES,
            body -> Footprint.objects(body.length()),
            new Rules(),
            (to, message) -> sent.add(new Sent(to, (GeoMessage.Call) message)),
            outlet,
            new Random(1));
    private final Slice body = Slice.utf8("body");
    private long now;

    @BeforeEach
    void twoHaveAPart() {
        peers.peer(N1).channels = Channels.of(Map.of(GeoPaxosProtocol.CHANNEL, 1));
        peers.peer(N2).channels = Channels.of(Map.of(GeoPaxosProtocol.CHANNEL, 1));
    }

    private void write(long number, long client, long sequence) {
        calls.ask(number, new GeoCommand.Submit("token", client, sequence, 0, body), now);
    }

    private Sent last() {
        return sent.get(sent.size() - 1);
    }

    private void answer(Sent to, GeoEvent.Reason reason) {
        long number = to.call.number();
        calls.onAnswer(
                to.to,
                reason == null
                        ? GeoMessage.Answer.of(number, Slice.EMPTY)
                        : GeoMessage.Answer.refused(number, reason, "why"),
                now);
    }

    /** Until the next question. */
    private void pass() {
        now = calls.nextDeadlineNanos();
        calls.endOfTurn(now);
    }

    @Test
    void whatTheFirstOneRefusesAtOnceIsRefused() {
        write(1, 7, 1);
        answer(last(), GeoEvent.Reason.UNLED);

        assertThat(told).containsExactly("refused 1 UNLED");
        assertThat(calls.nextDeadlineNanos()).isLessThanOrEqualTo(now + LEASE);
        pass();
        assertThat(sent).hasSize(1);
        assertThat(calls.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** The node that was asked may have restarted since it made the call. */
    @Test
    void whatSomebodyMayHaveMadeIsAskedForUntilItIsKnown() {
        write(1, 7, 1);
        pass();
        assertThat(last().call.isAgain()).isTrue();
        answer(last(), GeoEvent.Reason.UNLED);
        assertThat(told).isEmpty();

        pass();
        assertThat(sent).hasSize(3);
        assertThat(last().call.isAgain()).isFalse();
        answer(last(), null);
        assertThat(told).singleElement().asString().startsWith("answered 1 Slice");
    }

    /** By this node itself, while it had a part. */
    @Test
    void whatThisNodeMayHaveMadeIsAskedForUntilItIsKnown() {
        peers.peer(N1).linked = false;
        peers.peer(N2).linked = false;
        calls.askAgain(1, new GeoCommand.Submit("token", 7, 1, 0, body), now);
        calls.askAgain(2, new GeoCommand.Read("token", body), now);
        assertThat(told).as("a read may be refused").containsExactly("refused 2 NO_PART");
        pass();
        peers.peer(N2).linked = true;
        pass();
        answer(last(), GeoEvent.Reason.UNLED);
        assertThat(told).hasSize(1);
        pass();
        answer(last(), null);
        assertThat(told).last().asString().startsWith("answered 1 Slice");
    }

    @Test
    void whoIsSilentForLongIsNotAskedForever() {
        write(1, 7, 1);
        write(2, 0, 0);
        for (int i = 0; i < 8; i++) {
            pass();
        }
        assertThat(sent)
                .filteredOn(each -> each.call.sequence() == 1)
                .extracting(Sent::to)
                .contains(N1, N2);
        assertThat(sent)
                .filteredOn(each -> each.call.sequence() == 0)
                .allMatch(each -> each.to.equals(N1))
                .hasSizeGreaterThan(3);
    }

    @Test
    void callsOfOneClientThatMeetAreMadeOneAfterTheOther() {
        write(1, 7, 1);
        write(2, 7, 2);
        write(3, 8, 2);
        assertThat(sent).extracting(each -> each.call.client()).containsExactly(7L, 8L);
        peers.peer(N1).linked = false;
        pass();
        assertThat(sent)
                .filteredOn(each -> each.call.client() == 7)
                .hasSize(2)
                .allMatch(each -> each.call.sequence() == 1);

        answer(
                sent.stream()
                        .filter(each -> each.to.equals(N2) && each.call.client() == 7)
                        .findFirst()
                        .orElseThrow(),
                null);
        assertThat(last().call.client()).isEqualTo(7);
        assertThat(last().call.sequence()).isEqualTo(2);
    }

    @Test
    void itIsServedWhileSomebodyMayHaveAPart() {
        assertThat(calls.isServed()).isTrue();
        write(1, 0, 0);
        answer(last(), GeoEvent.Reason.NO_PART);
        assertThat(last().to).isEqualTo(N2);
        assertThat(calls.isServed()).isTrue();
        answer(last(), GeoEvent.Reason.NO_PART);

        assertThat(told).containsExactly("refused 1 NO_PART");
        assertThat(calls.isServed()).isFalse();
        write(2, 0, 0);
        answer(last(), null);
        assertThat(calls.isServed()).isTrue();
    }

    /** It may have had a part before, and made the call. */
    @Test
    void aNodeThatLostItsPartDoesNotKnowWhatBecameOfAWriteWithoutANumber() {
        List<GeoMessage> answers = new ArrayList<>();
        GuestCalls guests = new GuestCalls((to, message) -> answers.add(message));
        GeoCommand.Submit write = new GeoCommand.Submit("token", body);

        assertThat(guests.command(N1, GeoMessage.Call.of(5, write, true), false))
                .isNull();
        assertThat(answers).containsExactly(GeoMessage.Answer.of(5, null));
        assertThat(guests.command(N1, GeoMessage.Call.of(6, write, false), false))
                .isNull();
        assertThat(answers)
                .last()
                .isEqualTo(GeoMessage.Answer.refused(6, GeoEvent.Reason.NO_PART, GeoEvent.Reason.NO_PART.text));
    }
}
