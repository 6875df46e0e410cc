package io.georep.bench.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.history.Finding.Kind;
import org.junit.jupiter.api.Test;

/** Histories in which entries are forwarded more than once, with and without a cause. */
class RepetitionsTest extends HistoryFixture {
    @Test
    void doesNotExplainARepetitionByOneProcess() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        forwarded(3, attempt, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void doesNotExplainARepetitionByOneProcessWithItsDeathAfterwards() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        forwarded(3, 3, attempt, "node-1", 1, "", true);
        killed(4, "node-1", 1);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void explainsARepetitionByACrashBeforeTheMark() {
        long attempt = stored(1);
        forwarded(2, 2.5, attempt, "node-1", 1, "", false);
        killed(2.6, "node-1", 1);
        over(4, Fault.DOWN, "node-1", "");
        forwarded(5, 5, attempt, "node-1", 2, "", true);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.duplicates()).containsOnlyKeys("CRASH_BEFORE_MARK (DOWN)");
        assertThat(verdict.announced()).isEqualTo(1);
    }

    @Test
    void doesNotBlameACrashThatCameWhenTheMarkWasLongDurable() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        killed(20, "node-1", 1);
        forwarded(25, 25, attempt, "node-1", 2, "", true);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void blamesACrashMuchLaterIfTheDiskHungSince() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        began(2, Fault.DISK_HUNG, "node-1", "");
        killed(20, "node-1", 1);
        forwarded(25, 25, attempt, "node-1", 2, "", true);

        assertThat(verdict().duplicates()).containsOnlyKeys("CRASH_BEFORE_MARK (DOWN)");
    }

    @Test
    void blamesTheStoreThatWasLost() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        killed(20, "node-1", 1);
        began(21, Fault.STORE_LOST, "node-1", "");
        over(21, Fault.STORE_LOST, "node-1", "");
        forwarded(25, attempt, "node-1", 2);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.duplicates()).containsOnlyKeys("MARK_LOST_WITH_STORE (STORE_LOST)");
        assertThat(verdict.excused()).isEqualTo(1);
    }

    /** It was away for less than it takes to be given up: the next owner adopts what it came back without. */
    @Test
    void explainsAnAdoptionByTheStoreThatTheHolderCameBackWithout() {
        long attempt = stored(1);
        forwarded(2, 2.5, attempt, "node-1", 1, "", false);
        killed(2.4, "node-1", 1);
        began(2.8, Fault.STORE_LOST, "node-1", "");
        over(2.8, Fault.STORE_LOST, "node-1", "");
        over(3, Fault.DOWN, "node-1", "");
        forwarded(3.2, 3.4, attempt, "node-2", 3, "node-1", true);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.duplicates()).containsOnlyKeys("ADOPTION (STORE_LOST)");
    }

    @Test
    void doesNotExplainAnAdoptionByTheStoreOfAnotherNode() {
        long attempt = stored(1);
        forwarded(2, 2.5, attempt, "node-1", 1, "", false);
        began(2.8, Fault.STORE_LOST, "node-3", "");
        over(2.8, Fault.STORE_LOST, "node-3", "");
        forwarded(3.2, 3.4, attempt, "node-2", 3, "node-1", true);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void explainsAnAdoptionByTheFaultForWhichTheHolderWasGivenUp() {
        adoptedAfter(Fault.FROZEN, "node-1", "", true);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.duplicates()).containsOnlyKeys("ADOPTION (FROZEN)");
    }

    @Test
    void explainsAnAdoptionByABlockedWay() {
        adoptedAfter(Fault.BLOCKED, "node-1", "node-2", true);

        assertThat(verdict().duplicates()).containsOnlyKeys("ADOPTION (BLOCKED)");
    }

    @Test
    void findsAnAdoptionWithoutTheWarning() {
        adoptedAfter(Fault.FROZEN, "node-1", "", false);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).extracting(Finding::kind).containsExactly(Kind.UNANNOUNCED);
        assertThat(verdict.announced() + verdict.excused()).isZero();
    }

    @Test
    void doesNotExplainAnAdoptionByAFaultOfAnotherNode() {
        adoptedAfter(Fault.FROZEN, "node-3", "", true);

        assertThat(findings()).containsExactlyInAnyOrder(Kind.UNEXPLAINED, Kind.FALSE_SUSPICION);
    }

    @Test
    void doesNotExplainAnAdoptionByAWayBetweenOthers() {
        adoptedAfter(Fault.BLOCKED, "node-1", "node-3", true);

        assertThat(findings()).containsExactlyInAnyOrder(Kind.UNEXPLAINED, Kind.FALSE_SUSPICION);
    }

    @Test
    void doesNotExplainAnAdoptionByAnotherWayOfTheAdopter() {
        adoptedAfter(Fault.BLOCKED, "node-2", "node-3", true);

        assertThat(findings()).containsExactlyInAnyOrder(Kind.UNEXPLAINED, Kind.FALSE_SUSPICION);
    }

    @Test
    void aMachineThatHadNoTimeForANodeIsACause() {
        adoptedAfter(Fault.STARVED, "node-1", "", true);

        Verdict verdict = verdict();

        assertThat(verdict.findings()).isEmpty();
        assertThat(verdict.duplicates()).containsOnlyKeys("ADOPTION (STARVED)");
    }

    @Test
    void aFaultMadeOnPurposeComesBeforeAMachineWithoutTime() {
        began(1.5, Fault.BLOCKED, "node-1", "node-2");
        over(5, Fault.BLOCKED, "node-1", "node-2");
        adoptedAfter(Fault.STARVED, "node-1", "", true);

        assertThat(verdict().duplicates()).containsOnlyKeys("ADOPTION (BLOCKED)");
    }

    @Test
    void doesNotExplainAnAdoptionFromSomebodyWhoWasNotGivenUp() {
        long attempt = stored(1);
        forwarded(2, 9, attempt, "node-1", 1, "", false);
        began(2, Fault.FROZEN, "node-1", "");
        forwarded(6, 6, attempt, "node-2", 1, "node-1", true);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void theThreadThatTellsWhyMayBeLaterThanTheOneThatAdopts() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        killed(2.1, "node-1", 1);
        forwarded(6, 6, attempt, "node-2", 1, "node-1", true);
        judged(6.05, "node-2", "node-1", "TERMINATED");

        assertThat(verdict().duplicates()).containsOnlyKeys("ADOPTION (DOWN)");
    }

    @Test
    void doesNotExplainAnAdoptionByWhatWasFoundLongAfterIt() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        forwarded(6, 6, attempt, "node-2", 1, "node-1", true);
        killed(7, "node-1", 1);
        judged(10, "node-2", "node-1", "TERMINATED");

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void doesNotExplainAnAdoptionBySomethingThatWasOverWhenTheEntryWasSent() {
        killed(1, "node-1", 1);
        judged(4, "node-2", "node-1", "TERMINATED");
        over(5, Fault.DOWN, "node-1", "");
        judged(6, "node-2", "node-1", "ACTIVE");
        long attempt = stored(60);
        forwarded(62, attempt, "node-1", 2);
        forwarded(63, 63, attempt, "node-2", 1, "node-1", true);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }

    @Test
    void doesNotExplainTwoNodesOfWhichNeitherAdopted() {
        long attempt = stored(1);
        forwarded(2, attempt, "node-1", 1);
        began(3, Fault.FROZEN, "node-1", "");
        judged(6, "node-2", "node-1", "TERMINATED");
        forwarded(7, 7, attempt, "node-2", 1, "", true);

        assertThat(findings()).containsExactly(Kind.UNEXPLAINED);
    }
}
