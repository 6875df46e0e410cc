package io.georep.bench.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.history.Event.Answer;
import io.georep.bench.history.Event.Phase;
import io.georep.bench.history.Finding.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories with a fault planted in most of them; for repetitions see {@link RepetitionsTest}. */
class CheckerTest extends HistoryFixture {
    @Test
    void acceptsWhatIsForwardedOnceAndCountsIt() {
        forwarded(2, stored(1), "node-1", 1);
        accident(3, 1, "KILL");
        forwarded(4, stored(3.5), "node-1", 1);
        answered(4.2, sent(4.1), Answer.REJECTED);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.byKind()).extracting(kind -> kind.kind).containsExactly("none yet", "KILL");
        assertThat(verdict.byKind()).extracting(kind -> kind.acknowledged).containsExactly(1L, 1L);
        assertThat(verdict.sum().attempted).isEqualTo(3);
        assertThat(verdict.sum().rejected).isEqualTo(1);
        assertThat(verdict.sum().forwarded).isEqualTo(2);
    }

    @Test
    void findsALossAndTheAccidentBeforeIt() {
        forwarded(2, stored(1), "node-1", 1);
        accident(3, 1, "EMPTY");
        stored(4);

        Verdict verdict = verdict();

        assertThat(verdict.findings())
                .hasSize(1)
                .first()
                .hasToString("LOST: entry node-1:5:0:1 (attempt 1), acknowledged during EMPTY");
        assertThat(verdict.byKind()).extracting(kind -> kind.lost).containsExactly(0L, 1L);
    }

    @Test
    void countsWhatHadNoAnswerAndCameThroughAsRecovered() {
        long recovered = sent(1);
        answered(2, recovered, Answer.INDETERMINATE);
        answered(2, sent(1), Answer.INDETERMINATE);
        forwarded(3, recovered, "node-1", 1);
        forwarded(3, sent(2.5), "node-1", 1); // Nobody ever heard an answer.

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.sum().indeterminate).isEqualTo(3);
        assertThat(verdict.sum().recovered).isEqualTo(2);
    }

    @Test
    void findsWhatNobodySentAndWhatWasRefused() {
        long refused = sent(1);
        answered(1, refused, Answer.REJECTED);
        forwarded(2, refused, "node-1", 1);
        forwarded(3, 4711, "node-1", 1);
        forwarded(3, -1, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.UNEXPECTED, Kind.UNEXPECTED, Kind.UNEXPECTED);
    }

    @Test
    void findsAnEntryThatHasTwoIds() {
        long attempt = sent(1);
        events.add(new Event.Answered(at(1), attempt, Answer.ACKNOWLEDGED, id(99), ""));
        forwarded(2, attempt, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.UNEXPECTED);
    }

    @Test
    void findsCopiesThatAreMissingAfterQuiet() {
        long first = stored(1);
        long second = stored(1);
        counted(10, Phase.QUIET, 2, 1, 0);
        forwarded(11, first, "node-1", 1);
        forwarded(11, second, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.MISSING_COPIES);
    }

    @Test
    void findsEntriesThatNobodyHoldsAfterQuiet() {
        long first = stored(1);
        long second = stored(1);
        counted(10, Phase.QUIET, 1, 1, 0);
        forwarded(11, first, "node-1", 1);
        forwarded(11, second, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.MISSING_COPIES);
    }

    @Test
    void acceptsWhatOneNodeHasAdoptedWhileTheHandlerOfAnotherHasIt() {
        long first = stored(1);
        long second = stored(1);
        counted(10, Phase.QUIET, 3, 2, 1);
        forwarded(11, first, "node-1", 1);
        forwarded(11, second, "node-1", 1);

        assertThat(findings()).isEmpty();
    }

    @Test
    void findsCopiesThatAreMissingWhileOneEntryIsHeldTwice() {
        long first = stored(1);
        long second = stored(1);
        counted(10, Phase.QUIET, 3, 1, 1);
        forwarded(11, first, "node-1", 1);
        forwarded(11, second, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.MISSING_COPIES);
    }

    @Test
    void findsCopiesThatAreMissingWhileTheEndsOfOthersAreUntold() {
        long first = stored(1);
        counted(10, Phase.QUIET, 1, 0, 3);
        forwarded(11, first, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.MISSING_COPIES);
    }

    @Test
    void acceptsAllCopiesAfterQuiet() {
        long first = stored(1);
        counted(10, Phase.QUIET, 1, 1, 3);
        forwarded(11, first, "node-1", 1);

        assertThat(findings()).isEmpty();
    }

    @Test
    void findsWhatIsLeftInTheEnd() {
        counted(9, Phase.QUIET, 0, 0, 0);
        counted(10, Phase.END, 0, 0, 1);

        assertThat(findings()).containsExactly(Kind.LEFT_OVER);
    }

    @Test
    void findsThatARunDidNotEnd() {
        assertThat(Checker.judge(events).findings())
                .extracting(Finding::kind)
                .containsExactly(Kind.INCOMPLETE, Kind.INCOMPLETE);
    }

    @Test
    void saysWhyARunWasGivenUp() {
        events.add(new Event.Failed(at(5), "No progress for 45 s"));

        assertThat(verdict().findings()).containsExactly(new Finding(Kind.INCOMPLETE, "No progress for 45 s"));
    }

    @Test
    void findsALivingNodeGivenUpUnderLoadAndCountsSuspicions() {
        began(2, Fault.CONSUMER_HUNG, "", "");
        began(2, Fault.DISK_HUNG, "node-1", "");
        judged(4, "node-2", "node-1", "SCHRODINGER");
        judged(6, "node-2", "node-1", "TERMINATED");

        Verdict verdict = verdict();

        assertThat(verdict.findings()).extracting(Finding::kind).containsExactly(Kind.FALSE_SUSPICION);
        assertThat(verdict.suspicions()).isEqualTo(2);
    }

    @Test
    void findsARefusalWithoutAType() {
        long attempt = sent(1);
        events.add(new Event.Answered(at(1), attempt, Answer.REJECTED, "", "java.lang.NullPointerException"));

        assertThat(findings()).containsExactly(Kind.UNTYPED);
    }

    private void overloaded(int perSecondAfter) {
        accident(20, 1, "FLOOD");
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < (second < 20 ? 10 : second < 30 ? 0 : perSecondAfter); i++) {
                forwarded(second + 0.6, stored(second + 0.5), "node-1", 1);
            }
        }
        sent(60);
        began(20, Fault.FLOODED, "", "");
        over(30, Fault.FLOODED, "", "");
    }

    @Test
    void findsAThroughputThatDoesNotComeBackAfterAnOverload() {
        overloaded(4);

        assertThat(findings()).containsExactly(Kind.SLOW_AFTERWARDS);
    }

    @Test
    void comparesTheThroughputThatComesBack() {
        overloaded(9);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.throughputs()).isEqualTo(1);
    }

    @Test
    void comparesNoThroughputOfAMachineThatHadNoTime() {
        overloaded(4);
        began(35, Fault.STARVED, "node-2", "");
        over(36, Fault.STARVED, "node-2", "");

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.throughputs()).isZero();
    }

    @Test
    void comparesNoThroughputWhenSomethingElseHappensAfterwards() {
        overloaded(4);
        accident(35, 2, "KILL");
        killed(35, "node-2", 1);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.throughputs()).isZero();
    }

    @Test
    void measuresHowLongAllNodesNeededToMeetAgain() {
        events.add(new Event.Met(at(1), true));
        accident(2, 1, "KILL");
        killed(2, "node-1", 1);
        events.add(new Event.Met(at(2.1), false));
        over(5, Fault.DOWN, "node-1", "");
        events.add(new Event.Met(at(6.5), true));
        began(7, Fault.STARVED, "node-2", "");
        over(8, Fault.STARVED, "node-2", "");
        accident(10, 2, "CLOCK");

        List<Totals> kinds = verdict().byKind();

        assertThat(kinds).extracting(kind -> kind.reunionMicrosMax).containsExactly(0L, 1_500_000L, 0L);
        assertThat(kinds).extracting(kind -> kind.reunions).containsExactly(0L, 1L, 1L);
    }

    @Test
    void aHistoryReadFromItsFileIsTheSame(@TempDir Path directory) throws Exception {
        adoptedAfter(Fault.BLOCKED, "node-1", "node-2", true);
        accident(3, 1, "CUT");
        overloaded(1);
        verdict();
        events.add(new Event.Met(at(1), true));
        events.add(new Event.Started(at(1), "node-1", 5));
        History history = History.recording();
        events.forEach(history::add);

        history.write(directory.resolve("history.jsonl.gz"));

        assertThat(History.read(directory.resolve("history.jsonl.gz"))).isEqualTo(events);
    }

    @Test
    void thePageShowsVerdictFindingsAndFaultsAndNeedsNothingElse() {
        events.add(new Event.Started(at(0.5), "node-1", 5));
        accident(2, 1, "EMPTY");
        adoptedAfter(Fault.BLOCKED, "node-1", "node-2", true);
        stored(4);
        Page page = new Page();
        page.add(verdict(), events);

        assertThat(page.html())
                .contains("FAILED", "LOST: entry node-1:5:0:1", "ADOPTION (BLOCKED)", "./mvnw -Dgroups=chaos")
                .contains("<svg", "BLOCKED from node-1 to node-2 at 2.000 s")
                .doesNotContain("src=", "href=", "<script");
    }

    @Test
    void findsEachExcessOnce() {
        used(1, 1, 100 << 20, 100, 90);
        used(2, 1, 600 << 20, 100, 95);
        used(3, 1, 601 << 20, 5_000, 96);
        used(4, 1, 100 << 20, 100, 96 + 101);

        assertThat(verdict().findings())
                .extracting(Finding::toString)
                .containsExactly(
                        "EXCESS: node-1 (process 149) took 629,145,600 bytes of memory; at most 402,653,184 are right",
                        "EXCESS: node-1 (process 149) took 5,000 descriptors; at most 256 are right",
                        "EXCESS: node-1 (process 149) took 107 lines of log within 10 s; at most 100 are right");
    }

    @Test
    void aNodeMayLogAgainLater() {
        used(1, 1, 1, 1, 90);
        used(12, 2, 1, 1, 180);
        used(23, 2, 1, 1, 270);

        assertThat(findings()).isEmpty();
    }
}
