package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The runs of the figures 3, 7, 8, 9 and 10 of DataFlagons in the simulator: tables as Markdown with the numbers of the paper beside
 * ours, and a plot of each as SVG. Arguments: the directory for both, and the number of nodes, once or more.
 */
final class FleetFigures {
    private static final int POINTS = 20;

    /** How a fleet is set. */
    private record Setting(String name, FleetSettings settings, FleetConsistency consistency) {
        static Setting printed(int fanout, int hops) {
            String name = "printed " + fanout + "/" + hops;
            return new Setting(name, FleetSettings.paper(fanout, hops), FleetConsistency.ORDERED);
        }

        static Setting hardened(int nodes) {
            return new Setting("hardened", FleetSettings.hardened(nodes), FleetConsistency.ORDERED);
        }

        static Setting withoutOrder(int nodes) {
            return new Setting("without order", FleetSettings.hardened(nodes), FleetConsistency.ANY);
        }
    }

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
        write(nodes);
        System.out.print(text);
        text.setLength(0);
    }

    /** What there is so far: runs are long. */
    private void write(int nodes) throws IOException {
        Files.writeString(directory.resolve("figures-" + nodes + ".md"), text);
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
        List<FleetOperation> puts = new ArrayList<>();
        List<double[]> counts = new ArrayList<>();
        run.script = fleet -> {
            if (fleet.now == 4_000) {
                for (int i = 0; i < 2; i++) {
                    puts.add(fleet.operation(FleetOperation.Kind.PUT, key));
                    fleet.submit(fleet.any(), puts.get(i), FleetConsistency.ANY, OrderKey.FIRST, 1, outcome -> {});
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
        add(
                "%n### Figure 3, %d nodes%n%n| | members with the first value | with the second | |%n|---|---|---|---|%n"
                        + "| here, after 8 s | %.0f | %.0f | one group has one value |%n"
                        + "| paper, DataFlasks | some | the others | from 8,000 ticks on divided for good |%n",
                nodes, end[1], end[2]);
    }

    /** Figure 7: a get returns the last put before it, whatever the churn. */
    private void order(int nodes) throws IOException {
        add(
                "%n### Figure 7, %d nodes, 2 clients with 20 requests each%n%n| churn | setting | requests | events"
                        + " | wrong answers of members | wrong gets of clients | holes |%n|---|---|---|---|---|---|---|%n",
                nodes);
        for (double churn : churns) {
            for (Setting setting : List.of(Setting.printed(18, 25), Setting.hardened(nodes))) {
                FleetRun run = run(nodes, setting.settings, churn);
                run.keys = 1;
                ClosedLoop clients = new ClosedLoop(run, 2, 40, FleetConsistency.ORDERED);
                FleetJudge judge = new FleetSimulation(run).run();
                add(
                        "| %.0f %% | %s | %d | %d | %d | %d | %.1e |%n",
                        churn * 100,
                        setting.name,
                        clients.answers(),
                        judge.pairs / nodes,
                        judge.answers.wrongGets,
                        wrongGets(clients),
                        judge.holeRate());
                if (setting.settings.paper()) {
                    continue;
                }
                plot(
                        format("figure7-%d-churn%.0f", nodes, churn * 100),
                        "place in the order; puts so far, and the put that a get returns",
                        List.of("put", "got"),
                        versions(clients));
            }
        }
        add("| 10, 20, 30 %% | paper, 300 nodes | 40 | | | 0 | |%n");
        write(nodes);
    }

    /** What clients were told, by place. */
    private static Map<OrderKey, Map.Entry<FleetOperation, Outcome>> inOrder(ClosedLoop clients) {
        Map<OrderKey, Map.Entry<FleetOperation, Outcome>> sorted = new TreeMap<>();
        clients.told.entrySet().forEach(each -> sorted.put(each.getValue().place(), each));
        return sorted;
    }

    /** How many gets of clients did not return the last put before them that a client was told of. */
    private static int wrongGets(ClosedLoop clients) {
        Map<Slice, OrderKey> last = new HashMap<>();
        int wrong = 0;
        for (Map.Entry<FleetOperation, Outcome> each : inOrder(clients).values()) {
            Slice key = each.getKey().key();
            Outcome outcome = each.getValue();
            if (each.getKey().changes()) {
                last.put(key, outcome.place());
            } else if (outcome.version().compareTo(last.getOrDefault(key, OrderKey.FIRST)) < 0) {
                wrong++;
            }
        }
        return wrong;
    }

    /** For each place the number of the last put, and of the one that the last get has returned. */
    private static List<double[]> versions(ClosedLoop clients) {
        List<double[]> points = new ArrayList<>();
        Map<OrderKey, Integer> numbers = new TreeMap<>();
        numbers.put(OrderKey.FIRST, 0);
        int got = 0;
        for (Map.Entry<FleetOperation, Outcome> each : inOrder(clients).values()) {
            if (each.getKey().changes()) {
                numbers.put(each.getValue().place(), numbers.size());
            } else {
                got = numbers.getOrDefault(each.getValue().version(), got);
            }
            points.add(new double[] {points.size() + 1, numbers.size() - 1, got});
        }
        return points;
    }

    /** Figures 8, 9 and 10: closed loops, 30 clients or 100. */
    private void latencyAndThroughput(int nodes) throws IOException {
        int count = nodes < 1000 ? 30 : 100;
        List<Setting> settings = List.of(
                Setting.printed(18, 25),
                nodes < 1000 ? Setting.printed(11, 8) : Setting.printed(20, 30),
                Setting.hardened(nodes),
                Setting.withoutOrder(nodes));
        List<String> names = settings.stream().map(Setting::name).toList();
        add(
                "%n### Figures 8, 9 and 10, %d nodes, %d clients%n%n| churn | setting | requests/s | mean ms"
                        + " | median | 99 %% | unsure | wrong answers of members | wrong gets of clients | holes"
                        + " | event copies/request | balls/request | messages/request |%n"
                        + "|---|---|---|---|---|---|---|---|---|---|---|---|---|%n",
                nodes, count);
        List<double[]> throughput = new ArrayList<>();
        PaperFigures paper = new PaperFigures(nodes, count);
        for (double churn : churns) {
            List<ClosedLoop> all = new ArrayList<>();
            double[] perSecond = new double[1 + settings.size()];
            perSecond[0] = churn * 100;
            for (Setting setting : settings) {
                FleetRun run = run(nodes, setting.settings, churn);
                ClosedLoop clients = new ClosedLoop(run, count, Integer.MAX_VALUE, setting.consistency);
                FleetSimulation fleet = new FleetSimulation(run);
                row(churn, setting, clients, fleet, fleet.run(), paper);
                all.add(clients);
                perSecond[all.size()] = clients.perSecond();
                write(nodes);
            }
            throughput.add(perSecond);
            plot(
                    format("figure8-%d-churn%.0f", nodes, churn * 100),
                    "% of the requests; milliseconds",
                    names,
                    quantiles(all));
        }
        plot("figure9-" + nodes, "churn in %; requests/s", names, throughput);
        if (nodes < 1000) {
            List<double[]> tuned = throughput.stream()
                    .map(each -> new double[] {each[0], each[1], each[2]})
                    .toList();
            plot("figure10-" + nodes, "churn in %; requests/s", names.subList(0, 2), tuned);
        }
        text.append(paper.beside());
    }

    private static List<double[]> quantiles(List<ClosedLoop> all) {
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
        return quantiles;
    }

    private void row(
            double churn,
            Setting setting,
            ClosedLoop clients,
            FleetSimulation fleet,
            FleetJudge judge,
            PaperFigures paper) {
        double requests = Math.max(1, clients.answers());
        double copies = fleet.members.stream()
                        .mapToLong(each -> each.node.counters().copies())
                        .sum()
                / requests;
        double balls = fleet.members.stream()
                        .mapToLong(each -> each.node.counters().balls())
                        .sum()
                / requests;
        add(
                "| %.0f %% | %s | %.1f | %d | %d | %d | %d | %d | %d | %.1e | %.0f | %.0f | %.0f |%n",
                churn * 100,
                setting.name,
                clients.perSecond(),
                clients.mean(),
                clients.quantile(.5),
                clients.quantile(.99),
                clients.unsure,
                judge.answers.wrongGets,
                wrongGets(clients),
                judge.holeRate(),
                copies,
                balls,
                fleet.messages / requests);
        paper.measured(setting.name, churn, clients.perSecond(), clients.mean(), copies, fleet.messages / requests);
        System.err.println(setting.name + " " + churn + " " + judge);
    }

    private void plot(String name, String axes, List<String> names, List<double[]> points) throws IOException {
        Files.writeString(directory.resolve(name + ".svg"), LinePlot.svg(axes, names, points));
    }

    private void add(String format, Object... values) {
        text.append(format(format, values));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
