package io.georep.examples.sms.demo;

import java.util.List;
import java.util.Locale;

/** The table at the end, and what it means for the exit code. */
final class SmsDemoReport {
    private final Terminal terminal;
    private final AttemptAccount account;
    private final Load load;

    SmsDemoReport(Terminal terminal, AttemptAccount account, Load load) {
        this.terminal = terminal;
        this.account = account;
        this.load = load;
    }

    /** Prints the result; returns the exit code. */
    int print(long adopted, double trafficSeconds, double recoverySeconds) {
        AttemptAccount.Summary summary = account.summary();
        List<String> lost = account.lost();
        List<String> faults = account.faults();
        terminal.plain("");
        row("submits acknowledged", "%,d", summary.acknowledged());
        row("submits throttled (submitted again)", "%,d", summary.throttled());
        row("submits refused (submitted again)", "%,d", summary.refused());
        row("submits without an answer (submitted again)", "%,d", summary.unanswered());
        row("messages at the operator", "%,d", summary.arrived());
        row("duplicates at the operator", "%,d", summary.duplicates());
        row("adopted from the dead gateway", "%,d", adopted);
        row("acknowledged but lost", "%,d", summary.missing());
        row("throughput", "%,.0f/s", summary.arrived() / trafficSeconds);
        row("from the kill until all was done", "%.1f s", recoverySeconds);
        row("submit_sm_resp p50", "%.1f ms", load.latencies().percentile(0.5) / 1e6);
        row("submit_sm_resp p99", "%.1f ms", load.latencies().percentile(0.99) / 1e6);
        terminal.plain("");
        lost.forEach(id -> terminal.plain("LOST: %s", id));
        faults.forEach(fault -> terminal.plain("CONTRADICTION: %s", fault));
        if (summary.missing() > 0 || !faults.isEmpty()) {
            terminal.plain("FAILED: %,d acknowledged messages did not reach the operator", summary.missing());
            return 1;
        }
        if (adopted == 0) {
            terminal.plain("FAILED: nothing was lost, but nothing was adopted either, so this run proves little");
            return 1;
        }
        terminal.plain("Every submit_sm_resp is accounted for.");
        return 0;
    }

    private void row(String name, String format, Object value) {
        terminal.plain("  %-44s %12s", name, String.format(Locale.ROOT, format, value));
    }
}
