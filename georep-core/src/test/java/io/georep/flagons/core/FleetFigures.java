package io.georep.flagons.core;

import io.georep.model.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The runs of the figures 3, 7, 8, 9 and 10 of DataFlagons in the simulator: tables as Markdown, and a plot of each as
 * SVG. Arguments: the directory for both, and the number of nodes, once or more.
 */
final class FleetFigures {
    private static final int POINTS = 20;

    /** How a fleet is set, and what the paper calls it. */
    private record Setting(String name, FleetSettings settings, Consistency consistency) {}

    private final Path directory;
    private final StringBuilder text = new StringBuilder();
    private final long millis;
    private final double[] churns;

    FleetFigures(Path directory, long millis, double... churns) {
        this.directory = directory;
        this.millis = millis;
        this.churns = churns;
    }

    public static void main(String[] args) throws IOException {
        FleetFigures figures = new FleetFigures(Path.of(args[0]), 32_000, 0, .1, .2, .3);
        for (int i = 1; i < args.length; i++) {
            figures.all(Integer.parseInt(args[i]));
        }
    }

    void all(int nodes) throws IOException {
        Files.createDirectories(directory);
        twoValuesAtOnce(nodes);
        order(nodes);
        latencyAndThroughput(nodes);
        Files.writeString(directory.resolve("figures-" + nodes + ".md"), text);
        System.out.print(text);
        text.setLength(0);
    }

    private FleetRun run(int nodes, FleetSettings settings, double churn) {
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        run.settings = settings;
        run.churn = churn;
        run.millis = millis;
        run.quietMillis = 5_000;
        return run;
    }

    /** Figure 3: two clients put at once without an order. In DataFlasks each half of the group keeps its own value. */
    private void twoValuesAtOnce(int nodes) throws IOException {
        Slice key = Slice.utf8("key");
        FleetRun run = run(nodes, FleetSettings.hardened(nodes), 0);
        run.rate = 0;
        run.millis = 12_000;
        List<Operation> puts = new ArrayList<>();
        List<double[]> counts = new ArrayList<>();
        run.script = fleet -> {
            if (fleet.now == 4_000) {
                for (int i = 0; i < 2; i++) {
                    puts.add(fleet.operation(Operation.Kind.PUT, key));
                    fleet.submit(fleet.any(), puts.get(i), Consistency.ANY, OrderKey.FIRST, 1, outcome -> {});
                }
            }
            if (fleet.now >= 4_000 && fleet.now % 125 == 0) {
                double[] having = new double[2];
                for (FleetSimulation.Member member : fleet.alive) {
                    Slice value = member.node.store().look(key, OrderKey.LAST).value();
                    for (int i = 0; i < 2; i++) {
                        having[i] += puts.get(i).value().equals(value) ? 1 : 0;
                    }
                }
                counts.add(new double[] {fleet.now - 4_000, having[0], having[1]});
            }
        };
        new FleetSimulation(run).run();
        plot("figure3-" + nodes, "milliseconds; members with each value", List.of("first", "second"), counts);
        double[] end = counts.get(counts.size() - 1);
        text.append(format(
                "%n### Figure 3, %d nodes%n%nAt the end %.0f members have the first value and %.0f the second."
                        + " In the paper the group is divided for good.%n",
                nodes, end[1], end[2]));
    }

    /** Figure 7: a get returns the last put before it, whatever the churn. */
    private void order(int nodes) {
        text.append(format(
                "%n### Figure 7, %d nodes%n%n| churn | setting | requests | events | wrong gets | holes |%n"
                        + "|---|---|---|---|---|---|%n",
                nodes));
        for (double churn : churns) {
            for (Setting setting : List.of(printed(false), hardened(nodes))) {
                FleetRun run = run(nodes, setting.settings, churn);
                run.keys = 1;
                ClosedLoop clients = new ClosedLoop(run, 2, 40, Consistency.ORDERED);
                FleetJudge judge = new FleetSimulation(run).run();
                text.append(format(
                        "| %.0f %% | %s | %d | %d | %d | %.1e |%n",
                        churn * 100,
                        setting.name,
                        clients.answers(),
                        judge.pairs / nodes,
                        judge.answers.wrongGets,
                        judge.holeRate()));
            }
        }
        text.append("\nThe paper reports no wrong get.\n");
    }

