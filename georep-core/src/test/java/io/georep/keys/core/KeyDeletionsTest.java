package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When deletions are forgotten, and what becomes of those that missed it. */
class KeyDeletionsTest extends KeyFixture {
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
    void aMemberWithoutKeySpacesIsNotAskedWhenItIsInReach() {
        write(REPLICATED, 0, "k", null);
        step();
        peers.peer(C).channels = Channels.UNANNOUNCED;
        turn.advance(Duration.ofSeconds(11));
        node.onTimer(turn);
        step();
        assertThat(turn.sent(C, KeyMessages.CONFIRM)).isEmpty();
        BinReader asked = lastSent(B, KeyMessages.CONFIRM);
        long number = asked.varint();
        asked.i64();

        confirmed(B, number, KeyMessages.readDeletions(asked).get(0));

        assertThat(value("k")).isEqualTo("nothing");
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

        assertThat(turn.events(KeyEvent.GivenUp.class)).containsExactly(new KeyEvent.GivenUp(1));
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
        assertThat(lastStatus())
                .as("of an earlier epoch than what was forgotten")
                .isEqualTo(KeyMessages.OUTDATED);
    }
}
