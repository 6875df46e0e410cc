package io.georep.bench.demo;

import io.georep.bench.report.Latencies;
import io.georep.bench.report.TextTable;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The table at the end, and what it means for the exit code. */
final class DemoReport {
    private static final int IDS_MAX = 1000;

    private final DemoOptions options;
    private final Terminal terminal;
    private final AttemptAccount account;
    private final Producers producers;
    private final Takeovers adoptions;

    DemoReport(
            DemoOptions options, Terminal terminal, AttemptAccount account, Producers producers, Takeovers adoptions) {
        this.options = options;
        this.terminal = terminal;
        this.account = account;
        this.producers = producers;
        this.adoptions = adoptions;
    }

    /** Prints the result; returns the exit code. */
    int print() {
        AttemptAccount.Summary summary = account.summary();
        Histogram sends = producers.sends();
        double perSecond = summary.forwarded() / Terminal.seconds(producers.trafficNanos());
        terminal.plain("");
        new TextTable()
                .row("messages to send", count(options.entries()))
                .row("attempted", count(summary.attempted()))
                .row("accepted by nodes", count(summary.accepted()))
                .row("acknowledged", count(summary.acknowledged()))
                .row("without an answer (sent again)", count(summary.indeterminate()))
                .row("rejected (sent again)", count(summary.rejected()))
                .row("forwarded", count(summary.forwarded()))
                .row("duplicates", count(summary.duplicates()))
                .row("adopted", count(adoptions.total()))
                .row("unexpected", count(summary.unexpected()))
                .row("lost", count(summary.lost()))
                .row("throughput", count(Math.round(perSecond)) + "/s")
                .row("send p50", millis(sends, 50))
                .row("send p99", millis(sends, 99))
                .lines()
                .forEach(line -> terminal.plain("  %s", line));
        terminal.plain("");
        if (options.accidents().count() > 0) {
            printByFault();
        }
        List<String> faults = account.faults();
        faults.forEach(fault -> terminal.plain("CONTRADICTION: %s", fault));
        List<AttemptAccount.Missing> missing = account.missing(IDS_MAX);
        missing.forEach(entry -> terminal.plain(
                "LOST: %s, acknowledged %s",
                entry.id(),
                entry.accident() == 0 ? "before the first accident" : "during or after accident " + entry.accident()));
        if (!missing.isEmpty() || !faults.isEmpty()) {
            terminal.plain(
                    "FAILED: %,d acknowledged entries were not forwarded, %,d arrivals were not expected",
                    summary.lost(), summary.unexpected());
            return 1;
        }
        if (!producers.finished()) {
            terminal.plain("FAILED: nothing acknowledged was lost, but not every message was acknowledged");
            return 1;
        }
        terminal.plain("Every acknowledged entry was forwarded.");
        return 0;
    }

    private void printByFault() {
        TextTable table = new TextTable()
                .row(
                        "latest accident",
                        "times",
                        "attempted",
                        "acknowledged",
                        "forwarded",
                        "duplicates",
                        "unexpected",
                        "lost");
        for (Tally tally : account.byFault()) {
            table.row(
                    tally.fault,
                    count(tally.times),
                    count(tally.attempted),
                    count(tally.acknowledged),
                    count(tally.forwarded),
                    count(tally.duplicates),
                    count(tally.unexpected),
                    count(tally.lost));
        }
        table.lines().forEach(line -> terminal.plain("  %s", line));
        terminal.plain("");
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String millis(Histogram histogram, double percentage) {
        return String.format(Locale.ROOT, "%.2f ms", Latencies.millis(histogram, percentage));
    }
}
