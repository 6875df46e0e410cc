package io.georep.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which quick tests a fault has to get past, in which order: those known to notice, those of its package, then for a protocol
 * scenarios, seeds and the rest of the module, and for other code, which simulations run little of, the rest first.
 */
final class TestPlan {
    private static final String SIMULATION = "io.georep.simulation";

    /** Tests of the sources and pages as such, and one that needs a library only the core has. */
    private static final Set<String> LEFT_OUT = Set.of(
            "io.georep.ArchitectureTest",
            "io.georep.DocumentationTest",
            "io.georep.SourceShapeTest",
            "io.georep.metrics.GeoRepMetricsTest");

    private static final List<String> SEEDS = List.of(
            SIMULATION + ".SimulationTest#fixedSeedsKeepAllPromises",
            SIMULATION + ".SimulationTest#entriesThatWaitForLongKeepAllPromises",
            SIMULATION + ".SimulationTest#seedsThatFailedOnceStayMended",
            SIMULATION + ".SimulationTest#withoutTroubleEveryEntryIsCopiedAndForwardedOnce",
            SIMULATION + ".SimulationTest#eachKindOfTroubleAloneIsSurvived");

    private final List<String> only;
    private final boolean unaided;
    private final boolean unitsOnly;

    /**
     * A plan.
     *
     * @param only the only tests to run, instead of all; empty for all
     * @param unaided whether to forget which tests are known to notice
     * @param unitsOnly whether to stop after the tests of the package
     */
    TestPlan(List<String> only, boolean unaided, boolean unitsOnly) {
        this.only = only;
        this.unaided = unaided;
        this.unitsOnly = unitsOnly;
    }

    /** Whether there is too little to run for compiling well. */
    boolean isShort() {
        return unitsOnly;
    }

    List<String> testsFor(Mutant mutant) throws IOException {
        if (!only.isEmpty()) {
            return only;
        }
        Set<String> tests = new LinkedHashSet<>();
        if (!unaided) {
            tests.addAll(mutant.killed());
        }
        Set<String> ofModule = classes(mutant.module());
        String own = mutant.packageName() + "." + mutant.simpleName() + "Test";
        if (ofModule.contains(own)) {
            tests.add(own);
        }
        ofModule.stream()
                .filter(name -> packageOf(name).equals(mutant.packageName()))
                .forEach(tests::add);
        if (unitsOnly) {
            return new ArrayList<>(tests);
        }
        Set<String> simulated = new LinkedHashSet<>();
        if (ofModule.contains(SIMULATION + ".SimulationTest")) {
            ofModule.stream()
                    .filter(name -> packageOf(name).equals(SIMULATION) && name.contains("Scenario"))
                    .forEach(simulated::add);
            simulated.addAll(SEEDS);
        }
        if (isProtocol(mutant)) {
            tests.addAll(simulated);
        }
        ofModule.stream()
                .filter(name -> !name.equals(SIMULATION + ".SimulationTest"))
                .forEach(tests::add);
        tests.addAll(simulated);
        return new ArrayList<>(tests);
    }

    private static boolean isProtocol(Mutant mutant) {
        return mutant.packageName().startsWith("io.georep.outbox")
                || mutant.packageName().startsWith("io.georep.protocol");
    }

    private static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    /** The quick tests of a module, by name. */
    private static Set<String> classes(String module) throws IOException {
        Path root = Path.of(module, "src/test/java");
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(root)) {
            files.map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith("Test.java"))
                    .map(file ->
                            file.substring(0, file.length() - ".java".length()).replace('/', '.'))
                    .filter(name -> !LEFT_OUT.contains(name) && !name.endsWith("ModelTest"))
                    .forEach(names::add);
        }
        return names;
    }
}