    /** The settings of the paper's text, or those of its message counts for 1,000 nodes. */
    private static Setting printed(boolean isLarge) {
        return isLarge
                ? new Setting("printed 20/30", FleetSettings.paper(20, 30), Consistency.ORDERED)
                : new Setting("printed 18/25", FleetSettings.paper(18, 25), Consistency.ORDERED);
    }

    private static Setting hardened(int nodes) {
        return new Setting("hardened", FleetSettings.hardened(nodes), Consistency.ORDERED);
    }

    /** Figures 8, 9 and 10: closed loops, 30 clients or 100. */
    private void latencyAndThroughput(int nodes) throws IOException {
        int count = nodes < 1000 ? 30 : 100;
        List<Setting> settings = new ArrayList<>(List.of(printed(false)));
        settings.add(
                nodes < 1000
                        ? new Setting("printed 11/8", FleetSettings.paper(11, 8), Consistency.ORDERED)
                        : printed(true));
        settings.add(hardened(nodes));
        settings.add(new Setting("without order", FleetSettings.hardened(nodes), Consistency.ANY));
        text.append(format(
                "%n### Figures 8, 9 and 10, %d nodes, %d clients%n%n| churn | setting | requests/s | mean ms"
                        + " | median | 99 %% | unsure | wrong gets | holes | event copies/request | balls/request | messages/request |%n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|---|%n",
                nodes, count));
        for (double churn : churns) {
            List<ClosedLoop> all = new ArrayList<>();
            for (Setting setting : settings) {
                FleetRun run = run(nodes, setting.settings, churn);
                ClosedLoop clients = new ClosedLoop(run, count, Integer.MAX_VALUE, setting.consistency);
                FleetSimulation fleet = new FleetSimulation(run);
                row(churn, setting, clients, fleet, fleet.run());
                all.add(clients);
            }
            List<double[]> quantiles = new ArrayList<>();
            for (int i = 0; i <= POINTS; i++) {
                double share = i / (double) POINTS;
                double[] point = new double[1 + all.size()];
                point[0] = share * 100;
                for (int j = 0; j < all.size(); j++) {
                    point[1 + j] = all.get(j).quantile(share);
                }
                quantiles.add(point);
            }
            plot(
                    format("figure8-%d-churn%.0f", nodes, churn * 100),
                    "% of the requests; milliseconds",
                    settings.stream().map(Setting::name).toList(),
                    quantiles);
        }
    }

    private void row(double churn, Setting setting, ClosedLoop clients, FleetSimulation fleet, FleetJudge judge) {
        double requests = Math.max(1, clients.answers());
        long copies = fleet.members.stream()
                .mapToLong(each -> each.node.counters().copies())
                .sum();
        long balls = fleet.members.stream()
                .mapToLong(each -> each.node.counters().balls())
                .sum();
        text.append(format(
                "| %.0f %% | %s | %.1f | %d | %d | %d | %d | %d | %.1e | %.0f | %.0f | %.0f |%n",
                churn * 100,
                setting.name,
                clients.perSecond(),
                clients.mean(),
                clients.quantile(.5),
                clients.quantile(.99),
                clients.unsure,
                judge.answers.wrongGets,
                judge.holeRate(),
                copies / requests,
                balls / requests,
                fleet.messages / requests));
        System.err.println(setting.name + " " + churn + " " + judge);
    }

    private void plot(String name, String axes, List<String> names, List<double[]> points) throws IOException {
        Files.writeString(directory.resolve(name + ".svg"), LinePlot.svg(axes, names, points));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
