package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a key that was deleted is known as deleted, what that counts, and what a deletion of nothing costs. */
class KeyDeletionsTest extends KeyFixture {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private void pass(Duration time) {
        turn.advance(time);
        node.onTimer(turn);
        step();
    }

    private void reboot(Duration down) {
        turn = turn.nextBoot(down);
        node = boot();
    }

    private void mark(NodeId from, String key, long epoch, long leftMillis) {
        BinWriter out = start(epoch).varint(1);
        mark(out, key, epoch, from, leftMillis);
        message(from, KeyMessages.RECORDS, out);
        step();
    }

    /** Else the caller would read it again after its deletion. */
    @Test
    void aDeletionOfAKeyThatComesMeanwhileIsMade() {
        write(REPLICATED, 1, "k", null);
        step();
        records(C, "k", 5, "v");
        step();

        acknowledge(B, 1, KeyMessages.STORED, 1);
        step();
        assertThat(done()).isEmpty();
        assertThat(value("k")).isEqualTo("deleted");

        acknowledge(B, 2, KeyMessages.STORED, 5);
        assertThat(done()).hasSize(1);
    }

    // --- how long

    @Test
    void aDeletionIsKeptForItsTimeAlsoOverARestart() {
        write(REPLICATED, 0, "k", "v");
        write(REPLICATED, 0, "k", null);
        step();
        pass(KEPT.dividedBy(2));
        reboot(KEPT.dividedBy(4));
        pass(KEPT.dividedBy(4).minus(SECOND));
        assertThat(value("k")).isEqualTo("deleted");
        assertThat(node.nextDeadlineNanos()).isLessThanOrEqualTo(turn.now() + SECOND.toNanos());

        pass(SECOND);

        assertThat(value("k")).isEqualTo("nothing");
        KeyAudit.check(node);
        reboot();
        assertThat(value("k")).isEqualTo("nothing");
    }

    @Test
    void oneThatEndedWhileTheNodeWasDownIsDroppedAtOnce() {
        write(REPLICATED, 0, "k", "v");
        write(REPLICATED, 0, "k", null);
        step();
        reboot(KEPT);

        node.onTimer(turn);

        assertThat(value("k")).isEqualTo("nothing");
    }

    @Test
    void aClockThatWasSetBackKeepsNoDeletionForLonger() {
        write(REPLICATED, 0, "k", "v");
        write(REPLICATED, 0, "k", null);
        step();
        reboot(KEPT.multipliedBy(-10));

        pass(KEPT);

        assertThat(value("k")).isEqualTo("nothing");
    }

    @Test
    void theClockOfKeysOutlivesDroppedDeletions() {
        records(B, "k", 70, "v");
        mark(B, "k", 71, KEPT.toMillis());
        pass(KEPT);
        assertThat(value("k")).isEqualTo("nothing");

        reboot();
        write(REPLICATED, 0, "k", "new");
        step();

        assertThat(node.context().table.find("s", "k".getBytes()).version.epoch())
                .as("later than what some node may still have")
                .isGreaterThan(71);
    }

    @Test
    void aDeletionEndsWhenItsTimeOnTheOtherNodeIsOverButNeverKeepsLongerThanHere() {
        mark(B, "short", 5, 3000);
        mark(B, "long", 6, KEPT.multipliedBy(9).toMillis());
        pass(SECOND.multipliedBy(2));
        assertThat(value("short")).isEqualTo("deleted");
        pass(SECOND);
        assertThat(value("short")).isEqualTo("nothing");
        assertThat(value("long")).isEqualTo("deleted");

        pass(KEPT);
        assertThat(value("long")).isEqualTo("nothing");
    }

    @Test
    void onlyWhatIsLeftOfItsTimeIsToldOn() {
        mark(B, "k", 5, 10_000);
        pass(SECOND.multipliedBy(4));
        BinWriter ask = start(1).i64(9).varint(1);
        new KeyMessages.Part(
                        HashTree.LEVELS,
                        node.context().table.find("s", "k".getBytes()).leaf(),
                        77,
                        new long[0])
                .write(ask);
        message(C, KeyMessages.ASK, ask);

        BinReader told = lastSent(C, KeyMessages.TELL);
        told.i64();
        told.varint();
        told.varint();
        assertThat(KeyMessages.readRecords(told).get(0).leftMillis()).isEqualTo(6000);
    }

    @Test
    void oneWhoseTimeIsOverEndsAnEarlierValueAndIsElseNotTaken() {
        records(C, "k", 4, "v");
        mark(B, "k", 5, 0);
        mark(B, "other", 6, 0);
        records(C, "late", 9, "v");
        mark(B, "late", 7, KEPT.toMillis());

        assertThat(value("k")).isEqualTo("deleted");
        assertThat(value("other")).isEqualTo("nothing");
        assertThat(value("late")).isEqualTo("v");
        pass(SECOND);
        assertThat(value("k")).isEqualTo("nothing");
    }

    // --- what it counts

