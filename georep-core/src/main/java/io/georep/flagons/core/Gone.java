package io.georep.flagons.core;

import java.util.LinkedHashMap;
import java.util.Map;

/** Nodes that could not be reached. What others say of them is from before, until the node itself says something newer. */
final class Gone {
    private static final int KEPT = 256;

    /** Ages do not count the time on the way. */
    private static final int SLACK = 16;

    private final Map<Long, Long> since = new LinkedHashMap<>();

    void add(long id, long tick) {
        since.remove(id);
        since.put(id, tick);
        if (since.size() > KEPT) {
            since.remove(since.keySet().iterator().next());
        }
    }

    /** Returns whether a node is gone as far as this news can tell. */
    boolean has(Known news) {
        Long gone = since.get(news.contact().id());
        if (gone != null && news.since() > gone + SLACK) {
            since.remove(news.contact().id());
            return false;
        }
        return gone != null;
    }
}
