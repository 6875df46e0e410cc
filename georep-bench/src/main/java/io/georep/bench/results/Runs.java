package io.georep.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Lines of JSON, one for each run, as they were written while the runs ended. */
final class Runs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<JsonNode> runs;

    private Runs(Collection<JsonNode> runs) {
        this.runs = List.copyOf(runs);
    }

    /** Those of a file; none if it is not there. */
    static Runs read(Path file) throws IOException {
        List<JsonNode> runs = new ArrayList<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                runs.add(JSON.readTree(line));
            }
        }
        return new Runs(runs);
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    int size() {
        return runs.size();
    }

    /** Those whose field has this value. */
    Runs with(String field, String value) {
        return new Runs(
                runs.stream().filter(run -> text(run, field).equals(value)).toList());
    }

    /** As they stand in a file, those whose field has none of these values. */
    List<String> linesWithout(String field, List<String> values) {
        return runs.stream()
                .filter(run -> !values.contains(text(run, field)))
                .map(JsonNode::toString)
                .toList();
    }

    /** The values of a field, in the order in which they came first. */
    List<String> values(String field) {
        Set<String> values = new LinkedHashSet<>();
        runs.forEach(run -> values.add(text(run, field)));
        return List.copyOf(values);
    }

    /** By the value of a field, in the order in which they came first. */
    Map<String, Runs> by(String field) {
        Map<String, Runs> by = new LinkedHashMap<>();
        values(field).forEach(value -> by.put(value, with(field, value)));
        return by;
    }

    /** What a field had in them. */
    Spread spread(String field) {
        return Spread.of(runs.stream().map(run -> run.path(field).asDouble()).toList());
    }

    private static String text(JsonNode run, String field) {
        return run.path(field).asString("");
    }
}
