package io.georep.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.georep.spring.boot.actuate.GeoRepMeter;
import io.georep.spring.connect.ByteArrayConverter;
import io.georep.spring.integration.OutboxMessageHandler;
import io.georep.spring.integration.OutboxMessageProducer;
import io.georep.spring.observation.ForwardContext;
import io.georep.spring.observation.ForwardConvention;
import io.georep.spring.observation.GeoRepObservation;
import io.georep.spring.observation.SendContext;
import io.georep.spring.observation.SendConvention;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.convert.DurationStyle;

/**
 * WHO MAY DEPEND ON WHOM. Applications import {@code io.georep.spring}; everything below it may change with any release,
 * and works on a core that may change just as well behind its own public API.
 */
class ArchitectureTest {
    private static final String PACKAGE = "io.georep.spring";

    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(PACKAGE);

    @Test
    void packagesFormNoCycles() {
        slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(STARTER);
    }

    @Test
    void publicApiKnowsNoInternals() {
        noClasses()
                .that()
                .resideInAPackage(PACKAGE)
                .should()
                .dependOnClassesThat(resideInAPackage("io.georep.spring.*.."))
                .because("what applications import must not drag in what may change")
                .check(STARTER);
    }

    @Test
    void usesThePublicApiOfTheCoreOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("io.georep..")
                        .and(not(resideInAnyPackage(
                                "io.georep",
                                "io.georep.codec",
                                "io.georep.flagons",
                                "io.georep.funnel",
                                "io.georep.geopaxos",
                                "io.georep.keys",
                                "io.georep.logging",
                                "io.georep.outbox",
                                "io.georep.reports",
                                "io.georep.metrics",
                                "io.georep.netty",
                                "io.georep.model..",
                                "io.georep.spi..",
                                "io.georep.testing",
                                "io.georep.spring.."))))
                .because("an application could not do what the starter does")
                .check(STARTER);
    }

    @Test
    void onlyTheAutoConfigurationKnowsBoot() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.spring.boot..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.springframework.boot..", "io.georep.spring.boot..")
                        .and(not(belongToAnyOf(ConnectionDetails.class, DurationStyle.class))))
                .because(
                        "annotations, listeners and queues are Spring's and Boot only puts them together; its names for"
                                + " connections and durations are what applications know")
                .check(STARTER);
    }

    /** One class that mentions a missing library fails the start of an application that does not have it. */
    @Test
    void optionalLibrariesHaveOneImportSite() {
        onlyIn("actuator and health", new String[] {"io.georep.spring.boot.actuate.."}, new String[] {
            "org.springframework.boot.actuate..", "org.springframework.boot.health.."
        });
        noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.spring.boot.actuate..")
                .and()
                .haveNameNotMatching(".*\\.EntryTimers(Test)?(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAPackage("io.micrometer.core.."))
                .because("meters are optional")
                .check(STARTER);
        onlyIn(
                "observations",
                new String[] {"io.georep.spring.boot.actuate..", "io.georep.spring.observation.."},
                new String[] {"io.micrometer.."});
        noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.spring.transaction..")
                .and()
                .haveSimpleNameNotStartingWith("GeoRepTransaction")
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework.transaction.."))
                .because("spring-tx is optional")
                .check(STARTER);
        onlyIn("flows", new String[] {"io.georep.spring.integration.."}, new String[] {
            "org.springframework.integration..", "org.springframework.messaging.."
        });
        noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.spring.modulith..")
                .and()
                .haveNameNotMatching(".*GeoRepModulithAutoConfiguration")
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework.modulith.."))
                .because("Spring Modulith is optional")
                .check(STARTER);
        onlyIn("web frameworks", new String[] {"io.georep.spring.boot.web.."}, new String[] {
            "org.springframework.web..", "org.springframework.http.."
        });
        onlyIn("servlets", new String[] {"io.georep.spring.boot.actuate.console.."}, new String[] {"jakarta.servlet.."
        });
        noClasses()
                .that()
                .resideOutsideOfPackage("io.georep.spring.connect..")
                .and()
                .haveNameNotMatching(".*GeoRepConnectAutoConfiguration.*")
                .should()
                .dependOnClassesThat(resideInAPackage("org.apache.kafka.."))
                .because("Kafka Connect's plugin API is optional")
                .check(STARTER);
        noClasses()
                .that()
                .haveNameNotMatching(".*GeoRepTestContextCustomizerFactory.*")
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework.test.."))
                .because("Spring's test support is there in tests only")
                .check(STARTER);
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("Jackson")
                .and()
                .haveNameNotMatching(".*GeoRepAutoConfiguration\\$Json")
                .should()
                .dependOnClassesThat(resideInAPackage("tools.jackson.."))
                .because("Jackson is optional")
                .check(STARTER);
    }

    private static void onlyIn(String what, String[] home, String[] libraries) {
        noClasses()
                .that()
                .resideOutsideOfPackages(home)
                .should()
                .dependOnClassesThat(resideInAnyPackage(libraries))
                .because(what + " are optional")
                .check(STARTER);
    }

    @Test
    void autoConfigurationsAreHidden() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePackagePrivate()
                .because("they are found by name")
                .check(STARTER);
    }

    /** Besides what applications are told to use, only what another package needs is public. */
    @Test
    void internalsAreHiddenWherePossible() {
        classes()
                .that()
                .resideInAPackage("io.georep.spring.*..")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and(not(belongToAnyOf(
                        ByteArrayConverter.class,
                        OutboxMessageHandler.class,
                        OutboxMessageProducer.class,
                        GeoRepMeter.class,
                        GeoRepObservation.class,
                        SendConvention.class,
                        SendContext.class,
                        ForwardConvention.class,
                        ForwardContext.class)))
                .should(new UsedElsewhere())
                .because("what is public is used, sooner or later, by applications")
                .check(STARTER);
    }

    private static final class ByPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages of the starter";
        }
    }

    private static final class UsedElsewhere extends ArchCondition<JavaClass> {
        UsedElsewhere() {
            super("be used by another package");
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            // Who uses a nested type needs the one around it.
            boolean used = type.getPackage().getClasses().stream()
                    .filter(each -> each.equals(type) || each.getName().startsWith(type.getName() + "$"))
                    .flatMap(each -> each.getDirectDependenciesToSelf().stream())
                    .anyMatch(from -> !from.getOriginClass().getPackageName().equals(type.getPackageName()));
            events.add(new SimpleConditionEvent(
                    type, used, type.getName() + " is used in its own package only: make it package-private"));
        }
    }
}
