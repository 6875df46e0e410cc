package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Key spaces of node a, whose peers b and c are what a test says. */
class KeyProtocolTest {
    private static final NodeId A = NodeId.of("a");
    private static final NodeId B = NodeId.of("b");
    private static final NodeId C = NodeId.of("c");
    private static final KeyCommand.Space LOCAL = new KeyCommand.Space("s", false);
    private static final KeyCommand.Space REPLICATED = new KeyCommand.Space("s", true);

    private TestTurn turn = new TestTurn();
    private final HandMadePeers peers = new HandMadePeers(A);
    private KeyProtocol node = boot();

    private KeyProtocol boot() {
        peers.peer(B);
        peers.peer(C);
        KeyProtocol booted =
                new KeyProtocol(KeySpaceSettings.defaults().selection(PeerSelection.fixed(List.of(B, C))), peers);
        booted.boot(turn.disk(), turn);
        step(booted);
        return booted;
    }

    private void reboot() {
        turn = turn.nextBoot(Duration.ofSeconds(1));
        node = boot();
    }

    private void step(KeyProtocol stepped) {
        stepped.endOfTurn(turn);
        turn.completeStore();
        stepped.endOfTurn(turn);
    }

    private void step() {
        step(node);
    }

    private void write(KeyCommand.Space space, int f, String key, String value) {
        KeyBatch batch = new KeyBatch();
        if (value == null) {
            batch.delete(key.getBytes());
        } else {
            batch.put(key.getBytes(), value.getBytes());
        }
        node.onCommand(new KeyCommand.Write(space, f, batch, "write " + key + " " + value), turn);
    }

    private String value(String key) {
        StoredKey record = node.context().table.find("s", key.getBytes());
        return record == null ? "nothing" : record.value == null ? "deleted" : new String(record.value);
    }

    private void message(NodeId from, int type, BinWriter body) {
        node.onMessage(peers.peer(from), type, new BinReader(body.toSlice()), turn);
    }

    private static BinWriter start(long clock, long forgotten) {
        return new BinWriter().varint(clock).varint(forgotten);
    }

    private static void record(BinWriter out, String key, long epoch, NodeId writer, String value) {
        out.text("s").bytes(Slice.utf8(key)).varint(epoch).node(writer).i64(7).u8(value == null ? 0 : 1);
        if (value != null) {
            out.bytes(Slice.utf8(value));
        }
    }

    private void records(NodeId from, long forgotten, String key, long epoch, String value) {
        BinWriter out = start(epoch, forgotten).varint(1);
        record(out, key, epoch, from, value);
        message(from, KeyMessages.RECORDS, out);
    }

    private void put(boolean isFinal, long... epochs) {
        BinWriter out = start(1, 0).varint(5).u8(isFinal ? 1 : 0).varint(epochs.length);
        for (int i = 0; i < epochs.length; i++) {
            record(out, "k" + i, epochs[i], B, "of b");
        }
        message(B, KeyMessages.PUT, out);
    }

    private int lastStatus() {
        List<TestTurn.Sent> acks = turn.sent(B, KeyMessages.ACK);
        BinReader in = new BinReader(acks.get(acks.size() - 1).body());
        KeyMessages.Head.read(in);
        return KeyMessages.Ack.read(in).status();
    }

    private void acknowledge(NodeId from, long request, int status, long clock) {
        message(from, KeyMessages.ACK, start(clock, 0).varint(request).u8(status));
    }

    private List<Object> done() {
        return turn.events(KeyEvent.Done.class).stream()
                .flatMap(done -> done.tokens().stream())
                .toList();
    }

    private BinReader lastSent(NodeId to, int type) {
        List<TestTurn.Sent> sent = turn.sent(to, type);
        assertThat(sent).isNotEmpty();
        BinReader in = new BinReader(sent.get(sent.size() - 1).body());
        KeyMessages.Head.read(in);
        return in;
    }

    // --- durable before anybody hears of it

    @Test
    void aWriteIsAnsweredWhenItIsDurableHereAndConfirmedThere() {
        write(REPLICATED, 1, "k", "v");
        node.endOfTurn(turn);
        assertThat(turn.sent(B, KeyMessages.PUT)).hasSize(1);
        assertThat(turn.sent(C, KeyMessages.PUT)).isEmpty();
        acknowledge(B, 1, KeyMessages.STORED, 1);
        assertThat(done()).as("not durable here").isEmpty();
        turn.completeStore();
        assertThat(done()).containsExactly("write k v");

        write(REPLICATED, 1, "k", "w");
        step();
        assertThat(done()).as("not confirmed").hasSize(1);
        acknowledge(B, 2, KeyMessages.STORED, 1);
        assertThat(done()).hasSize(2);
    }

