package io.georep.funnel;

/** The way on which a write reaches the members (section 3 of the paper). Any mixture leads to the same result. */
public enum Topology {
    /** The head estimates what is fastest for this write, from its size, the measured delays, and the load of its uplink. */
    AUTO,
    /** The head sends to all others: two hops, but it uploads the value to every member. */
    STAR,
    /** Each member sends to the next one: many hops, but nobody uploads the value more than once. */
    CHAIN,
    /** One chain for each site: the head uploads the value once per site. */
    SITES
}
