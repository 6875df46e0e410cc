package io.georep.netty.internal;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one link: dials, and dials again with growing pauses. Confined to the control loop; what a new connection is good
 * for is decided by {@link LinkTable}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class Dialer {
    private static final Logger LOG = LoggerFactory.getLogger(Dialer.class);

    private static final int REPORTED_MAX = 8;

    /** What a dialer is up to. */
    private enum State {
        /** Another link already goes to the peer behind this address, or the address is our own. */
        PARKED,
        /** Between two attempts. */
        WAITING,
        /** An attempt is under way. */
        DIALING,
        /** The connection stands. */
        LINKED,
        /** No longer wanted. */
        STOPPED
    }

    private final LinkTable table;
    private final String address;
    private final @Nullable NodeId expected;
    private final Backoff backoff;

    private State state = State.PARKED;
    private int attempts;
    private long linkedSinceNanos;
    private @Nullable Connection connection;
    private @Nullable ScheduledFuture<?> retry;
    private @Nullable NodeId parkedFor;

    /** Problems logged since the peer was last linked. */
    private final Set<String> reported = new HashSet<>();

    Dialer(LinkTable table, String address, @Nullable NodeId expected, Backoff backoff) {
        this.table = table;
        this.address = address;
        this.expected = expected;
        this.backoff = backoff;
    }

    String address() {
        return address;
    }

    @Nullable
    NodeId expected() {
        return expected;
    }

    boolean isSeed() {
        return expected == null;
    }

    boolean isParkedFor(NodeId peer) {
        return state == State.PARKED && peer.equals(parkedFor);
    }

    /** Waits until {@link #resume}: somebody else's link serves. */
    void park(@Nullable NodeId peer) {
        cancelRetry();
        state = State.PARKED;
        parkedFor = peer;
        connection = null;
    }

    /** Dials after the next pause. */
    void resume() {
        cancelRetry();
        state = State.WAITING;
        long pauseNanos = backoff.next();
        retry = table.control().schedule(this::dial, pauseNanos, TimeUnit.NANOSECONDS);
    }

    /** Cuts a pause short because the peer has just shown that it is there. */
    void hint() {
        if (state == State.WAITING) {
            dial();
        }
    }

    /** Dials now. */
    void dial() {
        cancelRetry();
        state = State.DIALING;
        Endpoint endpoint;
        try {
            endpoint = Endpoint.parse(address);
        } catch (ConfigurationException e) {
            refused(String.valueOf(e.getMessage()));
            return;
        }
        table.connector().connect(endpoint, expected, attempts++, new OneAttempt());
    }

    /** Ends all efforts; the connection is the table's to close. */
    void stop() {
        cancelRetry();
        state = State.STOPPED;
    }

    /** Makes a connection this dialer's own. */
    void linked(Connection established) {
        cancelRetry();
        state = State.LINKED;
        connection = established;
        linkedSinceNanos = System.nanoTime();
        reported.clear();
    }

    @Nullable
    Connection connection() {
        return connection;
    }

    boolean isWaiting() {
        return state == State.WAITING;
    }

    /** The connection is gone; a link that lived earns a short pause. */
    void lost() {
        connection = null;
        if (state == State.LINKED) {
            if (System.nanoTime() - linkedSinceNanos >= table.settings().linkStableAfterNanos()) {
                backoff.reset();
            }
            resume();
        }
    }

    /** The other side, or we, will not have this link; told to the listener once per attempt. */
    void refused(String reason) {
        report("refused", reason);
        table.refused(address, reason);
        resume();
    }

    /** There is no link for now, which is nobody's decision or only ours. */
    void failed(String reason) {
        report("not possible", reason);
        table.dialFailed();
        resume();
    }

    /** One warning per kind of problem until there is a link; repetitions are for those who debug. */
    private void report(String how, String reason) {
        String peer = expected == null ? "seed " + address : expected + " at " + address;
        if (reported.size() < REPORTED_MAX && reported.add(reason)) {
            LOG.warn("link to {} {}: {}; retrying with growing pauses", peer, how, reason);
        } else {
            LOG.debug("link to {} still {}: {}", peer, how, reason);
        }
    }

    private void cancelRetry() {
        ScheduledFuture<?> pending = retry;
        if (pending != null) {
            pending.cancel(false);
            retry = null;
        }
    }

    /** Guards against answers that come after the dialer has turned to something else. */
    private final class OneAttempt implements Attempt {
        private final int number = attempts;

        private boolean isCurrent() {
            return state == State.DIALING && number == attempts;
        }

        @Override
        public void accepted(Channel channel, ChunkWriter writer, NodeIdentity peer) {
            if (isCurrent()) {
                table.accepted(new Connection(channel, writer, peer, Dialer.this));
            } else {
                channel.close();
            }
        }

        @Override
        public void refused(RefusalCode code, String reason) {
            if (isCurrent()) {
                table.refusedByPeer(Dialer.this, code, reason);
            }
        }

        @Override
        public void failed(String reason) {
            if (isCurrent()) {
                Dialer.this.failed(reason);
            }
        }
    }
}
