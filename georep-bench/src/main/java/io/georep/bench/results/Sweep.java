package io.georep.bench.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A question that several runs of the cluster benchmark answer.
 *
 * @param name names its plot and its lines in the file of runs
 * @param title heading
 * @param text what is the same in all of its runs, and what to look at
 * @param axis what the categories are
 * @param figures what is drawn, by its name in the legend: fields of the lines of JSON. With one figure each line of the
 *     plot is a kind of runs, with several all runs are of one kind
 * @param unit of what is drawn
 * @param bars whether categories are names, and not numbers in their order
 * @param cases what is run
 */
record Sweep(
        String name,
        String title,
        String text,
        String axis,
        Map<String, String> figures,
        String unit,
        boolean bars,
        List<Case> cases) {
    private static final int CLIENTS_OF_ALL_NODES = 900;
    private static final Map<String, String> PER_CPU = Map.of("", "cyclesPerCpuSecond");
    private static final Map<String, String> PER_SECOND = Map.of("", "cyclesPerSecond");

    /**
     * Runs that differ in nothing.
     *
     * @param category from left to right
     * @param line which of the lines
     * @param nodes options of the cluster benchmark that say what is started: equal ones share their nodes
     * @param load options of the cluster benchmark that say what these do
     */
    record Case(String category, String line, String nodes, String load) {
        /** All options of the cluster benchmark, and these. */
        String[] options(String... more) {
            Stream<String> own = Stream.of(nodes, load).flatMap(text -> Stream.of(text.split(" ", -1)));
            return Stream.concat(own, Stream.of(more)).toArray(String[]::new);
        }
    }

    /** All of the page, in their order. */
    static List<Sweep> all() {
        return List.of(clients(), protection(), payloads(), nodes(), copies(), rates(), distances());
    }

    private static Sweep clients() {
        List<Case> cases = new ArrayList<>();
        for (String level : List.of("OS", "FSYNC")) {
            for (int clients : new int[] {1, 10, 100, 300, 1000}) {
                cases.add(new Case(Integer.toString(clients), level, "--durability " + level, "--clients " + clients));
            }
        }
        return new Sweep(
                "clients",
                "Clients",
                "Three nodes, f = 1, payloads of 300 bytes; each client sends its next entry when the last one is"
                        + " acknowledged.",
                "clients per node",
                PER_CPU,
                "entries per CPU-second",
                false,
                cases);
    }

    private static Sweep protection() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("plain", "");
        options.put("shared secret", " --links SECRET");
        options.put("TLS of the JDK", " --links TLS");
        options.put("TLS of OpenSSL", " --links OPENSSL");
        options.put("encrypted on disk", " --encrypted");
        List<Case> cases = new ArrayList<>();
        options.forEach((name, more) -> cases.add(new Case(name, "OS", "--durability OS" + more, "--clients 300")));
        return new Sweep(
                "protection",
                "Protected links and disks",
                "Three nodes, f = 1, 300 clients per node, payloads of 300 bytes.",
                "protection",
                PER_CPU,
                "entries per CPU-second",
                true,
                cases);
    }

    private static Sweep payloads() {
        List<Case> cases = new ArrayList<>();
        for (int bytes : new int[] {30, 300, 3_000, 65_536}) {
            cases.add(new Case(Integer.toString(bytes), "OS", "--durability OS", "--clients 300 --bytes " + bytes));
        }
        return new Sweep(
                "payloads",
                "Payloads",
                "Three nodes, f = 1, 300 clients per node.",
                "bytes of a payload",
                PER_CPU,
                "entries per CPU-second",
                false,
                cases);
    }

    private static Sweep nodes() {
        List<Case> cases = new ArrayList<>();
        for (int nodes : new int[] {2, 3, 5, 7}) {
            cases.add(new Case(
                    Integer.toString(nodes),
                    "OS",
                    "--durability OS --nodes " + nodes,
                    "--clients " + CLIENTS_OF_ALL_NODES / nodes));
        }
        return new Sweep(
                "nodes",
                "Nodes",
                "f = 1, 900 clients of all nodes together, payloads of 300 bytes. All nodes share this machine, so a"
                        + " flat line is what there is to hope for.",
                "nodes",
                PER_CPU,
                "entries per CPU-second",
                false,
                cases);
    }

    private static Sweep copies() {
        List<Case> cases = new ArrayList<>();
        for (String level : List.of("OS", "FSYNC")) {
            for (int f = 0; f <= 2; f++) {
                cases.add(new Case(Integer.toString(f), level, "--durability " + level + " --f " + f, "--clients 300"));
            }
        }
        return new Sweep(
                "copies",
                "Copies",
                "Three nodes, 300 clients per node, payloads of 300 bytes.",
                "copies on other nodes (f)",
                PER_CPU,
                "entries per CPU-second",
                false,
                cases);
    }

    private static Sweep rates() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("p50", "sendP50Micros");
        figures.put("p99", "sendP99Micros");
        List<Case> cases = new ArrayList<>();
        for (int rate : new int[] {100, 1_000, 3_000, 10_000}) {
            cases.add(new Case(Integer.toString(rate), "", "--durability OS", "--rate " + rate));
        }
        return new Sweep(
                "rates",
                "Latency at a fixed rate",
                "Three nodes, f = 1, payloads of 300 bytes, level `OS`. Entries are sent when they are due, whether or not those"
                        + " before are acknowledged, and latency counts from then: nothing is hidden when a node stalls.",
                "entries per second and node",
                figures,
                "microseconds until acknowledged",
                false,
                cases);
    }

    private static Sweep distances() {
        List<Case> cases = new ArrayList<>();
        for (String peers : List.of("NEAREST", "RANDOM")) {
            for (int millis : new int[] {1, 20, 100}) {
                cases.add(new Case(
                        Integer.toString(millis),
                        peers.toLowerCase(Locale.ROOT),
                        "--durability OS --nodes 5 --peers " + peers + " --round-trip " + millis,
                        "--clients 100"));
            }
        }
        return new Sweep(
                "distances",
                "Distances",
                "Five nodes in a row, each as far from the next as the axis says, 100 clients per node, f = 1, payloads of 300"
                        + " bytes; copies go to the nearest node or to any. A proxy delays what the nodes say to each other, and"
                        + " takes a part of the processors.",
                "milliseconds to the next node and back",
                PER_SECOND,
                "entries per second",
                false,
                cases);
    }
}
