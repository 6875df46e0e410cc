package io.georep.geopaxos.core;

import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Planted;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.Slice;
import io.georep.protocol.Peers;
import io.georep.simulation.Machines;
import io.georep.simulation.SimulatedNode;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A look into the core of GeoPaxos+, for checks. */
public final class GeoAudit {
    /** Type of the messages that are parts of a state. */
    public static final int PAGE = GeoMessage.PAGE;

    /** Type of a call in another node's name. */
    public static final int CALL = GeoMessage.CALL;

    private GeoAudit() {}

    /** How many keys a node holds. */
    public static long entries(GeoPaxosProtocol protocol) {
        return protocol.node().executor().service().entries();
    }

    /** How many requests are not answered: those of the node, and of others that it makes them for. */
    public static int open(GeoPaxosProtocol protocol) {
        return protocol.open().size();
    }

    /** A protocol with one of the {@link Planted} errors. */
    public static GeoPaxosProtocol planted(
            String error, GeoGroups groups, Supplier<? extends Service> services, Peers peers) {
        return new GeoPaxosProtocol(
                groups,
                services,
                peers,
                new CallerReads(),
                Planted.valueOf(error).rules,
                () -> GeoPaxosProtocol.NOBODY);
    }

    /** Whether it leads a group. */
    public static boolean leads(GeoPaxosProtocol protocol, int group) {
        return protocol.node().log(group).leads();
    }

    /** Whether it has the vote of its node in a group. */
    public static boolean hasSeat(GeoPaxosProtocol protocol, int group) {
        return protocol.node().log(group).seats().list().contains(protocol.seat());
    }

    /** What tells its store apart. */
    public static long store(GeoPaxosProtocol protocol) {
        return protocol.seat().store();
    }

    /** Up to which slot it knows a group's log to be decided. */
    public static long decided(GeoPaxosProtocol protocol, int group) {
        return protocol.node().log(group).decided();
    }

    /** Up to which slot it has forgotten a group's log. */
    public static long base(GeoPaxosProtocol protocol, int group) {
        return protocol.node().log(group).base();
    }

    /** Up to which slots it has executed. */
    public static List<Long> slots(GeoPaxosProtocol protocol) {
        return protocol.node().executor().slots();
    }

    /** What a thread of the node reads of a key by its lease, as the answer to a {@link MapOperation.Get}; null if it may not. */
    public static @Nullable Slice read(SimulatedNode node, Slice key) {
        byte[] begin = Arrays.copyOf(key.toArray(), Math.min(1, key.length()));
        byte[] rest = Arrays.copyOfRange(key.toArray(), begin.length, key.length());
        CallerReads.Part part = Machines.protocol(node, GeoPaxosProtocol.class)
                .reads()
                .part(begin, rest, node.clock()::nanos, node.clock()::wallMillis);
        byte[] value = part == null ? null : part.value(begin, rest);
        return part == null ? null : MapResult.encode(new MapResult.Value(value == null ? null : Slice.of(value)));
    }

    /** All that it has executed. */
    public static Slice state(GeoPaxosProtocol protocol) {
        return state(protocol.node().executor().service());
    }

    /** All objects of a service. */
    public static Slice state(Service service) {
        BinWriter out = new BinWriter();
        service.contents().forEachRemaining(each -> out.i64(each.object()).bytes(each.bytes()));
        return out.toSlice();
    }

    /** A service takes the state of another one. */
    public static void copy(Service from, Service to) {
        Service.Loading loading = to.load();
        from.contents().forEachRemaining(each -> loading.add(each.object(), each.bytes()));
        loading.finish();
    }

    /** How far the logs were processed. */
    static void writeGroupStates(Executor executor, BinWriter out) {
        for (int group = 0; group < executor.count(); group++) {
            executor.groupState(group).write(out);
        }
    }

    /** All that belongs to the state of a node. */
    static Slice state(Executor executor) {
        BinWriter out = new BinWriter();
        writeGroupStates(executor, out);
        executor.pieces().forEachRemaining(each -> each.write(out));
        return out.toSlice();
    }

    /** Which groups order operations on an object. */
    public static int groupsOf(GeoPaxosProtocol protocol, long object) {
        return protocol.node().groupsOf(object);
    }

    /** How many entries lie between two snapshots. */
    public static void snapshotEvery(GeoPaxosProtocol protocol, int entries) {
        protocol.node().rules().snapshotEvery = entries;
    }

    /** How many clients, results and runs of numbers it remembers. */
    public static int remembered(GeoPaxosProtocol protocol) {
        return protocol.node().executor().table().pieces().size();
    }
}
