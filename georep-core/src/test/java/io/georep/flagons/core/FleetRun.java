package io.georep.flagons.core;

import io.georep.flagons.core.FleetSimulation.Member;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What a simulated fleet goes through; times in milliseconds. */
final class FleetRun {
    int nodes = 300;
    long seed = 1;
    long millis = 32_000;
    FleetSettings settings = FleetSettings.hardened(300);
    FleetRules rules = new FleetRules();
    boolean evenGrid = true;

    /** Operations in a second, until a while before the end. */
    double rate = 20;

    /** From 0 to 1. */
    double loss;

    /** This share of the nodes is replaced every five seconds. */
    double churn;

    /** The wall clocks differ by up to this. */
    long skew = 500;

    /** The first node's wall clock is wrong by this. */
    long offBy;

    /** Two sides hear nothing of each other: one part of so many, and the others. */
    int splitParts = 2;

    /** Then each message takes up to so much longer, as where nodes have no processor time. */
    long slowFrom = Long.MAX_VALUE;

    long slowTo = Long.MAX_VALUE;
    int slowMillis;

    long splitFrom = Long.MAX_VALUE;

    long splitTo = Long.MAX_VALUE;

    /** A third of the nodes ends at once. */
    long thirdFailsAt = Long.MAX_VALUE;

    /** The transport lets receivers of one ball see what others made of it. */
    boolean aliases;

    /** No operations at the end, so that all of them arrive. */
    long quietMillis = 8_000;

    /** Whether it counts how much is sent. */
    boolean countsBytes;

    int keys = 40;
    boolean lan;

    /** This share of the puts and removals waits for no order. */
    double any;

    /** Clients that ask one thing after the other; see {@link Sessions}. */
    int sessions;

    int quorum = 1;

    /** Events go to the nodes of their groups only; null if to all. */
    GroupsOnly groupsOnly;

    /** Told of each ball, or event of its own, that comes to a node. */
    BiConsumer<Member, Ball> heard = (member, ball) -> {};

    /** Done in each millisecond. */
    Consumer<FleetSimulation> script = fleet -> {};

    FleetRun with(Consumer<FleetRun> change) {
        change.accept(this);
        return this;
    }

    /** Returns whether a node is to hear of an event. */
    boolean concerns(Member member, Event event) {
        return groupsOnly == null
                || member.node.group().range().has(event.operation().position());
    }

    @Override
    public String toString() {
        return String.format(
                "nodes %d even %b lan %b rate %.0f keys %d loss %.2f churn %.2f any %.2f sessions %d split %b",
                nodes, evenGrid, lan, rate, keys, loss, churn, any, sessions, splitFrom < millis);
    }
}
