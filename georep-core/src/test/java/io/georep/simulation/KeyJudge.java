package io.georep.simulation;

import io.georep.keys.KeyBatch;
import io.georep.keys.core.KeyAudit;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyEvent;
import io.georep.keys.core.KeyProtocol;
import io.georep.runtime.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What replicated key spaces promise. A write that was confirmed is on f + 1 disks in that moment; it, or a later one, is
 * found everywhere in the end while no more than f of those disks were lost. A version is of one value. What a node read
 * it never reads older again, unless its disk was lost. In the end all nodes have the same, and marks of deletions go.
 */
final class KeyJudge {
    enum Answer {
        OPEN,
        DONE,
        FAILED,
        /** The process ended before it answered. */
        LOST
    }

    /** A write of the application. */
    static final class Write {
        final SimulatedNode node;
        final int boot;
        final int f;
        final KeyBatch batch;
        final long at;

        /** No later than what it writes. */
        KeyAudit.Version least;

        /** What its node had before. */
        final Set<String> present = new HashSet<>();

        Answer answer = Answer.OPEN;
        Throwable cause;

        Write(SimulatedNode node, int f, KeyBatch batch, long at) {
            this.at = at;
            this.node = node;
            this.boot = node.boots();
            this.f = f;
            this.batch = batch;
        }
    }

    /** A version that must not be lost. */
    private static final class Promise {
        final String key;
        final KeyAudit.Version version;
        final List<SimulatedNode> holders;
        final int f;
        int lost;

        Promise(String key, KeyAudit.Version version, List<SimulatedNode> holders, int f) {
            this.key = key;
            this.version = version;
            this.holders = holders;
            this.f = f;
        }

        @Override
        public String toString() {
            return key + " " + version + " on " + holders + " f " + f + " lost " + lost;
        }
    }

    /** A read on its way. */
    private record Read(SimulatedNode node, String key) {}

    private final Machines cluster;
    private final List<Write> writes = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private final Map<String, TreeMap<KeyAudit.Version, String>> versions = new TreeMap<>();

    /** By key and version. */
    private final Map<String, Map<KeyAudit.Version, Long>> firstSeen = new HashMap<>();

    /** By node and key: the latest version that was read, as far as its value tells. */
    private final Map<String, KeyAudit.Version> read = new TreeMap<>();

    /** By node and key: the last deletion there, which may be written over in the same turn. */
    private final Map<String, KeyAudit.Version> deleted = new TreeMap<>();

    /** By node: a digest of what it had when it was looked at last, so that only changes are looked at. */
    private final Map<SimulatedNode, Long> looked = new HashMap<>();

    /** When the disk of a node was replaced last. */
    private final Map<SimulatedNode, Long> destroyedAt = new HashMap<>();

    private long reads;

    KeyJudge(Machines cluster) {
        this.cluster = cluster;
    }

    Write write(SimulatedNode node, int f, KeyBatch batch) {
        Write write = new Write(node, f, batch, cluster.world().now());
        if (!node.isRunning()) {
            write.answer = Answer.LOST;
        }
        writes.add(write);
        return write;
    }

    /** The application of a node reads a key. */
    void read(SimulatedNode node, String key) {
        node.command(
                KeyProtocol.CHANNEL,
                new KeyCommand.Get(new KeyCommand.Space(KeyWing.SPACE, true), key.getBytes(), new Read(node, key)));
    }

    void booted(SimulatedNode node) {
        turned(node);
        KeyAudit.check(KeyWing.protocol(node));
    }

    void turning(SimulatedNode node, List<Input> inputs) {
        for (Input input : inputs) {
            if (input instanceof Input.Command command
                    && command.command() instanceof KeyCommand.Write asked
                    && asked.token() instanceof Write write) {
                write.least = KeyAudit.leastNext(KeyWing.protocol(node));
                KeyAudit.records(KeyWing.protocol(node), KeyWing.SPACE).forEach(seen -> write.present.add(seen.key()));
                for (KeyBatch.Change change : write.batch.changes()) {
                    if (change.value() == null) {
                        deleted.put(node + " " + new String(change.key()), write.least);
                    }
                }
            }
        }
    }

    void turned(SimulatedNode node) {
        Long digest = KeyAudit.digest(KeyWing.protocol(node), KeyWing.SPACE);
        if (digest.equals(looked.put(node, digest))) {
            return;
        }
        for (KeyAudit.Seen seen : KeyAudit.records(KeyWing.protocol(node), KeyWing.SPACE)) {
            TreeMap<KeyAudit.Version, String> known = versions.computeIfAbsent(seen.key(), key -> new TreeMap<>());
            String value = String.valueOf(seen.value());
            String before = known.putIfAbsent(seen.version(), value);
            if (before == null) {
                firstSeen
                        .computeIfAbsent(seen.key(), key -> new HashMap<>())
                        .put(seen.version(), cluster.world().now());
            } else if (!before.equals(value)) {
                throw new AssertionError("two values of version " + seen.version() + " of " + seen.key() + ": " + before
                        + " and " + value + ", the latter on " + node);
            }
        }
    }

