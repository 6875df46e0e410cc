package io.georep.examples.sms.tables;

/**
 * Where messages to numbers with one prefix go. Travels between the gateways as JSON.
 *
 * @param operator name of the operator; empty: the route is closed, and the next shorter prefix counts
 */
public record RouteRow(String operator) {
    /** A route that was taken out. */
    static final RouteRow CLOSED = new RouteRow("");
}
