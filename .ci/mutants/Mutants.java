import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Puts each fault of list.txt into the code, alone, and runs the tests that are known to notice it. The mutated file is compiled
 * into a directory that stands before the classes of its module; the sources and classes of the project stay as they are.
 *
 * <p>Arguments: {@code --part I/N} for one Nth of the list, or the ids of some faults, or nothing for all.
 */
public final class Mutants {
    private static final Path LIST = Path.of(".ci/mutants/list.txt");
    private static final Path WORK = Path.of("target/mutants");

    /** Tests that run for longer hang, which is a way to notice a fault as well. */
    private static final long SECONDS_MAX = 120;

    private record Mutant(String id, Path file, String replace, String by, List<String> killed) {
        static Mutant of(Map<String, String> fields) {
            return new Mutant(
                    fields.get("id"),
                    Path.of(fields.get("file")),
                    fields.get("replace"),
                    fields.get("by"),
                    List.of(fields.get("killed").split(",\\s*")));
        }

        String module() {
            return file.toString().substring(0, file.toString().indexOf("/src/main/java/"));
        }

        /** The source with the fault in it; null if its text does not stand there exactly once. */
        String source() throws IOException {
            String source = Files.exists(file) ? Files.readString(file) : "";
            Matcher text = Pattern.compile(Stream.of(replace.split("\\s+"))
                            .map(Pattern::quote)
                            .collect(Collectors.joining("\\s+")))
                    .matcher(source);
            return text.results().count() == 1 ? text.replaceFirst(Matcher.quoteReplacement(by)) : null;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Mutant> all = read();
        List<Mutant> chosen = choose(all, List.of(arguments));
        boolean good = true;
        for (Mutant mutant : all) {
            if (mutant.source() == null) {
                System.err.println("NOT FOUND " + mutant.id() + ": its text does not stand in " + mutant.file()
                        + " exactly once. Write the text as it is now, or take the fault out if its rule is gone.");
                good = false;
            }
        }
        for (Mutant mutant : good ? chosen : List.<Mutant>of()) {
            long since = System.nanoTime();
            String outcome = run(mutant);
            System.out.printf("%-9s %5.1f s %s%n", outcome, (System.nanoTime() - since) / 1e9, mutant.id());
            good &= outcome.equals("killed");
        }
        System.exit(good ? 0 : 1);
    }

    private static List<Mutant> read() throws IOException {
        List<Mutant> all = new ArrayList<>();
        for (String block : Files.readString(LIST).split("\\n\\s*\\n")) {
            Map<String, String> fields = new HashMap<>();
            block.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                int colon = line.indexOf(':');
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            });
            if (!fields.isEmpty()) {
                all.add(Mutant.of(fields));
            }
        }
        return all;
    }

    private static List<Mutant> choose(List<Mutant> all, List<String> arguments) {
        if (arguments.isEmpty()) {
            return all;
        }
        if (arguments.get(0).equals("--part")) {
            String[] part = arguments.get(1).split("/");
            int each = Integer.parseInt(part[1]);
            int first = Integer.parseInt(part[0]) % each;
            return Stream.iterate(first, i -> i < all.size(), i -> i + each).map(all::get).toList();
        }
        List<Mutant> chosen = all.stream().filter(mutant -> arguments.contains(mutant.id())).toList();
        if (chosen.size() < arguments.size()) {
            throw new IllegalArgumentException("not all of these are in " + LIST + ": " + arguments);
        }
        return chosen;
    }

    private static String run(Mutant mutant) throws IOException, InterruptedException {
        Path home = WORK.resolve(mutant.id()).toAbsolutePath();
        deleteAll(home);
        Path source = home.resolve("source").resolve(mutant.file().getFileName());
        Files.createDirectories(source.getParent());
        Files.writeString(source, mutant.source());
        Path classes = Files.createDirectories(home.resolve("classes"));
        String classpath =
                Files.readString(Path.of(mutant.module(), "target", "mutants.classpath")).strip();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, errors, errors, "-proc:none", "-nowarn", "-parameters", "-classpath", classpath, "-d",
                        classes.toString(), source.toString());
        if (compiled != 0) {
            System.err.println(errors.toString(StandardCharsets.UTF_8));
            return "NOT JAVA";
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + Files.createDirectories(home.resolve("tmp")),
                "-cp",
                classes + File.pathSeparator + classpath,
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--fail-if-no-tests",
                "--include-classname=.*"));
        for (String test : mutant.killed()) {
            // By pattern, since the name of a method alone selects none that has parameters.
            String[] names = test.split("#");
            command.add("--select-class=" + names[0]);
            command.add("--include-methodname=.*#" + (names.length > 1 ? names[1] : ".*"));
        }
        // Where the build runs them: some read the pages of the project.
        Process tests = new ProcessBuilder(command)
                .directory(new File(mutant.module()))
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile())
                .start();
        try {
            if (!tests.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                return "killed";
            }
            return switch (tests.exitValue()) {
                case 0 -> "ALIVE";
                case 1 -> "killed";
                case 2 -> "NO TEST";
                default -> "BROKEN";
            };
        } finally {
            tests.destroyForcibly().waitFor();
            deleteAll(home.resolve("tmp"));
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
