package io.georep.flagons;

import io.georep.model.ConfigurationException;
import java.util.List;

/**
 * How a process takes part in a fleet.
 *
 * @param role what it is there for
 * @param seeds {@code host:port} of nodes of the fleet to meet first, or, for a client, to ask
 * @param nodes about how many nodes the fleet may have; the same on all of them
 * @param writers who may change values; the same keys on all of them
 */
public record FleetMapSettings(Role role, List<String> seeds, int nodes, FleetWriters writers) {
    private static final int NODES = 1_000;

    /** The most nodes. */
    public static final int NODES_MAX = 10_000;

    /** What a process is there for. */
    public enum Role {
        /** The first node of a fleet. */
        FOUNDER,
        /** A node that joins a fleet. */
        MEMBER,
        /** No node of the fleet: it asks nodes. */
        CLIENT,
        /** The only node of its fleet, which nobody joins. */
        ALONE
    }

    /**
     * Checks the bounds.
     *
     * @throws ConfigurationException if one is not kept
     */
    public FleetMapSettings {
        seeds = List.copyOf(seeds);
        boolean isFirst = role == Role.FOUNDER || role == Role.ALONE;
        if (seeds.isEmpty() && !isFirst) {
            throw new ConfigurationException("a " + (role == Role.CLIENT ? "client" : "node")
                    + " of a fleet without seeds would find nobody: name host:port of a few nodes");
        }
        if (isFirst && !seeds.isEmpty()) {
            throw new ConfigurationException(
                    "seeds " + seeds + " are named, so there is a fleet already: join it, or name no seeds");
        }
        if (nodes < 1 || nodes > NODES_MAX) {
            throw new ConfigurationException(
                    "a fleet of " + nodes + " nodes, allowed are 1 to " + NODES_MAX + " at the most");
        }
    }

    /**
     * The first node of a fleet. Start one of them, once: each founds a fleet of its own. When it is started again, it joins those that
     * its data directory remembers; give it seeds if it has none.
     */
    public static FleetMapSettings founder() {
        return new FleetMapSettings(Role.FOUNDER, List.of(), NODES, FleetWriters.ANYBODY);
    }

    /** The only node of a fleet, for tests of an application: it needs no address. */
    public static FleetMapSettings alone() {
        return new FleetMapSettings(Role.ALONE, List.of(), NODES, FleetWriters.ANYBODY);
    }

    /** A node that joins a fleet. */
    public static FleetMapSettings member(String... seeds) {
        return new FleetMapSettings(Role.MEMBER, List.of(seeds), NODES, FleetWriters.ANYBODY);
    }

    /** A process that asks nodes of a fleet, and is none of them. */
    public static FleetMapSettings client(String... nodesToAsk) {
        return new FleetMapSettings(Role.CLIENT, List.of(nodesToAsk), NODES, FleetWriters.ANYBODY);
    }

    /** Returns these settings for a fleet of up to about so many nodes. Default: 1,000. */
    public FleetMapSettings nodes(int most) {
        return new FleetMapSettings(role, seeds, most, writers);
    }

    /** Returns these settings for a fleet in which these may change values. Default: anybody. */
    public FleetMapSettings writers(FleetWriters those) {
        return new FleetMapSettings(role, seeds, nodes, those);
    }
}
