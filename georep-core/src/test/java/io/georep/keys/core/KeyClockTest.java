package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.keys.KeySpaceSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a boot writes is above all that the boots before it wrote, also above what they never made durable. */
class KeyClockTest extends KeyFixture {
    /** Another node may have got it, and has it again when they meet. */
    @Test
    void aLaterBootWritesAboveWhatTheOneBeforeNeverMadeDurable() {
        KeyTable before = new KeyTable(KEPT);
        before.boot(turn.disk(), A, 1L << Integer.SIZE, turn);
        long epoch = 0;
        for (int i = 0; i < 1000; i++) {
            epoch = before.tick();
        }
        KeyVersion lost = before.write("s", new byte[1], new byte[1], epoch, turn).version;
        KeyTable after = new KeyTable(KEPT);
        after.boot(turn.nextBoot(Duration.ZERO).disk(), A, 2L << Integer.SIZE, turn);

        KeyVersion next = after.write("s", new byte[1], new byte[1], after.tick(), turn).version;
        assertThat(next.isAfter(lost)).isTrue();
    }

    /** It writes above what others write, and they may be far ahead of what is in its store. */
    @Test
    void nothingLeavesFarAheadOfTheClockThatALaterBootKnows() {
        node.context().table.heard(1L << 21);
        write(REPLICATED, 1, "k", "v");
        node.endOfTurn(turn);
        assertThat(turn.sent(B, KeyMessages.PUT)).isEmpty();
        turn.completeStore();
        assertThat(turn.sent(B, KeyMessages.PUT)).hasSize(1);
        write(REPLICATED, 1, "k", "w");
        node.endOfTurn(turn);
        assertThat(turn.sent(B, KeyMessages.PUT)).as("the clock is stored now").hasSize(2);
        long written = node.context().table.clock();

        peers.selfRestarts();
        reboot();
        assertThat(node.context().table.clock()).isGreaterThan(written);
    }

    /** Nobody is asked to confirm it, so nobody could say that it is too old. */
    @Test
    void noneOfItIsPassedOnBefore() {
        node.context().table.heard(1L << 21);
        write(REPLICATED, 0, "k", "v");
        node.endOfTurn(turn);
        spread();
        assertThat(turn.sent(B, KeyMessages.RECORDS)).isEmpty();
        turn.completeStore();
        assertThat(turn.sent(B, KeyMessages.RECORDS)).hasSize(1);
    }

    /** The clock may run ahead between the write and the round that passes it on. */
    @Test
    void aKeyThatIsWrittenAgainMeanwhileIsNotPassedOnBefore() {
        write(REPLICATED, 0, "k", "v");
        node.endOfTurn(turn);
        node.context().table.heard(1L << 21);
        write(REPLICATED, 0, "k", "w");
        node.endOfTurn(turn);
        spread();
        assertThat(turn.sent(B, KeyMessages.RECORDS)).isEmpty();
        turn.completeStore();
        assertThat(turn.sent(B, KeyMessages.RECORDS)).hasSize(1);
    }

    /** Who asks gets it only when the next boot will write above it. */
    @Test
    void noneOfItIsToldToOneWhoAsksBefore() {
        node.context().table.heard(1L << 21);
        write(REPLICATED, 0, "k", "v");
        node.endOfTurn(turn);
        ask();
        assertThat(turn.sent(B, KeyMessages.TELL)).isEmpty();
        turn.completeStore();
        assertThat(turn.sent(B, KeyMessages.TELL)).hasSize(1);
        ask();
        assertThat(turn.sent(B, KeyMessages.TELL)).as("the clock is stored now").hasSize(2);
    }

    private void ask() {
        StoredKey record = node.context().table.space("s").firstEntry().getValue();
        KeyMessages.Part part = new KeyMessages.Part(HashTree.LEVELS, record.leaf(), 0, new long[0]);
        BinWriter out = start(1).i64(5).varint(1);
        part.write(out);
        message(B, KeyMessages.ASK, out);
    }

    private void spread() {
        turn.advance(KeySpaceSettings.defaults().spreadEvery());
        node.onTimer(turn);
    }

    /** Two boots, one after the other, of which the store has nothing. */
    @Test
    void aBootOfWhichNothingIsStoredIsNotTheBeginOfTheNext() {
        peers.selfRestarts();
        reboot();
        write(REPLICATED, 1, "k", "v");
        node.endOfTurn(turn);
        assertThat(turn.sent(B, KeyMessages.PUT)).isEmpty();
        turn.completeStore();
        assertThat(turn.sent(B, KeyMessages.PUT)).hasSize(1);
    }
}
