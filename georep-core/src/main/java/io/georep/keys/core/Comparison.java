package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which records another node has that this one lacks, and takes them. This node asks; the node that answers keeps
 * no state. First this node asks for the sums of parts of the {@link HashTree}. Where a leaf differs, it names the records
 * that it has, and gets the others. Only one request is under way at a time, and its answer is bounded, so a node that lacks
 * everything is not flooded. The cost depends on how much differs.
 */
final class Comparison {
    private static final int PARTS_PER_REQUEST = 256;
    private static final int REQUEST_BYTES = 32 << 10;
    private static final int ANSWER_BYTES = 128 << 10;

    /** The longest question that is answered: one leaf may be far larger than others. */
    private static final int QUESTION_BYTES_MAX = 16 * REQUEST_BYTES;

    /** For how many times {@code writeTimeout} a wait for other nodes goes on though none of them answers. */
    private static final int PATIENCE = 3;

    /** A part of the tree about which this node is going to ask. */
    private record Place(int level, int part) {}

    private record Wait(KeyCommand.CatchUp wanted, long since) {}

    private static final class Session {
        final Peer peer;
        final ArrayDeque<Place> places = new ArrayDeque<>();

        /** Hashes of records that came but were of no use, by leaf. This node names them too, so that they do not come again. */
        final Map<Integer, List<Long>> useless = new HashMap<>();

        /** Leaves with more records than a question names. */
        final Set<Integer> inPart = new HashSet<>();

        long number;
        long askedAt;

        Session(Peer peer) {
            this.peer = peer;
            places.push(new Place(0, 0));
        }
    }

    private final KeyContext context;
    private final LinkedHashSet<NodeId> waiting = new LinkedHashSet<>();
    private final TreeSet<NodeId> compared = new TreeSet<>();
    private final List<Wait> catchUps = new ArrayList<>();

    /** When a node that was not compared yet answered last. */
    private long heardAt;

    private @Nullable Session session;
    private long lastNumber;
    private long nextAt;

    Comparison(KeyContext context) {
        this.context = context;
    }

    /** Begins a boot. The first comparison is with the first node that comes in reach. */
    void boot(Turn turn) {
        nextAt = turn.now() + context.settings.compareEvery().toNanos();
        heardAt = turn.now();
        lastNumber = turn.random().nextLong() >>> 1;
    }

    long nextDeadlineNanos() {
        return nextAt;
    }

    boolean isIdle() {
        return session == null && waiting.isEmpty() && catchUps.isEmpty();
    }

    /** Plans a comparison with this node. */
    void with(Peer peer, Turn turn) {
        waiting.add(peer.id());
        compared.remove(peer.id());
        if (session != null && session.peer.id().equals(peer.id())) {
            session = null; // the request was lost, or an earlier process got it
        }
        next(turn);
    }

    /** Forgets a node that may never come again. */
    void forget(NodeId id) {
        waiting.remove(id);
        compared.remove(id);
    }

    void catchUp(KeyCommand.CatchUp wanted, Turn turn) {
        catchUps.add(new Wait(wanted, turn.now()));
        answerCatchUps(turn);
    }

    void tick(Turn turn) {
        Session present = session;
        if (present != null
                && (!present.peer.linked()
                        || turn.now() - present.askedAt
                                >= context.settings.writeTimeout().toNanos())) {
            waiting.add(present.peer.id()); // after all others
            session = null;
        }
        if (turn.now() >= nextAt) {
            // Varied: if two nodes asked at the same times, each question would meet a link full of answers.
            long most = context.settings.compareEvery().toNanos();
            nextAt = turn.now() + most - turn.random().nextLong(most / 2 + 1);
            List<Peer> linked = context.inReach();
            if (session == null && waiting.isEmpty() && !linked.isEmpty()) {
                waiting.add(linked.get(turn.random().nextInt(linked.size())).id());
            }
        }
        next(turn);
        answerCatchUps(turn);
        giveUp(turn);
    }

    private void next(Turn turn) {
        while (session == null && !waiting.isEmpty() && context.store.takesEntries()) {
            NodeId id = waiting.iterator().next();
            waiting.remove(id);
            Peer peer = context.peers.find(id);
            if (peer != null && peer.linked() && peer.version(KeyLayout.CHANNEL) > 0) {
                session = new Session(peer);
                ask(session, turn);
            }
        }
    }

