package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AnswersTest {
    private static final int WINDOW = 500;
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ENQUIRE_LINK = Duration.ofSeconds(30);

    private static final SmsProperties.Operator OPERATOR = new SmsProperties.Operator(
            "localhost",
            1,
            "gateway",
            "x",
            WINDOW,
            Duration.ofSeconds(1),
            RESPONSE_TIMEOUT,
            ENQUIRE_LINK,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));

    /** Messages whose answers were lost would go out again, although the operator has them. */
    @Test
    void allAnswersAreHeardOfAnOperatorThatStoodStillForAsLongAsItsSessionLasts() {
        Answers answers = new Answers(OPERATOR);
        Answers.Session session = answers.new Session();
        // The first ones are missing after the first timeout.
        long rounds = RESPONSE_TIMEOUT.plus(ENQUIRE_LINK).dividedBy(RESPONSE_TIMEOUT);
        int submits = (int) (rounds + 1) * WINDOW;
        for (int i = 0; i < submits; i++) {
            session.submitted(i, EntryId.parse("n1:1:0:" + i));
        }
        answers.missing();
        assertThat(answers.isMute(Duration.ofSeconds(-1))).isTrue();

        for (int i = 0; i < submits; i++) {
            assertThat(session.answered(i, 0, "id")).isTrue();
        }

        assertThat(answers.tookOneAfter(submits - 1)).isTrue();
        assertThat(answers.isMute(Duration.ofSeconds(-1))).isFalse();
        for (int i = 0; i < submits; i++) {
            assertThat(answers.take(EntryId.parse("n1:1:0:" + i))).isNotNull();
        }
    }
}
