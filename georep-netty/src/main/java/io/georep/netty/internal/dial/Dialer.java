package io.georep.netty.internal.dial;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.sockets.Endpoint;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps one link up: dials, and dials again with growing pauses. {@link LinkTable} decides what a new connection is
 * good for. Confined to the control loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class Dialer {
    private static final Logger LOG = LoggerFactory.getLogger(Dialer.class);

    /** If a link that is at least this old ends, the pauses start with the shortest one again. */
    private static final long STABLE_AFTER_NANOS = 5_000_000_000L;

    /** A peer that dials again and again but keeps no link must not be dialled more often because of that. */
    private static final long HINTS_APART_NANOS = 1_000_000_000L;

    /** What a dialer is up to. */
    private enum State {
        /** Another link already goes to the peer behind this address, or the address is our own. */
        PARKED,
        /** Between two attempts. */
        WAITING,
        /** Waits for its turn to dial. */
        QUEUED,
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
    private final @Nullable InetSocketAddress fixed;
    private final Backoff backoff;

    private State state = State.PARKED;
    private int attempts;

    /** Attempts since the last link. */
    private int failures;

    private boolean inTurn;
    private long linkedSinceNanos;

    /** Whether a hint was followed since the last link that was stable, and when. */
    private boolean hinted;

    private long hintedNanos;
    private @Nullable Connection connection;
    private @Nullable ScheduledFuture<?> retry;
    private @Nullable InetSocketAddress lastGood;
    private @Nullable NodeId parkedFor;

    private final DialReport report = new DialReport();

    /**
     * A dialer that does not dial yet.
     *
     * @param address as it was told, {@code host:port}
     * @param expected who must answer; null for anybody
     * @param fixed one of the addresses of that host; null for any
     */
    Dialer(
            LinkTable table,
            String address,
            @Nullable NodeId expected,
            @Nullable InetSocketAddress fixed,
            Backoff backoff) {
        this.table = table;
        this.address = address;
        this.expected = expected;
        this.fixed = fixed;
        this.backoff = backoff;
    }

    String address() {
        return address;
    }

    @Nullable
    NodeId expected() {
        return expected;
    }

    /** Returns the one address it dials, null when it dials any of its host's. */
    @Nullable
    InetSocketAddress fixed() {
        return fixed;
    }

    boolean isSeed() {
        return expected == null;
    }

    boolean isParked() {
        return state == State.PARKED;
    }

    boolean isParkedFor(NodeId peer) {
        return state == State.PARKED && peer.equals(parkedFor);
    }

    /** Waits until {@link #resume}, because somebody else's link serves. */
    void park(@Nullable NodeId peer) {
        endAttempt();
        state = State.PARKED;
        parkedFor = peer;
        connection = null;
    }

    /** Dials after the next pause. */
    void resume() {
        endAttempt();
        state = State.WAITING;
        long pauseNanos = backoff.next();
        retry = table.control().schedule(() -> dial(), pauseNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Cuts a pause short because the peer has just shown that it is there; at most once a second, unless a link was stable
     * since.
     */
    void hint() {
        long soonNanos = hinted ? hintedNanos + HINTS_APART_NANOS - System.nanoTime() : 0;
        if (soonNanos <= 0 && (state == State.WAITING || state == State.QUEUED)) {
            followHint();
        } else if (state == State.WAITING && (retry == null || retry.getDelay(TimeUnit.NANOSECONDS) > soonNanos)) {
            endAttempt();
            retry = table.control().schedule(this::followHint, soonNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void followHint() {
        hinted = true;
        hintedNanos = System.nanoTime();
        dial(false);
    }

    /** Dials when its turn comes, which is now unless many do. */
    void dial() {
        dial(failures > 0);
    }

    private void dial(boolean failedBefore) {
        endAttempt();
        state = State.QUEUED;
        int ticket = ++attempts;
        try {
            table.turns().enter(failedBefore, () -> {
                boolean wanted = state == State.QUEUED && ticket == attempts;
                if (wanted) {
                    inTurn = true;
                    attempt();
                }
                return wanted;
            });
        } catch (Throwable e) {
            // It may not be in the line. Then look() goes on.
            state = state == State.QUEUED ? State.WAITING : state;
        }
    }

    /** Goes on if nothing else would, because memory was short when it was to be called again. */
    void look() {
        boolean idle = retry == null || retry.isDone();
        if ((state == State.WAITING || state == State.DIALING) && idle) {
            resume();
        } else if (state == State.LINKED && !isLinked(connection)) {
            lost();
        }
    }

    private boolean isLinked(@Nullable Connection own) {
        return own != null && table.linkTo(own.peer().id()) == own.writer();
    }

    private void attempt() {
        state = State.DIALING;
        OneAttempt attempt = new OneAttempt();
        retry = table.control().schedule(() -> attempt.failed("no outcome in time"), deadlineMillis(), MILLISECONDS);
        try {
            Endpoint endpoint = Endpoint.parse(address);
            if (fixed != null) {
                table.connector().open(fixed, expected, attempt);
            } else {
                table.connector().lookUp(endpoint, (found, problem) -> attempt.found(endpoint, found, problem));
            }
        } catch (ConfigurationException e) {
            refused(String.valueOf(e.getMessage()));
        } catch (Throwable e) {
            // Lack of memory or threads, perhaps: there may be more at the next attempt.
            attempt.failed("the attempt could not be made: " + e);
        }
    }

    /** Longer than lookup, connection and handshake together, each of which ends by itself. */
    private long deadlineMillis() {
        return 3L * LinkSettings.CONNECT_TIMEOUT_MILLIS + table.settings().handshakeTimeoutMillis();
    }

    /** Ends all efforts. The table closes the connection. */
    void stop() {
        endAttempt();
        state = State.STOPPED;
    }

    /** Takes over a connection. */
    void linked(Connection established) {
        endAttempt();
        state = State.LINKED;
        connection = established;
        failures = 0;
        lastGood = established.remoteAddress();
        linkedSinceNanos = System.nanoTime();
        report.linked();
    }

    @Nullable
    Connection connection() {
        return connection;
    }

    boolean isWaiting() {
        return state == State.WAITING;
    }

    /** The connection is gone. If the link was old enough, the next pause is short. */
    void lost() {
        connection = null;
        if (state == State.LINKED) {
            if (System.nanoTime() - linkedSinceNanos >= STABLE_AFTER_NANOS) {
                backoff.reset();
                hinted = false;
            }
            resume();
        }
    }

    /** One of the two sides refused the link. The listener is told once per attempt. */
    void refused(String reason) {
        failures++;
        tell(report.refused(reason), "refused", reason);
        table.refused(address, reason);
        resume();
    }

    /** The attempt failed; the other side refused nothing. */
    void failed(String reason) {
        failures++;
        tell(report.failed(reason, System.nanoTime()), "not possible", reason);
        table.dialFailed();
        resume();
    }

    private void tell(Level level, String how, String reason) {
        String peer = expected == null ? "seed " + address + at() : expected + " at " + address;
        LOG.atLevel(level).log("link to {} {}: {}; retrying with growing pauses", peer, how, reason);
    }

    /** Ends what is under way: the pause, the attempt. */
    private void endAttempt() {
        if (inTurn) {
            inTurn = false;
            table.turns().done();
        }
        ScheduledFuture<?> pending = retry;
        if (pending != null) {
            pending.cancel(false);
            retry = null;
        }
    }

    private String at() {
        return fixed == null || fixed.toString().endsWith(address) ? "" : " at " + fixed;
    }

    /** Drops an answer that comes after the dialer has turned to something else. */
    private final class OneAttempt implements DialListener {
        private final int number = attempts;

        private boolean isCurrent() {
            return state == State.DIALING && number == attempts;
        }

        void found(Endpoint endpoint, @Nullable List<InetAddress> found, @Nullable String problem) {
            if (!isCurrent()) {
                return;
            }
            if (found != null) {
                InetSocketAddress chosen = Addresses.choose(found, endpoint.port(), failures, lastGood);
                table.connector().open(chosen, expected, this);
            } else if (lastGood != null) {
                LOG.debug("{}; trying {}, which was good before", problem, lastGood);
                table.connector().open(lastGood, expected, this);
            } else {
                failed(String.valueOf(problem));
            }
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
        public void distrusted(String reason) {
            if (isCurrent()) {
                Dialer.this.refused(reason);
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
