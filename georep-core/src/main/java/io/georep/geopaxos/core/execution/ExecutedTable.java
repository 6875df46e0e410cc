package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GroupEntry.Mark;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbered operations that were executed and may have changed something, so that a repeated one has no second
 * effect. Each number is remembered exactly: operations of one client in different groups are executed in any order,
 * and an acknowledged one may be executed here later than the one that acknowledges it. Of acknowledged operations no
 * results are kept, only runs of numbers.
 *
 * <p>Numbers that a client has left out would keep these runs apart for ever. So each group says in its own log up to
 * which number no operation of a client comes there any more. A number that comes in no group any more counts as
 * executed.
 */
public final class ExecutedTable {
    private static final class Client {
        /** Results that the client has not acknowledged, by number. */
        final TreeMap<Long, Slice> results = new TreeMap<>();

        /** Bytes of memory that these results take. */
        long resultBytes;

        /** The client has acknowledged everything up to this number. */
        long acked;

        /** All up to this number was executed, or will never be. */
        long closed;

        /** What else was executed and acknowledged: the first number of each run and its last one. Runs do not touch. */
        final TreeMap<Long, Long> runs = new TreeMap<>();

        /**
         * By group: nothing up to this number is ordered there any more. Groups without such a number may be missing at the
         * end.
         */
        long[] marks = {};

        boolean has(long number) {
            Map.Entry<Long, Long> run = runs.floorEntry(number);
            return number <= closed || (run != null && number <= run.getValue()) || results.containsKey(number);
        }

        /** Adds a result. Returns whether there was none with this number. */
        boolean add(long number, Slice result) {
            Slice before = results.put(number, result);
            resultBytes += bytes(result) - (before == null ? 0 : bytes(before));
            return before == null;
        }

        long removeFirst() {
            Map.Entry<Long, Slice> first = Objects.requireNonNull(results.pollFirstEntry());
            resultBytes -= bytes(first.getValue());
            return first.getKey();
        }

        private static long bytes(Slice result) {
            return RESULT_BYTES + result.length();
        }
    }

    /** What a result takes in memory beside its bytes. */
    private static final long RESULT_BYTES = 100;

    /** What a run takes in memory. */
    public static final long RUN_BYTES = 100;

    /** Clients in one entry of a log. */
    private static final int MARKS_MAX = 10_000;

    private final TreeMap<Long, Client> clients = new TreeMap<>();
    private final StaleNames stale;
    private final Rules rules;
    private int groups;

    /** Runs of all clients together. */
    private int runs;

    ExecutedTable(int groups, StaleNames stale, Rules rules) {
        this.groups = groups;
        this.stale = stale;
        this.rules = rules;
    }

    /** Returns the bytes of what is kept because clients have left out numbers. */
    public long keptBytes() {
        return runs * RUN_BYTES;
    }

    /** Returns how many clients have used numbers. */
    public int clients() {
        return clients.size();
    }

    private Client client(long id) {
        return clients.computeIfAbsent(id, unknown -> new Client());
    }

    /** Returns the result; null if it was not executed, or the client has acknowledged it. */
    @Nullable
    public Slice result(long client, long number) {
        Client known = clients.get(client);
        return known == null ? null : known.results.get(number);
    }

    /** Returns whether it was executed. What has no number is never known. */
    public boolean isKnown(long client, long number) {
        Client known = number > 0 ? clients.get(client) : null;
        return known != null && known.has(number);
    }

    /** Takes the result of an executed operation. */
    void put(Operation operation, Slice result) {
        long id = operation.client();
        Client known = client(id);
        acknowledge(id, known, operation.acked());
        if (operation.sequence() <= known.acked) {
            add(id, known, operation.sequence());
            return;
        }
        Name name = new Name(StatePiece.RESULT, id, operation.sequence());
        if (known.add(operation.sequence(), result)) {
            stale.born(name);
        } else {
            stale.add(name);
        }
    }

    private void acknowledge(long id, Client known, long acked) {
        if (acked > known.acked) {
            known.acked = acked;
            stale.add(new Name(StatePiece.CLIENT, id, 0));
            while (!known.results.isEmpty() && known.results.firstKey() <= acked) {
                long number = known.removeFirst();
                stale.gone(new Name(StatePiece.RESULT, id, number));
                add(id, known, number);
            }
        }
    }

    /** Adds a number that was executed and acknowledged. */
    private void add(long id, Client known, long number) {
        if (known.has(number)) {
            return;
        }
        Map.Entry<Long, Long> before = known.runs.lowerEntry(number);
        long first = before != null && before.getValue() == number - 1 ? before.getKey() : number;
        long last = known.runs.containsKey(number + 1) ? removeRun(id, known, number + 1) : number;
        if (first == known.closed + 1) {
            close(id, known, last);
            return;
        }
        Name name = new Name(StatePiece.RUN, id, first);
        if (known.runs.put(first, last) == null) {
            runs++;
            stale.born(name);
        } else {
            stale.add(name);
        }
    }

    private long removeRun(long id, Client known, long first) {
        runs--;
        stale.gone(new Name(StatePiece.RUN, id, first));
        return Objects.requireNonNull(known.runs.remove(first));
    }

    private void close(long id, Client known, long number) {
        known.closed = number;
        while (!known.runs.isEmpty() && known.runs.firstKey() <= known.closed + 1) {
            known.closed = Math.max(known.closed, removeRun(id, known, known.runs.firstKey()));
        }
        stale.add(new Name(StatePiece.CLIENT, id, 0));
    }

