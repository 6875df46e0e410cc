package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.StoreState;
import io.georep.protocol.HandMadePeers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When writes and reads are answered, and which write is the later one. */
class KeyProtocolTest extends KeyFixture {
    private static final Duration TIMEOUT = KeySpaceSettings.defaults().writeTimeout();

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
    void manySmallWritesOfATurnTravelInMessagesOfBoundedSize() {
        for (int i = 0; i < 5000; i++) {
            write(REPLICATED, 1, Integer.toString(i, 36), "");
        }
        step();

        assertThat(turn.sent(B, KeyMessages.PUT))
                .hasSizeBetween(2, 6)
                .allMatch(put -> put.body().length() < 140_000);
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

    /** Its disk was slow when the writer was started anew. */
    @Test
    void aConfirmationThatAnEarlierBootAskedForConfirmsNothing() {
        write(REPLICATED, 1, "k", "earlier");
        step();
        long earlier = KeyMessages.Put.read(lastSent(B, KeyMessages.PUT)).request();
        reboot();
        write(REPLICATED, 1, "other", "not on b yet");
        step();

        message(B, KeyMessages.ACK, start(1).varint(earlier).u8(KeyMessages.STORED));

        assertThat(done()).isEmpty();
        acknowledge(B, 1, KeyMessages.STORED, 1);
        assertThat(done()).hasSize(1);
    }

    // --- versions

    @Test
    void aWriteIsLaterThanEverythingHeardBeforeItAlsoInTheSameTurn() {
        write(REPLICATED, 0, "k", "first");
        records(B, "k", 50, "of b");
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
        assertThat(put.request()).isEqualTo(firstRequest(node) + 1);
        assertThat(put.records().get(0).version().epoch()).isGreaterThan(90);
        assertThat(done()).isEmpty();
        acknowledge(B, 1, KeyMessages.STORED, 90);
        assertThat(done()).as("that was for the first request").isEmpty();
        acknowledge(B, 2, KeyMessages.STORED, 90);
        assertThat(done()).hasSize(1);
    }

    @Test
    void confirmationsOfEarlierVersionsDoNotCount() {
        write(REPLICATED, 2, "k", "mine");
        step();
        acknowledge(B, 1, KeyMessages.STORED, 1);
        acknowledge(C, 1, KeyMessages.OUTDATED, 90);
        step();
        acknowledge(C, 2, KeyMessages.STORED, 90);
        assertThat(done()).as("b has an earlier version").isEmpty();

        acknowledge(B, 2, KeyMessages.STORED, 90);
        assertThat(done()).hasSize(1);
    }

    @Test
    void aWriteOvertakenByNewsIsRaisedBeforeItIsAnswered() {
        write(REPLICATED, 1, "k", "mine");
        step();
        records(C, "k", 90, "old news");
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
        records(C, "k", 90, "of c");
        acknowledge(B, 2, KeyMessages.OUTDATED, 90);
        step();
        acknowledge(B, 1, KeyMessages.OUTDATED, 90);
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

        records(C, "k", 900, "of c");
        acknowledge(B, 4, KeyMessages.STORED, 900);

        assertThat(done()).hasSize(1);
        assertThat(value("k")).isEqualTo("of c");
    }

    @Test
    void ofABatchWithSomethingOutdatedNothingIsTaken() {
        records(C, "k1", 40, "of c");
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
    void aRefusalWaitsForNoDisk() {
        records(C, "k0", 40, "of c");
        step();
        put(false, 3);
        node.endOfTurn(turn);
        assertThat(lastStatus()).as("though nothing is durable").isEqualTo(KeyMessages.OUTDATED);

        node.onStoreState(StoreState.FULL, turn);
        put(false, 50);
        node.endOfTurn(turn);
        assertThat(lastStatus()).isEqualTo(KeyMessages.REFUSED);
    }

    @Test
    void aLocalWriteThatTheDiskDoesNotTakeIsGivenUpInTime() {
        write(LOCAL, 0, "k", "v");
        node.endOfTurn(turn);
        assertThat(node.nextDeadlineNanos()).isLessThanOrEqualTo(turn.now() + TIMEOUT.toNanos());
        turn.advance(TIMEOUT);
        node.onTimer(turn);

        assertThat(failures()).singleElement().isInstanceOf(IndeterminateException.class);
        step();
        assertThat(done()).as("a caller is told once").isEmpty();
    }

    @Test
    void aReadThatWaitsForTheDiskIsGivenUpInTime() {
        write(LOCAL, 0, "k", "v");
        node.onCommand(new KeyCommand.Get(LOCAL, "k".getBytes(), "read"), turn);
        node.endOfTurn(turn);
        turn.advance(TIMEOUT.dividedBy(2));
        node.onCommand(new KeyCommand.Get(LOCAL, "k".getBytes(), "later"), turn);
        turn.advance(TIMEOUT.dividedBy(2));
        node.onStoreState(StoreState.FULL, turn);
        node.onTimer(turn);

        assertThat(turn.events(KeyEvent.Failed.class))
                .anySatisfy(failed -> assertThat(failed.tokens()).containsExactly("read"));
        assertThat(failures())
                .anySatisfy(cause -> assertThat(cause)
                        .isInstanceOfSatisfying(
                                RejectedException.class,
                                refused ->
                                        assertThat(refused.reason()).isEqualTo(RejectedException.Reason.STORE_FULL)));
        assertThat(node.nextDeadlineNanos())
                .isLessThanOrEqualTo(turn.now() + TIMEOUT.dividedBy(2).toNanos());
        step();
        assertThat(turn.events(KeyEvent.Value.class))
                .singleElement()
                .satisfies(value -> assertThat(value.token()).isEqualTo("later"));
    }

    private List<Throwable> failures() {
        return turn.events(KeyEvent.Failed.class).stream()
                .<Throwable>map(KeyEvent.Failed::cause)
                .toList();
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

    /** The thread of the node would walk through a list that another one changes, which ended the node. */
    @Test
    void whatIsAddedToABatchAfterItWasWrittenDoesNotCount() {
        KeyBatch batch = new KeyBatch().put("k".getBytes(), "v".getBytes());
        KeyCommand.Write write = new KeyCommand.Write(LOCAL, 0, batch, "write");
        batch.put("later".getBytes(), "v".getBytes());
        node.onCommand(write, turn);
        step();

        assertThat(node.context().local.records()).isEqualTo(1);
    }

    // --- what it costs in the long run

    @Test
    void aScanPassesOverSomeMarksOnlyAndSaysWhereToGoOn() {
        for (int i = 0; i < KeyReads.MARKS_MAX + 5; i++) {
            records(B, "deleted" + i, i + 1, null);
        }
        records(B, "key", KeyReads.MARKS_MAX + 9, "v");
        step();

        KeySpace.Page first = scan(new byte[0]);
        assertThat(first.entries()).isEmpty();
        assertThat(first.next()).isNotNull();
        KeySpace.Page second = scan(first.next());
        assertThat(second.entries()).extracting(KeySpace.Entry::text).containsExactly("key");
        assertThat(second.next()).isNull();
    }

    private KeySpace.Page scan(byte[] from) {
        turn.forget();
        node.onCommand(new KeyCommand.Scan(REPLICATED, from, null, 10, "scan"), turn);
        step();
        return turn.events(KeyEvent.Page.class).get(0).page();
    }

    @Test
    void aNodeThatIsForgottenDoesNotCountAmongThoseComparedAnyMore() {
        HandMadePeers.HandMadePeer pod = peers.peer(B);
        node.onPeerReachable(pod, turn);
        message(B, KeyMessages.TELL, start(1).i64(number(B)).varint(0).varint(0).varint(0));
        peers.peer(C).linked = false;
        pod.linked = false;

        node.onPeerForgotten(B);
        node.onCommand(new KeyCommand.CatchUp(1, "caught up"), turn);
        step();
        assertThat(done()).isEmpty();
    }

    private long number(NodeId asked) {
        BinReader in = new BinReader(turn.sent(asked, KeyMessages.ASK).get(0).body());
        KeyMessages.Head.read(in);
        return in.i64();
    }
}
