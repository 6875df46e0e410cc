package io.georep.netty.internal.sockets;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Keeps a node from listening where strangers may be, unless something keeps them out. */
public final class OpenPort {
    private OpenPort() {}

    /**
     * Returns why a node that nothing protects must not listen here, or null if only this machine reaches the address.
     *
     * @param address {@code host:port}; a host that is not known is left to whoever binds it
     */
    public static @Nullable String fault(String address) {
        Endpoint endpoint = Endpoint.parse(address);
        InetSocketAddress resolved = new InetSocketAddress(endpoint.host(), endpoint.port());
        if (resolved.isUnresolved() || resolved.getAddress().isLoopbackAddress()) {
            return null;
        }
        return "the node would listen on " + endpoint
                + ", which other machines may reach, and nothing would keep strangers"
                + " from joining the cluster, reading copies and deleting entries: set a shared secret or TLS, or listen on"
                + " 127.0.0.1";
    }
}
