package io.georep.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.RunnerException;

class MicroBenchIT {
    @TempDir
    private Path directory;

    @Test
    void everyBenchmarkRunsAndWritesJson() throws Exception {
        Path json = directory.resolve("results.json");

        Collection<RunResult> results = MicroBench.run(List.of(), MicroBench.Length.SMOKE, Map.of(), json);

        Set<String> ran = results.stream()
                .map(result -> result.getParams().getBenchmark())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(ran).isEqualTo(benchmarks());
        String text = Files.readString(json);
        assertThat(ran).allSatisfy(name -> assertThat(text).contains("\"benchmark\" : \"" + name + "\""));
    }

    @Test
    void aBenchmarkThatThrowsFailsTheRun() {
        assertThatThrownBy(() -> MicroBench.run(
                        List.of("FailingBenchmark"), MicroBench.Length.SMOKE, Map.of(), directory.resolve("none.json")))
                .isInstanceOf(RunnerException.class)
                .hasMessageContaining("Benchmark caught the exception");
    }

    @Test
    void aPatternThatMatchesNothingIsAMistake() {
        assertThatThrownBy(() -> MicroBench.run(List.of("NoSuch"), MicroBench.Length.SMOKE, Map.of(), null))
                .isInstanceOf(NoBenchmarksException.class);
    }

    /** By the sources, so that one JMH did not find is missed. */
    private static Set<String> benchmarks() throws IOException, ClassNotFoundException {
        Set<String> names = new TreeSet<>();
        String home = MicroBench.class.getPackageName();
        try (Stream<Path> files = Files.list(Path.of("src/main/java", home.replace('.', '/')))) {
            for (Path file : files.toList()) {
                String type = home + "." + file.getFileName().toString().replace(".java", "");
                Arrays.stream(Class.forName(type).getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Benchmark.class))
                        .forEach(method -> names.add(type + "." + method.getName()));
            }
        }
        return names;
    }
}
