package io.georep.protocol.membership;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of frames to and from one peer, and what their echoes prove: that the peer hears this node, and how long
 * a round trip takes. A frame says which frame its sender saw last, and how long ago. The time since that frame was
 * sent, without this age, is the travel time of both ways, however long the peer was silent in between.
 */
final class FrameTraffic {
    /** Most frames whose time of sending is remembered; an echo of an older one gives no round trip. */
    static final int REMEMBERED = 1024;

    /** Room to begin with: most links carry a heartbeat now and then, and in a large cluster there are many. */
    static final int REMEMBERED_AT_FIRST = 16;

    private static final int SMOOTHING = 8;

    /** The clocks of two nodes may differ by the age divided by this. */
    private static final int CLOCK_ERROR = 25;

    /** Null until a frame is sent, and after {@link #rest}: most names of a long list belong to nobody. */
    private long @Nullable [] sentAtNanos;

    /** Frames up to this number are not remembered. */
    private long forgotten;

    private long sent;
    private long answered;
    private long lastNumber;
    private long lastAtNanos;
    private boolean hears;
    private long newestNumber;
    private boolean takesCopies = true;
    private long failoverNanos;

    /**
     * What the peer is told about the cluster (null: nothing yet), from which frame on, and whether the peer has confirmed it.
     */
    private @Nullable ClusterWord said;

    private long saidFrom;
    private boolean saidHeard;
    private long heardByPeerAtNanos = Long.MIN_VALUE;
    private long heardSentNanos = Long.MIN_VALUE;
    private long rttMinNanos = Long.MAX_VALUE;
    private long rttSmoothedNanos = Long.MAX_VALUE;

    /**
     * Returns the header of the frame that is sent now.
     *
     * @param word about the cluster, null to say nothing
     */
    FrameHeader next(
            long incarnation,
            boolean hearsPeer,
            boolean ownStoreTakes,
            long failoverMillis,
            @Nullable ClusterWord word,
            long nowNanos) {
        long[] times = withRoom();
        sent++;
        times[(int) (sent % times.length)] = nowNanos;
        long echoAgeMicros = lastNumber == 0 ? 0 : Math.max(0, nowNanos - lastAtNanos) / 1000;
        return new FrameHeader(
                incarnation,
                sent,
                lastNumber,
                echoAgeMicros,
                hearsPeer,
                ownStoreTakes,
                failoverMillis,
                stillToSay(word));
    }

    /** Returns the word about the cluster until the peer has confirmed a frame with it, and null from then on. */
    private @Nullable ClusterWord stillToSay(@Nullable ClusterWord word) {
        if (word == null || word.equals(said)) {
            return saidHeard ? null : word;
        }
        said = word;
        saidFrom = sent;
        saidHeard = false;
        return word;
    }

    /** Says the cluster again: there may be another process at the other end, which has heard nothing yet. */
    void sayClusterAgain() {
        said = null;
        saidHeard = false;
    }

    /** Returns the times of sending, with room for one more frame beside the last that was echoed and all since. */
    private long[] withRoom() {
        long[] times = sentAtNanos;
        if (times == null) {
            times = new long[REMEMBERED_AT_FIRST];
        } else if (times.length < REMEMBERED && sent - Math.max(answered, forgotten) + 1 >= times.length) {
            long[] more = new long[2 * times.length];
            for (long frame = sent; frame > sent - times.length; frame--) {
                more[(int) Math.floorMod(frame, (long) more.length)] =
                        times[(int) Math.floorMod(frame, (long) times.length)];
            }
            forgotten = Math.max(forgotten, sent - times.length);
            times = more;
        }
        sentAtNanos = times;
        return times;
    }

