package io.georep.bench.history;

import java.util.List;
import java.util.Locale;

/** Verdicts as one HTML page that needs nothing else. Used by one thread. */
public final class Page {
    /** Heads of the columns of {@link #row}. */
    public static final List<String> COLUMNS = List.of(
            "latest accident",
            "times",
            "attempted",
            "acknowledged",
            "rejected",
            "indeterminate",
            "forwarded",
            "recovered",
            "duplicated",
            "unexpected",
            "lost",
            "reunited after, mean/max s");

    private static final String STYLE = "body{font:14px sans-serif;margin:2em;color:#222}"
            + "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;text-align:right;"
            + "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
            + ".good{color:#060}.bad{color:#b00}code{background:#f3f3f3;padding:.1em .3em}svg text{font:10px sans-serif}";

    private final StringBuilder rounds = new StringBuilder();
    private final Totals all = new Totals("all");
    private int count;
    private int failed;

    /** Figures of an account as texts, in the order of {@link #COLUMNS}. */
    public static List<String> row(Totals totals) {
        String reunited = totals.reunions == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%.1f/%.1f",
                        totals.reunionMicros / 1e6 / totals.reunions,
                        totals.reunionMicrosMax / 1e6);
        return List.of(
                totals.kind,
                number(totals.times),
                number(totals.attempted),
                number(totals.acknowledged),
                number(totals.rejected),
                number(totals.indeterminate),
                number(totals.forwarded),
                number(totals.recovered),
                number(totals.duplicated),
                number(totals.unexpected),
                number(totals.lost),
                reunited);
    }

    /** Adds a round. */
    public void add(Verdict verdict, List<Event> events) {
        count++;
        failed += verdict.holds() ? 0 : 1;
        all.add(verdict.sum());
        Event.Run run = verdict.run();
        rounds.append("<h2>Seed ")
                .append(run.seed())
                .append(": ")
                .append(verdict(verdict.holds()))
                .append("</h2><p>")
                .append(run.nodes())
                .append(" nodes, f = ")
                .append(run.f())
                .append(". To repeat it: <code>")
                .append(escape(run.command()))
                .append("</code></p>\n");
        verdict.findings().stream()
                .limit(100)
                .forEach(finding -> rounds.append("<p class=bad>")
                        .append(escape(finding.toString()))
                        .append("</p>\n"));
        rounds.append(new Timeline(events).svg());
        table(verdict.byKind());
        rounds.append("<table><tr><th>why entries were forwarded again</th><th>times</th></tr>");
        verdict.duplicates()
                .forEach((cause, times) -> rounds.append("<tr><td>")
                        .append(escape(cause))
                        .append("</td><td>")
                        .append(number(times))
                        .append("</td></tr>"));
        rounds.append("</table><p>Announced: ")
                .append(number(verdict.announced()))
                .append("; not announced because the note was lost: ")
                .append(number(verdict.excused()))
                .append(". Suspected though alive: ")
                .append(number(verdict.suspicions()))
                .append(". Overloads with throughput compared: ")
                .append(number(verdict.throughputs()))
                .append(".</p>\n");
    }

    private void table(List<Totals> kinds) {
        rounds.append("<table><tr>");
        COLUMNS.forEach(column -> rounds.append("<th>").append(column).append("</th>"));
        rounds.append("</tr>");
        for (Totals kind : kinds) {
            rounds.append("<tr>");
            row(kind).forEach(cell -> rounds.append("<td>").append(escape(cell)).append("</td>"));
            rounds.append("</tr>");
        }
        rounds.append("</table>\n");
    }

    /** The page. */
    public String html() {
        return "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>GeoRep chaos</title><style>" + STYLE
                + "</style></head><body><h1>GeoRep chaos: " + verdict(failed == 0) + "</h1><p>" + count + " rounds, "
                + number(all.acknowledged) + " entries acknowledged, " + number(all.lost) + " lost, "
                + number(all.unexpected) + " unexpected, " + number(all.duplicated)
                + " forwarded more than once.</p>\n" + rounds + "</body></html>\n";
    }

    private static String verdict(boolean holds) {
        return holds ? "<span class=good>all promises kept</span>" : "<span class=bad>FAILED</span>";
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