    void event(SimulatedNode node, Object event) {
        if (event instanceof KeyEvent.Done done) {
            for (Object token : done.tokens()) {
                if (token instanceof Write write) {
                    write.answer = Answer.DONE;
                    write.batch.changes().forEach(change -> promise(write, change));
                }
            }
        } else if (event instanceof KeyEvent.Failed failed) {
            for (Object token : failed.tokens()) {
                ((Write) token).answer = Answer.FAILED;
                ((Write) token).cause = failed.cause();
            }
        } else if (event instanceof KeyEvent.Value value && value.token() instanceof Read asked) {
            reads++;
            wasRead(asked, value.value());
        }
    }

    private void promise(Write write, KeyBatch.Change change) {
        String key = new String(change.key());
        String value = change.value() == null ? "null" : new String(change.value());
        // Deletions look alike, so of them less is known.
        KeyAudit.Version version = change.value() == null ? write.least : null;
        TreeMap<KeyAudit.Version, String> known = versions.getOrDefault(key, new TreeMap<>());
        for (Map.Entry<KeyAudit.Version, String> entry : known.entrySet()) {
            if (change.value() != null && entry.getValue().equals(value)) {
                version = entry.getKey();
            }
        }
        if (version == null || (change.value() == null && !isMarked(write, key))) {
            return; // written over in the same turn, or there was nothing to delete
        }
        List<SimulatedNode> holders = new ArrayList<>();
        int lost = 0;
        for (SimulatedNode node : cluster.nodes()) {
            KeyAudit.Seen stored = onDisk(node, key);
            boolean has = stored == null
                    ? known.tailMap(version, true).containsValue("null")
                    : stored.version().compareTo(version) >= 0;
            if (!has && change.value() == null && stored != null && stored.value() == null) {
                return; // to a node with an earlier mark there was nothing to delete either
            }
            boolean hadPerhaps = destroyedAt.getOrDefault(node, -1L) >= write.at;
            lost += !has && hadPerhaps ? 1 : 0;
            if (has || hadPerhaps) {
                holders.add(node);
            }
        }
        Promise promise = new Promise(key, version, holders, write.f);
        promise.lost = lost;
        if (holders.size() < write.f + 1) {
            throw new AssertionError("confirmed with too few copies: " + promise + " value " + value + ", write of "
                    + write.batch.changes().size() + " changes; on disk "
                    + cluster.nodes().stream()
                            .map(node -> node + " " + onDisk(node, key))
                            .toList() + " of " + known);
        }
        promises.add(promise);
    }

    /** Whether a deletion made a mark: its node had the key, or heard of it from those that should confirm. */
    private boolean isMarked(Write write, String key) {
        return write.present.contains(key)
                || versions.getOrDefault(key, new TreeMap<>()).tailMap(write.least, true).entrySet().stream()
                        .anyMatch(later -> later.getValue().equals("null")
                                && later.getKey().node().equals(write.node.id().value()));
    }

    private static KeyAudit.Seen onDisk(SimulatedNode node, String key) {
        byte[] place = KeyAudit.storeKey(KeyWing.SPACE, key);
        return node.disk()
                .surviving(place, place)
                .findFirst()
                .map(pair -> KeyAudit.stored(key, pair.value()))
                .orElse(null);
    }

    /** Whether a deletion that is later was forgotten, or may have been. */
    private boolean isForgotten(String key, KeyAudit.Version version) {
        return versions.getOrDefault(key, new TreeMap<>())
                        .tailMap(version, true)
                        .containsValue("null")
                && cluster.nodes().stream().allMatch(node -> onDisk(node, key) == null);
    }

    private void wasRead(Read asked, byte[] value) {
        String place = asked.node + " " + asked.key;
        KeyAudit.Version before = read.get(place);
        TreeMap<KeyAudit.Version, String> known = versions.getOrDefault(asked.key, new TreeMap<>());
        if (value == null) {
            KeyAudit.Version own = deleted.get(place);
            boolean mayBeDeleted = before == null
                    || (own != null && own.compareTo(before) > 0)
                    || known.tailMap(before, true).containsValue("null");
            if (!mayBeDeleted) {
                throw new AssertionError(place + " was read as " + before + " and is gone");
            }
            return;
        }
        String text = new String(value);
        KeyAudit.Version first = null;
        KeyAudit.Version last = null;
        for (Map.Entry<KeyAudit.Version, String> entry : known.entrySet()) {
            if (entry.getValue().equals(text)) {
                first = first == null ? entry.getKey() : first;
                last = entry.getKey();
            }
        }
        if (last == null) {
            return; // written over in the same turn
        }
        if (before != null && last.compareTo(before) < 0) {
            throw new AssertionError(place + " was read as " + before + " and then as " + last + " " + text
                    + ", known are " + known.tailMap(last, true));
        }
        boolean isDurable = onDisk(asked.node, asked.key) != null
                && onDisk(asked.node, asked.key).version().compareTo(first) >= 0;
        if (!isDurable && !isForgotten(asked.key, first)) {
            throw new AssertionError(
                    place + " was read as " + text + " " + first + ", which is not durable: on disk is "
                            + onDisk(asked.node, asked.key) + ", known are " + known.tailMap(first, true));
        }
        if (before == null || first.compareTo(before) > 0) {
            read.put(place, first);
        }
    }