    @Test
    void aLocalWriteIsAnsweredWhenItIsDurable() {
        write(LOCAL, 0, "k", "v");
        node.endOfTurn(turn);
        assertThat(done()).isEmpty();
        assertThat(turn.store().isDurableRequired()).isTrue();

        turn.completeStore();
        assertThat(done()).containsExactly("write k v");
        assertThat(turn.sent).isEmpty();
    }

    @Test
    void aRecordIsConfirmedWhenItIsDurable() {
        put(false, 3);
        assertThat(turn.sent(B, KeyMessages.ACK)).isEmpty();
        assertThat(turn.store().isDurableRequired()).isTrue();

        turn.completeStore();
        assertThat(lastStatus()).isEqualTo(KeyMessages.STORED);
        assertThat(value("k0")).isEqualTo("of b");
    }

    @Test
    void aReadIsAnsweredWhenWhatItSawIsDurable() {
        write(LOCAL, 0, "k", "v");
        node.onCommand(new KeyCommand.Get(LOCAL, "k".getBytes(), "read"), turn);
        assertThat(turn.events(KeyEvent.Value.class)).isEmpty();
        step();
        assertThat(turn.events(KeyEvent.Value.class)).hasSize(1);

        node.onCommand(new KeyCommand.Get(LOCAL, "k".getBytes(), "again"), turn);
        assertThat(turn.events(KeyEvent.Value.class)).as("nothing is under way").hasSize(2);
    }

    // --- versions

    @Test
    void aWriteIsLaterThanEverythingHeardBeforeItAlsoInTheSameTurn() {
        write(REPLICATED, 0, "k", "first");
        records(B, 0, "k", 50, "of b");
        write(REPLICATED, 0, "k", "second");
        step();

        assertThat(value("k")).isEqualTo("second");
        assertThat(node.context().table.find("s", "k".getBytes()).version.epoch())
                .isGreaterThan(50);
    }

    @Test
    void versionsAreRaisedAboveWhatAConfirmingNodeHas() {
        write(REPLICATED, 1, "k", "mine");
        step();
        acknowledge(B, 1, KeyMessages.OUTDATED, 90);
        step();

        BinReader again = lastSent(B, KeyMessages.PUT);
        KeyMessages.Put put = KeyMessages.Put.read(again);
        assertThat(put.request()).isEqualTo(2);
        assertThat(put.records().get(0).version().epoch()).isGreaterThan(90);
        assertThat(done()).isEmpty();
        acknowledge(B, 1, KeyMessages.STORED, 90);
        assertThat(done()).as("that was for the first request").isEmpty();
        acknowledge(B, 2, KeyMessages.STORED, 90);
        assertThat(done()).hasSize(1);
    }

    @Test
    void aWriteOvertakenByNewsIsRaisedBeforeItIsAnswered() {
        write(REPLICATED, 1, "k", "mine");
        step();
        records(C, 0, "k", 90, "old news");
        acknowledge(B, 1, KeyMessages.STORED, 1);
        step();

        assertThat(done()).isEmpty();
        assertThat(value("k")).isEqualTo("mine");
        acknowledge(B, 2, KeyMessages.STORED, 1);
        assertThat(done()).hasSize(1);
    }

    @Test
    void anEarlierWriteIsNotRaisedAboveALaterOneOfTheSameNode() {
        write(REPLICATED, 1, "k", "first");
        step();
        write(REPLICATED, 1, "k", "second");
        step();
        records(C, 0, "k", 90, "of c");
        acknowledge(B, 1, KeyMessages.OUTDATED, 90);
        step();
        acknowledge(B, 2, KeyMessages.OUTDATED, 90);
        step();

        assertThat(value("k")).isEqualTo("second");
    }

    @Test
    void rivalsDoNotRaiseEachOtherForEver() {
        write(REPLICATED, 1, "k", "mine");
        step();
        for (int request = 1; request <= 3; request++) {
            assertThat(KeyMessages.Put.read(lastSent(B, KeyMessages.PUT)).isFinal())
                    .isFalse();
            acknowledge(B, request, KeyMessages.OUTDATED, 100L * request);
            step();
        }
        assertThat(KeyMessages.Put.read(lastSent(B, KeyMessages.PUT)).isFinal()).isTrue();

        records(C, 0, "k", 900, "of c");
        acknowledge(B, 4, KeyMessages.STORED, 900);

        assertThat(done()).hasSize(1);
        assertThat(value("k")).isEqualTo("of c");
    }

    @Test
    void ofABatchWithSomethingOutdatedNothingIsTaken() {
        records(C, 0, "k1", 40, "of c");
        step();
        put(false, 3, 3);
        step();
        assertThat(lastStatus()).isEqualTo(KeyMessages.OUTDATED);
        assertThat(value("k0")).isEqualTo("nothing");

        put(true, 3, 3);
        step();
        assertThat(lastStatus()).isEqualTo(KeyMessages.STORED);
        assertThat(value("k0")).isEqualTo("of b");
        assertThat(value("k1")).isEqualTo("of c");
    }

