package io.georep;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatistics;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.Topology;
import io.georep.funnel.UnavailableException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.local.ReplicatedMapsModule;
import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaceStatistics;
import io.georep.keys.local.KeySpacesModule;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.local.OutboxModule;
import java.io.File;
import java.time.Clock;
import java.time.Instant;
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
    private static final String[] PROTOCOLS = {"io.georep.protocol..", "io.georep.*.core.."};

    /** Everything of the protocols beside the membership: an API, a pure core and a local side each. */
    private static final String[] TENANTS = {
        "io.georep.outbox..", "io.georep.keys..", "io.georep.funnel..", "io.georep.geopaxos..", "io.georep.flagons.."
    };

    private static final String[] JDK_AND_ANNOTATIONS = {"java..", "org.jspecify.annotations.."};

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
                                "io.georep.store..")
                        .or(assignableTo(Thread.class))
                        .or(assignableTo(File.class)))
                .because("a protocol answers effects; threads, I/O and logging belong to the runtime"));
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
    void onlyItsMasterKnowsRatis() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.funnel.ratis..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.apache.ratis..", "io.georep.funnel.ratis.."))
                .because("it is an optional dependency: everything else must load without it"));
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
    void aCoreSeesWhatProtocolsShareOnly() {
        checkCore("io.georep.outbox.core..", type(OutboxStatistics.class));
        checkCore(
                "io.georep.keys.core..",
                type(KeyBatch.class)
                        .or(type(KeyBatch.Change.class))
                        .or(type(KeySpace.class))
                        .or(type(KeySpace.Entry.class))
                        .or(type(KeySpace.Page.class))
                        .or(type(KeySpaceSettings.class))
                        .or(type(KeySpaceStatistics.class)));
        checkCore(
                "io.georep.funnel.core..",
                type(FunnelSettings.class)
                        .or(type(MapsStatistics.class))
                        .or(type(MapsStatus.class))
                        .or(type(MapsStatus.Role.class))
                        .or(type(Topology.class))
                        .or(type(UnavailableException.class))
                        .or(type(UnavailableException.Reason.class))
                        .or(type(View.class))
                        .or(type(ViewMaster.class))
                        .or(type(ViewMaster.Grant.class))
                        .or(type(ViewMaster.Renewal.class))
                        .or(type(ViewMaster.Restoration.class)));
    }

    private static void checkCore(String core, DescribedPredicate<? super JavaClass> valuesOfTheApi) {
        check(classes()
                .that()
                .resideInAPackage(core)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                        .or(resideInAnyPackage(
                                core,
                                "io.georep.protocol",
                                "io.georep.codec..",
                                "io.georep.model..",
                                "io.georep.spi.."))
                        .or(valuesOfTheApi))
                .because(
                        "it must run in the simulator, and beside other protocols, without its node; of the API it sees"
                                + " values only"));
    }

    @Test
    void anApiShowsNothingOfWhatIsBehindIt() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.georep.outbox", "io.georep.keys", "io.georep.funnel")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.georep.outbox.*..",
                        "io.georep.keys.*..",
                        "io.georep.funnel.*..",
                        "io.georep.runtime..",
                        "io.georep.protocol..")
                .because("applications depend on it, so that everything behind it stays free to change"));
    }

    @Test
    void aLocalSideSeesItsOwnProtocolOnly() {
        checkLocal("io.georep.outbox");
        checkLocal("io.georep.keys");
        checkLocal("io.georep.funnel");
    }

    private static void checkLocal(String tenant) {
        check(classes()
                .that()
                .resideInAPackage(tenant + ".local..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(JDK_AND_ANNOTATIONS)
                        .or(resideInAnyPackage(
                                "org.slf4j..",
                                tenant + "..",
                                "io.georep.protocol",
                                "io.georep.runtime",
                                "io.georep.codec..",
                                "io.georep.model..",
                                "io.georep.spi..")))
                .because("a node hosts any protocol, and a protocol is hosted by any node"));
    }

    @Test
    void whatProtocolsShareKnowsNoneOfThem() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        "io.georep.protocol..",
                        "io.georep.runtime..",
                        "io.georep.store..",
                        "io.georep.codec..",
                        "io.georep.spi..",
                        "io.georep.model..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(TENANTS)
                .because("the next protocol must find the same house"));
    }

    @Test
    void theNodeSeesProtocolsThroughTheirModulesOnly() {
        check(noClasses()
                .that()
                .resideInAPackage("io.georep")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.georep.*.core..", "io.georep.*.local..")
                        .and(not(type(OutboxModule.class)
                                .or(type(KeySpacesModule.class))
                                .or(type(ReplicatedMapsModule.class))
                                .or(type(ReplicatedMapsModule.Wanted.class)))))
                .because(
                        "driver, shutdown and events treat all protocols alike; the outbox is there by default, and the"
                                + " builder has a word for the key spaces and one for the replicated maps"));
    }

    @Test
    void packagesFormNoCycles() {
        check(slices().matching("io.georep.(*)..").should().beFreeOfCycles());
    }

    private static DescribedPredicate<JavaClass> inTheRootPackage() {
        return resideInAPackage("io.georep").as("reside in the root package 'io.georep'");
    }

    /** Packages grow into their rules, so a rule may match nothing yet. */
    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CORE);
    }
}
