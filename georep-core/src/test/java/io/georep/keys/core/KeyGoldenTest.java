package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of key spaces: each type of message as a node sends it, each record as it stores it. */
class KeyGoldenTest extends GoldenFormats {
    /** Version of keys and records: that of the store's directory. */
    private static final int STORE = 1;

    @Override
    protected String file() {
        return "keys";
    }

    @Override
    protected List<Format> formats() {
        return new Life().formats();
    }

    /** A node that writes, is written to, compares, and deletes. */
    private static final class Life extends KeyFixture {
        private static final String FIRST = "KeyVersion[epoch=1, node=a, boot=8180420978]";
        private static final String SECOND = "KeyVersion[epoch=301, node=a, boot=8180420978]";

        private final List<Format> formats = new ArrayList<>();

        List<Format> formats() {
            write(LOCAL, 0, "local", "here");
            write(REPLICATED, 1, "k", "v");
            step();
            sent(KeyMessages.PUT, "PUT", "Head[clock=1] request 65187095680909313, final 0, [s k " + FIRST + "=v]");
            stored("local record", 'L', "clock 0, k none, other none, local here");
            stored("replicated record", 'R', "clock 1, k " + FIRST + "=v, other none, local none");
            acknowledge(B, 1, KeyMessages.STORED, 1);
            step();
            put(false, 5);
            step();
            sent(KeyMessages.ACK, "ACK", "Head[clock=5] Ack[request=5, status=0]");
            compare();
            delete();
            return formats;
        }

        private void compare() {
            records(B, "other", 300, "w");
            step();
            node.onPeerReachable(peers.peer(B), turn);
            step();
            sent(
                    KeyMessages.ASK,
                    "ASK",
                    "Head[clock=300] number 872887159335852604, parts [0/0 -3632313713991317975[]]");
            BinWriter root = start(1).i64(9).varint(2);
            new KeyMessages.Part(0, 0, 77, new long[0]).write(root);
            int leaf = node.context().table.find("s", "k".getBytes()).leaf();
            new KeyMessages.Part(HashTree.LEVELS, leaf, 77, new long[] {1}).write(root);
            message(B, KeyMessages.ASK, root);
            step();
            sent(
                    KeyMessages.TELL,
                    "TELL",
                    "Head[clock=300] number 9, sums [0/0 [0, -4950226071495378431, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
                            + " 0, 5803852231542187415, 0, 2761061349626304959]], cut 0, [s k " + FIRST + "=v]");
        }

        private void delete() {
            write(REPLICATED, 0, "k", null);
            step();
            stored("deleted record", 'R', "clock 301, k " + SECOND + "=deleted, other none, local none");
            turn.advance(Duration.ofSeconds(11));
            node.onTimer(turn);
            step();
            sent(KeyMessages.RECORDS, "RECORDS", "Head[clock=301] [s k " + SECOND + "=deleted for 86389000 ms]");
            turn.advance(KEPT);
            node.onTimer(turn);
            step();
            stored("clock", 'T', "clock 301, k none, other none, local none");
        }

        private void sent(int type, String name, String value) {
            List<TestTurn.Sent> all =
                    turn.sent.stream().filter(sent -> sent.type() == type).toList();
            Slice body = all.get(all.size() - 1).body();
            formats.add(format(type + " " + name, KeyProtocol.VERSION, body, value, in -> describe(type, in)));
        }

        /** The first record of this kind, with its key. */
        private void stored(String name, char kind, String value) {
            BinWriter pair = new BinWriter();
            turn.disk().scanNow(KeyLayout.first(kind), KeyLayout.behind(kind), (key, content) -> {
                pair.bytes(Slice.of(key)).bytes(content);
                return false;
            });
            formats.add(format(name, STORE, pair.toSlice(), value, KeyGoldenTest::booted));
        }
    }

    private static Object booted(BinReader in) {
        TestTurn turn = new TestTurn();
        turn.store().put(in.bytes().toArray(), in.bytes());
        turn.completeStore();
        KeyFixture fixture = new KeyFixture() {};
        KeyProtocol read = new KeyProtocol(KeySpaceSettings.defaults(), fixture.peers);
        read.boot(turn.disk(), turn);
        StringBuilder text = new StringBuilder("clock " + read.context().table.clock());
        for (String key : List.of("k", "other")) {
            StoredKey record = read.context().table.find("s", key.getBytes());
            text.append(", ").append(key).append(" ").append(record == null ? "none" : describe(record));
        }
        var space = read.context().local.space("s");
        byte[] local = space == null ? null : space.get("local".getBytes());
        return text.append(", local ")
                .append(local == null ? "none" : new String(local))
                .toString();
    }

    private static String describe(StoredKey record) {
        return record.version + "=" + (record.value == null ? "deleted" : new String(record.value));
    }

    private static String describe(KeyRecord record) {
        byte[] value = record.value();
        return record.space() + " " + new String(record.key()) + " " + record.version() + "="
                + (value == null ? "deleted for " + record.leftMillis() + " ms" : new String(value));
    }

    private static String records(BinReader in) {
        return KeyMessages.readRecords(in).stream()
                .map(KeyGoldenTest::describe)
                .toList()
                .toString();
    }

    private static Object describe(int type, BinReader in) {
        String head = KeyMessages.Head.read(in) + " ";
        return head
                + switch (type) {
                    case KeyMessages.PUT -> "request " + in.varint() + ", final " + in.u8() + ", " + records(in);
                    case KeyMessages.ACK -> KeyMessages.Ack.read(in).toString();
                    case KeyMessages.RECORDS -> records(in);
                    case KeyMessages.ASK -> "number " + in.i64() + ", parts " + parts(in);
                    case KeyMessages.TELL ->
                        "number " + in.i64() + ", sums " + sums(in) + ", cut " + in.varint() + ", " + records(in);
                    default -> "type " + type;
                };
    }

    private static String parts(BinReader in) {
        List<String> parts = new ArrayList<>();
        for (long left = in.varint(); left > 0; left--) {
            KeyMessages.Part part = KeyMessages.Part.read(in);
            parts.add(part.level() + "/" + part.part() + " " + part.sum() + Arrays.toString(part.hashes()));
        }
        return parts.toString();
    }

    private static String sums(BinReader in) {
        List<String> sums = new ArrayList<>();
        for (long left = in.varint(); left > 0; left--) {
            KeyMessages.Sums each = KeyMessages.Sums.read(in);
            sums.add(each.level() + "/" + each.part() + " " + Arrays.toString(each.children()));
        }
        return sums.toString();
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        checkTypes(new Life().node);
    }
}