    @Test
    void deletionsCountAsRecordsUntilTheyEnd() {
        node = boot(KeySpaceSettings.defaults().bounds(3, 1000));
        for (int i = 0; i < 3; i++) {
            write(REPLICATED, 0, "k" + i, "v");
            write(REPLICATED, 0, "k" + i, null);
        }
        step();
        assertThat(done()).hasSize(6);

        write(REPLICATED, 0, "more", "v");
        assertThat(turn.events(KeyEvent.Failed.class).get(0).cause())
                .hasMessageContaining("4 records")
                .hasMessageContaining("3 of the records are marks of deletions")
                .hasMessageContaining("PT24H (deletionsKept)");
        write(REPLICATED, 0, "k1", "again");
        step();
        assertThat(done()).as("a key that is there already").hasSize(7);

        pass(KEPT);
        write(REPLICATED, 0, "more", "v");
        step();
        assertThat(done()).hasSize(8);
    }

    @Test
    void deletionsOfKeysThatNobodyHasCostNothing() {
        node = boot(KeySpaceSettings.defaults().bounds(100, 10_000));
        for (int i = 0; i < 20_000; i++) {
            write(REPLICATED, 1, "k" + i, null);
        }
        step();
        int messages = turn.sent(B, KeyMessages.PUT).size();
        for (int request = 1; request <= messages; request++) {
            acknowledge(B, request, KeyMessages.STORED, 1);
        }
        step();

        assertThat(done()).hasSize(20_000);
        assertThat(node.context().table.records()).isZero();
        pass(SECOND);
        assertThat(turn.sent(C, KeyMessages.RECORDS)).isEmpty();
        write(REPLICATED, 0, "k", "v");
        step();
        assertThat(done()).hasSize(20_001);
    }

    @Test
    void aDeletionOfAKeyThatOnlyAnotherNodeHasIsMade() {
        write(REPLICATED, 1, "k", null);
        step();
        assertThat(value("k")).isEqualTo("nothing");

        acknowledge(B, 1, KeyMessages.OUTDATED, 90);
        step();

        assertThat(value("k")).isEqualTo("deleted");
        KeyRecord sent =
                KeyMessages.Put.read(lastSent(B, KeyMessages.PUT)).records().get(0);
        assertThat(sent.version().epoch()).isGreaterThan(90);
        assertThat(sent.leftMillis()).isEqualTo(KEPT.toMillis());
        assertThat(done()).isEmpty();
        acknowledge(B, 2, KeyMessages.STORED, 90);
        assertThat(done()).hasSize(1);
    }

    @Test
    void whoIsAskedToDeleteConfirmsThatItHasNoSuchKeyOrSaysThatItHas() {
        BinWriter nothing = start(1).varint(5).u8(0).varint(1);
        mark(nothing, "k", 0, B, 0);
        message(B, KeyMessages.PUT, nothing);
        step();
        assertThat(lastStatus()).isEqualTo(KeyMessages.STORED);
        assertThat(value("k")).isEqualTo("nothing");

        records(C, "k", 4, "v");
        BinWriter something = start(1).varint(6).u8(0).varint(1);
        mark(something, "k", 0, B, 0);
        message(B, KeyMessages.PUT, something);
        step();
        assertThat(lastStatus()).isEqualTo(KeyMessages.OUTDATED);
        assertThat(value("k")).isEqualTo("v");
    }

    /** The one that asks has forgotten its own write with the mark of its deletion, and who is asked was away meanwhile. */
    @Test
    void whoIsAskedToDeleteSaysThatItHasWhatTheOtherWroteItselfBefore() {
        records(B, "k", 4, "v");
        BinWriter something = start(9).varint(6).u8(0).varint(1);
        mark(something, "k", 0, B, 0);

        message(B, KeyMessages.PUT, something);
        step();

        assertThat(lastStatus()).isEqualTo(KeyMessages.OUTDATED);
    }

    @Test
    void aDeletionOfNothingNeverEndsWhatThisNodeWroteLater() {
        write(REPLICATED, 1, "k", null);
        step();
        write(REPLICATED, 1, "k", "later");
        step();
        acknowledge(B, 1, KeyMessages.OUTDATED, 90);
        step();
        assertThat(value("k")).isEqualTo("later");

        records(C, "k", 95, "of c");
        acknowledge(B, 3, KeyMessages.OUTDATED, 95);
        acknowledge(B, 2, KeyMessages.OUTDATED, 95);
        step();
        assertThat(value("k")).isEqualTo("later");
    }

    @Test
    void deletionsAreDroppedSomeAtATime() {
        for (int i = 0; i < 2500; i++) {
            mark(B, "k" + i, i + 1, 1000);
        }
        turn.advance(SECOND);
        int turns = 0;
        while (node.context().table.records() > 0) {
            node.onTimer(turn);
            step();
            turns++;
            assertThat(node.nextDeadlineNanos()).isLessThanOrEqualTo(turn.now() + SECOND.toNanos() * 10);
        }

        assertThat(turns).isEqualTo(3);
        KeyAudit.check(node);
        reboot();
        assertThat(node.context().table.records()).isZero();
        assertThat(node.context().table.clock()).isEqualTo(2500);
    }
}
