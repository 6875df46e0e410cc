package io.georep.keys.core;

import io.georep.keys.core.KeyAudit.Seen;
import io.georep.keys.core.KeyAudit.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at one process again and again, and tells what has changed. */
public final class KeyLook {
    private final KeyProtocol protocol;
    private final String space;
    /** By leaf. */
    private final Map<Integer, Map<StoredKey, KeyVersion>> last = new HashMap<>();

    private final HashTree seen = new HashTree();
    private final List<Seen> news = new ArrayList<>();
    private final List<String> gone = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();
    private final Map<ReplicatedGroup, Long> requests = new HashMap<>();

    /** Writes that complete together. */
    public static final class Group {
        private final ReplicatedGroup group;
        private final Map<String, Version> made = new HashMap<>();
        private final Set<String> absent = new HashSet<>();

        private Group(ReplicatedGroup group, KeyTable table) {
            this.group = group;
            for (StoredKey record : group.items.keySet()) {
                if (!table.has(record)) {
                    absent.add(new String(record.key));
                } else if (record.writer == group && table.isOwn(record.version)) {
                    made.put(new String(record.key), Version.of(record.version));
                } // else another group has written it in the same turn
            }
        }

        /** The writes. */
        public List<Object> tokens() {
            return group.tokens;
        }

        /** The versions that the writer gave to its keys with the newest request; none for a key that it does not have. */
        public Map<String, Version> made() {
            return made;
        }

        /** Whether its newest request asks to delete a key that the writer does not have. */
        public boolean isOfAbsent(String key) {
            return absent.contains(key);
        }

        /** Names of the nodes that have confirmed the newest request. */
        public List<String> confirmed() {
            List<String> confirmed = new ArrayList<>();
            group.holders().stream()
                    .filter(node -> !group.silent().contains(node))
                    .forEach(node -> confirmed.add(node.value()));
            return confirmed;
        }
    }

    /** Looks at a process that has booted. */
    public KeyLook(KeyProtocol protocol, String space) {
        this.protocol = protocol;
        this.space = space;
    }

    /** Looks again. Equal sums mean equal records, so only leaves that have changed are read. */
    public void again() {
        KeyTable table = protocol.context().table;
        news.clear();
        gone.clear();
        groups.clear();
        compare(table, 0, 0);
        requests.keySet().removeIf(group -> group.request == 0);
        for (ReplicatedGroup group : protocol.writes().pending()) {
            Long before = requests.put(group, group.request);
            if (before == null || before != group.request) {
                groups.add(new Group(group, table));
            }
        }
    }

    private void compare(KeyTable table, int level, int part) {
        long sum = table.tree().sum(level, part);
        if (sum == seen.sum(level, part)) {
            return;
        }
        if (level == HashTree.LEVELS) {
            seen.toggle(part, sum ^ seen.sum(level, part));
            compareLeaf(table, part);
            return;
        }
        for (int child = 0; child < HashTree.CHILDREN; child++) {
            compare(table, level + 1, part * HashTree.CHILDREN + child);
        }
    }

    private void compareLeaf(KeyTable table, int leaf) {
        Map<StoredKey, KeyVersion> before = last.computeIfAbsent(leaf, none -> new HashMap<>());
        for (StoredKey record : table.leaf(leaf)) {
            if (record.space.equals(space) && before.put(record, record.version) != record.version) {
                news.add(KeyAudit.seen(record));
            }
        }
        before.keySet().removeIf(record -> !table.has(record) && gone.add(new String(record.key)));
    }

    /** The records with a version that the last look did not see. */
    public List<Seen> news() {
        return news;
    }

    /** The keys that are not there any more. */
    public List<String> gone() {
        return gone;
    }

    /** The groups that were sent, or sent anew, since the last look. */
    public List<Group> groups() {
        return groups;
    }
}