    @Test
    void aLaterWriteOfTheSameWriterConfirmsTheEarlierOne() {
        put(false, 9);
        put(false, 8);
        step();

        assertThat(lastStatus()).isEqualTo(KeyMessages.STORED);
    }

    @Test
    void aFullStoreConfirmsNothingAndAnotherNodeIsAsked() {
        node.onStoreState(StoreState.FULL, turn);
        put(false, 3);
        step();
        assertThat(lastStatus()).isEqualTo(KeyMessages.REFUSED);
        assertThat(value("k0")).isEqualTo("nothing");
        node.onStoreState(StoreState.READY, turn);

        write(REPLICATED, 1, "k", "v");
        step();
        acknowledge(B, 1, KeyMessages.REFUSED, 1);
        peers.peer(B).linked = false;
        turn.advance(Duration.ofSeconds(1));
        node.onTimer(turn);
        assertThat(turn.sent(C, KeyMessages.PUT)).hasSize(1);
        acknowledge(C, 1, KeyMessages.STORED, 1);
        assertThat(done()).hasSize(1);
    }

    @Test
    void anotherBootHasOtherVersionsOfTheSameEpoch() {
        write(REPLICATED, 0, "k", "v");
        node.endOfTurn(turn);
        KeyVersion lost = node.context().table.find("s", "k".getBytes()).version;
        // Not durable: the next boot does not know of it.
        reboot();
        write(REPLICATED, 0, "k", "w");
        step();

        KeyVersion version = node.context().table.find("s", "k".getBytes()).version;
        assertThat(version.epoch()).isEqualTo(lost.epoch());
        assertThat(version.boot()).isNotEqualTo(lost.boot());
    }

    // --- deletions

    private BinWriter confirm(long number, NodeId... members) {
        long hash = 0;
        for (NodeId member : members) {
            hash ^= KeyHash.ofName(member.value());
        }
        StoredKey record = node.context().table.find("s", "k".getBytes());
        BinWriter out = start(number, 0).varint(number).i64(hash).varint(1);
        new KeyMessages.Deletion(record.leaf(), record.hash()).write(out);
        return out;
    }

    @Test
    void aDeletionIsConfirmedOnDiskAndAmongTheSameMembersOnly() {
        records(B, 0, "k", 5, null);
        step();

        message(B, KeyMessages.CONFIRM, confirm(9, A, B));
        step();
        BinReader in = lastSent(B, KeyMessages.CONFIRMED);
        assertThat(in.varint()).isEqualTo(9);
        assertThat(KeyMessages.readDeletions(in)).as("c is not asked").isEmpty();

        message(B, KeyMessages.CONFIRM, confirm(10, A, B, C));
        assertThat(turn.sent(B, KeyMessages.CONFIRMED)).as("not durable").hasSize(1);
        step();
        in = lastSent(B, KeyMessages.CONFIRMED);
        assertThat(in.varint()).isEqualTo(10);
        assertThat(KeyMessages.readDeletions(in)).hasSize(1);
    }

    @Test
    void deletionsAreForgottenWhenAllHaveConfirmedThem() {
        write(REPLICATED, 0, "k", null);
        step();
        turn.advance(Duration.ofSeconds(11));
        node.onTimer(turn);
        assertThat(turn.sent(B, KeyMessages.CONFIRM)).as("not durable").isEmpty();
        step();
        BinReader asked = lastSent(B, KeyMessages.CONFIRM);
        long number = asked.varint();
        asked.i64();
        KeyMessages.Deletion deletion = KeyMessages.readDeletions(asked).get(0);

        confirmed(B, number, deletion);
        step();
        assertThat(value("k")).isEqualTo("deleted");
        confirmed(C, number, deletion);
        step();

        assertThat(value("k")).isEqualTo("nothing");
        assertThat(lastSent(B, KeyMessages.FORGET).varint()).isEqualTo(number);
        assertThat(node.context().table.forgotten()).isEqualTo(number);
        reboot();
        assertThat(value("k")).isEqualTo("nothing");
        assertThat(node.context().table.forgotten()).isEqualTo(number);
    }

    private void confirmed(NodeId from, long number, KeyMessages.Deletion... deletions) {
        message(from, KeyMessages.CONFIRMED, deletions(start(number, 0).varint(number), deletions));
    }

    private static BinWriter deletions(BinWriter out, KeyMessages.Deletion... deletions) {
        out.varint(deletions.length);
        for (KeyMessages.Deletion deletion : deletions) {
            deletion.write(out);
        }
        return out;
    }

