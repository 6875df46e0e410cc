package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Key spaces of node a, whose peers b and c are what a test says. */
abstract class KeyFixture {
    private static final Channels KEYS = Channels.of(Map.of(1, 1, 2, 1, KeyProtocol.CHANNEL, KeyProtocol.VERSION));
    static final NodeId A = NodeId.of("a");
    static final NodeId B = NodeId.of("b");
    static final NodeId C = NodeId.of("c");
    static final Duration KEPT = KeySpaceSettings.defaults().deletionsKept();
    static final KeyCommand.Space LOCAL = new KeyCommand.Space("s", false);
    static final KeyCommand.Space REPLICATED = new KeyCommand.Space("s", true);

    TestTurn turn = new TestTurn();
    final HandMadePeers peers = new HandMadePeers(A);
    KeyProtocol node = boot();

    KeyProtocol boot() {
        return boot(KeySpaceSettings.defaults());
    }

    KeyProtocol boot(KeySpaceSettings settings) {
        peers.peer(B).channels = KEYS;
        peers.peer(C).channels = KEYS;
        KeyProtocol booted = new KeyProtocol(settings.selection(PeerSelection.fixed(List.of(B, C))), peers);
        booted.boot(turn.disk(), turn);
        step(booted);
        return booted;
    }

    void reboot() {
        turn = turn.nextBoot(Duration.ofSeconds(1));
        node = boot();
    }

    void step(KeyProtocol stepped) {
        stepped.endOfTurn(turn);
        turn.completeStore();
        stepped.endOfTurn(turn);
    }

    void step() {
        step(node);
    }

    void write(KeyCommand.Space space, int f, String key, String value) {
        KeyBatch batch = new KeyBatch();
        if (value == null) {
            batch.delete(key.getBytes());
        } else {
            batch.put(key.getBytes(), value.getBytes());
        }
        node.onCommand(new KeyCommand.Write(space, f, batch, "write " + key + " " + value), turn);
    }

    String value(String key) {
        StoredKey record = node.context().table.find("s", key.getBytes());
        return record == null ? "nothing" : record.value == null ? "deleted" : new String(record.value);
    }

    void message(NodeId from, int type, BinWriter body) {
        node.onMessage(peers.peer(from), type, new BinReader(body.toSlice()), turn);
    }

    static BinWriter start(long clock) {
        return new BinWriter().varint(clock);
    }

    static void record(BinWriter out, String key, long epoch, NodeId writer, String value) {
        if (value == null) {
            mark(out, key, epoch, writer, KEPT.toMillis());
        } else {
            out.text("s")
                    .bytes(Slice.utf8(key))
                    .varint(epoch)
                    .node(writer)
                    .i64(7)
                    .u8(1);
            out.bytes(Slice.utf8(value));
        }
    }

    /** A mark of a deletion as another node tells it, with what is left of its time. */
    static void mark(BinWriter out, String key, long epoch, NodeId writer, long leftMillis) {
        out.text("s")
                .bytes(Slice.utf8(key))
                .varint(epoch)
                .node(writer)
                .i64(7)
                .u8(0)
                .varint(leftMillis);
    }

    void records(NodeId from, String key, long epoch, String value) {
        BinWriter out = start(epoch).varint(1);
        record(out, key, epoch, from, value);
        message(from, KeyMessages.RECORDS, out);
    }

    void put(boolean isFinal, long... epochs) {
        BinWriter out = start(1).varint(5).u8(isFinal ? 1 : 0).varint(epochs.length);
        for (int i = 0; i < epochs.length; i++) {
            record(out, "k" + i, epochs[i], B, "of b");
        }
        message(B, KeyMessages.PUT, out);
    }

    int lastStatus() {
        List<TestTurn.Sent> acks = turn.sent(B, KeyMessages.ACK);
        BinReader in = new BinReader(acks.get(acks.size() - 1).body());
        KeyMessages.Head.read(in);
        return KeyMessages.Ack.read(in).status();
    }

    void acknowledge(NodeId from, long request, int status, long clock) {
        message(
                from,
                KeyMessages.ACK,
                start(clock).varint(firstRequest(node) + request - 1).u8(status));
    }

    /** The number of the first request of a boot. */
    static long firstRequest(KeyProtocol booted) {
        long boot = booted.context().table.absent("s", new byte[] {1}).version.boot();
        return ((boot & 0xffff_ffffL) << 24) + 1;
    }

    List<Object> done() {
        return turn.events(KeyEvent.Done.class).stream()
                .flatMap(done -> done.tokens().stream())
                .toList();
    }

    BinReader lastSent(NodeId to, int type) {
        List<TestTurn.Sent> sent = turn.sent(to, type);
        assertThat(sent).isNotEmpty();
        BinReader in = new BinReader(sent.get(sent.size() - 1).body());
        KeyMessages.Head.read(in);
        return in;
    }

    static String hex(Slice bytes) {
        return HexFormat.of().formatHex(bytes.toArray());
    }
}
