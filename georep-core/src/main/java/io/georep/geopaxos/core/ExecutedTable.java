package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of operations that may have changed something, so that a repeated one has no second effect. Exact for each number:
 * operations of one client in different groups are executed in any order. Results are forgotten only inside an operation that all groups
 * order, so that all nodes forget the same.
 */
final class ExecutedTable {
    private static final class Client {
        final TreeMap<Long, Slice> results = new TreeMap<>();

        /** What the client's executed operations acknowledged: results up to this number. */
        long acked;

        /** Results up to this number are forgotten. */
        long forgotten;
    }

    private final TreeMap<Long, Client> clients = new TreeMap<>();

    private Client client(long id) {
        return clients.computeIfAbsent(id, unknown -> new Client());
    }

    /** Returns the result; null if it was not executed, or so long ago that the client had acknowledged the result. */
    @Nullable
    Slice result(long client, long sequence) {
        Client known = clients.get(client);
        return known == null ? null : known.results.get(sequence);
    }

    boolean isForgotten(long client, long sequence) {
        Client known = clients.get(client);
        return known != null && sequence <= known.forgotten;
    }

    void put(Operation operation, Slice result) {
        Client known = client(operation.client());
        known.results.put(operation.sequence(), result);
        known.acked = Math.max(known.acked, operation.acked());
    }

    /** Forgets what clients have acknowledged. */
    void prune() {
        for (Client each : clients.values()) {
            each.forgotten = Math.max(each.forgotten, each.acked);
            each.results.headMap(each.forgotten, true).clear();
        }
    }

    int size() {
        return clients.values().stream().mapToInt(each -> each.results.size()).sum();
    }

    void write(BinWriter out) {
        out.varint(clients.size());
        for (Map.Entry<Long, Client> each : clients.entrySet()) {
            Client known = each.getValue();
            out.i64(each.getKey()).varint(known.acked).varint(known.forgotten).varint(known.results.size());
            known.results.forEach((sequence, result) -> out.varint(sequence).bytes(result));
        }
    }

    static ExecutedTable read(BinReader in) {
        ExecutedTable table = new ExecutedTable();
        for (int left = in.count(11, "clients"); left > 0; left--) {
            Client known = table.client(in.i64());
            known.acked = in.varint();
            known.forgotten = in.varint();
            for (int more = in.count(2, "results"); more > 0; more--) {
                known.results.put(in.varint(), Slice.of(in.bytes().toArray()));
            }
        }
        return table;
    }
}
