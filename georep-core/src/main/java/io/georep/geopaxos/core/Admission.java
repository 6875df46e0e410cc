package io.georep.geopaxos.core;

import io.georep.geopaxos.core.Contact.Call;
import io.georep.geopaxos.core.GeoEvent.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which operations are not ordered now, for the sake of others. */
final class Admission {
    private final Executor executor;
    private final Contact contact;
    private final List<GroupLog> logs;

    Admission(Executor executor, Contact contact, List<GroupLog> logs) {
        this.executor = executor;
        this.contact = contact;
        this.logs = logs;
    }

    /** Returns why an operation is not ordered; null if it is. */
    @Nullable
    Reason refusal(Call call, long now) {
        if (isFull(call, now)) {
            return Reason.WAITING;
        }
        return holdsUpAll(call, now) ? Reason.UNLED : null;
    }

    /**
     * Whether too much waits to be executed for an operation that would wait as well. What has nothing to do with it goes on, until
     * twice as much waits.
     */
    private boolean isFull(Call call, long now) {
        if (!executor.isFull(1) || executor.isFull(2)) {
            return executor.isFull(1);
        }
        Footprint footprint = executor.footprint(call.kind(), call.body());
        Uses uses = contact.uses(call);
        int needed = contact.needed(call, uses);
        int led = GroupLog.led(logs, now);
        for (int group = 0; group < logs.size(); group++) {
            if ((needed >> group & 1) != 0 && ((led >> group & 1) == 0 || executor.waits(group, footprint, uses))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether it meets everything and needs several groups, one of which does not answer: all that is done in the others would wait
     * until that one comes back.
     */
    private boolean holdsUpAll(Call call, long now) {
        if (logs.size() == 1) {
            return false;
        }
        int led = GroupLog.led(logs, now);
        if (Integer.bitCount(led) == logs.size() || !executor.footprint(call.kind(), call.body()).everything()) {
            return false;
        }
        int needed = contact.needed(call, contact.uses(call));
        return (needed & ~led) != 0 && Integer.bitCount(needed) > 1;
    }
}
