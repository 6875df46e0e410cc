package io.georep.simulation;

import io.georep.model.NodeIdentity;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * All ways between all addresses. A {@link Way} is directed and carries at most one {@link Connection} at a time; faults
 * are set on ways. Within a connection frames of one lane arrive in order, none twice, and overtake those of others as
 * they like; when a connection
 * breaks, any number of the last frames are lost, and the dialer learns of it sooner or later.
 */
public final class SimulatedNetwork {
    /**
     * What holds for all ways.
     *
     * @param noticeMaxNanos longest time until a dialer notices that its connection is dead
     * @param redialMinNanos shortest pause between two attempts
     * @param redialMaxNanos longest pause between two attempts
     * @param highMarkBytes bytes on the way, shared by lanes, from which on one is not writable
     * @param queueBytesMax bytes on the way, shared by lanes, from which on frames are dropped
     * @param answerNeedsWayBack whether a handshake also needs the way from the acceptor to the dialer
     * @param lateFrames whether frames of a dead process may arrive after its successor has connected
     * @param overlap whether frames of a connection may arrive after those of its successor, and more than once
     */
    record Settings(
            long noticeMaxNanos,
            long redialMinNanos,
            long redialMaxNanos,
            long highMarkBytes,
            long queueBytesMax,
            boolean answerNeedsWayBack,
            boolean lateFrames,
            boolean overlap) {

        /** Quick to notice, quick to redial. */
        public static Settings defaults() {
            return new Settings(
                    200 * World.MILLIS, 100 * World.MILLIS, World.SECONDS, 256 << 10, 16 << 20, true, false, false);
        }

        /** The same with connections of one process that overlap. */
        Settings overlapping() {
            return new Settings(
                    noticeMaxNanos,
                    redialMinNanos,
                    redialMaxNanos,
                    highMarkBytes,
                    queueBytesMax,
                    answerNeedsWayBack,
                    lateFrames,
                    true);
        }
    }

    /** Sees every frame that is sent; for checks. */
    interface Tap {
        /** A frame leaves. */
        void sent(NodeIdentity from, NodeIdentity to, byte[] frame);

        /** A process refuses another one. */
        default void refused(NodeIdentity by, NodeIdentity peer, String reason) {}
    }

    private final World world;
    private final RandomGenerator random;
    private final Settings settings;
    private final TreeMap<String, SimulatedTransport> listening = new TreeMap<>();
    private final Map<String, Map<String, Way>> ways = new HashMap<>();
    private Tap tap = (from, to, frame) -> {};
    private long delayNanos = World.MILLIS;
    private long jitterNanos;

    /** A network whose ways take a millisecond. */
    SimulatedNetwork(World world, Settings settings) {
        this.world = world;
        this.random = world.random("network");
        this.settings = settings;
    }

    World world() {
        return world;
    }

    RandomGenerator random() {
        return random;
    }

    Settings settings() {
        return settings;
    }

    Tap tap() {
        return tap;
    }

    /** Who sees every frame. */
    void tap(Tap observer) {
        tap = observer;
    }

    /** Delay of ways not touched yet. */
    void defaultDelay(long nanos, long jitter) {
        delayNanos = nanos;
        jitterNanos = jitter;
    }

    /** A transport for a process that will listen on this address. */
    SimulatedTransport transport(String address) {
        return new SimulatedTransport(this, address);
    }

    /** The way from one address to another. */
    public Way way(String from, String to) {
        return ways.computeIfAbsent(from, key -> new HashMap<>())
                .computeIfAbsent(to, key -> new Way(this, from, to, delayNanos, jitterNanos));
    }

    /** Takes the process listening on this address away at once, without a word to anybody. */
    void kill(String address) {
        SimulatedTransport transport = listening.get(address);
        if (transport != null) {
            transport.die();
        }
    }

    void eachWayTo(String address, java.util.function.Consumer<Way> action) {
        for (String from : new java.util.TreeSet<>(ways.keySet())) {
            Way way = ways.get(from).get(address);
            if (way != null) {
                action.accept(way);
            }
        }
    }

    void bind(String address, SimulatedTransport transport) {
        if (listening.putIfAbsent(address, transport) != null) {
            throw new io.georep.model.TransportException(
                    "address " + address + " is in use: choose another port", new IllegalStateException("bound"));
        }
    }

    void unbind(String address, SimulatedTransport transport) {
        listening.remove(address, transport);
    }

    SimulatedTransport listening(String address) {
        return listening.get(address);
    }
}
