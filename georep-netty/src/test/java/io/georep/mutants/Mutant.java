package io.georep.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One fault: a piece of text in one source file, and what stands there instead.
 *
 * @param id name, unique in the list
 * @param file source file, relative to the root of the project
 * @param breaks what goes wrong, in one line
 * @param replace text that stands in the file exactly once; how it is broken into lines does not matter
 * @param by text of the fault, empty when something is left out
 * @param killed tests known to notice, tried first: {@code Class}, {@code Class#method} or {@code seed N}; may be empty
 * @param equivalent why nobody can notice; empty for a fault that must be noticed
 */
record Mutant(String id, Path file, String breaks, String replace, String by, List<String> killed, String equivalent) {
    private static final Set<String> KEYS = Set.of("id", "file", "breaks", "replace", "by", "killed", "equivalent");

    /** Reads a list: blocks of {@code key: value} lines with blank lines between; {@code #} begins a comment line. */
    static List<Mutant> read(Path list) throws IOException {
        List<Mutant> mutants = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (String block : Files.readString(list).split("\\n\\s*\\n")) {
            Map<String, String> fields = new TreeMap<>();
            for (String line : block.lines().toList()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    int colon = line.indexOf(':');
                    String key = colon < 0 ? line : line.substring(0, colon);
                    if (!KEYS.contains(key)) {
                        throw new IllegalArgumentException(
                                list + ": '" + line + "' does not begin with one of " + KEYS);
                    }
                    fields.put(key, line.substring(colon + 1).strip());
                }
            }
            if (!fields.isEmpty()) {
                Mutant mutant = of(fields, block);
                if (!ids.add(mutant.id)) {
                    throw new IllegalArgumentException(list + ": two mutants are called " + mutant.id);
                }
                mutants.add(mutant);
            }
        }
        return mutants;
    }

    private static Mutant of(Map<String, String> fields, String block) {
        for (String key : List.of("id", "file", "breaks", "replace", "by")) {
            if (!fields.containsKey(key)) {
                throw new IllegalArgumentException("a mutant has no '" + key + "':\n" + block);
            }
        }
        String killed = fields.getOrDefault("killed", "");
        return new Mutant(
                fields.get("id"),
                Path.of(fields.get("file")),
                fields.get("breaks"),
                fields.get("replace"),
                fields.get("by"),
                killed.isEmpty() ? List.of() : List.of(killed.split(",\\s*")),
                fields.getOrDefault("equivalent", ""));
    }

    boolean isEquivalent() {
        return !equivalent.isEmpty();
    }

    /** The module the file belongs to: its directory. */
    String module() {
        String path = file.toString().replace('\\', '/');
        return path.substring(0, path.indexOf("/src/main/java/"));
    }

    /** The package of the file. */
    String packageName() {
        String path = file.getParent().toString().replace('\\', '/');
        return path.substring(path.indexOf("src/main/java/") + "src/main/java/".length())
                .replace('/', '.');
    }

    /** The name of the file's class, without package. */
    String simpleName() {
        return file.getFileName().toString().replace(".java", "");
    }

    /**
     * The source with the fault in it.
     *
     * @throws IllegalStateException when the text is not there, or more than once
     */
    String applyTo(String source) {
        Matcher matcher = Pattern.compile(anyWhitespace(replace)).matcher(source);
        if (!matcher.find()) {
            throw new IllegalStateException("'" + replace + "' is no longer in " + file
                    + ": write the text as it is now, or take the mutant out of the list if its rule is gone");
        }
        int start = matcher.start();
        int end = matcher.end();
        if (matcher.find()) {
            throw new IllegalStateException(
                    "'" + replace + "' stands in " + file + " more than once: name more of what is around it");
        }
        return source.substring(0, start) + by + source.substring(end);
    }

    private static String anyWhitespace(String text) {
        return Arrays.stream(text.split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+"));
    }
}
