package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * This node leaves. First it makes the return time durable; then it says GOODBYE to everyone in reach, and repeats that
 * until it is confirmed, for at most T_put. Then the node may stop.
 */
final class Leaving {
    private enum Stage {
        NONE,
        STORING,
        TELLING,
        LEFT
    }

    private final Timing timing;
    private final PeerList list;
    private final OwnNode own;
    private final TreeSet<NodeId> unconfirmed = new TreeSet<>();
    private Stage stage = Stage.NONE;
    private long awayNanos;
    private long beganNanos;
    private long deadlineNanos;
    private long repeatNanos;

    /** Wall clock of the announced return, 0 before GOODBYE. */
    private long returnAtMillis;

    Leaving(Timing timing, PeerList list, OwnNode own) {
        this.timing = timing;
        this.list = list;
        this.own = own;
    }

    boolean begun() {
        return stage != Stage.NONE;
    }

    long returnAtMillis() {
        return returnAtMillis;
    }

    /** Begins to leave; the caller stores the stop record in this turn. Said again, the later word counts. */
    void begin(Duration away, MembershipTurn turn) {
        // Zero means for good, so what is shorter than a millisecond counts as one.
        long least = away.isNegative() || away.isZero() ? 0 : 1;
        Duration bounded = away.compareTo(Timing.AWAY_MAX) < 0 ? away : Timing.AWAY_MAX;
        long awayMillis = Math.max(least, bounded.toMillis());
        awayNanos = Timing.nanosOf(awayMillis);
        beganNanos = turn.now();
        returnAtMillis = Math.max(1, turn.wallMillis() + awayMillis);
        own.goodbye++;
        own.returnAtNanos = awayNanos == 0 ? beganNanos : beganNanos + awayNanos + timing.graceNanos();
        stage = Stage.STORING;
        long number = own.goodbye;
        turn.whenDurable(durable -> {
            MembershipTurn later = MembershipTurn.of(durable);
            if (number == own.goodbye) {
                tell(later);
            }
        });
    }

    private void tell(MembershipTurn turn) {
        stage = Stage.TELLING;
        deadlineNanos = turn.now() + timing.putNanos();
        repeatNanos = turn.now() + timing.heartbeatNanos();
        unconfirmed.clear();
        for (PeerRecord peer : list.linked()) {
            peer.goodbyeDue = !peer.removed();
            list.touch(peer);
            if (peer.goodbyeDue && peer.inTouch()) {
                unconfirmed.add(peer.id);
            }
        }
    }

    /** Called when a link has come up that was not refused: this peer must be told, too. */
    void linkUp(@Nullable PeerRecord peer) {
        if (peer != null) {
            peer.goodbyeDue = stage == Stage.TELLING || stage == Stage.LEFT;
        }
    }

    void confirmed(PeerRecord peer, long number) {
        if (number == own.goodbye) {
            unconfirmed.remove(peer.id);
        }
    }

    void onTimer(long nowNanos) {
        if (stage == Stage.TELLING && repeatNanos <= nowNanos) {
            repeatNanos = nowNanos + timing.heartbeatNanos();
            for (PeerRecord peer : list.linked()) {
                peer.goodbyeDue |= unconfirmed.contains(peer.id);
                list.touch(peer);
            }
        }
    }

    void endOfTurn(MembershipTurn turn) {
        if (stage != Stage.TELLING && stage != Stage.LEFT) {
            return;
        }
        for (PeerRecord peer : list.touched()) {
            if (peer.goodbyeDue && peer.linked) {
                peer.goodbyeDue = false;
                MembershipMessages.Goodbye goodbye =
                        new MembershipMessages.Goodbye(own.goodbye, awayMillis(turn.now()));
                // Not urgent: it must not overtake acknowledgements and copies sent before it (gap G19).
                turn.send(peer, MembershipMessages.GOODBYE, MembershipMessages.goodbye(goodbye), false);
            }
        }
        if (stage == Stage.TELLING && (unconfirmed.isEmpty() || deadlineNanos <= turn.now())) {
            stage = Stage.LEFT;
            turn.notify(new MembershipEvent.Left());
        }
    }

    /** Returns what is left of the absence. It never becomes zero as time passes, because zero means for good. */
    private long awayMillis(long nowNanos) {
        return awayNanos == 0 ? 0 : Math.max(1, Timing.millisOf(beganNanos + awayNanos - nowNanos));
    }

    long nextDeadlineNanos() {
        return stage == Stage.TELLING ? Math.min(deadlineNanos, repeatNanos) : Long.MAX_VALUE;
    }
}
