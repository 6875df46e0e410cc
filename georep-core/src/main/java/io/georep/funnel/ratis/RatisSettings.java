package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the replicas of the master of views are. All nodes have the same peers, founders and group; the other settings may differ.
 *
 * @param peers the nodes that keep the decisions, an odd number of them: 3 survive the loss of one, 5 of two. A node that is not
 *     among them only asks. They cannot be changed later by changing this list
 * @param founders members of the first view, in order, the tail last; empty: all peers in their order. Later nodes join by themselves
 * @param membersMin below so many members the maps are only read; 0 for more than half of the founders
 * @param portOffset what is added to the ports of {@code peers}; 1: they are the addresses of the nodes, and Ratis listens on the
 *     next port. 0: they are those of Ratis itself
 * @param group name of the group of peers; clusters that can reach each other need different ones. Up to 64 characters
 * @param directory where a peer keeps its log; null: {@code views} in the node's data directory
 * @param listen {@code host:port} on which a peer listens, if that is not where the others reach it; null: the host on which the node
 *     listens, with the port of its entry in {@code peers}
 * @param tls how connections between all nodes and the peers are encrypted, and who may open one; null: they are not, and
 *     everybody may. Then all peers must have loopback addresses
 * @param openToAnyoneWhoReachesThePort whether other addresses are allowed although nothing protects the connections. Whoever reaches
 *     the port can then decide who is a member, and can send Java objects that Ratis deserializes
 */
public record RatisSettings(
        List<Peer> peers,
        List<NodeId> founders,
        int membersMin,
        int portOffset,
        String group,
        @Nullable Path directory,
        @Nullable String listen,
        @Nullable RatisTls tls,
        boolean openToAnyoneWhoReachesThePort) {
    private static final int GROUP_LENGTH_MAX = 64;
    private static final int PEERS_MAX = 7;

    /**
     * A node that keeps decisions.
     *
     * @param node its name
     * @param host name or address under which all nodes reach it
     * @param port its port before {@link RatisSettings#portOffset} is added
     */
    public record Peer(NodeId node, String host, int port) {
        /**
         * Reads {@code node=host:port}, with an IPv6 address in brackets.
         *
         * @throws ConfigurationException if it is anything else
         */
        public static Peer parse(String text) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new ConfigurationException(
                        "peer '" + text + "' of the master of views is not valid: write node=host:port");
            }
            Address address = Address.parse(text.substring(equals + 1));
            return new Peer(NodeId.of(text.substring(0, equals)), address.host(), address.port());
        }

        @Override
        public String toString() {
            return node + "=" + new Address(host, port);
        }
    }

    /** Checks them and copies the lists. */
    public RatisSettings {
        peers = List.copyOf(peers);
        founders = List.copyOf(founders);
        List<String> faults = new ArrayList<>();
        if (peers.size() % 2 == 0 || peers.size() > PEERS_MAX) {
            faults.add("the master of views has " + peers.size() + " peers " + peers
                    + ": name 3 or 5 nodes, or one for a cluster that may stop with it");
        }
        if (new HashSet<>(peers.stream().map(Peer::node).toList()).size() != peers.size()) {
            faults.add("a node is twice among the peers of the master of views " + peers);
        }
        if (new HashSet<>(founders).size() != founders.size()) {
            faults.add("a node is twice among the founders of the replicated maps " + founders);
        }
        int first = founders.isEmpty() ? peers.size() : founders.size();
        if (membersMin < 0 || membersMin > first) {
            faults.add("membersMin of the replicated maps is " + membersMin + ": allowed are 1 to " + first
                    + ", the number of founders, or 0 for more than half of them");
        }
        for (Peer peer : peers) {
            int port = peer.port() + portOffset;
            if (port < 1 || port > Address.PORT_MAX) {
                faults.add("peer " + peer + " with port offset " + portOffset + " has port " + port
                        + ": allowed are 1 to " + Address.PORT_MAX);
            }
        }
        if (portOffset != 0) {
            faults.addAll(portsTwice(peers, portOffset));
        }
        if (group.isBlank() || group.length() > GROUP_LENGTH_MAX) {
            faults.add(
                    "group '" + group + "' of the master of views must have 1 to " + GROUP_LENGTH_MAX + " characters");
        }
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    /** Nodes on one machine may have ports so close together that Ratis of one would take that of another. */
    private static List<String> portsTwice(List<Peer> peers, int portOffset) {
        List<String> faults = new ArrayList<>();
        for (Peer peer : peers) {
            int port = peer.port() + portOffset;
            for (Peer other : peers) {
                if (other.host().equals(peer.host()) && other.port() == port) {
                    faults.add("peer " + peer + " of the master of views would listen on port " + port + " of "
                            + peer.host() + ", which is that of node " + other.node()
                            + ": choose another port offset than "
                            + portOffset);
                }
            }
        }
        return faults;
    }

    /**
     * Returns settings with these peers and the defaults.
     *
     * @param peers each as {@code node=host:port} with the address of the node
     * @throws ConfigurationException if they are not valid
     */
    public static RatisSettings of(String... peers) {
        List<Peer> parsed = List.of(peers).stream().map(Peer::parse).toList();
        return new RatisSettings(parsed, List.of(), 0, 1, "georep", null, null, null, false);
    }

    /** Returns these settings with other members of the first view, the tail last. */
    public RatisSettings founders(List<NodeId> value) {
        return new RatisSettings(peers, value, membersMin, portOffset, group, directory, listen, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with another least number of members that may write. */
    public RatisSettings membersMin(int value) {
        return new RatisSettings(
                peers, founders, value, portOffset, group, directory, listen, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with another distance between the ports of {@link #peers} and those of Ratis. */
    public RatisSettings portOffset(int value) {
        return new RatisSettings(peers, founders, membersMin, value, group, directory, listen, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with another group. */
    public RatisSettings group(String value) {
        return new RatisSettings(peers, founders, membersMin, portOffset, value, directory, listen, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with another directory. */
    public RatisSettings directory(Path value) {
        return new RatisSettings(peers, founders, membersMin, portOffset, group, value, listen, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with an address to listen on, {@code host:port}. */
    public RatisSettings listen(String value) {
        return new RatisSettings(peers, founders, membersMin, portOffset, group, directory, value, tls, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with TLS. */
    public RatisSettings tls(RatisTls value) {
        return new RatisSettings(peers, founders, membersMin, portOffset, group, directory, listen, value, openToAnyoneWhoReachesThePort);
    }

    /** Returns these settings with or without a port that is open to everybody. */
    public RatisSettings openToAnyoneWhoReachesThePort(boolean value) {
        return new RatisSettings(peers, founders, membersMin, portOffset, group, directory, listen, tls, value);
    }

    /** Returns the members of the first view. */
    List<NodeId> firstMembers() {
        return founders.isEmpty() ? peers.stream().map(Peer::node).toList() : founders;
    }

    /** Returns where Ratis of a peer is reached. */
    Address address(Peer peer) {
        return new Address(peer.host(), peer.port() + portOffset);
    }

    /** Returns the entry of a node; null if it is no peer. */
    @Nullable
    Peer peer(NodeId node) {
        return peers.stream()
                .filter(each -> each.node().equals(node))
                .findFirst()
                .orElse(null);
    }
}
