package io.georep.keys.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.StoreState;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which nodes are compared with, and for how long an application waits for that. */
class ComparisonTest extends KeyFixture {
    /** After which a node that was asked counts as silent: {@code writeTimeout}. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private static final Duration PATIENCE = SILENCE.multipliedBy(3);

    private void reached(NodeId id) {
        node.onPeerReachable(peers.peer(id), turn);
    }

    private int asked(NodeId id) {
        return turn.sent(id, KeyMessages.ASK).size();
    }

    /** Answers the last question: there is no difference, or one record. */
    private void answer(NodeId id, String key) {
        BinWriter out =
                start(9).i64(lastSent(id, KeyMessages.ASK).i64()).varint(0).varint(0);
        if (key == null) {
            out.varint(0);
        } else {
            out.varint(1);
            record(out, key, 9, id, "v");
        }
        message(id, KeyMessages.TELL, out);
        step();
    }

    private void catchUp(int nodes) {
        node.onCommand(new KeyCommand.CatchUp(nodes, "caught up"), turn);
        step();
    }

    private void pass(Duration time) {
        turn.advance(time);
        node.onTimer(turn);
        step();
    }

    @Test
    void aNodeThatDoesNotAnswerIsAskedAgainAfterTheOthers() {
        reached(B);
        reached(C);
        assertThat(asked(B)).isEqualTo(1);
        assertThat(asked(C)).isZero();

        pass(SILENCE);
        assertThat(asked(C)).isEqualTo(1);
        answer(C, null);

        assertThat(asked(B)).isEqualTo(2);
        catchUp(1);
        assertThat(done()).as("b is in reach, and was not compared").isEmpty();
        answer(B, null);
        assertThat(done()).hasSize(1);
    }

    /** In step with another node, a question would meet that node's answers each time, on a link that has no room for both. */
    @Test
    void theTimeBetweenComparisonsVaries() {
        long most = KeySpaceSettings.defaults().compareEvery().toNanos();
        peers.peer(C).linked = false;
        reached(B);
        answer(B, null);
        Set<Long> pauses = new HashSet<>();
        pass(Duration.ofNanos(most));
        for (int i = 2; i < 12; i++) {
            answer(B, null);
            long pause = node.nextDeadlineNanos() - turn.now();
            pass(Duration.ofNanos(pause));
            assertThat(asked(B)).isEqualTo(i + 1);
            assertThat(pause).isBetween(most / 2, most);
            pauses.add(pause);
        }

        assertThat(pauses).hasSizeGreaterThan(5);
    }

    /** Keys of one leaf can be found by trying, and the longest question that is answered has a bound. */
    @Test
    void aLeafWithMoreRecordsThanAQuestionCanNameIsComparedInPart() {
        node.context().leafHashesMax = 4;
        peers.peer(C).linked = false;
        int leaf = HashTree.leafOf(KeyHash.ofKey("s", "0".getBytes()));
        int found = 0;
        for (int i = 0; found < 6; i++) {
            if (HashTree.leafOf(KeyHash.ofKey("s", Integer.toString(i).getBytes())) == leaf) {
                write(REPLICATED, 0, Integer.toString(i), "v");
                found++;
            }
        }
        step();
        catchUp(1);
        reached(B);
        for (int level = 0; level < HashTree.LEVELS; level++) {
            int part = leaf >>> HashTree.BITS * (HashTree.LEVELS - level);
            BinWriter out = start(9).i64(lastSent(B, KeyMessages.ASK).i64()).varint(1);
            new KeyMessages.Sums(level, part, new long[HashTree.CHILDREN]).write(out);
            message(B, KeyMessages.TELL, out.varint(0).varint(0));
        }
        BinReader question = lastSent(B, KeyMessages.ASK);
        long number = question.i64();
        assertThat(question.varint()).isEqualTo(1);
        assertThat(KeyMessages.Part.read(question).hashes()).hasSize(4).doesNotHaveDuplicates();
        message(
                B,
                KeyMessages.TELL,
                start(9).i64(number).varint(0).varint(1).varint(leaf).varint(0));
        step();

        assertThat(asked(B)).as("the rest is left to later comparisons").isEqualTo(1 + HashTree.LEVELS);
        assertThat(done()).contains("caught up");
    }

