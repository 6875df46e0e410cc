package io.georep.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.bench.cluster.ClusterBench;
import io.georep.bench.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsPageTest {
    private static final Path KEPT = Path.of("../docs/results");
    private static final Path README = Path.of("../README.md");

    @TempDir
    private Path directory;

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::getFileName).sorted().toList();
        }
    }

    @Test
    void thePageAndItsPlotsAreWhatTheRunsSay() throws IOException {
        for (Path file : files(KEPT)) {
            if (file.toString().contains(".json")) {
                Files.copy(KEPT.resolve(file), directory.resolve(file));
            }
        }

        new ResultsPage(directory).write();

        assertThat(files(directory)).isEqualTo(files(KEPT)).contains(Path.of("README.md"), Path.of("clients.svg"));
        for (Path file : files(KEPT)) {
            assertThat(directory.resolve(file))
                    .as("written by georep-bench/run ResultsBench --rounds 0")
                    .hasSameTextualContentAs(KEPT.resolve(file));
        }
    }

    @Test
    void theReadmeShowsTheSamePlotAndFigures() throws IOException {
        String readme = Files.readString(README);

        assertThat(ResultsPage.placed(readme, KEPT))
                .as("written by georep-bench/run ResultsBench --rounds 0")
                .isEqualTo(readme)
                .contains("](docs/results/clients.svg)");
    }

    @Test
    void whatFailedIsNotHidden() throws IOException {
        Files.writeString(directory.resolve("machine.json"), "{}");
        String run = "{\"sweep\":\"clients\",\"category\":\"1\",\"line\":\"OS\",\"cyclesPerSecond\":5,\"seconds\":6,";
        Files.writeString(directory.resolve("runs.jsonl"), run + "\"sound\":true}\n" + run + "\"sound\":false}\n");

        new ResultsPage(directory).write();

        assertThat(directory.resolve("README.md")).content().contains("| 1 | OS (not all runs are sound) | 5.00 |");
    }

    @Test
    void everyCaseIsOneThatTheBenchmarkTakes() {
        List<Sweep> sweeps = Sweep.all();

        assertThat(sweeps)
                .isNotEmpty()
                .allSatisfy(sweep -> assertThat(sweep.cases()).isNotEmpty());
        sweeps.forEach(sweep ->
                sweep.cases().forEach(each -> Program.parse(new ClusterBench(System.out), each.options())));
    }

    @Test
    void namesTheSweepsThatThereAre() {
        assertThatThrownBy(() -> Program.parse(new ResultsBench(System.out), "--sweeps", "none"))
                .hasMessageContaining("--sweeps has 'none', there are clients, protection, payloads");
    }
}
