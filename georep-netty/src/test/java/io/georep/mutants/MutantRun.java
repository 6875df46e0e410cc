package io.georep.mutants;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles a mutated file, alone, into a directory that stands before the modules' classes, and runs tests over both in
 * a process of its own. The sources and classes of the project stay as they are.
 */
final class MutantRun {
    private static final Path WORK = Path.of("georep-netty/target/mutants");
    private static final int FIXED_SEEDS = 1800;
    private static final int LONG_SEEDS = 500;
    private static final Pattern SIMULATED_TIME = Pattern.compile("^io\\.georep\\.(outbox|protocol|simulation)\\.");
    private static final Pattern SEED = Pattern.compile("seed (-?\\d+)$");

    private final TestPlan plan;
    private final long limitSeconds;

    /** Whether a test passes without any fault, as far as that was asked. */
    private final Map<String, Boolean> sound = new HashMap<>();

    MutantRun(TestPlan plan, long limitSeconds) {
        this.plan = plan;
        this.limitSeconds = limitSeconds;
    }

    /**
     * How it went.
     *
     * @param word killed, or why not
     * @param by who killed it, or what was under way
     */
    record Outcome(String word, double seconds, String by) {
        boolean killed() {
            return word.equals("killed");
        }

        String line(Mutant mutant) {
            return String.format(Locale.ROOT, "%-9s %5.1f s %-32s %s", word, seconds, mutant.id(), by);
        }
    }

    private record Ended(boolean inTime, String lastLine) {
        boolean passed() {
            return inTime && lastLine.startsWith(FirstFailure.PASSED);
        }

        /** The test that failed, with what is known about it. */
        String failure() {
            return lastLine.startsWith(FirstFailure.FAILED)
                    ? lastLine.substring(FirstFailure.FAILED.length()).strip()
                    : "the process ended: " + lastLine;
        }
    }

    /** The source of a mutant's file with the fault in it. */
    static String mutated(Mutant mutant) throws IOException {
        if (!Files.exists(mutant.file())) {
            throw new IllegalStateException("there is no file " + mutant.file());
        }
        return mutant.applyTo(Files.readString(mutant.file()));
    }

    Outcome run(Mutant mutant, long secondsMax) throws IOException, InterruptedException {
        long since = System.nanoTime();
        Path home = WORK.resolve(mutant.id()).toAbsolutePath();
        deleteAll(home);
        Path classes = Files.createDirectories(home.resolve("classes"));
        String errors = compile(mutant, home, classes);
        if (!errors.isEmpty()) {
            return outcome("NOT JAVA", since, errors.lines().findFirst().orElse(""));
        }
        if (secondsMax <= 0) {
            return outcome("NOT RUN", since, "the time is over");
        }
        Ended ended = runTests(home, mutant.module(), plan.testsFor(mutant), secondsMax);
        if (!ended.inTime) {
            return outcome("ALIVE", since, "after " + secondsMax + " s, see " + home.resolve("log"));
        }
        if (ended.passed()) {
            return outcome("ALIVE", since, "all tests pass");
        }
        String failure = ended.failure();
        deleteAll(home.resolve("tmp"));
        String test = failure.split(" ")[0];
        if (!isSound(test, mutant.module())) {
            return outcome("DOUBTFUL", since, test + " fails without the fault as well");
        }
        return outcome("killed", since, failure + budget(failure));
    }

    private static Outcome outcome(String word, long since, String by) {
        return new Outcome(word, (System.nanoTime() - since) / 1e9, by);
    }

    /** How many seeds it took to get to the one that failed. */
    private static String budget(String failure) {
        Matcher seed = SEED.matcher(failure);
        if (!seed.find() || !failure.contains("SeedsKeepAllPromises") && !failure.contains("#entriesThatWait")) {
            return "";
        }
        long number = Long.parseLong(seed.group(1));
        return " (" + (number > 0 ? number : FIXED_SEEDS + LONG_SEEDS + 1 + number) + " seeds)";
    }

    /** Whether a test that killed a mutant passes without it; where time is simulated it does, the build shows that. */
    private boolean isSound(String test, String module) throws IOException, InterruptedException {
        if (!test.contains("#") || SIMULATED_TIME.matcher(test).find()) {
            return true;
        }
        Boolean known = sound.get(test);
        if (known == null) {
            Path home = WORK.resolve("unchanged").toAbsolutePath();
            deleteAll(home);
            known = runTests(home, module, List.of(test), limitSeconds).passed();
            sound.put(test, known);
        }
        return known;
    }

    private static String compile(Mutant mutant, Path home, Path classes) throws IOException {
        Path source = home.resolve("source").resolve(mutant.file().getFileName());
        Files.createDirectories(source.getParent());
        Files.writeString(source, mutated(mutant));
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        java.io.ByteArrayOutputStream errors = new java.io.ByteArrayOutputStream();
        int status = javac.run(
                null,
                errors,
                errors,
                "-proc:none",
                "-nowarn",
                "-parameters",
                "-classpath",
                classpath(mutant.module()),
                "-d",
                classes.toString(),
                source.toString());
        return status == 0 ? "" : errors.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    /**
     * A module's tests see only what it depends on, so those of the core run without the classes of netty. Modules above netty
     * have left a file with their own.
     */
    private static String classpath(String module) throws IOException {
        String ofNetty = System.getProperty("java.class.path");
        if (module.equals("georep-core")) {
            Path netty = Path.of("georep-netty", "target", "classes");
            return Stream.of(ofNetty.split(File.pathSeparator))
                    .filter(entry -> !Path.of(entry).endsWith(netty))
                    .collect(Collectors.joining(File.pathSeparator));
        }
        Path own = Path.of(module, "target", "mutants.classpath");
        // Ours comes last: it has what runs the tests.
        return Files.exists(own) ? Files.readString(own).strip() + File.pathSeparator + ofNetty : ofNetty;
    }

    private Ended runTests(Path home, String module, List<String> tests, long secondsMax)
            throws IOException, InterruptedException {
        Path log = Files.createDirectories(home).resolve("log");
        Path temporary = Files.createDirectories(home.resolve("tmp"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                plan.isShort() ? "-XX:TieredStopAtLevel=1" : "-XX:+TieredCompilation",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                home.resolve("classes") + File.pathSeparator + classpath(module),
                FirstFailure.class.getName()));
        command.addAll(tests);
        // Where the build runs them: some read the pages of the project.
        Process process = new ProcessBuilder(command)
                .directory(new File(module))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean inTime = process.waitFor(secondsMax, TimeUnit.SECONDS);
            return new Ended(inTime, lastLine(log));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static String lastLine(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
