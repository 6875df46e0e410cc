package io.georep.bench.results;

import static io.georep.bench.results.ResultsPage.MICROS;
import static io.georep.bench.results.ResultsPage.cells;
import static io.georep.bench.results.ResultsPage.median;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The section about queues of other products on the {@link ResultsPage}. */
final class PeersSection {
    private static final String PLOT = "peers.svg";

    private final ResultsPage page;

    PeersSection(ResultsPage page) {
        this.page = page;
    }

    /** Writes the section, if there are runs. */
    void write(Runs all) throws IOException {
        Runs runs = all.with("bench", "peers");
        if (runs.isEmpty()) {
            return;
        }
        page.add("## Beside other products");
        page.add(
                "Three nodes each on this machine, payloads of 300 bytes, closed-loop clients at each node, the whole cycle: send,"
                        + " acknowledged, consumed by a handler that does nothing, and gone. *Durability* says what an"
                        + " acknowledgement means. RabbitMQ: a quorum queue of three members for each node, led by the server"
                        + " beside it, with publisher confirms. Kafka: a topic of one partition and three replicas for each node, an"
                        + " idempotent producer with `acks=all`. PostgreSQL: `synchronous_commit = on`, any one of two standbys, an"
                        + " `INSERT` and a commit for each entry, a poller that deletes up to 1,000 at once. Hazelcast: a queue in"
                        + " memory for each node with one synchronous backup, to which up to 1,000 entries are added at once and from"
                        + " which as many are taken before they are handled. `georep-bench/comparison/run QueueBench` runs it. "
                        + ResultsPage.origin(runs));
        Map<String, Map<String, Spread>> lines = new LinkedHashMap<>();
        runs.by("clients").forEach((clients, its) -> {
            Map<String, Spread> line = new LinkedHashMap<>();
            its.by("product")
                    .forEach((product, ofProduct) -> ofProduct
                            .by("durability")
                            .forEach((durability, same) -> line.put(
                                    label(product, durability, ofProduct), same.spread("entriesPerCpuSecond"))));
            lines.put(clients + " clients", line);
        });
        List<String> categories = lines.values().stream()
                .flatMap(line -> line.keySet().stream())
                .distinct()
                .toList();
        page.plot(PLOT, "Beside other products", "product", "entries per CPU-second", categories, lines, true);
        StringBuilder table =
                new StringBuilder("| product | durability | clients per node | entries/s | per CPU-second | p50 ms |"
                        + " p99 ms | memory MiB | bytes on loopback |\n|---|---|---|---|---|---|---|---|---|\n");
        runs.by("product")
                .forEach((product, ofProduct) -> ofProduct
                        .by("durability")
                        .forEach((durability, same) -> same.by("clients")
                                .forEach((clients, its) -> table.append(cells(
                                        product,
                                        durability,
                                        clients,
                                        its.spread("entriesPerSecond").text(),
                                        its.spread("entriesPerCpuSecond").text(),
                                        median(its, "sendP50Micros", MICROS),
                                        median(its, "sendP99Micros", MICROS),
                                        median(its, "rssMiB", 1),
                                        median(its, "loopbackBytesPerEntry", 1))))));
        page.add(table.toString().strip());
        killed(all.with("bench", "peers-kill"));
    }

    private void killed(Runs runs) {
        if (runs.isEmpty()) {
            return;
        }
        page.add(
                "Then the first node is killed under load, its server and its application at once; PostgreSQL's first server is the"
                        + " primary. How long the applications of the other two go without an acknowledgement, and how many of them get any"
                        + " " + median(runs, "watchedSeconds", 1) + " s later:");
        StringBuilder table = new StringBuilder(
                "| product | durability | longest pause s | of the two, accept |\n|---|---|---|---|\n");
        runs.by("product")
                .forEach((product, ofProduct) -> ofProduct
                        .by("durability")
                        .forEach((durability, its) -> table.append(cells(
                                product,
                                durability,
                                its.spread("pauseMillis").over(MICROS).text(),
                                median(its, "accepting", 1)))));
        page.add(table.toString().strip());
    }

    /** The durability where a product has several. */
    private static String label(String product, String durability, Runs ofProduct) {
        return ofProduct.values("durability").size() > 1 ? product + " " + durability : product;
    }
}
