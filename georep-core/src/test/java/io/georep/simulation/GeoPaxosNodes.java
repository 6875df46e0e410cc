package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.GeoPaxosProtocol;
import io.georep.geopaxos.core.ThreeGroups;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** GeoPaxos+ with ordered maps on nodes: three nodes, three groups of all of them, each at home with another one. */
abstract class GeoPaxosNodes {
    static final int ALL = 0b111;

    /** The object that everything is in at first. */
    static final long FIRST_LEAF = 1;

    final Guest guest = new Guest(membership -> List.of(protocol(membership))) {
        @Override
        public void sent(SimulatedNode from, NodeId to, int channel, int type, Slice body) {
            if (channel == GeoPaxosProtocol.CHANNEL) {
                sees.accept(to, type);
                longest = Math.max(longest, body.length());
                pages += type == GeoAudit.PAGE ? 1 : 0;
            }
        }
    };
    /** Sees who is sent which type of message. */
    BiConsumer<NodeId, Integer> sees = (to, type) -> {};

    final SimulatedCluster cluster = cluster();
    int tokens;
    int longest;
    int pages;

    /** Planted from the next boot on. */
    String error;

    GeoPaxosProtocol protocol(Peers peers) {
        Supplier<OrderedMapService> map = () -> new OrderedMapService(List.of());
        GeoGroups groups = ThreeGroups.of(ThreeGroups.NODES);
        return error == null
                ? new GeoPaxosProtocol(groups, map, peers, new CallerReads())
                : GeoAudit.planted(error, groups, map, peers);
    }

    /** How many there are; more than three have no part. */
    int nodes() {
        return 3;
    }

    SimulatedCluster cluster() {
        SimulationOptions options = new SimulationOptions(1);
        options.nodes = nodes();
        options.wings = unused -> List.of(guest);
        return new SimulatedCluster(options).start().pass(4);
    }

    GeoPaxosProtocol at(int node) {
        return Machines.protocol(cluster.node(node), GeoPaxosProtocol.class);
    }

    static Slice bytes(String text) {
        return Slice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static Slice put(String key, String value) {
        return MapOperation.encode(new MapOperation.Put(new MapEntry(bytes(key), bytes(value), 0), Guard.NONE));
    }

    static Slice get(String key) {
        return MapOperation.encode(new MapOperation.Get(bytes(key)));
    }

    String command(int node, GeoCommand command) {
        cluster.node(node).command(GeoPaxosProtocol.CHANNEL, command);
        return (String) command.token();
    }

    String token() {
        return "call " + ++tokens;
    }

    String submit(int node, long client, long sequence, Slice operation) {
        return command(node, new GeoCommand.Submit(token(), client, sequence, 0, operation));
    }

    Stream<GeoEvent.Answered> answers(String token) {
        return guest.told.stream()
                .filter(GeoEvent.Answered.class::isInstance)
                .map(GeoEvent.Answered.class::cast)
                .filter(each -> each.token().equals(token));
    }

    boolean isAnswered(String token) {
        return answers(token).findAny().isPresent();
    }

    MapResult result(String token) {
        cluster.world().runUntil(() -> isAnswered(token), 20 * World.SECONDS);
        return MapResult.decode(answers(token).findAny().orElseThrow().result());
    }

    String read(int node, String key) {
        MapResult read = result(command(node, new GeoCommand.Read(token(), get(key))));
        Slice value = ((MapResult.Value) read).value();
        return value == null ? null : new String(value.toArray(), StandardCharsets.UTF_8);
    }

    void refused(String token, String why) {
        cluster.pass(1);
        assertThat(guest.told)
                .anySatisfy(event -> assertThat(event).isInstanceOfSatisfying(GeoEvent.Refused.class, it -> {
                    assertThat(it.token()).isEqualTo(token);
                    assertThat(it.why()).contains(why);
                }));
    }

    void statesAreEqual() {
        for (int node = 2; node <= 3; node++) {
            assertThat(GeoAudit.state(at(node))).as("n%d", node).isEqualTo(GeoAudit.state(at(1)));
        }
    }

    void restart(int node, SimulatedDisk.Image image, boolean becomesOther) {
        cluster.node(node).crash();
        if (becomesOther) {
            cluster.replaceStore(cluster.node(node), image);
        }
        cluster.node(node).start();
    }
}