    private void ask(Session asking, Turn turn) {
        List<KeyMessages.Part> parts = new ArrayList<>();
        int bytes = 0;
        while (!asking.places.isEmpty() && parts.size() < PARTS_PER_REQUEST && bytes < REQUEST_BYTES) {
            Place place = asking.places.pop();
            long[] hashes = place.level == HashTree.LEVELS ? known(asking, place.part, turn) : new long[0];
            parts.add(new KeyMessages.Part(
                    place.level, place.part, context.table.tree().sum(place.level, place.part), hashes));
            bytes += 16 + hashes.length * Long.BYTES;
        }
        asking.number = ++lastNumber;
        asking.askedAt = turn.now();
        BinWriter out = KeyMessages.start(context.table).i64(asking.number).varint(parts.size());
        parts.forEach(part -> part.write(out));
        turn.send(asking.peer, KeyMessages.ASK, out.toSlice(), false);
    }

    /** Returns what this node has in a leaf. If that is too much, a part of it, each time another one. */
    private long[] known(Session asking, int leaf, Turn turn) {
        Set<Long> known = new LinkedHashSet<>(asking.useless.getOrDefault(leaf, List.of()));
        context.table.leaf(leaf).forEach(record -> known.add(record.hash()));
        long[] all = known.stream().mapToLong(Long::longValue).toArray();
        if (all.length <= context.leafHashesMax) {
            return all;
        }
        asking.inPart.add(leaf);
        int from = turn.random().nextInt(all.length);
        long[] some = new long[context.leafHashesMax];
        Arrays.setAll(some, i -> all[(from + i) % all.length]);
        return some;
    }

    /** Answers the question of another node. */
    void asked(Peer from, KeyMessages.Head head, BinReader in, Turn turn) {
        long number = in.i64();
        List<KeyMessages.Part> parts = new ArrayList<>();
        int count = in.count(2 + Long.BYTES, "parts");
        if (count > PARTS_PER_REQUEST || in.remaining() > QUESTION_BYTES_MAX) {
            // The answer may take thirteen times as much as the question.
            throw new MalformedException("a question of " + in.remaining() + " bytes about " + count
                    + " parts, at most " + QUESTION_BYTES_MAX + " about " + PARTS_PER_REQUEST);
        }
        for (int left = count; left > 0; left--) {
            parts.add(KeyMessages.Part.read(in));
        }
        context.heard(head, in);
        List<KeyMessages.Sums> sums = new ArrayList<>();
        List<Integer> cut = new ArrayList<>();
        List<StoredKey> records = new ArrayList<>();
        int bytes = 0;
        for (KeyMessages.Part part : parts) {
            if (context.table.tree().sum(part.level(), part.part()) == part.sum()) {
                continue;
            }
            if (part.level() < HashTree.LEVELS) {
                sums.add(sumsOf(part));
            } else {
                bytes = addUnknown(part, records, bytes, cut);
            }
        }
        BinWriter out = KeyMessages.start(context.table).i64(number).varint(sums.size());
        sums.forEach(each -> each.write(out));
        out.varint(cut.size());
        cut.forEach(out::varint);
        context.send(from, KeyMessages.TELL, KeyMessages.records(out, records, turn.now()), turn);
    }

    private KeyMessages.Sums sumsOf(KeyMessages.Part part) {
        long[] children = new long[HashTree.CHILDREN];
        for (int i = 0; i < children.length; i++) {
            children[i] = context.table.tree().sum(part.level() + 1, part.part() * HashTree.CHILDREN + i);
        }
        return new KeyMessages.Sums(part.level(), part.part(), children);
    }

    /** Adds the records that the other node did not name, while there is room. Returns the bytes of all records so far. */
    private int addUnknown(KeyMessages.Part leaf, List<StoredKey> records, int bytesBefore, List<Integer> cut) {
        Set<Long> known = new HashSet<>();
        for (long hash : leaf.hashes()) {
            known.add(hash);
        }
        int bytes = bytesBefore;
        for (StoredKey record : context.table.leaf(leaf.part())) {
            if (!known.contains(record.hash())) {
                if (bytes >= ANSWER_BYTES) {
                    cut.add(leaf.part());
                    return bytes;
                }
                records.add(record);
                bytes += record.bytes() + KeyRecord.OVERHEAD_BYTES;
            }
        }
        return bytes;
    }

