package io.georep.runtime;

import io.georep.concurrent.FairLanes;
import io.georep.model.Channels;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.Transport;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Inputs that wait for a turn, in lanes, so that a protocol whose peers or callers are greedy delays no other.
 *
 * <ul>
 *   <li>First come inputs that others wait for: answers of the store, changes of links, life signs, urgent frames,
 *       and frames without messages. They keep their order among each other, and may take half of a turn while others
 *       wait.
 *   <li>The other frames and commands of one protocol are in one lane, in order. Protocols share the rest of the turn
 *       by the cost of their inputs. A frame belongs to the protocol of its first message, and so do all its
 *       messages.
 *   <li>Such frames and commands of the membership come after all frames and commands that were there before. So what
 *       a peer sent before its GOODBYE is handled before it.
 * </ul>
 *
 * <p>So frames of one peer for different protocols may overtake each other, as they may on their way. If frames of an
 * earlier boot of a peer are overtaken by those of a later one, they are dropped, as if they had been lost with their
 * link. Driver's thread only.
 */
public final class InputLanes {
    /** What an input costs at least, in bytes of a frame. */
    static final long INPUT_COST = 2 << 10;

    /**
     * What the inputs of one turn may cost: 512 small ones, or a few large ones. Others wait at least as long as one
     * turn takes.
     */
    static final long TURN_COST = 512 * INPUT_COST;

    private final ArrayDeque<Input> first = new ArrayDeque<>();
    private final FairLanes<Input> others = new FairLanes<>();

    /** Adds an input. */
    public void add(Input input) {
        if (input instanceof Input.Frame frame) {
            int channel = frame.urgent() ? -1 : FrameHeader.firstChannel(frame.bytes());
            if (channel < 0) {
                first.add(input);
            } else {
                others.add(lane(channel), input, costOf(input));
            }
        } else if (input instanceof Input.Command command) {
            others.add(lane(command.channel()), input, costOf(input));
        } else if (input instanceof Input.StrangerFrame frame) {
            others.add(strangersLane(frame.channel()), input, costOf(input));
        } else if (input instanceof Input.CameRound) {
            // It says that all that came before it was heard.
            others.add(Transport.IN_ORDER, input, costOf(input));
        } else {
            first.add(input);
        }
    }

    private static int lane(int channel) {
        return channel == MembershipProtocol.CHANNEL ? Transport.IN_ORDER : channel;
    }

    /** Strangers share the lane of the protocol that they address. They cannot address the membership. */
    private static int strangersLane(int channel) {
        return channel <= MembershipProtocol.CHANNEL ? Channels.CHANNEL_MAX : channel;
    }

    private static long costOf(Input input) {
        return Math.max(INPUT_COST, input.frameBytes());
    }

    /** Returns whether nothing waits. */
    public boolean isEmpty() {
        return first.isEmpty() && others.isEmpty();
    }

    /** Moves the inputs of the next turn to the end of this list. */
    void take(List<? super Input> batch) {
        take(batch, TURN_COST);
    }

    /** Does the same with at most so many inputs, for a simulated node; returns what they cost. */
    public long takeAtMost(int inputs, List<? super Input> batch) {
        return take(batch, inputs * INPUT_COST);
    }

    private long take(List<? super Input> batch, long costMax) {
        long cost = 0;
        while (!first.isEmpty() && (cost < costMax / 2 || others.isEmpty()) && cost < costMax) {
            Input next = first.remove();
            batch.add(next);
            cost += costOf(next);
        }
        while (cost < costMax) {
            Input next = others.poll();
            if (next == null) {
                break;
            }
            batch.add(next);
            cost += costOf(next);
        }
        return cost;
    }

    /** Drops everything. */
    void clear() {
        first.clear();
        others.clear();
    }
}