    void stopped(SimulatedNode node) {
        for (Write write : writes) {
            if (write.node == node && write.answer == Answer.OPEN) {
                write.answer = Answer.LOST;
            }
        }
    }

    /** The disk of a node that does not run is replaced by an empty or older one. */
    void destroyed(SimulatedNode node, SimulatedDisk.Image image) {
        read.keySet().removeIf(place -> place.startsWith(node + " "));
        destroyedAt.put(node, cluster.world().now());
        for (Promise promise : promises) {
            if (promise.holders.contains(node) || onDisk(node, promise.key) != null) {
                promise.lost++;
            }
        }
    }

    /** Why not everything has come to its end: all nodes have the same, and every write was answered; null if it has. */
    @Nullable
    String unsettled() {
        SimulatedNode first = null;
        for (SimulatedNode node : cluster.running()) {
            first = first == null ? node : first;
            if (!KeyAudit.sum(KeyWing.protocol(first)).equals(KeyAudit.sum(KeyWing.protocol(node)))) {
                return "nodes disagree: " + has(node) + ", " + has(first);
            }
        }
        for (Write write : writes) {
            if (write.answer == Answer.OPEN) {
                return "a write on " + write.node + " was never answered";
            }
        }
        return null;
    }

    /** Everything has come to its end, and all nodes that run have at least what was promised. */
    void settled() {
        String unsettled = unsettled();
        if (unsettled != null) {
            throw new AssertionError(unsettled);
        }
        for (SimulatedNode node : cluster.running()) {
            KeyProtocol protocol = KeyWing.protocol(node);
            KeyAudit.check(protocol);
            Map<String, KeyAudit.Seen> records = new HashMap<>();
            KeyAudit.records(protocol, KeyWing.SPACE).forEach(each -> records.put(each.key(), each));
            promises.forEach(promise -> kept(promise, node, records.get(promise.key)));
        }
    }

    /** Reads, and writes that were confirmed. */
    long successes() {
        return reads
                + writes.stream().filter(write -> write.answer == Answer.DONE).count();
    }

    private static String has(SimulatedNode node) {
        return node + " of cluster " + node.protocols().membership().cluster() + " has "
                + KeyAudit.records(KeyWing.protocol(node), KeyWing.SPACE);
    }

    /** The time of all deletions is over. */
    void withoutMarks() {
        for (SimulatedNode node : cluster.nodes()) {
            if (node.isRunning() && KeyAudit.marks(KeyWing.protocol(node)) > 0) {
                throw new AssertionError(node + " still has marks of deletions: "
                        + KeyAudit.records(KeyWing.protocol(node), KeyWing.SPACE));
            }
        }
    }

    private void kept(Promise promise, SimulatedNode node, KeyAudit.@Nullable Seen found) {
        boolean isKept = found != null && found.version().compareTo(promise.version) >= 0;
        long writtenAt =
                found == null ? Long.MAX_VALUE : firstSeen.get(promise.key).get(found.version());
        for (Map.Entry<KeyAudit.Version, String> later :
                versions.get(promise.key).tailMap(promise.version, true).entrySet()) {
            // Deleted, forgotten, and perhaps written anew by a node that had lost its store.
            isKept |= later.getValue().equals("null")
                    && firstSeen.get(promise.key).get(later.getKey()) < writtenAt;
        }
        if (!isKept && promise.lost <= promise.f) {
            throw new AssertionError(
                    "lost: " + promise + "; " + node + " has " + found + " of " + versions.get(promise.key));
        }
    }

    /** What was written and read, on one line. */
    @Override
    public String toString() {
        Map<Answer, Integer> answers = new TreeMap<>();
        writes.forEach(write -> answers.merge(write.answer, 1, Integer::sum));
        return answers + ", " + promises.size() + " promises, " + reads + " reads, causes "
                + writes.stream()
                        .map(write -> write.cause)
                        .filter(Objects::nonNull)
                        .map(cause -> cause.getClass().getSimpleName())
                        .distinct()
                        .sorted()
                        .toList();
    }
}
