package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class DialReportTest {
    private static final long LATE = DialReport.PATIENCE_NANOS + 7;

    private final DialReport report = new DialReport();

    @Test
    void aNodeThatIsNotUpYetIsNoReasonToWarn() {
        assertThat(report.failed("connection refused", 7)).isEqualTo(Level.INFO);
        assertThat(report.failed("connection refused", 8)).isEqualTo(Level.DEBUG);
        assertThat(report.failed("no route", 9)).isEqualTo(Level.INFO);
    }

    @Test
    void anAddressBehindWhichNobodyEverWasIsWarnedOfOnce() {
        report.failed("connection refused", 7);

        assertThat(report.failed("connection refused", LATE)).isEqualTo(Level.WARN);
        assertThat(report.failed("connection refused", LATE + 1)).isEqualTo(Level.DEBUG);
    }

    @Test
    void aNodeThatLeftIsNoReasonToWarnHoweverLongItIsAway() {
        report.linked();

        assertThat(report.failed("connection refused", 7)).isEqualTo(Level.INFO);
        assertThat(report.failed("connection refused", LATE)).isEqualTo(Level.DEBUG);
    }

    @Test
    void aLinkMakesLaterProblemsNews() {
        report.failed("connection refused", 7);
        report.linked();

        assertThat(report.failed("connection refused", 8)).isEqualTo(Level.INFO);
    }

    @Test
    void aRefusalIsWarnedOfAtOnceAndOnce() {
        assertThat(report.refused("another cluster")).isEqualTo(Level.WARN);
        assertThat(report.refused("another cluster")).isEqualTo(Level.DEBUG);
    }

    @Test
    void manyReasonsAreNotRememberedForEver() {
        for (int i = 0; i < 100; i++) {
            report.failed("reason " + i, 7);
        }

        assertThat(report.failed("one more", 8)).isEqualTo(Level.DEBUG);
    }
}