    /** Returns what a group has to say so that there are fewer runs; nothing if there are few. */
    public List<Mark> due(int group) {
        List<Mark> due = new ArrayList<>();
        if (runs > rules.runsMax) {
            clients.forEach((id, known) -> {
                if (!known.runs.isEmpty() && known.acked > mark(known, group) && due.size() < MARKS_MAX) {
                    due.add(new Mark(id, known.acked));
                }
            });
        }
        return due;
    }

    private static long mark(Client known, int group) {
        return group < known.marks.length ? known.marks[group] : 0;
    }

    private void mark(long id, Client known, int group, long number) {
        if (number > mark(known, group)) {
            known.marks = Arrays.copyOf(known.marks, Math.max(known.marks.length, group + 1));
            known.marks[group] = number;
            stale.add(new Name(StatePiece.CLIENT, id, 0));
        }
    }

    /** The log of a group says that nothing of a client comes there any more, up to a number that the client has acknowledged. */
    void mark(int group, Mark mark) {
        Client known = client(mark.client());
        acknowledge(mark.client(), known, mark.number());
        mark(mark.client(), known, group, mark.number());
    }

    /** Returns whether an operation comes too late in a group: its client has acknowledged it, and the group has said so. */
    public boolean isLate(int group, Operation operation) {
        Client known = operation.isNumbered() ? clients.get(operation.client()) : null;
        return known != null && operation.sequence() <= mark(known, group);
    }

    /** Returns whether something of a client comes in no group any more that does not count as executed. */
    boolean isClosable(long client) {
        Client known = clients.get(client);
        return known != null && rules.endsEverywhere(known.marks, groups) > known.closed;
    }

    /**
     * What comes in no group any more counts as executed.
     *
     * @param waiting the first number of each client that stands in a log and may still be executed
     */
    void close(long client, Map<Long, Long> waiting) {
        Client known = client(client);
        long first = waiting.getOrDefault(client, Long.MAX_VALUE);
        long number = Math.min(rules.endsEverywhere(known.marks, groups), first - 1);
        if (number > known.closed) {
            close(client, known, number);
        }
    }

    /**
     * Sets the number of groups, when the log of the first group says that one was added. What came no more in the
     * first group by then comes in no added group either.
     */
    void begins(int count) {
        for (int group = groups; group < count; group++) {
            for (Map.Entry<Long, Client> each : clients.entrySet()) {
                mark(each.getKey(), each.getValue(), group, mark(each.getValue(), 0));
            }
        }
        groups = Math.max(groups, count);
    }

    /**
     * Returns how many results a client has not acknowledged, if they take so much that an operation is refused that acknowledges none of them; 0
     * otherwise. They are kept by every node until then. One with a number below all of these is what the client waits for before it can
     * acknowledge them.
     */
    public int unacknowledged(long client, long acked, long sequence) {
        Client known = clients.get(client);
        if (known == null || known.resultBytes < rules.resultBytesMax) {
            return 0;
        }
        long first = known.results.firstKey();
        return acked < first && sequence > first ? known.results.size() : 0;
    }

    /** Returns how many results are kept. */
    public int size() {
        return clients.values().stream().mapToInt(each -> each.results.size()).sum();
    }

    /** Returns a piece; null if there is none of that name. */
    @Nullable
    Slice content(Name name) {
        Client known = clients.get(name.first());
        if (known == null) {
            return null;
        } else if (name.kind() == StatePiece.RESULT) {
            return known.results.get(name.second());
        } else if (name.kind() == StatePiece.RUN) {
            Long last = known.runs.get(name.second());
            return last == null ? null : new BinWriter(9).varint(last).toSlice();
        }
        BinWriter out =
                new BinWriter(27).varint(known.acked).varint(known.closed).varint(known.marks.length);
        for (long mark : known.marks) {
            out.varint(mark);
        }
        return out.toSlice();
    }

    /** Returns all pieces of this moment. */
    public List<StatePiece> pieces() {
        List<StatePiece> pieces = new ArrayList<>();
        clients.forEach((id, each) -> {
            piece(new Name(StatePiece.CLIENT, id, 0), pieces);
            each.results.keySet().forEach(number -> piece(new Name(StatePiece.RESULT, id, number), pieces));
            each.runs.keySet().forEach(first -> piece(new Name(StatePiece.RUN, id, first), pieces));
        });
        return pieces;
    }

    private void piece(Name name, List<StatePiece> pieces) {
        pieces.add(new StatePiece(name, Objects.requireNonNull(content(name))));
    }

    /** Takes a piece. */
    void load(StatePiece piece) {
        Name name = piece.name();
        Client known = client(name.first());
        BinReader in = new BinReader(piece.content());
        if (name.kind() == StatePiece.RESULT) {
            known.add(name.second(), piece.content());
        } else if (name.kind() == StatePiece.RUN) {
            known.runs.put(name.second(), in.varint());
            runs++;
        } else {
            known.acked = in.varint();
            known.closed = in.varint();
            known.marks = new long[(int) in.varint(GeoGroups.MAX, "groups")];
            Arrays.setAll(known.marks, group -> in.varint());
        }
    }

    /** Takes the content of another table in the place of its own. */
    void take(ExecutedTable other, int count) {
        clients.clear();
        clients.putAll(other.clients);
        runs = other.runs;
        groups = count;
    }
}
