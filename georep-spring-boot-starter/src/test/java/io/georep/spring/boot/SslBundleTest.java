package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.TransportFactory;
import io.georep.spring.boot.actuate.HealthOfTheNode;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Links use the certificates of an SSL bundle. */
class SslBundleTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private final X509Bundle before = authority("before");
    private final X509Bundle after = authority("after");

    private static X509Bundle authority(String name) {
        try {
            return new CertificateBuilder()
                    .subject("CN=" + name)
                    .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Path file(String node, String what) {
        return directory.resolve(node + "-" + what + ".pem");
    }

    private void write(String node, X509Bundle signer, X509Bundle... trusted) throws Exception {
        write(node, new CertificateBuilder().addSanUriName("georep:prod/" + node), signer, trusted);
    }

    private void write(String node, CertificateBuilder named, X509Bundle signer, X509Bundle... trusted)
            throws Exception {
        X509Bundle own = named.subject("CN=" + node)
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH)
                .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH)
                .buildIssuedBy(signer);
        Files.writeString(file(node, "key"), own.getPrivateKeyPEM());
        Files.writeString(file(node, "certificate"), own.getCertificatePathPEM());
        trust(node, trusted);
    }

    private void trust(String node, X509Bundle... trusted) throws IOException {
        StringBuilder text = new StringBuilder();
        for (X509Bundle authority : trusted) {
            text.append(authority.getRootCertificatePEM());
        }
        Path next = directory.resolve("next");
        Files.writeString(next, text);
        Files.move(next, file(node, "trusted"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private ApplicationContextRunner runner(String node) {
        String bundle = "spring.ssl.bundle.pem.nodes.";
        return TestApplication.runner()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "georep.node-id=" + node,
                        "georep.cluster=prod",
                        "georep.durability=memory",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.ssl.bundle=nodes",
                        "spring.ssl.bundle.watch.file.quiet-period=100ms",
                        bundle + "reload-on-update=true",
                        bundle + "keystore.certificate=file:" + file(node, "certificate"),
                        bundle + "keystore.private-key=file:" + file(node, "key"),
                        bundle + "truststore.certificate=file:" + file(node, "trusted"));
    }

    private static GeoRepNode node(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        return context.getBean(GeoRepNode.class);
    }

    private static String seed(AssertableApplicationContext context) {
        return "georep.seeds=" + node(context).identity().address();
    }

    @Test
    void nodesWithCertificatesMeet() throws Exception {
        write("n1", before, before);
        write("n2", before, before);

        runner("n1")
                .run(first -> runner("n2").withPropertyValues(seed(first)).run(second -> {
                    await().atMost(LONG)
                            .until(() -> node(first).ready(1) && node(second).ready(1));
                    assertThat(node(first).statistics().connectionsDistrusted()).isZero();
                }));
    }

    @Test
    void aChangedBundleCountsForNewLinks() throws Exception {
        write("n1", before, before);
        write("n2", after, before, after);

        runner("n1")
                .run(first -> runner("n2").withPropertyValues(seed(first)).run(second -> {
                    await().atMost(LONG).until(() -> node(first).statistics().connectionsDistrusted() > 0);
                    assertThat(node(second).ready(1)).isFalse();

                    trust("n1", before, after);

                    await().atMost(LONG)
                            .until(() -> node(first).ready(1) && node(second).ready(1));
                }));
    }

    @Test
    void aBundleOfAnotherNodeIsNotTakenAndTold() throws Exception {
        write("n1", before, before);
        write("n2", before, before);

        runner("n2")
                .run(other -> runner("n1").run(context -> {
                    SslBundleRegistry registry = (SslBundleRegistry) context.getBean(SslBundles.class);
                    assertThat(HealthOfTheNode.details(context)).doesNotContainKey("tlsProblem");

                    registry.updateBundle(
                            "nodes", other.getBean(SslBundles.class).getBundle("nodes"));

                    assertThat(context.getBean(MutualTls.class).problem()).contains("georep:prod/n2");
                    assertThat(HealthOfTheNode.details(context).get("tlsProblem"))
                            .asString()
                            .contains("URI:georep:prod/n1");
                }));
    }

    @Test
    void filesThatCannotBeReadAreToldAndTheBundleOfBeforeStaysInForce() throws Exception {
        write("n1", before, before);

        runner("n1").run(context -> {
            assertThat(HealthOfTheNode.details(context)).doesNotContainKey("tlsProblem");

            Files.writeString(file("n1", "certificate"), "half of a certificate");

            await().atMost(LONG)
                    .untilAsserted(
                            () -> assertThat(context.getBean(MutualTls.class).problem())
                                    .contains("TLS"));
            assertThat(HealthOfTheNode.details(context)).containsKey("tlsProblem");
        });
    }

    private static void assertFault(AssertableApplicationContext context, String... words) {
        assertThat(context).hasFailed();
        Throwable cause = context.getStartupFailure();
        while (cause != null && !(cause instanceof ConfigurationException)) {
            cause = cause.getCause();
        }
        assertThat(cause).isNotNull();
        assertThat(((ConfigurationException) cause).faults())
                .singleElement()
                .asString()
                .contains(words);
        assertThat(new GeoRepFailureAnalyzer()
                        .analyze(context.getStartupFailure())
                        .getAction())
                .contains("georep.ssl.");
    }

    @Test
    void aBundleThatDoesNotExistIsNamed() throws Exception {
        write("n1", before, before);

        runner("n1")
                .withPropertyValues("georep.ssl.bundle=peers")
                .run(context -> assertFault(
                        context, "georep.ssl.bundle is 'peers'", "only [nodes]", "spring.ssl.bundle.pem.peers"));
        TestApplication.alone()
                .withPropertyValues("georep.ssl.bundle=peers")
                .run(context -> assertFault(context, "georep.ssl.bundle is 'peers'"));
    }

    @Test
    void settingsThatWouldCountForNothingAreRefused() throws Exception {
        write("n1", before, before);

        TestApplication.alone()
                .withPropertyValues("georep.ssl.dns-names={node}.example.com")
                .run(context -> assertFault(context, "without georep.ssl.bundle"));
        runner("n1")
                .withBean(TransportFactory.class, NettyTransportFactory::new)
                .run(context -> assertFault(context, "TransportFactory of its own"));
    }

    @Test
    void namesOfTheSecondDomainAreThoseOfLimitedNodes() throws Exception {
        write("n1", new CertificateBuilder().addSanDnsName("n1.georep.example.com"), before, before);
        write("n2", new CertificateBuilder().addSanDnsName("n2.edge.example.com"), before, before);
        String[] rules = {
            "georep.ssl.dns-names={node}.georep.example.com", "georep.ssl.limited-dns-names={node}.edge.example.com"
        };

        runner("n1")
                .withPropertyValues(rules)
                .run(first -> runner("n2")
                        .withPropertyValues(rules)
                        .withPropertyValues(seed(first))
                        .run(second -> {
                            await().atMost(LONG)
                                    .until(() ->
                                            node(first).ready(1) && node(second).ready(1));
                            assertThatThrownBy(() -> node(second).drain(NodeId.of("n1")))
                                    .isInstanceOf(ConfigurationException.class);
                            node(first).drain(NodeId.of("n2"));
                        }));
    }

    @Test
    void rulesThatDoNotFitEachOtherAreRefused() throws Exception {
        write("n1", before, before);

        runner("n1")
                .withPropertyValues("georep.ssl.limited-dns-names={node}.edge.example.com")
                .run(context -> assertFault(context, "limitedDnsNames", "without dnsNames"));
        runner("n1")
                .withPropertyValues(
                        "georep.ssl.dns-names={node}.example.com", "georep.ssl.limited-dns-names={node}.example.com")
                .run(context -> assertFault(context, "can both fit one name"));
        TestApplication.alone()
                .withPropertyValues("georep.ssl.limited-dns-names={node}.edge.example.com")
                .run(context -> assertFault(context, "without georep.ssl.bundle"));
    }

    @Test
    void aCertificateOfAnotherNodeKeepsItFromStarting() throws Exception {
        write("n1", before, before);

        runner("n1")
                .withPropertyValues("georep.node-id=n9")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("needs the subject alternative name URI:georep:prod/n9"));
    }

    @Test
    void aBeanOfTheApplicationTakesThePlaceOfTheBundle() throws Exception {
        write("n1", before, before);
        MutualTls own = MutualTls.pem(file("n1", "key"), file("n1", "certificate"), file("n1", "trusted"))
                .build();

        TestApplication.runner()
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.cluster=prod",
                        "georep.durability=memory",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.f=0")
                .withBean(MutualTls.class, () -> own)
                .run(context -> {
                    node(context);
                    Files.delete(file("n1", "key"));
                    assertThat(List.of(reloadFault(own)))
                            .singleElement()
                            .asString()
                            .contains("n1-key.pem");
                });
    }

    private static String reloadFault(MutualTls tls) {
        try {
            tls.reload();
            return "none";
        } catch (ConfigurationException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
