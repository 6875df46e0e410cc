package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Fnv;
import io.georep.codec.GoldenFormats;
import io.georep.codec.MalformedException;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogPlace;
import io.georep.consensus.Origin;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.BrokenInvariantException;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.BootImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Bytes of GeoPaxos+: each type of message, entry of a log, record in the store, and piece of a state. */
class GeoGoldenTest extends GoldenFormats {
    /** Of the first formats, which have not changed since. */
    static final int VERSION = 1;

    /** Of keys and records: that of the store's directory. */
    private static final int STORE = 1;

    private static final int GROUPS = 3;
    private static final Ballot BALLOT = new Ballot(300, NodeId.of("n2"));
    private static final OpId ID = new OpId(NodeId.of("n1"), 0x1000_0000_0007L, 300);
    private static final Slice BODY = Slice.utf8("body");
    private static final Operation OPERATION = new Operation(ID, 0b101, Operation.SERVICE, -2, 9, 8, 299, BODY);
    private static final Operation AT_ONCE = new Operation(ID, 0b101, Operation.SERVICE, -2, 9, 8, 299, 70_000, BODY);
    private static final Slice MOVE = new Move(new long[] {1, -2}, 0b001, 0b110).encode();

    private static final OrderedMapsLayout LAYOUT = new OrderedMapsLayout(
            300,
            List.of(ThreeGroups.nodes("n1", "n2"), ThreeGroups.nodes("n2"), ThreeGroups.nodes("n3")),
            ThreeGroups.nodes("n4"));

    @Override
    protected String file() {
        return "geopaxos";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        messages(formats);
        entries(formats);
        new Stored().addTo(formats);
        new GoldenState().addTo(formats);
        return formats;
    }

