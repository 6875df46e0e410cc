package io.georep.simulation;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyEvent;
import io.georep.keys.core.KeyLook;
import io.georep.keys.core.KeyProtocol;
import io.georep.runtime.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What replicated key spaces promise. A write that was confirmed is on the disks of its node and of those that confirmed it in that
 * moment; it, or a later one, is found everywhere in the end while no more than f of those disks were lost. A deletion is such a
 * write, unless nobody who confirms it has the key. What a node read it never reads older again, unless its disk was
 * lost. Versions, and how long deletions are kept: {@link KeyVersions}. In the end all nodes have the same.
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

        /** The versions it was given, by key. */
        final Map<String, KeyAudit.Version> made = new HashMap<>();

        /** What is asked of others together. */
        KeyLook.@Nullable Group group;

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
    private record Promise(
            String key, KeyAudit.Version version, Set<SimulatedNode> holders, int f, Set<SimulatedNode> lost) {}

    /**
     * A read on its way.
     *
     * @param own what its node writes to the key, or may raise, in the turn of the read: such a version may be over at the end of the turn,
     *     and is not seen
     */
    private record Read(SimulatedNode node, String key, Set<String> own) {}

    private final Machines cluster;
    private final KeyVersions versions;
    private final List<Write> writes = new ArrayList<>();
    private final Set<Write> open = new LinkedHashSet<>();
    private final List<Promise> promises = new ArrayList<>();

    /** At the process that runs on a node. */
    private final Map<SimulatedNode, KeyLook> looks = new HashMap<>();

    /** By node and key: the latest version that was read, as far as its value tells. */
    private final Map<String, KeyAudit.Version> read = new TreeMap<>();

    /** When the disk of a node was replaced last. */
    private final Map<SimulatedNode, Long> destroyedAt = new HashMap<>();

    private long reads;

    KeyJudge(Machines cluster, KeySpaceSettings settings) {
        this.cluster = cluster;
        versions = new KeyVersions(cluster.world(), settings.deletionsKept());
    }

    Write write(SimulatedNode node, int f, KeyBatch batch) {
        Write write = new Write(node, f, batch, cluster.world().now());
        if (node.isRunning()) {
            open.add(write);
        } else {
            write.answer = Answer.LOST;
        }
        writes.add(write);
        return write;
    }

    /** The application of a node reads a key. */
    void read(SimulatedNode node, String key) {
        node.command(
                KeyProtocol.CHANNEL,
                new KeyCommand.Get(
                        new KeyCommand.Space(KeyWing.SPACE, true),
                        key.getBytes(),
                        new Read(node, key, new HashSet<>())));
    }

    void booted(SimulatedNode node) {
        versions.booted(node);
        turned(node);
        KeyAudit.check(KeyWing.protocol(node));
    }

    void turning(SimulatedNode node, List<Input> inputs) {
        List<Read> reading = new ArrayList<>();
        List<Write> writing = new ArrayList<>();
        for (Input input : inputs) {
            if (input instanceof Input.Command command) {
                if (command.command() instanceof KeyCommand.Get get && get.token() instanceof Read read) {
                    reading.add(read);
                } else if (command.command() instanceof KeyCommand.Write asked
                        && asked.token() instanceof Write write) {
                    writing.add(write);
                }
            }
        }
        if (!reading.isEmpty()) {
            open.stream()
                    .filter(write -> write.node == node && write.group != null)
                    .forEach(writing::add);
            reading.forEach(read -> writing.forEach(write -> overlaps(read, write)));
        }
    }

    void turned(SimulatedNode node) {
        KeyLook look = looks.computeIfAbsent(node, any -> new KeyLook(KeyWing.protocol(node), KeyWing.SPACE));
        look.again();
        versions.turned(node, look);
        for (KeyLook.Group group : look.groups()) {
            for (Object token : group.tokens()) {
                if (token instanceof Write write) {
                    write.group = group;
                    write.made.putAll(group.made());
                }
            }
        }
    }

    private static void overlaps(Read asked, Write write) {
        for (KeyBatch.Change change : write.batch.changes()) {
            if (new String(change.key()).equals(asked.key)) {
                asked.own.add(change.value() == null ? "null" : new String(change.value()));
            }
        }
    }

    void event(SimulatedNode node, Object event) {
        if (event instanceof KeyEvent.Done done) {
            for (Object token : done.tokens()) {
                if (token instanceof Write write) {
                    answered(write, Answer.DONE);
                    Set<String> keys = new LinkedHashSet<>();
                    write.batch.changes().forEach(change -> keys.add(new String(change.key())));
                    keys.forEach(key -> confirmed(write, key));
                }
            }
        } else if (event instanceof KeyEvent.Failed failed) {
            for (Object token : failed.tokens()) {
                if (token instanceof Write write) {
                    answered(write, Answer.FAILED);
                    write.cause = failed.cause();
                }
            }
        } else if (event instanceof KeyEvent.Value value && value.token() instanceof Read asked) {
            reads++;
            wasRead(asked, value.value());
        }
    }

    private void answered(Write write, Answer answer) {
        write.answer = answer;
        open.remove(write);
    }

    private void confirmed(Write write, String key) {
        KeyLook.Group group = Objects.requireNonNull(write.group);
        Set<SimulatedNode> holders = new LinkedHashSet<>(Set.of(write.node));
        for (SimulatedNode node : cluster.nodes()) {
            if (group.confirmed().contains(node.id().value())) {
                holders.add(node);
            }
        }
        if (holders.size() < write.f + 1) {
            throw new AssertionError("confirmed by too few: " + holders + " f " + write.f + " " + key);
        }
        KeyAudit.Version version = write.made.get(key);
        if (version != null) {
            promise(write, new Promise(key, version, holders, write.f, new HashSet<>()));
        } else if (group.isOfAbsent(key)) {
            holders.forEach(holder -> hadNothing(write, key, holder));
        } // else its node has written the key again, and asks for that
    }

    private void promise(Write write, Promise promise) {
        for (SimulatedNode holder : promise.holders) {
            KeyAudit.Seen stored = onDisk(holder, promise.key);
            boolean has = stored == null
                    ? versions.isDeletedSince(promise.key, promise.version)
                    : stored.version().compareTo(promise.version) >= 0;
            if (!has && versions.destroyedAt(holder) < write.at) {
                throw new AssertionError("confirmed, but not durable on " + holder + ", which has " + stored + ": "
                        + promise + " of " + versions.of(promise.key));
            }
            if (!has) {
                promise.lost.add(holder);
            }
        }
        promises.add(promise);
    }

    /** Nobody marks a deletion of a key that no node has which confirms it: none of them had it, if not since it was asked for. */
    private void hadNothing(Write write, String key, SimulatedNode holder) {
        KeyAudit.Seen has = holder.isRunning()
                ? KeyAudit.record(KeyWing.protocol(holder), KeyWing.SPACE, key)
                : onDisk(holder, key);
        boolean isDropped = !holder.isRunning() && has != null && has.value() == null;
        if (has != null && !isDropped && versions.heldSince(holder, has) < write.at) {
            throw new AssertionError("the deletion of " + key + " on " + write.node + " made no mark, but " + holder
                    + " of " + looks.keySet() + " that confirmed it had " + has);
        }
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
        return versions.isDeletedSince(key, version)
                && cluster.nodes().stream().allMatch(node -> onDisk(node, key) == null);
    }

    private void wasRead(Read asked, byte[] value) {
        String place = asked.node + " " + asked.key;
        KeyAudit.Version before = read.get(place);
        if (asked.own.contains(value == null ? "null" : new String(value))) {
            return;
        }
        if (value == null) {
            boolean mayBeDeleted = before == null || versions.isDeletedSince(asked.key, before);
            if (!mayBeDeleted) {
                throw new AssertionError(place + " was read as " + before + " and is gone");
            }
            return;
        }
        String text = new String(value);
        List<KeyAudit.Version> written = versions.of(asked.key, text);
        KeyAudit.Version first = written.isEmpty() ? null : written.get(0);
        KeyAudit.Version last = written.isEmpty() ? null : written.get(written.size() - 1);
        if (last == null) {
            return; // written over in the same turn
        }
        if (before != null && last.compareTo(before) < 0) {
            throw new AssertionError(place + " was read as " + before + " and then as " + last + " " + text
                    + ", known are " + versions.of(asked.key));
        }
        boolean isDurable = onDisk(asked.node, asked.key) != null
                && onDisk(asked.node, asked.key).version().compareTo(first) >= 0;
        if (!isDurable && !isForgotten(asked.key, first)) {
            throw new AssertionError(
                    place + " was read as " + text + " " + first + ", which is not durable: on disk is "
                            + onDisk(asked.node, asked.key) + ", known are " + versions.of(asked.key));
        }
        if (before == null || first.compareTo(before) > 0) {
            read.put(place, first);
        }
    }

    void stopped(SimulatedNode node) {
        looks.remove(node);
        for (Write write : List.copyOf(open)) {
            if (write.node == node) {
                answered(write, Answer.LOST);
            }
        }
    }

    /** The disk of a node that does not run is replaced by an empty or older one. */
    void destroyed(SimulatedNode node) {
        read.keySet().removeIf(place -> place.startsWith(node + " "));
        versions.destroyed(node);
        for (Promise promise : promises) {
            if (promise.holders.contains(node)) {
                promise.lost.add(node);
            }
        }
    }

    /** Why not everything has come to its end: all nodes run and have the same, and every write was answered; null if it has. */
    @Nullable
    String unsettled() {
        SimulatedNode first = null;
        for (SimulatedNode node : cluster.nodes()) {
            if (cluster.isDead(node)) {
                continue;
            }
            if (!node.isRunning()) {
                return node + " does not run, and may have what no other node has";
            }
            first = first == null ? node : first;
            if (!KeyAudit.sum(KeyWing.protocol(first)).equals(KeyAudit.sum(KeyWing.protocol(node)))) {
                return "nodes disagree: " + has(node) + ", " + has(first);
            }
        }
        return open.isEmpty() ? null : "a write on " + open.iterator().next().node + " was never answered";
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
            promises.forEach(promise -> kept(promise, node, protocol));
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

    private void kept(Promise promise, SimulatedNode node, KeyProtocol protocol) {
        KeyAudit.Seen found = KeyAudit.record(protocol, KeyWing.SPACE, promise.key);
        boolean isKept = found != null && found.version().compareTo(promise.version) >= 0;
        if (!isKept
                && !versions.mayBeForgotten(promise.key, promise.version, found)
                && promise.lost.size() <= promise.f) {
            throw new AssertionError(
                    "lost: " + promise + "; " + node + " has " + found + " of " + versions.of(promise.key));
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