    @Test
    void onlyTheMemberWithTheSmallestNameAsksAndOnlyWhenAllAreInReach() {
        write(REPLICATED, 0, "k", null);
        step();
        peers.peer(C).linked = false;
        turn.advance(Duration.ofSeconds(11));
        node.onTimer(turn);
        step();
        assertThat(turn.sent(B, KeyMessages.CONFIRM)).isEmpty();

        peers.peer(C).removed = true;
        turn.advance(Duration.ofSeconds(11));
        node.onTimer(turn);
        step();
        assertThat(turn.sent(B, KeyMessages.CONFIRM)).as("c is no member").hasSize(1);
    }

    @Test
    void whoMissedThatDeletionsWereForgottenGivesUpWhatIsOld() {
        write(REPLICATED, 0, "old", "v");
        step();
        reboot();
        write(REPLICATED, 0, "new", "v");
        step();

        records(B, 70, "other", 71, "of b");
        step();

        assertThat(value("old")).isEqualTo("nothing");
        assertThat(value("new")).isEqualTo("v");
        assertThat(value("other")).isEqualTo("of b");
        KeyAudit.check(node);
        reboot();
        assertThat(value("old")).isEqualTo("nothing");
    }

    @Test
    void whoConfirmedThemKeepsWhatIsOld() {
        write(REPLICATED, 0, "old", "v");
        records(B, 0, "k", 5, null);
        step();
        message(B, KeyMessages.CONFIRM, confirm(10, A, B, C));
        step();
        reboot();

        records(C, 10, "other", 71, "of c");
        step();

        assertThat(value("old")).isEqualTo("v");
    }

    @Test
    void whatMayHaveBeenForgottenIsNotTakenFromWhoDoesNotKnow() {
        records(B, 70, "k", 71, "of b");
        records(C, 0, "late", 60, "of c");
        records(C, 70, "known", 61, "of c");
        put(false, 3);
        step();

        assertThat(value("late")).isEqualTo("nothing");
        assertThat(value("known")).isEqualTo("of c");
        assertThat(lastStatus()).as("of an earlier epoch than what was forgotten").isEqualTo(KeyMessages.OUTDATED);
    }

    // --- bytes

    private static String hex(Slice bytes) {
        return HexFormat.of().formatHex(bytes.toArray());
    }

    @Test
    void formatsInTheStoreAreThese() {
        KeyVersion version = new KeyVersion(300, B, 7);

        assertThat(hex(Slice.of(KeyLayout.local("s", "key".getBytes())))).isEqualTo("034c01736b6579");
        assertThat(hex(Slice.of(KeyLayout.replicated("s", "key".getBytes())))).isEqualTo("035201736b6579");
        assertThat(hex(Slice.of(KeyLayout.terms()))).isEqualTo("0354");
        assertThat(hex(KeyLayout.content(version, "v".getBytes()))).isEqualTo("ac02016200000000000000070176");
        assertThat(hex(KeyLayout.content(version, null))).isEqualTo("ac020162000000000000000700");
    }

    @Test
    void formatsOnTheWireAreThese() {
        KeyTable table = node.context().table;
        turn.forget();
        records(B, 2, "k", 300, "v");
        StoredKey record = table.find("s", "k".getBytes());
        assertThat(HexFormat.of().toHexDigits(record.keyHash)).isEqualTo("d5b29c43d6f7aee6");
        assertThat(HexFormat.of().toHexDigits(record.hash())).isEqualTo("882c7486fee065ee");
        assertThat(HexFormat.of().toHexDigits(KeyHash.ofName("node-1"))).isEqualTo("94a9d40986da123d");
        String head = "ac0202";
        String bytes = "0173016bac0201620000000000000007010176";

        assertThat(hex(KeyMessages.put(table, 5, true, List.of(record)))).isEqualTo(head + "050101" + bytes);
        assertThat(hex(KeyMessages.ack(table, 5, KeyMessages.OUTDATED))).isEqualTo(head + "0501");
        assertThat(hex(KeyMessages.records(KeyMessages.start(table), List.of(record))))
                .isEqualTo(head + "01" + bytes);
        BinWriter part = new BinWriter();
        new KeyMessages.Part(HashTree.LEVELS, 300, 1, new long[] {2}).write(part);
        new KeyMessages.Part(0, 0, 3, new long[0]).write(part);
        assertThat(hex(part.toSlice()))
                .isEqualTo("04ac02000000000000000101" + "0000000000000002" + "0000" + "0000000000000003");
        BinWriter sums = new BinWriter();
        new KeyMessages.Sums(1, 2, new long[HashTree.CHILDREN]).write(sums);
        assertThat(hex(sums.toSlice())).isEqualTo("0102" + "0".repeat(256));
        assertThat(hex(KeyMessages.deletions(new BinWriter(), List.of(new KeyMessages.Deletion(300, 9)))))
                .isEqualTo("01ac020000000000000009");
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
