package io.georep.mutants;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Puts each fault of {@code .ci/mutants/list.txt} into the code and reports which test noticed first, after how long and
 * how many seeds. Every file is checked before: a fault whose text is no longer there fails the run by name.
 */
final class Mutants {
    private static final Path LIST = Path.of(".ci/mutants/list.txt");
    private static final String COMMAND = ".ci/mutants/run";
    private static final String USAGE = "usage: " + COMMAND
            + " [--sample N] [--unaided] [--units] [--only TEST] [--limit SECONDS] [--total SECONDS] [ID]...";

    private final List<Mutant> all;
    private final List<String> ids = new ArrayList<>();
    private final List<String> only = new ArrayList<>();
    private boolean unaided;
    private boolean unitsOnly;
    private int sample;
    private long limitSeconds = 420;
    private long totalSeconds = TimeUnit.DAYS.toSeconds(1);

    private Mutants(List<Mutant> all) {
        this.all = all;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 1 && arguments[0].equals("--classpath")) {
            System.out.print(System.getProperty("java.class.path"));
            return;
        }
        Mutants mutants = new Mutants(Mutant.read(LIST));
        try {
            mutants.options(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + USAGE);
            System.exit(2);
        }
        System.exit(mutants.allFound() && mutants.allJudged() && mutants.run() ? 0 : 1);
    }

    private void options(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--unaided" -> unaided = true;
                case "--units" -> unitsOnly = true;
                case "--only" -> only.add(value(arguments, ++i));
                case "--sample" -> sample = Integer.parseInt(value(arguments, ++i));
                case "--limit" -> limitSeconds = Long.parseLong(value(arguments, ++i));
                case "--total" -> totalSeconds = Long.parseLong(value(arguments, ++i));
                default -> {
                    String id = arguments[i];
                    if (all.stream().noneMatch(mutant -> mutant.id().equals(id))) {
                        throw new IllegalArgumentException("there is no mutant '" + id + "' in " + LIST);
                    }
                    ids.add(id);
                }
            }
        }
    }

    private static String value(String[] arguments, int index) {
        if (index >= arguments.length) {
            throw new IllegalArgumentException(arguments[index - 1] + " needs a value");
        }
        return arguments[index];
    }

    /** Whether every fault of the list still fits the code. */
    private boolean allFound() throws IOException {
        boolean found = true;
        for (Mutant mutant : all) {
            try {
                MutantRun.mutated(mutant);
            } catch (IllegalStateException e) {
                System.err.println("NOT FOUND  " + mutant.id() + ": " + e.getMessage());
                found = false;
            }
        }
        return found;
    }

    /** Whether every fault has a verdict; those named on the command line are yet to get theirs. */
    private boolean allJudged() {
        List<String> open = all.stream()
                .filter(mutant -> mutant.killed().isEmpty() && !mutant.isEquivalent() && ids.isEmpty())
                .map(Mutant::id)
                .toList();
        open.forEach(id -> System.err.println("NO VERDICT " + id + ": find out which test notices with '" + COMMAND
                + " " + id + "' and write it under 'killed'"));
        return open.isEmpty();
    }

    private List<Mutant> chosen() {
        if (sample == 0) {
            return ids.isEmpty()
                    ? all
                    : all.stream().filter(mutant -> ids.contains(mutant.id())).toList();
        }
        // Those that can be killed, in some fixed order, so that a day's sample is not all about one class. Each day
        // goes on where the day before ended.
        List<Mutant> shuffled = new ArrayList<>(
                all.stream().filter(mutant -> !mutant.killed().isEmpty()).toList());
        Collections.shuffle(shuffled, new Random(1));
        Set<Mutant> some = new LinkedHashSet<>();
        long first = LocalDate.now(ZoneOffset.UTC).toEpochDay() * sample;
        for (int i = 0; i < Math.min(sample, shuffled.size()); i++) {
            some.add(shuffled.get((int) ((first + i) % shuffled.size())));
        }
        return List.copyOf(some);
    }

    private boolean run() throws IOException, InterruptedException {
        List<Mutant> chosen = chosen();
        if (sample > 0) {
            System.out.println("Today's sample, to repeat it: " + COMMAND + " "
                    + chosen.stream().map(Mutant::id).collect(Collectors.joining(" ")));
        }
        MutantRun runner = new MutantRun(new TestPlan(only, unaided, unitsOnly), limitSeconds);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(totalSeconds);
        int killed = 0;
        int equivalent = 0;
        List<String> alive = new ArrayList<>();
        for (Mutant mutant : chosen) {
            if (mutant.isEquivalent() && ids.isEmpty()) {
                equivalent++;
                System.out.printf(Locale.ROOT, "equivalent        %-32s %s%n", mutant.id(), mutant.equivalent());
                continue;
            }
            long left = TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime());
            MutantRun.Outcome outcome = runner.run(mutant, Math.min(left, limitSeconds));
            System.out.println(outcome.line(mutant));
            if (outcome.killed()) {
                killed++;
            } else {
                alive.add(mutant.id());
            }
        }
        System.out.println(killed + " killed, " + equivalent + " equivalent, " + alive.size() + " not killed"
                + (alive.isEmpty() ? "" : "; to repeat them: " + COMMAND + " " + String.join(" ", alive)));
        return alive.isEmpty();
    }
}
