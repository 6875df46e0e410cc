package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.bench.maps.BankCall.Way;
import io.georep.bench.report.Latencies;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Lets groups lose their majority for a while, one group at a time. What needs no such group goes on as if nothing had happened; what needs
 * it is refused, or its outcome is unknown, in bounded time; and soon after the voters are back all is as before.
 */
final class DeadGroup {
    /** Half a lease: no group changes its leader in so short a time. */
    private static final Duration UNDISTURBED = Duration.ofSeconds(1);

    private static final Duration ANSWERED = BankNode.CALL.plusSeconds(1);
    private static final Duration BACK = Duration.ofSeconds(3);

    /** The same without any accident takes longer where there is more to do than processors. */
    private static final int CONTROLS = 10;

    private static final int BEFORE_MILLIS = 3000;
    private static final int LEAST = 50;

    private final BankTrial bank;
    private final Random random;

    /** Of which so many are drawn as there is time for: the accidents do not depend on it. */
    private final Random nodes = new Random();

    DeadGroup(BankTrial bank, Random random) {
        this.bank = bank;
        this.random = random;
    }

    /** When all was well, the first voter died, both were dead, they came back, and all was served again. */
    private record Times(long calm, long dies, long dead, long ends, long served) {}

    /** Two voters of a group die, or stand still, and come back. */
    void lose(int group) throws IOException, InterruptedException {
        bank.awaitHomes();
        Duration control = bank.awaitService(BankTrial.NOBODY);
        List<Integer> lost = BankTrial.GROUPS.get(group).subList(0, 2);
        boolean isKilled = random.nextBoolean();
        bank.avoid(lost);
        long calm = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(BEFORE_MILLIS);
        long dies = System.nanoTime();
        for (int voter : lost) {
            if (isKilled) {
                bank.cluster().kill(voter);
            } else {
                bank.cluster().freeze(voter);
            }
        }
        long dead = System.nanoTime();
        count(group, dead + TimeUnit.MILLISECONDS.toNanos(5000 + random.nextInt(7000)));
        long ends = System.nanoTime();
        for (int voter : lost) {
            if (isKilled) {
                bank.cluster().start(voter);
            } else {
                bank.cluster().thaw(voter);
            }
        }
        for (int voter : lost) {
            bank.awaitStart(voter);
        }
        Duration back = bank.awaitService(BankTrial.NOBODY);
        long served = System.nanoTime();
        bank.avoid(List.of());
        BankTrial.await("answers", () -> bank.history().isAnswered(served));
        System.out.printf(
                Locale.ROOT,
                "group %d has no majority for %.1f s (%s); back after %d ms, control: %d ms%n",
                group,
                (ends - dead) / 1e9,
                isKilled ? "kill -9" : "SIGSTOP",
                back.toMillis(),
                control.toMillis());
        judge(group, lost, new Times(calm, dies, dead, ends, served));
        assertThat(back).isLessThan(BACK.plus(control.multipliedBy(CONTROLS)));
    }

    private void judge(int group, List<Integer> lost, Times times) {
        List<BankAttempt> before = attempts(times.calm, times.dies, lost)
                .filter(each -> each.group() != group)
                .toList();
        List<BankAttempt> others = attempts(times.dies, times.served, lost)
                .filter(each -> each.group() != group)
                .toList();
        List<BankAttempt> needIt = attempts(times.dead, times.ends, lost)
                .filter(each -> each.group() == group)
                .toList();
        List<BankAttempt> disturbed =
                others.stream().filter(DeadGroup::isDisturbed).toList();
        System.out.printf(
                Locale.ROOT,
                "  other groups: %d calls, %d disturbed, %s; before: %s%n  calls that need it: %s%n",
                others.size(),
                disturbed.size(),
                latencies(others),
                latencies(before),
                BankAttempt.fates(needIt.stream()));
        assertThat(disturbed).isEmpty();
        assertThat(others).hasSizeGreaterThan(LEAST);
        assertThat(needIt).filteredOn(each -> !isSaidInTime(each)).isEmpty();
        assertThat(needIt)
                .filteredOn(each -> each.ended() - times.ends < 0 && each.isDone())
                .as("done without a majority")
                .isEmpty();
        assertThat(needIt).as("refused counts").anyMatch(each -> each.way() == Way.COUNT);
    }

    /** Counts, which needs all groups, wherever it is known that there is none: before, all groups would wait. */
    private void count(int group, long until) throws InterruptedException {
        try (BankClient client = new BankClient(bank, group)) {
            while (System.nanoTime() - until < 0) {
                int node = bank.draw(nodes);
                if (bank.leader(node, group).equals(BankTrial.NO_LEADER)) {
                    client.ask(node, Way.COUNT, "-");
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private Stream<BankAttempt> attempts(long from, long to, List<Integer> butAt) {
        return bank.history().attempts(from, to).stream().filter(each -> !butAt.contains(each.node()));
    }

    private static boolean isDisturbed(BankAttempt attempt) {
        return !attempt.wasGivenUpWithin(UNDISTURBED) && !(attempt.isDone() && attempt.wasAnsweredWithin(UNDISTURBED));
    }

    private static boolean isSaidInTime(BankAttempt attempt) {
        return attempt.wasGivenUpWithin(ANSWERED) || attempt.wasAnsweredWithin(ANSWERED);
    }

    private static String latencies(List<BankAttempt> attempts) {
        Histogram all = Latencies.histogram();
        attempts.stream().filter(BankAttempt::isDone).forEach(each -> all.recordValue(each.ended() - each.began()));
        return String.format(
                Locale.ROOT,
                "p50 %.0f, p99 %.0f, max %.0f ms",
                Latencies.millis(all, 50),
                Latencies.millis(all, 99),
                Latencies.millis(all, 100));
    }
}
