package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the paper says of latency, throughput and messages, beside what was measured here. */
final class PaperFigures {
    private record Measured(
            String setting, double churn, double perSecond, double meanMillis, double copies, double messages) {}

    private final int nodes;
    private final int clients;
    private final List<Measured> all = new ArrayList<>();

    PaperFigures(int nodes, int clients) {
        this.nodes = nodes;
        this.clients = clients;
    }

    void measured(String setting, double churn, double perSecond, double meanMillis, double copies, double messages) {
        all.add(new Measured(setting, churn, perSecond, meanMillis, copies, messages));
    }

    private Measured of(String setting, double churn) {
        return all.stream()
                .filter(each -> each.setting.equals(setting) && each.churn == churn)
                .findFirst()
                .orElseThrow();
    }

    /** Returns a table of what the paper says in numbers. */
    String beside() {
        double calm = all.get(0).churn;
        double rough = all.get(all.size() - 1).churn;
        boolean isSmall = nodes < 1000;
        Measured printed = of("printed 18/25", calm);
        Measured other = of(isSmall ? "printed 11/8" : "printed 20/30", calm);
        Measured loose = of("without order", calm);
        StringBuilder text = new StringBuilder("\n| | paper | here |\n|---|---|---|\n");
        row(
                text,
                "throughput without order : with it (text: ten, summary: 4.7)",
                "10 or 4.7",
                loose.perSecond / printed.perSecond);
        row(
                text,
                percent(rough) + " churn makes a request longer",
                "up to 10 %",
                "%.0f %%",
                100 * (of("printed 18/25", rough).meanMillis / printed.meanMillis - 1));
        row(text, "event copies for a request, K·TTL·n = " + (isSmall ? 135_000 : 450_000), "-", printed.copies);
        row(
                text,
                "U3: the same times " + clients + " clients",
                isSmall ? "4 M" : "60 M",
                "%.1f M",
                (isSmall ? printed : other).copies * clients / 1e6);
        row(text, "all messages for a request", "-", printed.messages);
        row(text, "messages for a request without order", "-", loose.messages);
        if (isSmall) {
            row(text, "U4: event copies with 11/8 : messages without order", "1", other.copies / loose.messages);
            row(text, "U5: throughput with 11/8", "+58 %", "%+.0f %%", 100 * (other.perSecond / printed.perSecond - 1));
        } else {
            row(text, "U2: throughput with 20/30 : with 18/25", "one figure", other.perSecond / printed.perSecond);
        }
        return text.toString();
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    private static void row(StringBuilder text, String what, String paper, double here) {
        row(text, what, paper, here < 100 ? "%.1f" : "%.0f", here);
    }

    private static void row(StringBuilder text, String what, String paper, String format, double here) {
        text.append(String.format(Locale.ROOT, "| %s | %s | " + format + " |%n", what, paper, here));
    }
}
