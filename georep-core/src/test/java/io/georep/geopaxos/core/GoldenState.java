package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats.Format;
import io.georep.codec.MalformedException;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogOutlet;
import io.georep.consensus.LogRecord;
import io.georep.consensus.LogTiming;
import io.georep.consensus.Proposal;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.StateHead;
import io.georep.geopaxos.core.execution.StateLoading;
import io.georep.geopaxos.core.groups.GeoState;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/** The pieces of a state of two groups: one key is there, another one waits for the second group. */
final class GoldenState {
    static final List<Seat> SEATS = List.of(new Seat(NodeId.of("n1"), 0x1_0000_0007L), new Seat(NodeId.of("n2"), 3));

    private static final int GROUPS = 2;

    private static final OrderedMapsLayout LAYOUT = new OrderedMapsLayout(
            300,
            List.of(List.of(NodeId.of("n1"), NodeId.of("n2")), List.of(NodeId.of("n2"))),
            List.of(NodeId.of("n3")));
    private static final List<String> NAMES =
            List.of("0 HEAD", "1 OBJECT", "2 CLIENT", "3 RESULT", "4 WAITING", "5 RUN", "6 BASE", "7 ENTRY");

    private final Executor executor = executor();
    private final long[] slots = {0, 0};

    private static Executor executor() {
        Executor.Listener nobody = (operation, timestamp, outcome, result) -> {};
        return new Executor(GROUPS, 0b01, new OrderedMapService(List.of()), new Rules(), nobody);
    }

    private static Slice put(String key, int millis) {
        MapEntry entry = new MapEntry(Slice.utf8(key), Slice.utf8("value"), millis);
        return MapOperation.encode(new MapOperation.Put(entry, Guard.NONE));
    }

    private LogEntry set(int groups, long number, Slice body) {
        return set(groups, number, 0, body);
    }

    private LogEntry set(int groups, long number, long wanted, Slice body) {
        OpId id = new OpId(NodeId.of("n1"), 300, number);
        Operation operation =
                new Operation(id, groups, Operation.SERVICE, -2, number, number - 1, number, wanted, body);
        LogEntry entry = new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(operation).encode());
        executor.decided(0, ++slots[0], entry);
        return entry;
    }

    /** Returns all pieces as another node would get them. */
    private List<StatePiece> pieces() {
        while (slots[0] < 7) {
            executor.decided(0, ++slots[0], new LogEntry(LogEntry.SEATS, Slice.EMPTY));
        }
        set(0b01, 290, put("j", 0)); // its slot is forgotten
        LogEntry first = set(0b01, 300, put("k", 0));
        LogEntry second = set(0b11, 301, put("w", 7));
        List<Proposal> proposals =
                List.of(new Proposal(new Ballot(3, SEATS.get(0).node()), first), new Proposal(Ballot.NONE, second));
        List<ReplicatedLog> logs = List.of(
                log(new LogRecord(Ballot.NONE, 8, new Seats(5, -300, SEATS), 10, proposals)),
                log(new LogRecord(Ballot.NONE, 0, new Seats(0, 0, SEATS), 0, List.of())));
        BinWriter head = new BinWriter().varint(8).varint(0);
        GeoAudit.writeGroupStates(executor, head);
        Layouts.write(LAYOUT, head);
        List<StatePiece> pieces = new ArrayList<>();
        Iterator<StatePiece> all = GeoState.of(head.toSlice(), logs, executor.pieces());
        all.forEachRemaining(pieces::add);
        return pieces;
    }

    private static ReplicatedLog log(LogRecord stored) {
        LogOutlet outlet = (LogOutlet) Proxy.newProxyInstance(
                LogOutlet.class.getClassLoader(), new Class<?>[] {LogOutlet.class}, (proxy, method, arguments) -> null);
        return new ReplicatedLog(SEATS.get(0), new LogTiming(1, 10, 1, 30), stored, new Random(1), outlet, 0);
    }

    void addTo(List<Format> formats) {
        TreeMap<Integer, StatePiece> examples = new TreeMap<>();
        pieces().forEach(each -> examples.putIfAbsent(each.name().kind(), each));
        assertThat(examples).hasSameSizeAs(NAMES);
        StatePiece base = examples.get(StatePiece.BASE);
        examples.forEach((kind, piece) -> formats.add(format(NAMES.get(kind), piece, base)));
        formats.add(format("4 WAITING at once", waitingAtOnce(), base));
    }

    private static Format format(String name, StatePiece piece, StatePiece base) {
        BinWriter out = new BinWriter();
        piece.write(out);
        return new Format(
                "piece " + name,
                GeoGoldenTest.VERSION,
                out.toArray(),
                piece,
                bytes -> read(new BinReader(Slice.of(bytes)), base));
    }

    /** The first group has given it the timestamp that its contact wants. */
    private static StatePiece waitingAtOnce() {
        GoldenState state = new GoldenState();
        state.set(0b11, 1, 70_000, put("w", 7));
        StatePiece[] found = {null};
        state.executor
                .pieces()
                .forEachRemaining(each -> found[0] = each.name().kind() == StatePiece.WAITING ? each : found[0]);
        return found[0];
    }

    /**
     * Takes a piece as a node that needs a state does, and the head as its boot does.
     *
     * @param base without which an entry means nothing
     */
    static StatePiece read(BinReader in, StatePiece base) {
        StatePiece piece = StatePiece.read(in);
        if (in.hasMore()) {
            throw new MalformedException("bytes behind a piece");
        }
        Executor taking = executor();
        GeoState state = new GeoState(GROUPS, taking.load(), staged -> {});
        if (piece.name().kind() == StatePiece.ENTRY) {
            state.add(base);
        }
        state.add(piece);
        if (piece.name().kind() == StatePiece.HEAD) {
            StateLoading loading = taking.load();
            executor().pieces().forEachRemaining(loading::add);
            taking.restore(StateHead.read(piece.content(), GROUPS), loading);
        }
        return piece;
    }
}
