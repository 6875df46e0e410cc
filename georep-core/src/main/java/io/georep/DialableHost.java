package io.georep;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/** Finds what other nodes dial if a node listens on all addresses and was not told its name. */
final class DialableHost {
    /**
     * Prefixes of the names of interfaces for networks inside this machine, such as bridges for containers. Other machines do
     * not reach this one there.
     */
    private static final Pattern INTERNAL =
            Pattern.compile("(docker|br-|virbr|lxcbr|lxdbr|cni|podman|veth|vmnet|vboxnet|tap|dummy).*");

    /**
     * A network interface with what matters here.
     *
     * @param name as the system calls it
     * @param usable whether it is up and no loopback
     * @param addresses its addresses
     */
    record Card(String name, boolean usable, List<InetAddress> addresses) {}

    private DialableHost() {}

    /**
     * Returns the host itself; for a wildcard, an address of this machine that others may reach, in brackets if it is
     * IPv6.
     */
    static String of(String host) {
        return host.equals("0.0.0.0") || host.equals("::") || host.equals("[::]") ? choose(cards()) : host;
    }

    /**
     * Prefers IPv4 to IPv6, takes a bridge for containers only if there is nothing else, and 127.0.0.1 if there is
     * nothing at all.
     */
    static String choose(List<Card> cards) {
        List<InetAddress> outside = new ArrayList<>();
        List<InetAddress> inside = new ArrayList<>();
        for (Card card : cards) {
            if (card.usable()) {
                (INTERNAL.matcher(card.name()).matches() ? inside : outside).addAll(card.addresses());
            }
        }
        for (List<InetAddress> addresses : List.of(outside, inside)) {
            for (InetAddress address : addresses) {
                if (address instanceof Inet4Address && !address.isLinkLocalAddress()) {
                    return address.getHostAddress();
                }
            }
            for (InetAddress address : addresses) {
                if (address instanceof Inet6Address && !address.isLinkLocalAddress()) {
                    String text = address.getHostAddress();
                    int scope = text.indexOf('%');
                    return "[" + (scope < 0 ? text : text.substring(0, scope)) + "]";
                }
            }
        }
        return "127.0.0.1";
    }

    private static List<Card> cards() {
        List<Card> cards = new ArrayList<>();
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                cards.add(new Card(
                        network.getName(),
                        network.isUp() && !network.isLoopback(),
                        Collections.list(network.getInetAddresses())));
            }
        } catch (SocketException e) {
            // A machine that does not tell its addresses can still serve its own processes.
            return List.of();
        }
        return cards;
    }
}
