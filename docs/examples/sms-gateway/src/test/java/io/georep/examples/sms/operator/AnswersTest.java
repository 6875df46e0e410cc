package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AnswersTest {
    private static final int WINDOW = 3000;

    /** They count, whether in time or not. */
    @Test
    void answersToAWholeWindowAreHeard() {
        Answers answers = new Answers(WINDOW);
        Answers.Session session = answers.new Session();
        for (int i = 0; i < 2 * WINDOW; i++) {
            session.submitted(i, EntryId.parse("n1:1:0:" + i));
        }
        answers.missing();
        assertThat(answers.isMute(Duration.ofSeconds(-1))).isTrue();

        for (int i = 0; i < WINDOW; i++) {
            session.answered(i, 0, "id");
        }

        assertThat(answers.tookOneAfter(WINDOW - 1)).isTrue();
        assertThat(answers.isMute(Duration.ofSeconds(-1))).isFalse();
        assertThat(answers.take(EntryId.parse("n1:1:0:0"))).isNotNull();
    }
}