    private static void messages(List<Format> formats) {
        LogEntry entry = new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(OPERATION).encode());
        message(
                formats,
                "LOG",
                new GeoMessage.Log(2, new LogMessage.Accept(BALLOT, 9, List.of(entry), 8, 1_000, -300, 5, 7)));
        message(formats, "ORDER", new GeoMessage.Order(2, OPERATION));
        message(formats, "ORDER at once", new GeoMessage.Order(2, AT_ONCE));
        message(formats, "PAGE", new GeoMessage.Page(7, 49_152, true, Slice.utf8("page")));
        message(formats, "GOT", new GeoMessage.Got(7, 49_156));
        TreeMap<Long, Integer> reads = new TreeMap<>(Map.of(-2L, 300, 9L, 1));
        message(formats, "REPORT", new GeoMessage.Report(List.of(0, 90_000, 60_000_000), List.of(70_000, 1, 2), reads));
        message(formats, "CHANGE", new GeoMessage.Change(LAYOUT));
        message(formats, "READ", new GeoMessage.Read(-7, BODY));
        message(formats, "FOUND", new GeoMessage.Found(-7, BODY));
        message(formats, "FOUND nothing, to be ordered", new GeoMessage.Found(-7, null));
        message(formats, "OFFER", new GeoMessage.Offer(true, List.of("transfer/1", "transfer/2")));
        message(formats, "CALL that reads, again", new GeoMessage.Call(-7, true, true, 0, 0, 0, BODY));
        message(formats, "CALL that writes", new GeoMessage.Call(-7, false, false, -9, 300, 299, BODY));
        message(formats, "ANSWER", new GeoMessage.Answer(-7, BODY, null, ""));
        message(formats, "ANSWER that nobody knows", new GeoMessage.Answer(-7, null, null, ""));
        message(formats, "ANSWER refused", GeoMessage.Answer.refused(-7, GeoEvent.Reason.NO_PART, "why"));
        message(formats, "LOGS", new GeoMessage.Logs(-7, List.of(LOG, new LogPlace(0, 0, 0, List.of()))));
    }

    private static final LogPlace LOG = new LogPlace(-300, 300, 301, List.of(new Origin(7, 200)));

    private static void message(List<Format> formats, String name, GeoMessage message) {
        Function<BinReader, Object> read = in -> GeoMessage.read(message.type(), in, GROUPS);
        formats.add(format(message.type() + " " + name, VERSION, message.body(), message, read));
    }

    private static void entries(List<Format> formats) {
        entry(formats, "1 SET", new GroupEntry.Set(OPERATION));
        entry(formats, "1 SET of a MOVE", new GroupEntry.Set(operation(Operation.MOVE, MOVE)));
        entry(formats, "1 SET of a READ", new GroupEntry.Set(operation(Operation.READ, BODY)));
        entry(formats, "1 SET at once", new GroupEntry.Set(AT_ONCE));
        Operation read = new Operation(ID, 0b111, Operation.READ, 0, 0, 0, 299, 1, BODY);
        entry(formats, "1 SET at once of a READ", new GroupEntry.Set(read));
        entry(formats, "2 SYNC", new GroupEntry.Sync(ID, 301));
        entry(formats, "3 CUT", new GroupEntry.Cut(List.of(300L, 0L, 5L)));
        entry(formats, "4 CHANGE", new GroupEntry.Change(LAYOUT));
        List<GroupEntry.Mark> marks = List.of(new GroupEntry.Mark(-2, 300), new GroupEntry.Mark(7, 1));
        entry(formats, "5 ACKED", new GroupEntry.Acked(marks));
        entry(formats, "6 GONE", new GroupEntry.Gone(LAYOUT.replicas()));
    }

    private static Operation operation(int kind, Slice body) {
        return new Operation(ID, 0b111, kind, 0, 0, 0, 299, body);
    }

    private static void entry(List<Format> formats, String name, GroupEntry entry) {
        formats.add(format("entry " + name, VERSION, entry.encode(), entry, in -> {
            GroupEntry read = GroupEntry.read(in.raw(in.remaining()));
            if (read instanceof GroupEntry.Set set) {
                set.operation().check();
            }
            return read;
        }));
    }

    /** What a node has in its store. */
    private static final class Stored {
        private static final GeoGroups OF_THREE = ThreeGroups.of(ThreeGroups.NODES);

        private final TestTurn turn = new TestTurn();
        private final TreeMap<byte[], Slice> pairs = new TreeMap<>(Arrays::compareUnsigned);

        Stored() {
            GeoStore store = new GeoStore(OF_THREE);
            store.boot(turn.disk(), false, turn);
            store.promised(1, BALLOT, turn);
            store.base(1, 8, new Seats(5, -300, GoldenState.SEATS), turn);
            store.proposal(1, 9, new Proposal(BALLOT, new LogEntry(LogEntry.COMMAND, BODY)), turn);
            store.decided(1, 9, turn);
            store.piece(new StatePiece.Name(StatePiece.RESULT, -2, 9), BODY, turn);
            store.head(Slice.utf8("head"), turn);
            turn.completeStore();
            turn.disk().scanNow(new byte[] {5}, new byte[] {6}, (key, value) -> {
                pairs.put(key, value);
                return true;
            });
        }

        void addTo(List<Format> formats) {
            List<String> names = List.of("groups", "seat", "state", "promised", "decided", "base", "proposal", "piece");
            assertThat(pairs).hasSameSizeAs(names);
            int place = 0;
            for (Map.Entry<byte[], Slice> pair : pairs.entrySet()) {
                byte[] key = pair.getKey();
                Slice bytes = new BinWriter()
                        .bytes(Slice.of(key))
                        .bytes(pair.getValue())
                        .toSlice();
                formats.add(format("stored " + names.get(place++), STORE, bytes, boot(), in -> read(key, in)));
            }
        }

        /** What a boot finds if this pair stands in the place of that of its key. */
        private Object read(byte[] key, BinReader in) {
            byte[] place = in.bytes().toArray();
            if (!Arrays.equals(place, key)) {
                throw new MalformedException("a place in the store at which nothing was written");
            }
            Slice before = pairs.put(key, in.bytes());
            try {
                return boot();
            } catch (ConfigurationException | BrokenInvariantException e) {
                throw new MalformedException("it contradicts the rest of the store: " + e.getMessage());
            } finally {
                pairs.put(key, before);
            }
        }

        private GeoRecord boot() {
            GeoRecord found =
                    new GeoStore(OF_THREE).boot(new BootImage<>(pairs, Function.identity()), false, new TestTurn());
            return new GeoRecord(0, found.store(), found.head(), found.pieces(), found.logs());
        }
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        checkTypes(new GeoPaxosProtocol(
                ThreeGroups.of(ThreeGroups.NODES),
                () -> new OrderedMapService(List.of()),
                new HandMadePeers(NodeId.of("n1")),
                new CallerReads()));
    }

    /** What every message begins with; two nodes with other settings have another number. */
    @Test
    void whatIdentifiesTheGroupsIsThis() {
        assertThat(Fnv.hash(GeoStore.encode(ThreeGroups.of(ThreeGroups.NODES)))).isEqualTo(8_312_713_500_199_754_607L);
    }
}
