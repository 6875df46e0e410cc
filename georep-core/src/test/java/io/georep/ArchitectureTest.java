package io.georep;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.georep.model.BrokenInvariantException;
import io.georep.protocol.local.ProtocolModule;
import java.io.File;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * WHO MAY DEPEND ON WHOM. Before you relax a rule, read its reason: the simulator finds bugs only as long as the
 * protocols are deterministic, and that is what most of these rules keep true.
 */
class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.georep");

    /** The deterministic part: one seed gives one trace. */
    private static final String[] PROTOCOLS = {
        "io.georep.protocol", "io.georep.protocol.membership..", "io.georep.consensus..", "io.georep.*.core.."
    };

    /** Packages of the protocols beside the membership, whose cores are below them: an API, a core and a local side each. */
    private static final List<String> WINGS = CORE.stream()
            .map(JavaClass::getPackageName)
            .filter(name -> name.matches("io\\.georep\\.\\w+\\.core"))
            .map(name -> name.substring(0, name.length() - ".core".length()))
            .distinct()
            .sorted()
            .toList();

    /** What must not be wrong quietly, beside the cores: what they stand on, and what counts entries between node and application. */
    private static final List<String> ASSERTING = List.of(
            "io.georep.consensus",
            "io.georep.protocol.membership",
            "io.georep.runtime",
            "io.georep.store.rocksdb",
            "io.georep.outbox.local");

    private static boolean requiresSomething(JavaClass type) {
        return type.getCodeUnitCallsFromSelf().stream()
                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(BrokenInvariantException.class));
    }

    private static String[] ofWings(String part) {
        return WINGS.stream().map(wing -> wing + part).toArray(String[]::new);
    }

    private static final String[] JDK_AND_ANNOTATIONS = {"java..", "org.jspecify.annotations.."};

    /** The rules below that go through the wings go through all that the nodes host. */
    @Test
    void whoeverBringsAProtocolIsAWing() {
        assertThat(CORE.stream()
                        .filter(assignableTo(ProtocolModule.class)
                                .and(not(resideInAPackage("io.georep.protocol.local"))))
                        .map(JavaClass::getPackageName)
                        .sorted())
                .hasSizeGreaterThan(1)
                .containsExactlyElementsOf(
                        WINGS.stream().map(wing -> wing + ".local").toList());
        for (String protocols : PROTOCOLS) {
            assertThat(CORE.stream().anyMatch(resideInAPackage(protocols)))
                    .as(protocols)
                    .isTrue();
        }
    }

    @Test
    void whatContradictsItselfStopsTheNode() {
        List<String> rooms = new ArrayList<>(ASSERTING);
        WINGS.forEach(wing -> rooms.add(wing + ".core.."));
        for (String room : rooms) {
            assertThat(CORE.stream().filter(resideInAPackage(room)).anyMatch(ArchitectureTest::requiresSomething))
                    .as("counters and relations that are looked at in production, in " + room)
                    .isTrue();
        }
    }

    @Test
    void modelUsesTheJdkOnly() {
        check(classes()
                .that()
                .resideInAPackage("io.georep.model..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(JDK_AND_ANNOTATIONS).or(resideInAPackage("io.georep.model..")))
                .because("everyone shares the model, so it can lean on nobody"));
    }

    @Test
    void codecUsesTheModelOnly() {
        check(classes()
                .that()
                .resideInAPackage("io.georep.codec..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                        .or(resideInAnyPackage("io.georep.codec..", "io.georep.model..")))
                .because("the wire format is a versioned artefact that no implementation detail may leak into"));
    }

    @Test
    void protocolsDoNoWorkOfTheirOwn() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.net..",
                                "java.nio.channels..",
                                "java.nio.file..",
                                "java.util.concurrent..",
                                "org.rocksdb..",
                                "org.slf4j..",
                                "io.georep.runtime..",
                                "io.georep.protocol.local..",
                                "io.georep.store..")
                        .or(assignableTo(Thread.class))
                        .or(assignableTo(File.class)))
                .because("a protocol returns effects; threads, I/O and logging belong to the runtime"));
    }

    @Test
    void protocolsReadNoClock() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .dependOnClassesThat(assignableTo(Clock.class))
                .because("time is an argument, or a run could not be repeated"));
    }

    @Test
    void protocolsMakeNoRandomnessOfTheirOwn() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .callMethod(System.class, "identityHashCode", Object.class)
                .orShould()
                .dependOnClassesThat(assignableTo(Random.class).or(assignableTo(SplittableRandom.class)))
                .because("a seeded RandomGenerator is handed in, or a run could not be repeated"));
    }

    @Test
    void onlyItsStoreKnowsRocksDb() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.store.rocksdb..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.rocksdb..")
                .because("a native library has one import site, where its objects are also closed"));
    }

    @Test
    void nothingDependsOnTheEntryPoint() {
        check(noClasses()
                .that(not(resideInAnyPackage("io.georep", "io.georep.testing..", "io.georep.metrics..")))
                .should()
                .dependOnClassesThat(inTheRootPackage())
                .because(
                        "the entry point wires the parts together and is not a part itself; test support and metrics are"
                                + " built on it as an application would be"));
    }

    @Test
    void theReplicatedLogUsesTheCodecAndTheModelOnly() {
        check(classes()
                .that()
                .resideInAPackage("io.georep.consensus..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                        .or(resideInAnyPackage("io.georep.consensus..", "io.georep.codec..", "io.georep.model..")))
                .because("any protocol may embed it, whatever it stores and sends"));
    }

    @Test
    void aCoreSeesWhatProtocolsShareOnly() {
        for (String wing : WINGS) {
            check(classes()
                    .that()
                    .resideInAPackage(wing + ".core..")
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                            .or(resideInAnyPackage(
                                    wing + ".core..",
                                    "io.georep.protocol",
                                    "io.georep.consensus..",
                                    "io.georep.codec..",
                                    "io.georep.model..",
                                    "io.georep.spi.."))
                            .or(valuesOfTheApi(wing)))
                    .because("it must run in the simulator, and beside other protocols, without its node; of the API it"
                            + " sees values only"));
        }
    }

    /** What only carries data, and what names it: records, constants, errors, settings. */
    private static DescribedPredicate<JavaClass> valuesOfTheApi(String wing) {
        return DescribedPredicate.describe(
                "values of the API",
                seen -> seen.getPackageName().equals(wing)
                        && (isValue(seen)
                                || CORE.stream()
                                        .anyMatch(inner -> isValue(inner)
                                                && inner.getEnclosingClass()
                                                        .filter(seen::equals)
                                                        .isPresent())));
    }

    private static boolean isValue(JavaClass seen) {
        return seen.isRecord()
                || seen.isEnum()
                || seen.isAssignableTo(Throwable.class)
                || seen.getModifiers().contains(JavaModifier.FINAL);
    }

    @Test
    void anApiShowsNothingOfWhatIsBehindIt() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ofWings(""))
                .should()
                .dependOnClassesThat(resideInAnyPackage(ofWings(".*.."))
                        .or(resideInAnyPackage("io.georep.runtime..", "io.georep.protocol..")))
                .because("applications depend on it, so that everything behind it stays free to change"));
    }

    @Test
    void aLocalSideSeesItsOwnProtocolOnly() {
        for (String wing : WINGS) {
            check(classes()
                    .that()
                    .resideInAPackage(wing + ".local..")
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                            .or(resideInAnyPackage(
                                    "org.slf4j..",
                                    "io.georep.concurrent",
                                    "io.georep.logging",
                                    wing + "..",
                                    "io.georep.protocol",
                                    "io.georep.protocol.local",
                                    "io.georep.runtime",
                                    "io.georep.codec..",
                                    "io.georep.model..",
                                    "io.georep.spi..")))
                    .because("a node hosts any protocol, and a protocol is hosted by any node"));
        }
    }

    @Test
    void noWingSeesAnother() {
        for (String wing : WINGS) {
            check(noClasses()
                    .that()
                    .resideInAPackage(wing + "..")
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(ofWings("..")).and(not(resideInAPackage(wing + ".."))))
                    .because("what two of them need moves down into a room that knows neither"));
        }
    }

    @Test
    void whatProtocolsShareKnowsNoneOfThem() {
        check(noClasses()
                .that(not(resideInAnyPackage("io.georep", "io.georep.testing..", "io.georep.metrics..")
                        .or(resideInAnyPackage(ofWings("..")))))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ofWings(".."))
                .because("the next protocol must find the same house"));
    }

    @Test
    void theNodeSeesProtocolsThroughTheirModulesOnly() {
        check(noClasses()
                .that()
                .resideInAPackage("io.georep")
                .should()
                .dependOnClassesThat(resideInAnyPackage(ofWings(".*..")).and(not(assignableTo(ProtocolModule.class))))
                .because("driver, shutdown and events treat all protocols alike; the builder has a word for each"));
    }

    @Test
    void packagesFormNoCycles() {
        check(slices().matching("io.georep.(*)..").should().beFreeOfCycles());
    }

    private static DescribedPredicate<JavaClass> inTheRootPackage() {
        return resideInAPackage("io.georep").as("reside in the root package 'io.georep'");
    }

    /** A rule for classes that there are none of fails. */
    private static void check(ArchRule rule) {
        rule.allowEmptyShould(false).check(CORE);
    }
}
