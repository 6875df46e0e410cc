package io.georep.bench.history;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the checker says about a run.
 *
 * @param run the run
 * @param byKind the account by the kind of accident that happened last, in the order in which they happened first
 * @param duplicates how often each cause, with the fault behind it, explains a repetition
 * @param announced repetitions that were announced as possibly sent
 * @param excused repetitions that were not announced because the note of the first time was lost
 * @param suspicions how often a live node was suspected, that is silent for T_s, with nothing to cut it off
 * @param throughputs after how many overloads the throughput could be compared
 * @param findings what must not be; empty if all promises were kept
 */
public record Verdict(
        Event.Run run,
        List<Totals> byKind,
        Map<String, Long> duplicates,
        long announced,
        long excused,
        long suspicions,
        long throughputs,
        List<Finding> findings) {
    /** Returns whether all promises were kept. */
    public boolean holds() {
        return findings.isEmpty();
    }

    /** The account of the whole run. */
    public Totals sum() {
        Totals sum = new Totals("all");
        byKind.forEach(sum::add);
        return sum;
    }

    /** Microseconds as a text in seconds. */
    static String seconds(long micros) {
        return String.format(Locale.ROOT, "%.3f s", micros / 1e6);
    }
}
