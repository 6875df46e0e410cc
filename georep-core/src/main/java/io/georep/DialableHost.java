package io.georep;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.List;

/** What other nodes dial when a node listens on all addresses and was not told its name. */
final class DialableHost {
    private DialableHost() {}

    /** The host itself, or for a wildcard the first IPv4 address of this machine that others may reach. */
    static String of(String host) {
        return host.equals("0.0.0.0") || host.equals("::") || host.equals("[::]") ? ofThisMachine() : host;
    }

    private static String ofThisMachine() {
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                List<InetAddress> addresses = network.isUp() && !network.isLoopback()
                        ? Collections.list(network.getInetAddresses())
                        : List.of();
                for (InetAddress address : addresses) {
                    if (address instanceof Inet4Address && !address.isLinkLocalAddress()) {
                        return address.getHostAddress();
                    }
                }
            }
        } catch (SocketException e) {
            // A machine that does not tell its addresses can still serve its own processes.
            return "127.0.0.1";
        }
        return "127.0.0.1";
    }
}
