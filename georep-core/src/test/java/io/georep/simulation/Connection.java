package io.georep.simulation;

import io.georep.concurrent.FairLanes;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.ArrayDeque;
import java.util.TreeMap;

/** One connection from a dialer to an acceptor, from its handshake to its end. */
final class Connection {
    private static final long STUCK_MAX = 3 * World.SECONDS;

    private record Frame(byte[] bytes, long checksum, boolean urgent, int lane) {}

    /** What one lane of the connection has on the way. */
    private static final class Lane {
        long lastArrival;
        long bytes;
        boolean writable = true;
    }

    private final SimulatedNetwork network;
    private final Way way;
    private final SimulatedTransport dialer;
    private final SimulatedTransport acceptor;
    private final NodeIdentity dialerIdentity;
    private final NodeIdentity acceptorIdentity;

    /** Frames held back by a clogged way, in order. */
    private final ArrayDeque<Frame> held = new ArrayDeque<>();

    private long triedAt;
    private long lastArrival;
    private long lastUrgentArrival;
    private long bytesOnTheWay;

    /** Lanes that were used, by number. */
    private final TreeMap<Integer, Lane> lanes = new TreeMap<>();

    /** Frames that wait for the line, where the way has one. */
    private final FairLanes<Frame> waiting = new FairLanes<>();

    private final ArrayDeque<Frame> waitingUrgent = new ArrayDeque<>();
    private Frame onLine;

    /** Frames that arrive later than this are lost. */
    private long aliveUntil = Long.MAX_VALUE;

    /** What is on the way when the connection breaks may be stuck for so long, and arrive after all. */
    private long stuckUntil;

    private boolean closedByDialer;
    private boolean noticed;

    Connection(SimulatedNetwork network, Way way, SimulatedTransport dialer, SimulatedTransport acceptor) {
        this.network = network;
        this.way = way;
        this.dialer = dialer;
        this.acceptor = acceptor;
        this.dialerIdentity = dialer.self();
        this.acceptorIdentity = acceptor.self();
        this.triedAt = network.world().now();
    }

    /** When something was sent last, even if it did not fit; at first when the connection was made. */
    long triedAt() {
        return triedAt;
    }

    NodeIdentity acceptorIdentity() {
        return acceptorIdentity;
    }

    SimulatedTransport acceptor() {
        return acceptor;
    }

    SimulatedTransport dialer() {
        return dialer;
    }

    boolean isUsable() {
        return aliveUntil == Long.MAX_VALUE && !noticed && !closedByDialer;
    }

    void send(byte[] bytes, boolean urgent, int number) {
        World world = network.world();
        triedAt = world.now();
        Lane lane = lanes.computeIfAbsent(number, key -> new Lane());
        if (!hasRoom(lane, urgent)) {
            return;
        }
        network.tap().sent(dialerIdentity, acceptorIdentity, bytes);
        long checksum = world.trace().checksum(bytes, 0, bytes.length);
        world.trace().note(world.now(), "send", way, null, urgent, checksum);
        if (aliveUntil != Long.MAX_VALUE) {
            return;
        }
        Frame frame = new Frame(bytes, checksum, urgent, number);
        count(frame, bytes.length);
        if (way.nanosPerByteOnLine() == 0) {
            depart(frame);
        } else if (urgent) {
            waitingUrgent.add(frame);
            useLine();
        } else {
            waiting.add(number, frame, bytes.length);
            useLine();
        }
    }

    private boolean hasRoom(Lane lane, boolean urgent) {
        long max = network.settings().queueBytesMax();
        return urgent ? urgentBytes() <= max : load(lane) <= max / sharers();
    }

    /** How many lanes share the queue. */
    private int sharers() {
        return Math.max(1, lanes.size() - (lanes.containsKey(Transport.IN_ORDER) ? 1 : 0));
    }

    /** What a lane has on the way, and what belongs to none. */
    private long load(Lane lane) {
        return urgentBytes() + lane.bytes;
    }

    private long urgentBytes() {
        return bytesOnTheWay
                - lanes.values().stream().mapToLong(lane -> lane.bytes).sum();
    }

    private void count(Frame frame, long bytes) {
        bytesOnTheWay += bytes;
        if (!frame.urgent) {
            lanes.get(frame.lane).bytes += bytes;
        }
        lanes.forEach(this::mark);
    }

    /** Frames leave one after the other. */
    private void useLine() {
        if (onLine != null) {
            return;
        }
        Frame next = waitingUrgent.isEmpty() ? waiting.poll() : waitingUrgent.remove();
        if (next != null) {
            onLine = next;
            network.world().after(way.nanosPerByteOnLine() * next.bytes.length, () -> {
                if (onLine == next) {
                    onLine = null;
                    depart(next);
                    useLine();
                }
            });
        }
    }