    @Test
    void aWaitEndsWhenNoOtherNodeDoesAnything() {
        peers.peer(C).linked = false;
        reached(B);
        answer(B, null);
        catchUp(2);

        pass(PATIENCE.minusMillis(1));
        assertThat(turn.events(KeyEvent.Failed.class)).isEmpty();
        pass(Duration.ofMillis(1));

        assertThat(turn.events(KeyEvent.Failed.class)).singleElement().satisfies(failed -> {
            assertThat(failed.tokens()).containsExactly("caught up");
            assertThat(failed.cause()).isInstanceOf(RejectedException.class);
        });
        assertThat(node.context().store).isEqualTo(StoreState.READY);
    }

    @Test
    void aWaitGoesOnAsLongAsANodeAnswers() {
        peers.peer(C).linked = false;
        reached(B);
        catchUp(1);
        for (int second = 0; second < 60; second += 9) {
            pass(Duration.ofSeconds(9));
            answerInPart(B);
        }
        assertThat(turn.events(KeyEvent.Failed.class)).isEmpty();

        answer(B, null);
        assertThat(done()).hasSize(1);
    }

    /** One leaf was cut short. */
    private void answerInPart(NodeId id) {
        BinWriter out = start(9).i64(lastSent(id, KeyMessages.ASK).i64())
                .varint(0)
                .varint(1)
                .varint(77)
                .varint(0);
        message(id, KeyMessages.TELL, out);
        step();
    }

    @Test
    void whoIsInReachAgainIsComparedAgainFirst() {
        peers.peer(C).linked = false;
        reached(B);
        answer(B, null);
        reached(B);

        catchUp(1);
        assertThat(done()).isEmpty();
        answer(B, "k");

        assertThat(done()).hasSize(1);
        assertThat(value("k")).isEqualTo("v");
    }

    @Test
    void whatComesWhileTheStoreIsFullIsAskedForAgain() {
        peers.peer(C).linked = false;
        reached(B);
        node.onStoreState(StoreState.FULL, turn);
        answer(B, "k");
        assertThat(value("k")).isEqualTo("nothing");
        catchUp(1);
        assertThat(done()).isEmpty();

        node.onStoreState(StoreState.READY, turn);
        pass(Duration.ofMillis(200));
        answer(B, "k");

        assertThat(value("k")).isEqualTo("v");
        assertThat(done()).hasSize(1);
    }

    /** The answer would be many times as long. */
    @Test
    void aQuestionAboutMorePartsThanAnyNodeAsksAboutIsMalformed() {
        BinWriter out = start(1).i64(1).varint(257);
        for (int i = 0; i < 257; i++) {
            out.u8(0).varint(0).i64(i + 1);
        }

        assertThatThrownBy(() -> message(B, KeyMessages.ASK, out))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("257 parts");
        assertThat(turn.sent(B, KeyMessages.TELL)).isEmpty();
    }

    @Test
    void aLeafMayBeNamedWithManyRecords() {
        BinWriter out =
                start(1).i64(1).varint(1).u8(HashTree.LEVELS).varint(5).i64(1).varint(5000);
        for (int i = 0; i < 5000; i++) {
            out.i64(i);
        }

        message(B, KeyMessages.ASK, out);

        BinReader in = lastSent(B, KeyMessages.TELL);
        assertThat(in.i64()).isEqualTo(1);
    }

    /** Sums of times would overflow, and the node would compare without pause. */
    @Test
    void timesBeyondAllMeasureAreRefused() {
        KeySpaceSettings settings = KeySpaceSettings.defaults();
        Duration second = Duration.ofSeconds(1);

        assertThatThrownBy(() -> settings.times(second, second, Duration.ofDays(100_000)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("compareEvery");
        assertThatThrownBy(() -> settings.times(second, Duration.ofSeconds(Long.MAX_VALUE), second))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("spreadEvery");
    }
}
