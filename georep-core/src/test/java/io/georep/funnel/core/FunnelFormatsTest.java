package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.Topology;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Stamp;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages that cannot be read are refused as malformed, and change nothing. */
class FunnelFormatsTest {
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    private final Map<Integer, TestTurn.Sent> sent = new TreeMap<>();

    /** One message of each type that a member takes while the view lasts. */
    private void live() {
        FunnelNodes.Node a = nodes.node("a");
        nodes.grant(view(1, "a", "b", "c"));
        nodes.delivers = message -> {
            sent.putIfAbsent(message.type(), message);
            return true;
        };
        nodes.node("b").isStoreSlow = true;
        a.put("k", "w");
        nodes.run();
        a.read("k", "read");
        nodes.run();
        nodes.node("b").isStoreSlow = false;
        a.write(FunnelCommand.Kind.PUT, "large", "x".repeat(50_000), null, Topology.CHAIN);
        nodes.run();
        for (int lost : new int[] {FunnelMessages.DATA, FunnelMessages.COMMIT}) {
            nodes.delivers = message -> {
                sent.putIfAbsent(message.type(), message);
                return message.type() != lost;
            };
            a.put("lost", "v");
            nodes.run();
            nodes.delivers = message -> {
                sent.putIfAbsent(message.type(), message);
                return true;
            };
            nodes.pass(Duration.ofSeconds(3), view(1, "a", "b", "c"));
        }
    }

    private void deliver(TestTurn.Sent message, Slice body) {
        FunnelNodes.Node to = nodes.all.get(message.to());
        FunnelNodes.Node from = nodes.node(to.id.value().equals("a") ? "b" : "a");
        to.protocol.onMessage(to.peers.peer(from.id), message.type(), new BinReader(body), to.turn);
    }

    /** The golden file has no removal of a key whose time has come. */
    @Test
    void removalNamesTheNewestWriteAndTheEnd() {
        NodeId head = NodeId.of("a");
        Write.Content atEnd = GroupCodec.content(
                Write.EXPIRE,
                FunnelNodes.key("k"),
                null,
                null,
                1L << 42,
                null,
                0,
                new Stamp(300, head),
                new BinWriter(64));
        assertThat(HexFormat.of().formatHex(atEnd.encoded().toArray())).isEqualTo("1503016d6b80808080808001ac020161");
        UncommittedGroup later = GroupCodec.group(1, head, 1, 301, List.of(atEnd.encoded()));
        Write.Content read = GroupCodec.read(later.encoded).get(0).content;
        assertThat(read.lifeMillis()).isEqualTo(1L << 42);
        assertThat(read.expiring()).isEqualTo(new Stamp(300, head));

        Write.Content endless = GroupCodec.content(
                Write.EXPIRE, FunnelNodes.key("k"), null, null, 0, null, 0, new Stamp(300, head), new BinWriter(64));
        UncommittedGroup wrong = GroupCodec.group(1, head, 1, 301, List.of(endless.encoded()));
        assertThatThrownBy(() -> GroupCodec.read(wrong.encoded)).isInstanceOf(MalformedException.class);
    }

    @Test
    void messagesThatEndTooSoonAreMalformed() {
        live();
        assertThat(sent).hasSizeGreaterThanOrEqualTo(11);
        for (TestTurn.Sent message : sent.values()) {
            boolean hasTail = message.type() == FunnelMessages.PART;
            int longest = hasTail ? 10 : message.body().length();
            for (int length = 0; length < longest; length++) {
                Slice part = new Slice(message.body().array(), message.body().offset(), length);
                assertThatThrownBy(() -> deliver(message, part))
                        .as("type " + message.type() + ", " + part.length() + " bytes")
                        .isInstanceOf(MalformedException.class);
            }
        }
        nodes.run();
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void whatGoesOnAfterItsEndIsMalformed() {
        live();
        for (TestTurn.Sent message : sent.values()) {
            if (message.type() != FunnelMessages.PART) {
                Slice longer = new BinWriter().raw(message.body()).u8(0).toSlice();
                assertThatThrownBy(() -> deliver(message, longer))
                        .as("type " + message.type())
                        .isInstanceOf(MalformedException.class);
            }
        }
        nodes.run();
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void countersTooFarAheadAreMalformed() {
        nodes.grant(view(1, "a", "b", "c"));
        FunnelNodes.Node c = nodes.node("c");
        BinWriter report = new BinWriter()
                .varint(1)
                .u8(0)
                .varint(2)
                .varint(9)
                .varint(1L << 40)
                .varint(0)
                .varint(0)
                .varint(0);

        assertThatThrownBy(() -> c.protocol.onMessage(
                        c.peers.peer(nodes.node("a").id),
                        FunnelMessages.REPORT,
                        new BinReader(report.toSlice()),
                        c.turn))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("too far ahead");
    }
}
