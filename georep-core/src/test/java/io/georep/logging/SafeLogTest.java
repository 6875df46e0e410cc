package io.georep.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** An exception whose own methods fail is written down all the same. */
class SafeLogTest {
    @Test
    void saysWhatAnErrorSays() {
        assertThat(SafeLog.text(new IllegalStateException("why"))).isEqualTo("java.lang.IllegalStateException: why");
        assertThat(SafeLog.text(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(SafeLog.text(new Mute())).isEqualTo(Mute.class.getName());
        assertThat(SafeLog.text(new Chatty())).isEqualTo(Chatty.class.getName() + ": card 4711");
        assertThat(SafeLog.text(new IllegalStateException("x".repeat(5000)))).hasSize(1001);
    }

    @Test
    void logsWhatCannotSayWhatHappened() {
        assertThatCode(() -> {
                    SafeLog.log(LoggerFactory.getLogger(SafeLogTest.class), "{} failed", "it", new Mute());
                    SafeLog.log(
                            LoggerFactory.getLogger(SafeLogTest.class),
                            "{} failed",
                            "it",
                            new IllegalStateException("why", new Mute()));
                })
                .doesNotThrowAnyException();
    }

    /** Hides what it is. */
    private static final class Chatty extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Chatty() {
            super("card 4711");
        }

        @Override
        public String toString() {
            return "card 4711 was refused";
        }
    }

    /** Fails when it is asked. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("not even this");
        }
    }
}
