package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.netty.Authority;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameRuleTest {
    private static final Authority AUTHORITY = new Authority("tests");

    private static X509Certificate uris(String... uris) {
        return AUTHORITY.sign(uris).getCertificate();
    }

    private static X509Certificate dns(String... names) {
        return AUTHORITY
                .sign(builder -> {
                    for (String name : names) {
                        builder.addSanDnsName(name);
                    }
                })
                .getCertificate();
    }

    @Test
    void aUriNamesANodeOfACluster() {
        NameRule rule = NameRule.of("prod", null, null);

        assertThat(rule.nodes(uris("georep:prod/nyc-1"))).containsExactly("nyc-1");
        assertThat(rule.nodes(uris("georep:prod/a", "georep:prod/b.c_d", "https://example.com/")))
                .containsExactly("a", "b.c_d");
        assertThat(rule.expected("nyc-1")).isEqualTo("URI:georep:prod/nyc-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "georep:staging/nyc-1",
                "georep:prod2/nyc-1",
                "georep:pro/d/nyc-1",
                "georep:prod/nyc-1/x",
                "georep:prod/",
                "georep:prod/nyc-1#x",
                "georep:prod/nyc-1?x",
                "GEOREP:prod/nyc-1",
                "georep://prod/nyc-1",
                "xgeorep:prod/nyc-1"
            })
    void nothingElseDoes(String uri) {
        assertThat(NameRule.of("prod", null, null).nodes(uris(uri))).isEmpty();
    }

    @Test
    void aLimitedUriNamesANodeThatMayNotDecide() {
        NameRule rule = NameRule.of("prod", null, null);
        X509Certificate limited = uris("georep-limited:prod/nyc-1");

        assertThat(rule.nodes(limited)).containsExactly("nyc-1");
        assertThat(rule.isLimited(limited)).isTrue();
        assertThat(rule.isLimited(uris("georep:prod/nyc-1"))).isFalse();
        assertThat(rule.nodes(uris("georep-limited:staging/nyc-1"))).isEmpty();
        assertThat(NameRule.of("limited", null, null).nodes(limited)).isEmpty();
    }

    @Test
    void whatHasALimitedNameIsLimitedWhateverElseItHas() {
        NameRule rule = NameRule.of("prod", null, null);
        NameRule dns = NameRule.of("prod", "{node}.core.example.com", "{node}.edge.example.com");

        assertThat(rule.isLimited(uris("georep:prod/a", "georep-limited:prod/b")))
                .isTrue();
        assertThat(rule.isLimited(uris("georep:prod/a", "georep-limited:staging/a")))
                .isTrue();
        assertThat(dns.isLimited(dns("a.core.example.com", "b.edge.example.com")))
                .isTrue();
    }

    @Test
    void aSecondRuleForDnsNamesIsOneForLimitedCertificates() {
        NameRule rule = NameRule.of("prod", "{node}.core.example.com", "{node}.edge.example.com");

        assertThat(rule.nodes(dns("a.edge.example.com"))).containsExactly("a");
        assertThat(rule.isLimited(dns("a.edge.example.com"))).isTrue();
        assertThat(rule.nodes(dns("a.core.example.com"))).containsExactly("a");
        assertThat(rule.isLimited(dns("a.core.example.com"))).isFalse();
        assertThat(rule.nodes(uris("georep-limited:prod/a"))).isEmpty();
        assertThat(NameRule.of("prod", "{node}.core.example.com", null).nodes(dns("a.edge.example.com")))
                .as("a node that does not know of the second rule")
                .isEmpty();
    }

    @Test
    void noNameMayFitBothRules() {
        for (String limited : new String[] {
            "{node}.example.com",
            "{node}.x.core.example.com",
            "{node}-edge.core.example.com",
            "{node}.{cluster}.example.com"
        }) {
            assertThatThrownBy(() -> NameRule.of("core", "{node}.core.example.com", limited))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("can both fit one name");
        }
    }

    @Test
    void theSecondRuleNeedsTheFirst() {
        assertThatThrownBy(() -> Authority.tls(AUTHORITY.sign("georep:prod/a"), AUTHORITY)
                        .limitedDnsNames("{node}.edge.example.com")
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("without dnsNames");
    }

    @Test
    void aDotInTheClustersNameIsADot() {
        assertThat(NameRule.of("a.b", null, null).nodes(uris("georep:axb/n"))).isEmpty();
        assertThat(NameRule.of("a.b", null, null).nodes(uris("georep:a.b/n"))).containsExactly("n");
    }

    @Test
    void dnsNamesCountByRuleOnly() {
        X509Certificate certificate = dns("nyc-1.georep.example.com", "nyc-1", "www.example.com");

        assertThat(NameRule.of("prod", null, null).nodes(certificate)).isEmpty();
        assertThat(NameRule.of("prod", "{node}.georep.example.com", null).nodes(certificate))
                .containsExactly("nyc-1");
        assertThat(NameRule.of("prod", "{node}.georep.example.com", null).nodes(uris("georep:prod/nyc-1")))
                .as("one kind of name counts")
                .isEmpty();
        assertThat(NameRule.of("prod", "{node}.georep.example.com", null).nodes(dns("nyc-1xgeorep.example.com")))
                .isEmpty();
        assertThat(NameRule.of("prod", "{node}.georep.example.com", null).expected("nyc-1"))
                .isEqualTo("DNS:nyc-1.georep.example.com");
    }

    @Test
    void dnsNamesMayTellTheCluster() {
        NameRule rule = NameRule.of("prod", "{node}.{cluster}.example.com", null);

        assertThat(rule.nodes(dns("a.prod.example.com", "a.staging.example.com")))
                .containsExactly("a");
        assertThat(rule.nodes(dns("x.y.prod.example.com")))
                .as("x in cluster y.prod, or x.y in cluster prod")
                .isEmpty();
        assertThatThrownBy(() -> NameRule.of("y.prod", "{node}.{cluster}.example.com", null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("contains a dot");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "example.com",
                "{node}{node}.com",
                "{node}-{cluster}.example.com",
                "{node}.{cluster}.{cluster}"
            })
    void aPatternThatCouldBeReadInTwoWaysIsRefused(String pattern) {
        assertThatThrownBy(() -> NameRule.check(pattern))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'" + pattern + "', allowed is");
    }

    @Test
    void aCertificateIsDescribedByNumberAndNames() {
        assertThat(NameRule.describe(uris("georep:prod/a")))
                .matches("the certificate with serial number [0-9a-f]+, for georep:prod/a");
        assertThat(NameRule.describe(uris())).endsWith(", without names");
    }

    @Test
    void namesForgeNoLinesOfTheLog() {
        assertThat(TlsProblem.printable("a\nb\r\u2028\u0007\u0085c")).isEqualTo("a?b????c");
        assertThat(TlsProblem.printable("x".repeat(5000))).hasSizeLessThan(250);
    }
}
