package io.georep.comparison;

import io.georep.bench.process.Workspace;
import io.georep.bench.report.Latencies;
import io.georep.model.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The processes of one product. Used by one thread. */
final class Nodes implements AutoCloseable {
    /** What products ask for on JDK 17. */
    static final List<String> OPENED = List.of(
            "--add-modules=java.se",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");

    private static final Duration ANSWER_WITHIN = Duration.ofMinutes(4);

    private final List<RemoteProcess> processes = new ArrayList<>();

    /**
     * What the processes of all products have in common.
     *
     * @param hosts names and addresses of the hosts, in order
     * @param enter command that starts another one on a host, whose name replaces <code>{host}</code>; empty for this machine
     */
    record Setting(
            Map<String, String> hosts,
            String enter,
            List<String> jvmOptions,
            Durability durability,
            Duration lease,
            Duration startWithin) {}

    /** Starts nodes with a map and waits until all can be used. */
    Nodes(Product product, Setting setting, Workspace workspace) throws IOException, InterruptedException {
        this(ComparisonNode.class, product.name(), setting, workspace);
    }

    /** Starts processes that run a program and waits until all can be used. */
    Nodes(Class<?> program, String product, Setting setting, Workspace workspace)
            throws IOException, InterruptedException {
        Path directory = workspace.directory().resolve(product);
        Files.createDirectories(directory);
        Path classPath = directory.resolve("class-path.args");
        Files.writeString(
                classPath,
                "-cp \"" + System.getProperty("java.class.path").replace("\\", "\\\\") + "\"\n",
                StandardCharsets.UTF_8);
        List<String> names = List.copyOf(setting.hosts().keySet());
        try {
            List<CompletableFuture<String>> ready = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                String name = names.get(i);
                RemoteProcess process = new RemoteProcess(
                        name,
                        command(program, product, setting, directory, classPath, i),
                        directory.resolve(name + ".log"));
                processes.add(process);
                ready.add(process.ready());
            }
            for (CompletableFuture<String> each : ready) {
                await(each);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static List<String> command(
            Class<?> program, String product, Setting setting, Path directory, Path classPath, int index) {
        String name = List.copyOf(setting.hosts().keySet()).get(index);
        Stream<String> enter = setting.enter().isBlank()
                ? Stream.of()
                : Stream.of(setting.enter().replace("{host}", name).strip().split(" +", -1));
        Stream<String> java = Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + classPath);
        Stream<String> main = Stream.of(
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Djava.net.preferIPv4Stack=true",
                program.getName(),
                "--product=" + product,
                "--index=" + index,
                "--names=" + String.join(",", setting.hosts().keySet()),
                "--hosts=" + String.join(",", setting.hosts().values()),
                "--data=" + directory.resolve(name),
                "--durability=" + setting.durability(),
                "--lease-millis=" + setting.lease().toMillis(),
                "--start-seconds=" + setting.startWithin().toSeconds());
        return Stream.of(enter, java, OPENED.stream(), setting.jvmOptions().stream(), main)
                .flatMap(each -> each)
                .toList();
    }

    private static String await(CompletableFuture<String> answer) throws IOException, InterruptedException {
        try {
            return answer.get(ANSWER_WITHIN.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(
                    e.getCause() == null ? e.toString() : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + ANSWER_WITHIN.toSeconds() + " s", e);
        }
    }

    int size() {
        return processes.size();
    }

    /** Ends a node at once; it must not be asked any more. */
    void kill(int node) {
        processes.get(node).kill();
    }

    /** Asks one node. */
    String ask(int node, String command) throws IOException, InterruptedException {
        return await(processes.get(node).ask(command));
    }

    /** Asks all nodes at the same time. */
    List<String> askAll(String command) throws IOException, InterruptedException {
        return ask(IntStream.range(0, size()).boxed().toList(), command);
    }

    /** Asks some of them at the same time. */
    List<String> ask(List<Integer> nodes, String command) throws IOException, InterruptedException {
        List<CompletableFuture<String>> asked =
                nodes.stream().map(each -> processes.get(each).ask(command)).toList();
        List<String> answers = new ArrayList<>();
        for (CompletableFuture<String> each : asked) {
            answers.add(await(each));
        }
        return answers;
    }

    /** Processor time of all of them so far, in nanoseconds. */
    long cpuNanos() throws IOException, InterruptedException {
        return askAll("cpu").stream().mapToLong(Long::parseLong).sum();
    }

    /**
     * What writers on several nodes did.
     *
     * @param perSecond writes that were done
     */
    record Written(double perSecond, long failed, Histogram latencies) {
        static Written sum(List<String> answers) {
            double perSecond = 0;
            long failed = 0;
            Histogram all = Latencies.histogram();
            for (String answer : answers) {
                String[] words = answer.split(" ", -1);
                perSecond += Long.parseLong(words[0]) / (Long.parseLong(words[2]) / 1e9);
                failed += Long.parseLong(words[1]);
                all.add(Latencies.parse(words[3]));
            }
            return new Written(perSecond, failed, all);
        }
    }

    @Override
    public void close() throws IOException {
        processes.forEach(RemoteProcess::end);
        for (RemoteProcess each : processes) {
            each.close();
        }
    }
}