    /** The way has no line any more: the frame on it, which may be a large one, need not wait for its end. */
    void lineIsGone() {
        Frame last = onLine;
        if (last != null) {
            onLine = null;
            depart(last);
            useLine();
        }
    }

    private void depart(Frame frame) {
        dialer.threads.run(() -> leave(frame));
    }

    /** Frames of one lane stay in order; other lanes' may overtake them, and urgent ones all. */
    private void leave(Frame frame) {
        World world = network.world();
        long arrival = Math.max(world.now() + way.drawDelay(frame.bytes.length), lastUrgentArrival);
        if (frame.urgent) {
            lastUrgentArrival = arrival;
        } else {
            Lane lane = lanes.get(frame.lane);
            arrival = Math.max(arrival, frame.lane == Transport.IN_ORDER ? lastArrival : lane.lastArrival);
            lane.lastArrival = arrival;
            lastArrival = Math.max(lastArrival, arrival);
        }
        world.at(arrival, () -> arrive(frame));
    }

    private void arrive(Frame frame) {
        if (network.world().now() > aliveUntil || (stuckUntil > 0 && way.isCut())) {
            return;
        }
        if (network.world().now() < stuckUntil) {
            boolean twice = network.random().nextInt(4) == 0;
            network.world().at(stuckUntil, () -> arrive(frame));
            if (twice) {
                long again = stuckUntil + network.random().nextLong(World.SECONDS);
                network.world().at(again, () -> arriveAgain(frame));
            }
            return;
        }
        if (way.isClogged() || !held.isEmpty()) {
            held.add(frame);
            return;
        }
        deliver(frame);
    }

    private void arriveAgain(Frame frame) {
        if (network.world().now() <= aliveUntil && !way.isCut() && !way.isClogged() && acceptor.isRunning()) {
            network.world().trace().note(network.world().now(), "again", way, null, null, frame.checksum);
            acceptor.listener().frame(dialerIdentity, frame.bytes, frame.urgent);
        }
    }

    private void deliver(Frame frame) {
        World world = network.world();
        count(frame, -frame.bytes.length);
        if (acceptor.isRunning()) {
            if (world.trace().checksum(frame.bytes, 0, frame.bytes.length) != frame.checksum) {
                throw new AssertionError(way + ": a frame was changed after it was sent");
            }
            world.trace().note(world.now(), "frame", way, null, frame.bytes.length + " bytes", frame.checksum);
            acceptor.listener().frame(dialerIdentity, frame.bytes, frame.urgent);
        }
    }

    /** The way is open again: what was held back arrives now, in order. */
    void flow() {
        while (!held.isEmpty() && aliveUntil == Long.MAX_VALUE) {
            deliver(held.remove());
        }
    }

    private void mark(int number, Lane lane) {
        long high = network.settings().highMarkBytes() / sharers();
        boolean now = load(lane) <= (lane.writable ? high : high / 2);
        if (now != lane.writable) {
            lane.writable = now;
            if (isUsable() && dialer.isRunning()) {
                dialer.listener().writable(acceptorIdentity.id(), number, now);
            }
        }
    }

    /** From now on nothing arrives any more; the dialer does not know yet. */
    void dead() {
        aliveUntil = Math.min(aliveUntil, network.world().now() - 1);
        held.clear();
    }

    /** Any number of the frames on the way are lost, all later ones too. */
    void lastFramesLost() {
        long now = network.world().now();
        long last = Math.max(lastArrival, lastUrgentArrival);
        long until = last > now ? network.random().nextLong(now - 1, last + 1) : now;
        aliveUntil = Math.min(aliveUntil, until);
    }

    /** The dialer will notice that this connection is dead. */
    void noticeSoon(String reason) {
        long delay = 1 + network.random().nextLong(network.settings().noticeMaxNanos());
        network.world().after(delay, () -> notice(reason));
    }

    /** Breaks in the middle: the dialer notices soon. */
    void breakOff(String reason) {
        if (network.settings().overlap() && network.random().nextBoolean()) {
            stuckUntil = network.world().now() + 1 + network.random().nextLong(STUCK_MAX);
        } else {
            lastFramesLost();
            held.clear();
        }
        noticeSoon(reason);
    }

    /** The dialer learns, at once, that this connection is gone. */
    void notice(String reason) {
        if (noticed || closedByDialer) {
            return;
        }
        noticed = true;
        if (stuckUntil == 0) {
            lastFramesLost();
        }
        if (dialer.isRunning()) {
            dialer.lost(this, reason);
        }
    }

    /** The dialer closes in an orderly way: what it sent still arrives. */
    void closeByDialer() {
        closedByDialer = true;
    }

    /** A newer connection on the same way replaces this one: nothing of it may arrive any more, or only late. */
    void replaced() {
        boolean late = network.settings().lateFrames() && !dialer.isRunning();
        if (late || stuckUntil > 0) {
            return;
        }
        aliveUntil = Math.min(aliveUntil, network.world().now() - 1);
        held.clear();
    }
}
