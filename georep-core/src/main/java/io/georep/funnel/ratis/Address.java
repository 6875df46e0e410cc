package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import java.net.InetSocketAddress;

/**
 * A host and a port, not resolved.
 *
 * @param host name or literal address, IPv6 without brackets
 * @param port 0 to 65535
 */
record Address(String host, int port) {
    static final int PORT_MAX = 65_535;

    /** Reads {@code host:port} or {@code [ipv6]:port}. */
    static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        host = bracketed ? host.substring(1, host.length() - 1) : host;
        if (host.isEmpty() || (!bracketed && host.indexOf(':') >= 0)) {
            throw new ConfigurationException("address '" + text
                    + "' of the master of views is not valid: write host:port, an IPv6 address as [::1]:7401");
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (port >= 0 && port <= PORT_MAX) {
                return new Address(host, port);
            }
        } catch (NumberFormatException e) {
            // Falls through to the one message there is.
        }
        throw new ConfigurationException("address '" + text
                + "' of the master of views has no valid port: allowed are numbers from 0 to " + PORT_MAX);
    }

    /** Whether other machines may be behind it, or reach it. A host that is not known is left to whoever uses it. */
    boolean isBeyondLoopback() {
        InetSocketAddress resolved = new InetSocketAddress(host, port);
        return !resolved.isUnresolved() && !resolved.getAddress().isLoopbackAddress();
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