    /** Takes the answer to the request under way. */
    void told(Peer from, KeyMessages.Head head, BinReader in, Turn turn) {
        long number = in.i64();
        List<KeyMessages.Sums> sums = new ArrayList<>();
        for (int left = in.count(2 + HashTree.CHILDREN * Long.BYTES, "sums"); left > 0; left--) {
            sums.add(KeyMessages.Sums.read(in));
        }
        List<Integer> cut = new ArrayList<>();
        for (int left = in.count(1, "leaves"); left > 0; left--) {
            cut.add((int) in.varint(HashTree.LEAVES - 1L, "leaf"));
        }
        List<KeyRecord> records = KeyMessages.readRecords(in);
        context.heard(head, in);
        Session present = session;
        if (present == null || present.number != number || !present.peer.id().equals(from.id())) {
            return;
        }
        if (!context.store.takesEntries()) {
            waiting.add(from.id());
            session = null;
            return;
        }
        if (!compared.contains(from.id())) {
            heardAt = turn.now();
        }
        long takenBefore = context.taken;
        for (KeyRecord record : records) {
            take(present, record, turn);
        }
        boolean isInVain = context.taken == takenBefore;
        for (int leaf : cut) {
            if (!isInVain || !present.inPart.contains(leaf)) {
                present.places.push(new Place(HashTree.LEVELS, leaf));
            }
        }
        for (KeyMessages.Sums each : sums) {
            goDown(present, each);
        }
        if (present.places.isEmpty()) {
            compared.add(from.id());
            session = null;
            next(turn);
            answerCatchUps(turn);
        } else {
            ask(present, turn);
        }
    }

    private void take(Session present, KeyRecord record, Turn turn) {
        if (context.table.take(record, turn) == KeyTable.Taken.NEW) {
            context.taken++;
        } else {
            long keyHash = KeyHash.ofKey(record.space(), record.key());
            present.useless
                    .computeIfAbsent(HashTree.leafOf(keyHash), none -> new ArrayList<>())
                    .add(KeyHash.ofRecord(keyHash, record.version()));
        }
    }

    private void goDown(Session present, KeyMessages.Sums theirs) {
        for (int i = 0; i < HashTree.CHILDREN; i++) {
            int part = theirs.part() * HashTree.CHILDREN + i;
            if (context.table.tree().sum(theirs.level() + 1, part) != theirs.children()[i]) {
                present.places.push(new Place(theirs.level() + 1, part));
            }
        }
    }

    private void answerCatchUps(Turn turn) {
        if (!catchUps.isEmpty() && context.store.takesEntries() && notCompared().isEmpty()) {
            List<Object> tokens = new ArrayList<>();
            catchUps.removeIf(wait -> compared.size() >= wait.wanted.nodes() && tokens.add(wait.wanted.token()));
            if (!tokens.isEmpty()) {
                turn.notifyWhenDurable(new KeyEvent.Done(tokens));
            }
        }
    }

    private List<NodeId> notCompared() {
        return context.inReach().stream()
                .map(Peer::id)
                .filter(id -> !compared.contains(id))
                .toList();
    }

    /** Ends the waits for which no other node has done anything lately. */
    private void giveUp(Turn turn) {
        long patience = PATIENCE * context.settings.writeTimeout().toNanos();
        List<Object> tokens = new ArrayList<>();
        catchUps.removeIf(
                wait -> turn.now() - Math.max(wait.since, heardAt) >= patience && tokens.add(wait.wanted.token()));
        if (!tokens.isEmpty()) {
            turn.notify(new KeyEvent.Failed(
                    tokens,
                    new RejectedException(
                            context.store.takesEntries()
                                    ? RejectedException.Reason.TOO_FEW_PEERS
                                    : context.storeReason(),
                            "node " + context.self() + " has compared its records with " + compared.size()
                                    + " others, and not with " + notCompared()
                                    + ", which are in reach: wait again when more nodes are there")));
        }
    }
}
