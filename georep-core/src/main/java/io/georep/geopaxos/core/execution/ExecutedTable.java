package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of operations that may have changed something, so that a repeated one has no second effect. Exact for each number:
 * operations of one client in different groups are executed in any order. Results are forgotten only inside an operation that all groups
 * order, so that all nodes forget the same: where there is one group, inside each one.
 */
public final class ExecutedTable {
    private static final class Client {
        final TreeMap<Long, Slice> results = new TreeMap<>();

        /** What the client's executed operations acknowledged: results up to this number. */
        long acked;

        /** Results up to this number are forgotten. */
        long forgotten;

        /** Returns the bytes of results after a number that the client has acknowledged. */
        long acknowledged(long after) {
            long bytes = 0;
            Map.Entry<Long, Slice> each = results.higherEntry(after);
            while (each != null && each.getKey() <= acked) {
                bytes += bytes(each.getValue());
                each = results.higherEntry(each.getKey());
            }
            return bytes;
        }
    }

    /** What a result takes beside its bytes, in memory. */
    public static final long RESULT_BYTES = 128;

    private final TreeMap<Long, Client> clients = new TreeMap<>();

    private final StaleNames stale;

    /** Of results that nobody needs, and that are not forgotten. */
    private long acknowledged;

    ExecutedTable(StaleNames stale) {
        this.stale = stale;
    }

    private static long bytes(Slice result) {
        return RESULT_BYTES + result.length();
    }

    /** Returns the bytes of results that clients have acknowledged, and that are not forgotten. */
    public long acknowledged() {
        return acknowledged;
    }

    private Client client(long id) {
        return clients.computeIfAbsent(id, unknown -> new Client());
    }

    /** Returns the result; null if it was not executed, or so long ago that the client had acknowledged the result. */
    @Nullable
    Slice result(long client, long sequence) {
        Client known = clients.get(client);
        return known == null ? null : known.results.get(sequence);
    }

    /** Returns whether it was executed. */
    public boolean isKnown(long client, long sequence) {
        return result(client, sequence) != null || isForgotten(client, sequence);
    }

    boolean isForgotten(long client, long sequence) {
        Client known = clients.get(client);
        return known != null && sequence <= known.forgotten;
    }

    void put(Operation operation, Slice result) {
        Client known = clients.get(operation.client());
        if (known == null || operation.acked() > known.acked) {
            known = client(operation.client());
            long before = known.acked;
            known.acked = operation.acked();
            acknowledged += known.acknowledged(before);
            stale.add(new Name(StatePiece.CLIENT, operation.client(), 0));
        }
        Name name = new Name(StatePiece.RESULT, operation.client(), operation.sequence());
        if (known.results.put(operation.sequence(), result) == null) {
            acknowledged += operation.sequence() <= known.acked ? bytes(result) : 0;
            stale.born(name);
        } else {
            stale.add(name);
        }
    }

    /** Forgets what clients have acknowledged. */
    void prune() {
        clients.forEach(this::prune);
    }

    /** Forgets what a client has acknowledged. */
    void prune(long client) {
        Client known = clients.get(client);
        if (known != null) {
            prune(client, known);
        }
    }

    private void prune(long id, Client each) {
        if (each.acked > each.forgotten) {
            each.forgotten = each.acked;
            while (!each.results.isEmpty() && each.results.firstKey() <= each.forgotten) {
                Map.Entry<Long, Slice> gone = each.results.pollFirstEntry();
                acknowledged -= bytes(gone.getValue());
                stale.gone(new Name(StatePiece.RESULT, id, gone.getKey()));
            }
            stale.add(new Name(StatePiece.CLIENT, id, 0));
        }
    }

    /** A client repeats nothing any more: it is forgotten. */
    void end(long id) {
        Client gone = clients.remove(id);
        if (gone != null) {
            acknowledged -= gone.acknowledged(Long.MIN_VALUE);
            gone.results.keySet().forEach(sequence -> stale.gone(new Name(StatePiece.RESULT, id, sequence)));
            stale.add(new Name(StatePiece.CLIENT, id, 0));
        }
    }

    public int size() {
        return clients.values().stream().mapToInt(each -> each.results.size()).sum();
    }

    /** Returns a piece; null if there is none of that name. */
    @Nullable
    Slice content(Name name) {
        Client known = clients.get(name.first());
        if (known == null || name.kind() == StatePiece.RESULT) {
            return known == null ? null : known.results.get(name.second());
        }
        return new BinWriter(18).varint(known.acked).varint(known.forgotten).toSlice();
    }

    /** Returns all pieces of this moment. */
    List<StatePiece> pieces() {
        List<StatePiece> pieces = new ArrayList<>();
        clients.forEach((id, each) -> {
            Name name = new Name(StatePiece.CLIENT, id, 0);
            pieces.add(new StatePiece(name, Objects.requireNonNull(content(name))));
            each.results.forEach((sequence, result) ->
                    pieces.add(new StatePiece(new Name(StatePiece.RESULT, id, sequence), result)));
        });
        return pieces;
    }

    /** Takes a piece. */
    void load(StatePiece piece) {
        Client known = client(piece.name().first());
        if (piece.name().kind() == StatePiece.RESULT) {
            known.results.put(piece.name().second(), piece.content());
        } else {
            BinReader in = new BinReader(piece.content());
            known.acked = in.varint();
            known.forgotten = in.varint();
        }
    }

    /** Takes all of another table in the place of its own. */
    void take(ExecutedTable other) {
        clients.clear();
        clients.putAll(other.clients);
        acknowledged = clients.values().stream()
                .mapToLong(each -> each.acknowledged(Long.MIN_VALUE))
                .sum();
    }
}
