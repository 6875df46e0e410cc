package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.FreePort;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.spring.Maps;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Keepers of views, from properties. */
@Timeout(120)
class KeptViewMasterTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<Integer> ports = new ArrayList<>();

    private ApplicationContextRunner node(int number) {
        String name = "n" + number;
        return TestApplication.runner()
                .withConfiguration(AutoConfigurations.of(GeoRepMapsAutoConfiguration.class, SslAutoConfiguration.class))
                .withPropertyValues(
                        "georep.node-id=" + name,
                        "georep.cluster=prod",
                        "georep.host=127.0.0.1",
                        "georep.durability=os",
                        "georep.data-dir=" + directory.resolve(name),
                        "georep.expected-away=0s",
                        "georep.maps.lease=2s");
    }

    /** With the ports drawn before, and certificates. */
    private ApplicationContextRunner member(int number) {
        String bundle = "spring.ssl.bundle.pem.nodes.";
        String name = "n" + number;
        return node(number)
                .withPropertyValues(
                        "georep.port=" + ports.get(number - 1),
                        "georep.seeds=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1),
                        "georep.maps.master.keepers=n1,n2,n3",
                        "georep.ssl.bundle=nodes",
                        "georep.ssl.dns-names={node}.georep.example.com",
                        bundle + "keystore.certificate=file:" + directory.resolve(name + ".pem"),
                        bundle + "keystore.private-key=file:" + directory.resolve(name + ".key"),
                        bundle + "truststore.certificate=file:" + directory.resolve("trusted.pem"));
    }

    private void drawPorts(int count) {
        int first = FreePort.findRange(count);
        for (int number = 0; number < count; number++) {
            ports.add(first + number);
        }
    }

    private void writeCertificates(int count) throws Exception {
        X509Bundle authority = new CertificateBuilder()
                .subject("CN=authority")
                .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Files.writeString(directory.resolve("trusted.pem"), authority.getRootCertificatePEM());
        for (int i = 1; i <= count; i++) {
            X509Bundle own = new CertificateBuilder()
                    .subject("CN=n" + i)
                    .addSanDnsName("n" + i + ".georep.example.com")
                    .buildIssuedBy(authority);
            Files.writeString(directory.resolve("n" + i + ".key"), own.getPrivateKeyPEM());
            Files.writeString(directory.resolve("n" + i + ".pem"), own.getCertificatePathPEM());
        }
    }

    private static void awaitMembers(AssertableApplicationContext context, String... members) {
        assertThat(context).hasNotFailed();
        ReplicatedMaps maps = context.getBean(ReplicatedMaps.class);
        await().atMost(SOON)
                .until(() -> maps.status().role() == MapsStatus.Role.SERVING
                        && Objects.requireNonNull(maps.status().view()).members().stream()
                                .map(NodeId::value)
                                .sorted()
                                .toList()
                                .equals(List.of(members)));
    }

    private static ReplicatedMap<String, String> routes(AssertableApplicationContext context) {
        return context.getBean(Maps.class).map("routes", String.class, String.class);
    }

    private static void put(AssertableApplicationContext context, String key, String value) throws Exception {
        routes(context).put(key, value).toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    /** The fourth only asks. All of them prove by their certificates who they are. */
    @Test
    void threeNodesKeepTheViewsAndAFourthAsksThem() throws Exception {
        drawPorts(4);
        writeCertificates(4);
        member(1)
                .run(first -> member(2)
                        .run(second -> member(3).run(third -> {
                            awaitMembers(first, "n1", "n2", "n3");
                            awaitMembers(second, "n1", "n2", "n3");
                            awaitMembers(third, "n1", "n2", "n3");
                            put(first, "46", "telia");
                            assertThat(routes(second).get("46")).isEqualTo("telia");
                            assertThat(routes(third).get("46")).isEqualTo("telia");

                            member(4).run(fourth -> {
                                awaitMembers(fourth, "n1", "n2", "n3", "n4");
                                assertThat(routes(fourth).get("46")).isEqualTo("telia");
                                put(fourth, "47", "telenor");
                                assertThat(routes(third).get("47")).isEqualTo("telenor");
                            });
                        })));
    }

    private static void assertFault(AssertableApplicationContext context, String fault, String property) {
        assertThat(context).hasFailed();
        Throwable cause = context.getStartupFailure();
        while (cause != null && !(cause instanceof ConfigurationException)) {
            cause = cause.getCause();
        }
        assertThat(cause).isNotNull();
        assertThat(((ConfigurationException) cause).faults())
                .filteredOn(each -> each.contains(fault))
                .hasSize(1);
        assertThat(new GeoRepFailureAnalyzer()
                        .analyze(context.getStartupFailure())
                        .getAction())
                .contains(property);
    }

    private void assertRefused(String fault, String property, String... values) {
        node(1).withPropertyValues("georep.port=" + FreePort.find())
                .withPropertyValues(values)
                .run(context -> assertFault(context, fault, property));
    }

    @Test
    void settingsThatAreNotValidAreToldWithTheirProperty() {
        String three = "georep.maps.master.keepers=n1,n2,n3";
        assertRefused("have 2 keepers", "Set georep.maps.master.keepers as", "georep.maps.master.keepers=n1,n2");
        assertRefused(
                "is twice among the keepers", "georep.maps.master.keepers", "georep.maps.master.keepers=n1,n2,n1");
        assertRefused(
                "is twice among the founders",
                "georep.maps.master.founders",
                three,
                "georep.maps.master.founders=n1,n1");
        assertRefused(
                "georep.maps.alone and georep.maps.master.keepers are both set",
                "georep.maps.alone",
                three,
                "georep.maps.alone=true");
        assertRefused(
                "georep.maps.master.founders set without georep.maps.master.keepers",
                "georep.maps.master.founders",
                "georep.maps.master.founders=n1");
        assertRefused(
                "georep.maps.master.members-min set without georep.maps.master.keepers",
                "georep.maps.master.keepers",
                "georep.maps.master.members-min=2");
        assertRefused("must survive a restart", "georep.durability", three, "georep.durability=memory");
    }

    @Test
    void aMasterOfTheApplicationAndKeepersAreTooMuch() {
        node(1).withPropertyValues("georep.port=" + FreePort.find(), "georep.maps.master.keepers=n1")
                .withBean(ViewMaster.Factory.class, () -> place -> {
                    throw new ConfigurationException("the bean is asked");
                })
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("a ViewMaster.Factory of its own, which does not know them"));
    }

    /** What is written for a cluster runs in a test, where the node is alone. */
    @Test
    void inATestTheNodeIsItsOwnMaster() {
        node(1).withPropertyValues(
                        "georep.port=" + FreePort.find(),
                        "georep.test.enabled=true",
                        "georep.maps.master.keepers=n1,n2,n3")
                .run(context -> awaitMembers(context, "n1"));
    }
}
