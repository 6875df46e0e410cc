package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalNetwork;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What keeps strangers off the links, from the properties. */
final class TransportSecurity {
    private static final String SECRET = "georep.security.secret";
    private static final String SECRET_FILE = SECRET + "-file";

    private TransportSecurity() {}

    /**
     * Returns what makes the links; null if the properties have no effect on that.
     *
     * @param tls what TLS needs, from its own properties
     * @param own the transport of the application, which then protects links itself
     * @param faults gets what is wrong
     */
    static @Nullable TransportFactory transport(
            GeoRepProperties.Security security,
            @Nullable MutualTls tls,
            @Nullable TransportFactory own,
            List<String> faults) {
        SharedSecret secret = secret(security, faults);
        if (own != null) {
            if (secret != null && isOfTheApplication(own)) {
                faults.add(
                        "a shared secret is set, but the application has a TransportFactory of its own, which does not know"
                                + " it: give it the secret there, and take it out of the properties");
            }
            return own;
        }
        // A wrong secret has been reported already. That there is no secret then is no second mistake.
        boolean told = secret == null && (security.secret() != null || security.secretFile() != null);
        boolean open = told || security.openToAnyoneWhoReachesThePort();
        if (secret == null && tls == null && !open) {
            return null;
        }
        return new NettyTransportFactory(links -> links.tls(tls).secret(secret).openToAnyoneWhoReachesThePort(open));
    }

    /** Returns whether links are made by something of the application, which nothing here can protect. */
    static boolean isOfTheApplication(@Nullable TransportFactory own) {
        return own != null && !(own instanceof LocalNetwork);
    }

    private static @Nullable SharedSecret secret(GeoRepProperties.Security security, List<String> faults) {
        String text = security.secret();
        if (text != null && security.secretFile() != null) {
            faults.add(SECRET + " and " + SECRET_FILE + " are both set: leave one out");
        }
        try {
            if (text != null) {
                return SharedSecret.ofBase64(text);
            }
            return security.secretFile() == null ? null : SharedSecret.ofFile(security.secretFile());
        } catch (ConfigurationException e) {
            faults.add((text == null ? SECRET_FILE : SECRET) + ": " + e.getMessage());
            return null;
        }
    }
}
