package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.netty.MutualTls;
import io.georep.spi.TransportFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** TLS between nodes, with what Spring Boot keeps in an SSL bundle. */
final class LinkTls {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTls.class);
    private static final String BUNDLE = "georep.ssl.bundle";

    private LinkTls() {}

    /** Returns TLS with this bundle, as it is at the time: when Boot reads it anew, new links use what it has then. */
    static MutualTls of(GeoRepProperties.Ssl ssl, @Nullable SslBundles bundles) {
        String name = String.valueOf(ssl.bundle());
        MutualTls.Builder builder = MutualTls.managers(
                () -> bundle(bundles, name).getManagers().getKeyManagerFactory(),
                () -> bundle(bundles, name).getManagers().getTrustManagerFactory());
        if (ssl.dnsNames() != null) {
            builder.dnsNames(ssl.dnsNames());
        }
        if (ssl.limitedDnsNames() != null) {
            builder.limitedDnsNames(ssl.limitedDnsNames());
        }
        if (ssl.revoked() != null) {
            builder.revoked(ssl.revoked());
        }
        MutualTls tls = builder.build();
        if (bundles != null && bundles.getBundleNames().contains(name)) {
            bundles.addBundleUpdateHandler(name, updated -> reload(tls, name));
        }
        return tls;
    }

    private static void reload(MutualTls tls, String name) {
        try {
            tls.reload();
        } catch (ConfigurationException e) {
            LOG.warn(
                    "SSL bundle '{}' has changed but is not used, and the previous one stays in force: {}",
                    name,
                    e.getMessage());
        }
    }

    private static SslBundle bundle(@Nullable SslBundles bundles, String name) {
        if (bundles == null || !bundles.getBundleNames().contains(name)) {
            List<String> known = bundles == null ? List.of() : bundles.getBundleNames();
            throw new ConfigurationException(BUNDLE + " is '" + name + "', but there is no SSL bundle of this name"
                    + (known.isEmpty() ? "" : ", only " + known)
                    + ": define it under spring.ssl.bundle.pem." + name + " or spring.ssl.bundle.jks." + name);
        }
        return bundles.getBundle(name);
    }

    /**
     * Looks for mistakes in the properties.
     *
     * @param own the application's, which then protects links by itself
     * @param faults gets what is wrong
     */
    static void check(
            GeoRepProperties.Ssl ssl,
            @Nullable SslBundles bundles,
            @Nullable TransportFactory own,
            List<String> faults) {
        String name = ssl.bundle();
        if (name == null) {
            if (ssl.dnsNames() != null || ssl.limitedDnsNames() != null || ssl.revoked() != null) {
                faults.add("georep.ssl.dns-names, limited-dns-names or revoked is set without " + BUNDLE
                        + ": name the bundle with the certificate of this node, or take them out");
            }
        } else {
            try {
                bundle(bundles, name);
            } catch (ConfigurationException e) {
                faults.addAll(e.faults());
            }
        }
        if (name != null && TransportSecurity.isOfTheApplication(own)) {
            faults.add(
                    BUNDLE + " is set, but the application has a TransportFactory of its own, which does not know it:"
                            + " give it the certificates there, and take the property out");
        }
    }
}