    /** Takes in the header of a frame that arrived. */
    void arrived(FrameHeader header, long nowNanos) {
        lastNumber = header.number();
        lastAtNanos = nowNanos;
        // Frames overtake each other: the word of the newest one counts.
        boolean newest = header.number() >= newestNumber;
        if (newest) {
            newestNumber = header.number();
            takesCopies = header.takesCopies();
            failoverNanos = Timing.nanosOf(header.failoverMillis());
        }
        long echo = header.echoNumber();
        long ageNanos = header.echoAgeMicros() * 1000;
        if (echo < 1 || echo > sent) {
            // No frame was received yet, or it echoes an earlier boot of this node.
            hears &= !newest;
            return;
        }
        boolean isOfThisBoot = !isOfEarlierBoot(header, nowNanos);
        saidHeard |= isOfThisBoot && said != null && echo >= saidFrom;
        if (newest) {
            hears = header.hears();
            heardByPeerAtNanos = nowNanos - ageNanos;
        }
        if (isRemembered(echo)) {
            long sentNanos = sentAt(echo);
            if (isOfThisBoot && header.hears() && echo >= answered) {
                heardSentNanos = sentNanos;
            }
            sample(nowNanos - sentNanos - ageNanos);
        }
        answered = Math.max(answered, echo);
    }

    private boolean isRemembered(long frame) {
        long[] times = sentAtNanos;
        return times != null && frame > Math.max(forgotten, sent - times.length);
    }

    private long sentAt(long frame) {
        long[] times = Objects.requireNonNull(sentAtNanos);
        return times[(int) (frame % times.length)];
    }

    /** Returns whether the frame it echoes arrived before this boot sent that number: then it was sent by an earlier one. */
    private boolean isOfEarlierBoot(FrameHeader header, long nowNanos) {
        long ageNanos = header.echoAgeMicros() * 1000;
        long arrivedAtNanos = nowNanos - ageNanos + ageNanos / CLOCK_ERROR;
        return isRemembered(header.echoNumber()) && arrivedAtNanos < sentAt(header.echoNumber());
    }

    /** Returns whether a frame echoes this one of ours, or one sent after it. */
    boolean confirms(FrameHeader header, long frame, long nowNanos) {
        long echo = header.echoNumber();
        return echo >= frame && echo <= sent && !isOfEarlierBoot(header, nowNanos);
    }

    private void sample(long rttNanos) {
        if (rttNanos < 0) {
            // The age is longer than the time since sending: the peer's clock runs fast or the header is nonsense.
            return;
        }
        rttMinNanos = Math.min(rttMinNanos, rttNanos);
        rttSmoothedNanos = rttSmoothedNanos == Long.MAX_VALUE
                ? rttNanos
                : rttSmoothedNanos + (rttNanos - rttSmoothedNanos) / SMOOTHING;
    }

    /** Returns how many frames were sent. */
    long sent() {
        return sent;
    }

    /** Drops what was learnt of the way to the peer, because it was started anew, perhaps elsewhere. */
    void peerRestarted() {
        lastNumber = 0;
        newestNumber = 0;
        takesCopies = true;
        hears = false;
        sayClusterAgain();
        rttMinNanos = Long.MAX_VALUE;
        rttSmoothedNanos = Long.MAX_VALUE;
    }

    /** Drops the times of sending to a peer that is gone, because no echo is expected, but goes on counting. */
    void rest() {
        forgotten = sent;
        sentAtNanos = null;
    }

    /** Returns bytes of heap the times of sending take. */
    int heapBytes() {
        long[] times = sentAtNanos;
        return times == null ? 0 : times.length * Long.BYTES;
    }

    /** Returns whether the peer confirmed lately enough that frames of this node reach it. */
    boolean heardByPeer(long nowNanos, long withinNanos) {
        return hears && nowNanos - heardByPeerAtNanos <= withinNanos;
    }

    /** Returns when the peer last confirmed to have received anything; MIN_VALUE for never. */
    long confirmedAtNanos() {
        return heardByPeerAtNanos;
    }

    /**
     * Returns when the newest frame was sent that the peer confirmed as one who counts this node as present; MIN_VALUE
     * for none.
     */
    long heardSentNanos() {
        return heardSentNanos;
    }

    /** Returns whether the peer's store takes new copies, as it said last. */
    boolean takesCopies() {
        return takesCopies;
    }

    /** T_s + T_x of the peer, as it said last; 0 when nothing was heard. */
    long failoverNanos() {
        return failoverNanos;
    }

    long rttMinNanos() {
        return rttMinNanos;
    }

    long rttSmoothedNanos() {
        return rttSmoothedNanos;
    }
}
