package io.georep.comparison;

import io.georep.bench.process.ProcessMeter;
import io.georep.bench.report.Latencies;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A node of a product as a process of its own. It takes commands from its standard input, a line each, and answers each with a
 * line. When the input ends, so does the process.
 */
@Command(name = "ComparisonNode")
final class ComparisonNode implements Callable<Integer> {
    @Option(names = "--product", required = true)
    private Product product = Product.GEOREP;

    @Mixin
    private PlaceOptions options = new PlaceOptions();

    private final PrintStream answers;
    private @Nullable Histogram commits;

    private ComparisonNode(PrintStream answers) {
        this.answers = answers;
    }

    /** Options: see {@link Nodes}, which starts it. */
    public static void main(String[] args) {
        CommandLines.run(ComparisonNode::new, args);
    }

    @Override
    public Integer call() throws Exception {
        Place place = options.place();
        try (ComparedMap map = product.open(place)) {
            Load load = new Load(map, place.index(), place.nodes());
            options.serve(map::ready, answers, words -> answer(map, load, words));
        }
        return 0;
    }

    private String answer(ComparedMap map, Load load, String[] words) throws Exception {
        return switch (words[0]) {
            case "fill" -> {
                load.fill(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                yield "filled";
            }
            case "read" -> load.readMany(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "time-reads" -> load.timeReads(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "write" -> load.write(Load.Writing.parse(words));
            case "cpu" -> Long.toString(ProcessMeter.cpuNanos());
            case "watch" -> watch(map);
            case "watched" -> watched();
            default -> "error unknown command " + words[0];
        };
    }

    /**
     * From now on measures the time from each write, on whatever node, to its commit here. All nodes run on one machine and
     * share its clock.
     */
    private synchronized String watch(ComparedMap map) {
        if (commits == null) {
            map.listen(this::committed);
        }
        commits = Latencies.histogram();
        return "watching";
    }

    private synchronized void committed(byte[] value) {
        Histogram into = commits;
        if (into != null && value.length >= Long.BYTES) {
            into.recordValue(
                    Math.max(0, System.nanoTime() - ByteBuffer.wrap(value).getLong()));
        }
    }

    private synchronized String watched() {
        return Latencies.format(commits == null ? Latencies.histogram() : commits);
    }
}
