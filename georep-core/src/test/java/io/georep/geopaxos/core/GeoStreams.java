package io.georep.geopaxos.core;

import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Clients with several operations under way, mostly on the same keys. Each asks one node at a time, in the order of its numbers. If that
 * node crashes, refuses one or is slow, the client asks for all that has no answer at another node, in order, before anything new.
 */
final class GeoStreams {
    /** Their numbers, apart from those of other clients. */
    static final long FIRST_CLIENT = 1000;

    private static final long FIRST_TOKEN = 1L << 40;
    private static final int WINDOW = 8;
    private static final int KEYS = 3;

    private final class Stream {
        final long id;
        final TreeMap<Long, Slice> open = new TreeMap<>();
        long sequence;
        GeoMember contact;
        int boot;

        /** Whether the contact has been asked for all that is open. */
        boolean isAsked;

        Stream(long id) {
            this.id = id;
        }
    }

    private record Asked(Stream stream, long sequence, Slice body) {}

    private final GeoCluster cluster;
    private final Random random;
    private final Map<Long, Asked> asked = new TreeMap<>();
    private final List<Stream> streams = new ArrayList<>();
    private long tokens = FIRST_TOKEN;
    private boolean rests;
    long answers;

    GeoStreams(GeoCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    void begin(int count) {
        for (int i = 0; i < count; i++) {
            Stream stream = new Stream(FIRST_CLIENT + i);
            streams.add(stream);
            chooses(stream);
            watches(stream, 0);
            goesOn(stream);
        }
    }

    void rest() {
        rests = true;
    }

    /** Those without an answer. */
    long waiting() {
        return streams.stream().mapToLong(each -> each.open.size()).sum();
    }

    private void later(Runnable action, int most) {
        cluster.at(cluster.now + (1 + random.nextInt(most)) * GeoCluster.MILLI, action);
    }

    private void chooses(Stream stream) {
        stream.contact = cluster.any(random);
        stream.boot = stream.contact.boots;
        stream.isAsked = false;
    }

    /** Goes elsewhere if the first one that waits is still the same. */
    private void watches(Stream stream, long first) {
        if (!stream.open.isEmpty() && stream.open.firstKey() == first) {
            chooses(stream);
        }
        if (!rests || !stream.open.isEmpty()) {
            long next = stream.open.isEmpty() ? 0 : stream.open.firstKey();
            later(() -> watches(stream, next), 8000);
        }
    }

    private void goesOn(Stream stream) {
        if (!stream.contact.runs() || stream.contact.boots != stream.boot) {
            chooses(stream);
        }
        if (stream.contact.runs()) {
            stream.isAsked = stream.isAsked || asksAgain(stream);
            for (int i = random.nextInt(4); i > 0 && stream.isAsked && !rests && stream.open.size() < WINDOW; i--) {
                stream.open.put(++stream.sequence, body());
                stream.isAsked = asks(stream, stream.sequence);
            }
        }
        if (!rests || !stream.open.isEmpty()) {
            later(() -> goesOn(stream), 200);
        }
    }

    private Slice body() {
        int key = random.nextInt(KEYS) * (LeafService.KEYS / KEYS);
        int other = random.nextInt(KEYS) * (LeafService.KEYS / KEYS);
        List<Integer> writes = random.nextInt(3) == 0 && key != other ? List.of(key, other) : List.of(key);
        return LeafService.use(random.nextLong() >>> 1, random.nextBoolean() ? List.of() : List.of(other), writes);
    }

    private boolean asksAgain(Stream stream) {
        for (long sequence : List.copyOf(stream.open.keySet())) {
            if (stream.open.containsKey(sequence) && !asks(stream, sequence)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the contact has taken it. */
    private boolean asks(Stream stream, long sequence) {
        GeoMember contact = stream.contact;
        Slice body = stream.open.get(sequence);
        long token = ++tokens;
        asked.put(token, new Asked(stream, sequence, body));
        long acked = stream.open.firstKey() - 1;
        contact.turn(() -> contact.node.submit(token, stream.id, sequence, acked, body, contact.now()));
        GeoEvent.Reason refusal = contact.refused.get(token);
        return refusal == null;
    }

    /** Returns whether it was one of these. */
    boolean answered(GeoMember member, long token, Slice result) {
        Asked question = asked.remove(token);
        if (question == null) {
            return token >= FIRST_TOKEN;
        }
        Stream stream = question.stream;
        if (result == null) {
            if (stream.open.containsKey(question.sequence)) {
                throw new AssertionError("forgotten: " + question.sequence + " of client " + stream.id);
            }
            return true;
        }
        cluster.judge.answered(member.id, question.body, stream.id, question.sequence, result);
        answers++;
        stream.open.remove(question.sequence);
        return true;
    }
}
