package io.georep.netty.internal.sockets;

import io.georep.model.ConfigurationException;

/**
 * Where a node listens, not resolved: names may point elsewhere tomorrow.
 *
 * @param host name or literal address, IPv6 without brackets
 * @param port 0 to 65535
 */
public record Endpoint(String host, int port) {
    /** Reads {@code host:port} or {@code [ipv6]:port}. */
    public static Endpoint parse(String address) {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? "" : address.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new ConfigurationException(
                    "address '" + address + "' is ambiguous: write an IPv6 address in brackets, [::1]:7400");
        }
        if (host.isEmpty()) {
            throw new ConfigurationException("address '" + address + "' has no host: write host:port");
        }
        return new Endpoint(host, port(address, address.substring(colon + 1)));
    }

    private static int port(String address, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // The exception below says it.
        }
        throw new ConfigurationException(
                "address '" + address + "' has port '" + digits + "': allowed are numbers from 0 to 65535");
    }

    public Endpoint withPort(int newPort) {
        return new Endpoint(host, newPort);
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
