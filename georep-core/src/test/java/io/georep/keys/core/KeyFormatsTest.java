package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of key spaces, and how two nodes compare what they have. */
class KeyFormatsTest extends KeyFixture {
    private void ask(int level, int part, long sum, long... hashes) {
        BinWriter out = start(1).i64(1).varint(1);
        new KeyMessages.Part(level, part, sum, hashes).write(out);
        message(B, KeyMessages.ASK, out);
    }

    @Test
    void whoHasTheSameAnswersNothing() {
        records(B, "k", 5, "v");
        step();
        StoredKey record = node.context().table.find("s", "k".getBytes());
        ask(0, 0, record.hash());
        ask(HashTree.LEVELS, record.leaf(), record.hash());

        for (TestTurn.Sent answer : turn.sent(B, KeyMessages.TELL)) {
            assertThat(hex(answer.body())).isEqualTo("05" + "0000000000000001" + "000000");
        }
        assertThat(turn.sent(B, KeyMessages.TELL)).hasSize(2);
    }

    @Test
    void anAnswerHasWhatTheOtherOneDidNotName() {
        records(B, "k", 5, "v");
        step();
        StoredKey record = node.context().table.find("s", "k".getBytes());
        ask(HashTree.LEVELS, record.leaf(), 77, 88);
        assertThat(told().records()).hasSize(1);

        ask(HashTree.LEVELS, record.leaf(), 77, record.hash());
        assertThat(told().records()).as("b has it, and something else").isEmpty();

        ask(0, 0, 77);
        assertThat(told().sums()[record.leaf() >> 12]).isEqualTo(record.hash());
    }

    private record Told(long[] sums, List<KeyRecord> records) {}

    private Told told() {
        BinReader in = lastSent(B, KeyMessages.TELL);
        in.i64();
        long[] sums = in.varint() == 0 ? new long[0] : KeyMessages.Sums.read(in).children();
        in.varint();
        return new Told(sums, KeyMessages.readRecords(in));
    }

    @Test
    void formatsOnTheWireAreThese() {
        KeyTable table = node.context().table;
        turn.forget();
        records(B, "k", 300, "v");
        StoredKey record = table.find("s", "k".getBytes());
        assertThat(HexFormat.of().toHexDigits(record.keyHash)).isEqualTo("d5b29c43d6f7aee6");
        assertThat(HexFormat.of().toHexDigits(record.hash())).isEqualTo("882c7486fee065ee");
        assertThat(HexFormat.of().toHexDigits(KeyHash.ofName("node-1"))).isEqualTo("94a9d40986da123d");
        String head = "ac02";
        String bytes = "0173016bac0201620000000000000007010176";

        assertThat(hex(KeyMessages.put(table, 5, true, List.of(record), turn.now()))).isEqualTo(head + "050101" + bytes);
        assertThat(hex(KeyMessages.ack(table, 5, KeyMessages.OUTDATED))).isEqualTo(head + "0501");
        assertThat(hex(KeyMessages.records(KeyMessages.start(table), List.of(record), turn.now())))
                .isEqualTo(head + "01" + bytes);
        BinWriter part = new BinWriter();
        new KeyMessages.Part(HashTree.LEVELS, 300, 1, new long[] {2}).write(part);
        new KeyMessages.Part(0, 0, 3, new long[0]).write(part);
        assertThat(hex(part.toSlice()))
                .isEqualTo("04ac02000000000000000101" + "0000000000000002" + "0000" + "0000000000000003");
        BinWriter sums = new BinWriter();
        new KeyMessages.Sums(1, 2, new long[HashTree.CHILDREN]).write(sums);
        assertThat(hex(sums.toSlice())).isEqualTo("0102" + "0".repeat(256));
        records(B, "k", 301, null);
        turn.advance(KEPT.minusMillis(300));
        assertThat(hex(KeyMessages.records(new BinWriter(), List.of(record), turn.now())))
                .isEqualTo("01" + "0173016bad0201620000000000000007" + "00ac02");
    }

    @Test
    void whatGoesOnAfterItsEndIsMalformedAndChangesNothing() {
        long clock = node.context().table.clock();
        for (int type = KeyMessages.PUT; type <= KeyMessages.TELL; type++) {
            int each = type;
            BinWriter out = start(900);
            switch (type) {
                case KeyMessages.PUT -> out.varint(1).u8(0).varint(0);
                case KeyMessages.ACK -> out.varint(1).u8(0);
                case KeyMessages.RECORDS -> out.varint(0);
                case KeyMessages.ASK -> out.i64(1).varint(0);
                default -> out.i64(1).varint(0).varint(0).varint(0);
            }
            assertThatThrownBy(() -> message(B, each, out.u8(0)))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("1 bytes after the end");
        }
        assertThat(node.knows(KeyMessages.TELL + 1)).isFalse();

        assertThat(node.context().table.clock()).isEqualTo(clock);
    }

    @Test
    void namesThatAreNotTextAreMalformed() {
        BinWriter out = start(5).varint(1).bytes(Slice.of(new byte[] {(byte) 0xff, (byte) 0xfe}));
        out.bytes(Slice.utf8("k")).varint(5).node(B).i64(7).u8(0).raw(new byte[16], 0, 16);

        assertThatThrownBy(() -> message(B, KeyMessages.RECORDS, out))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("not UTF-8");
    }

    @Test
    void aComparisonAsksForTheRootFirst() {
        turn.forget();
        node.onPeerReachable(peers.peer(B), turn);
        BinReader in = lastSent(B, KeyMessages.ASK);
        in.i64();

        assertThat(hex(in.raw(in.remaining()))).isEqualTo("01" + "0000" + "0000000000000000");
    }
}
