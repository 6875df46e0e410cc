package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Grant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A leader is believed if more than half of the peers are in its term. */
class PeerAnswersTest {
    private static final Grant GRANT = new Grant(null, Duration.ofSeconds(2), true);

    private final PeerAnswers answers = new PeerAnswers(3);

    private static PeerAnswers.Answer leader(long term, long ledTerm, Grant grant) {
        return new PeerAnswers.Answer(term, ledTerm, grant);
    }

    private static PeerAnswers.Answer follower(long term) {
        return new PeerAnswers.Answer(term, -1, null);
    }

    @Test
    void aGrantCountsWithASecondPeerOfItsTerm() {
        answers.add(leader(7, 7, GRANT));
        assertThat(answers.grant()).isNull();

        answers.add(follower(7));

        assertThat(answers.grant()).isSameAs(GRANT);
    }

    @Test
    void aLeaderThatTheOthersHaveLeftIsNotBelieved() {
        answers.add(leader(7, 7, GRANT));
        answers.add(follower(8));
        answers.add(follower(8));

        assertThat(answers.grant()).isNull();
        assertThat(answers.isOver()).isTrue();
    }

    /** It has heard of a later term, and only its role does not say so yet. */
    @Test
    void aLeaderIsBelievedOnlyInTheTermThatItLeads() {
        answers.add(leader(8, 7, GRANT));
        answers.add(follower(8));
        assertThat(answers.grant()).isNull();

        answers.add(follower(7));

        assertThat(answers.grant()).isNull();
    }

    @Test
    void theNewLeaderIsBelievedThoughTheOldOneAnswersToo() {
        Grant late = new Grant(null, Duration.ofSeconds(1), true);
        answers.add(leader(7, 7, late));
        answers.add(leader(8, 8, GRANT));
        answers.add(follower(8));

        assertThat(answers.grant()).isSameAs(GRANT);
    }

    @Test
    void itIsOverWhenTheLeaderWantsAnEntryOrAllHaveAnswered() {
        answers.add(follower(7));
        answers.add(null);
        assertThat(answers.isOver()).isFalse();

        answers.add(leader(7, 7, null));

        assertThat(answers.isOver()).isTrue();
        PeerAnswers silent = new PeerAnswers(1);
        silent.add(null);
        assertThat(silent.isOver()).isTrue();
        assertThat(silent.grant()).isNull();
    }
}
