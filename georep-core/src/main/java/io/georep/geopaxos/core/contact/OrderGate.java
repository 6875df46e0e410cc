package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides which operations are not ordered now, so that others need not wait for them. */
public final class OrderGate {
    private final Executor executor;
    private final Submissions submissions;
    private final List<GroupLog> logs;

    public OrderGate(Executor executor, Submissions submissions, List<GroupLog> logs) {
        this.executor = executor;
        this.submissions = submissions;
        this.logs = logs;
    }

    /** Returns why an operation is not ordered; null if it is. */
    @Nullable
    public Reason refusal(Call call, long now) {
        if (isKept(call)) {
            return Reason.KEPT;
        } else if (isFull(call, now)) {
            return Reason.WAITING;
        }
        return isUnled(call, now) ? Reason.UNLED : null;
    }

    /**
     * Returns whether so much waits to be forgotten that no write is taken. Reads, and writes that were executed
     * before, are taken until twice as much waits.
     */
    private boolean isKept(Call call) {
        long kept = executor.table().keptBytes() + GroupLog.bytes(logs);
        long most = executor.service().keptBytesMax();
        if (kept < most) {
            return false;
        }
        boolean isWrite = call.kind() == Operation.MOVE
                || (call.kind() == Operation.SERVICE && !executor.table().isKnown(call.client(), call.sequence()));
        return isWrite || kept / 2 >= most;
    }

    /**
     * Returns whether so much waits to be executed that an operation which would wait as well is not taken. Others are
     * taken until twice as much waits.
     */
    private boolean isFull(Call call, long now) {
        if (!executor.isFull(1) || executor.isFull(2)) {
            return executor.isFull(1);
        }
        Footprint footprint = executor.footprint(call.kind(), call.body());
        Uses uses = submissions.uses(call);
        int needed = submissions.needed(call, uses);
        int led = GroupLog.led(logs, now);
        for (int group = 0; group < logs.size(); group++) {
            if ((needed >> group & 1) != 0 && ((led >> group & 1) == 0 || executor.waits(group, footprint, uses))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether an operation needs a group without a leader, and would do harm by waiting for it. If the group
     * has had none for long, the operation would hold a place among those that wait for an unknown time. An operation
     * that meets everything, and needs other groups too, would hold up all operations there, so it is not taken even
     * if the group has just lost its leader. Nor is it if it meets an operation that waits for such a group: all would
     * wait behind it. That is true of what changes objects as such as well: it meets all their keys. Of reads, only one of a
     * single key may wait for that, because what writes the key does so anyway; once the group has had no leader for
     * long, not even that.
     */
    private boolean isUnled(Call call, long now) {
        int unled = ((1 << logs.size()) - 1) & ~GroupLog.led(logs, now);
        if (unled == 0) {
            return false;
        }
        int dead = 0;
        for (GroupLog each : logs) {
            dead |= each.isDead(now) ? 1 << each.group() : 0;
        }
        Footprint footprint = executor.footprint(call.kind(), call.body());
        boolean isRead = call.kind() == Operation.READ;
        boolean holdsUpMore = footprint.everything() || footprint.hasObjects() || (isRead && footprint.size() > 1);
        if (dead == 0 && !holdsUpMore) {
            return false;
        }
        Uses uses = submissions.uses(call);
        int needed = submissions.needed(call, uses);
        return (needed & dead) != 0
                || (footprint.everything() && (needed & unled) != 0 && Integer.bitCount(needed) > 1)
                || ((isRead || holdsUpMore) && executor.waitsFor(holdsUpMore ? unled : dead, needed, footprint, uses));
    }
}
