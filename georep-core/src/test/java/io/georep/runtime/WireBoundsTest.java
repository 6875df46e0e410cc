package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipCommand;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each field of each message at its extremes, one at a time, sent to a real node by a hand-made one: what is out of
 * bounds closes the connection and changes nothing; what is in bounds may be relayed, counted up, stored and read again,
 * and no other node refuses what this one says afterwards.
 */
@Timeout(120) // A number that makes a loop endless ends the run, not the build.
class WireBoundsTest {
    private static final NodeId A = WireNet.A;
    private static final NodeId B = WireNet.B;
    private static final NodeId C = WireNet.C;
    private static final long SECOND = WireNet.SECOND;
    private static final ProtocolConfig CONFIG = WireNet.CONFIG;

    private final WireNet net = new WireNet();
    private final WireNet.Node a = net.node(A);
    private final WireNet.Node c = net.node(C);
    private final NodeIdentity b = new NodeIdentity(B, 1, 2, 3, "b:1", "site");

    private void meet() {
        a.inputs.add(new Input.LinkUp(c.membership.self()));
        c.inputs.add(new Input.LinkUp(a.membership.self()));
        a.inputs.add(new Input.LinkUp(b));
        fromB(header(1), -1, -1, new byte[0]);
        net.run(SECOND);
        a.inputs.add(new Input.Command(
                OutboxProtocol.CHANNEL,
                new OutboxCommand.PutAll(List.of(
                        new OutboxCommand.Put("queue", 1, Slice.utf8("x"), "put"),
                        new OutboxCommand.Put("other", 0, Slice.utf8("x"), "put")))));
        net.run(SECOND);
        assertThat(a.refusals).isEmpty();
    }

    private static byte[] header(long number) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, number, 1, 0, true, true, 30_000).write(out);
        return out.toArray();
    }

    private void fromB(byte[] header, int channel, int type, byte[] body) {
        BinWriter frame = new BinWriter().raw(header, 0, header.length);
        if (channel > 0) {
            frame.u8(channel).u8(type).bytes(Slice.of(body));
        }
        a.inputs.add(new Input.Frame(b, frame.toArray()));
    }

    private void check(String what, boolean taken) {
        a.turnIfDue();
        if (taken) {
            assertThat(a.refusals).as(what).isEmpty();
        } else {
            assertThat(a.refusals).as(what).hasSize(1);
            assertThat(a.refusals.get(0)).as(what).startsWith("b: malformed");
        }
        a.refusals.clear();
        if (taken) {
            live(what);
        } else {
            net.run(SECOND);
            assertTaken(c.refusals, "what a said after " + what);
        }
    }

    /** Who was told that all its processes are removed, also those to come, is refused for that and for nothing else. */
    private static void assertTaken(List<String> refusals, String what) {
        if (what.contains("own line, removed below")) {
            assertThat(refusals).as(what).allMatch(refusal -> refusal.contains("was removed by an operator"));
        } else {
            assertThat(refusals).as(what).isEmpty();
        }
    }

    /** B is silent and given up, operators count up what can be counted up, and everybody starts anew. */
    private void live(String what) {
        net.run(3 * SECOND);
        for (boolean on : new boolean[] {true, false}) {
            command(new MembershipCommand.Drain(A, on));
            command(new MembershipCommand.Drain(B, on));
            command(new MembershipCommand.Drain(NodeId.of("d"), on));
            net.run(SECOND);
        }
        net.run(CONFIG.failoverAfter().toNanos() + 2 * SECOND);
        command(new MembershipCommand.Remove(NodeId.of("d")));
        net.run(SECOND);
        net.cut = true;
        net.run(SECOND);
        a.reboot();
        c.reboot();
        net.cut = false;
        a.inputs.add(new Input.LinkUp(c.membership.self()));
        c.inputs.add(new Input.LinkUp(a.membership.self()));
        command(new MembershipCommand.Leave(Duration.ofDays(3650)));
        net.run(5 * SECOND);
        assertTaken(c.refusals, "what a said after " + what);
        assertThat(a.refusals).as("what c said after " + what).isEmpty();
    }

    private void command(MembershipCommand command) {
        a.inputs.add(new Input.Command(Membership.CHANNEL, command));
    }

    static Stream<WireFields.Message> messages() {
        return WireFields.messages().stream();
    }

    static Stream<WireFields.Message> header() {
        return Stream.of(WireFields.HEADER, WireFields.CLUSTER_HEADER);
    }

    @ParameterizedTest
    @MethodSource("header")
    void everyNumberOfTheHeaderHasItsBound(WireFields.Message header) {
        for (WireFields.Field field : header.fields()) {
            for (WireFields.Probe probe : field.probes()) {
                WireBoundsTest fresh = new WireBoundsTest();
                fresh.meet();
                fresh.fromB(header.with(probe), -1, -1, new byte[0]);
                fresh.check(header.name() + ", " + field.name() + " " + probe.value(), probe.taken());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void everyFieldOfEveryMessageHasItsBound(WireFields.Message message) {
        for (WireFields.Field field : message.fields()) {
            for (WireFields.Probe probe : field.probes()) {
                WireBoundsTest fresh = new WireBoundsTest();
                fresh.meet();
                fresh.fromB(header(2), message.channel(), message.type(), message.with(probe));
                String value = String.valueOf(probe.value());
                fresh.check(
                        message.name() + ", " + field.name() + " " + value.substring(0, Math.min(40, value.length())),
                        probe.taken());
            }
        }
    }

    /** Nothing may follow the last field, and nothing may be missing. */
    @ParameterizedTest
    @MethodSource("messages")
    void everyMessageEndsWhereItsFieldsEnd(WireFields.Message message) {
        byte[] usual = message.usual();
        for (int length = 0; length <= usual.length + 1; length++) {
            WireBoundsTest fresh = new WireBoundsTest();
            fresh.meet();
            byte[] body = java.util.Arrays.copyOf(usual, length);
            fresh.fromB(header(2), message.channel(), message.type(), body);
            fresh.check(message.name() + " of " + length + " bytes", length == usual.length);
        }
    }
}
