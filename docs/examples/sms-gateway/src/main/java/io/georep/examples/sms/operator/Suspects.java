package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Messages that were under way when a session with the operator broke: the operator, or what stands before it, may end the
 * session because of one of them. Also messages that it answered with generic_nack. Each is submitted alone the next time. A
 * message at which this happens again and again when it is alone, while the operator takes others in between, is the reason.
 * Thread-safe.
 */
final class Suspects {
    /** How often the session breaks at a message that is alone before it is given up. */
    static final int BREAKS_MAX = 3;

    /** Those that were under way longest ago are forgotten: another gateway may have forwarded them. */
    private static final int REMEMBERED_MAX = 1000;

    private record Suspect(int breaks, long accepted) {}

    private final Map<EntryId, Suspect> all = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EntryId, Suspect> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private long accepted;

    /** Whether it is to be submitted alone. */
    synchronized boolean contains(EntryId id) {
        return all.containsKey(id);
    }

    /** The operator took or refused this message, and the session stands. */
    synchronized void answered(EntryId id) {
        accepted++;
        all.remove(id);
    }

    /** The session broke while this message was under way; returns whether the message is the reason. */
    synchronized boolean broke(EntryId id, boolean alone) {
        Suspect before = all.get(id);
        if (before == null || !alone) {
            all.putIfAbsent(id, new Suspect(0, accepted));
            return false;
        }
        // If nothing else got through since the last time, the operator may break every session.
        int breaks = before.breaks() + (accepted > before.accepted() ? 1 : 0);
        if (breaks >= BREAKS_MAX) {
            all.remove(id);
            return true;
        }
        all.put(id, new Suspect(breaks, accepted));
        return false;
    }
}
