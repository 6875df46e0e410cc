package io.georep.outbox.local;

import io.georep.outbox.core.messages.RecalledEntries;
import java.util.ArrayDeque;

/**
 * What the node has asked back lately. An entry that was in hands then is given back when it comes out of them
 * unforwarded. Guarded by the monitor of its {@link ForwardWindow}; only the number is read without it.
 */
final class OpenRecalls {
    private record Recall(int number, RecalledEntries entries) {}

    /** The most recalls that are remembered. What an older one missed is asked for again. */
    private static final int OPEN_MAX = 16;

    private final ArrayDeque<Recall> open = new ArrayDeque<>();
    private volatile int last;

    /** Returns the number of the last recall. */
    int last() {
        return last;
    }

    void add(RecalledEntries entries) {
        int number = last + 1;
        last = number;
        open.add(new Recall(number, entries));
        if (open.size() > OPEN_MAX) {
            open.remove();
        }
    }

    /** Returns whether an entry was asked back since it was handed out. */
    boolean concern(EntryInHand inHand) {
        for (Recall recall : open) {
            if (recall.number - inHand.recallsSeen > 0 && recall.entries.contains(inHand.id)) {
                return true;
            }
        }
        return false;
    }

    /** No entry that was asked back is here any more. */
    void clear() {
        open.clear();
    }
}
