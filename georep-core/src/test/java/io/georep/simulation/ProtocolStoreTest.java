package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a protocol gets of a store that is slow, silent, broken, or lost with its process. */
class ProtocolStoreTest {
    private static final int STRONG = 8;
    private static final int WEAK = 9;

    private final World world = new World(1);
    private final SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
    private final List<Object> told = new ArrayList<>();
    private final SimulatedNode node = node();

    /** Does what its command says. */
    private record Obedient(int channel, Durability durability) implements HostedProtocol<Consumer<Turn>> {
        @Override
        public ProtocolId id() {
            return new ProtocolId(channel, "obedient", 1);
        }

        @Override
        public boolean knows(int type) {
            return true;
        }

        @Override
        public void boot(EntryStore store, Turn turn) {}

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

        @Override
        public void onCommand(Consumer<Turn> command, Turn turn) {
            command.accept(turn);
        }
    }

    private SimulatedNode node() {
        NodeId id = NodeId.of("n1");
        SimulatedNode made = new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(id, "n1:1", "", List.of()),
                ProtocolStoreTest::install,
                new SimulatedDisk.Speed(20_000, 400_000, 0),
                new Pace(20_000, 16),
                0);
        made.observer(new NodeObserver() {
            @Override
            public void events(SimulatedNode from, List<Object> events) {
                events.stream().filter(String.class::isInstance).forEach(told::add);
            }
        });
        made.start();
        world.run(World.SECONDS);
        return made;
    }

    private static NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        Membership membership = new Membership(
                ProtocolConfig.defaults(), new LocalNode(boot.id(), boot.address(), boot.site(), List.of()));
        return new NodeSoftware.Protocols(
                membership, List.of(new Obedient(STRONG, Durability.FSYNC), new Obedient(WEAK, Durability.OS)));
    }

    private void command(int channel, Consumer<Turn> work) {
        node.command(channel, work);
    }

    private static byte[] key(int channel, int number) {
        return new byte[] {(byte) channel, (byte) number};
    }

    private static void put(int channel, int number, String value, Turn turn) {
        turn.store().put(key(channel, number), Slice.utf8(value));
        turn.store().requireDurable();
    }

    private static void read(int channel, int number, Turn turn) {
        turn.read(key(channel, number), (value, later) -> later.notify(value == null ? "nothing" : text(value)));
    }

    private static String text(Slice value) {
        return new String(value.toArray(), StandardCharsets.UTF_8);
    }

    @Test
    void whatAWeakerProtocolWaitsForIsNotSynced() {
        long synced = node.disk().synced();

        command(WEAK, turn -> {
            put(WEAK, 1, "a", turn);
            turn.notifyWhenDurable("weak");
        });
        world.run(World.SECONDS);
        assertThat(told).containsExactly("weak");
        assertThat(node.disk().synced()).isEqualTo(synced);

        command(STRONG, turn -> put(STRONG, 1, "b", turn));
        world.run(World.SECONDS);
        assertThat(node.disk().synced())
                .as("with all before it")
                .isEqualTo(node.disk().submitted());
    }

    @Test
    void whatOnlyWaitsToBeWrittenIsNotSynced() {
        long synced = node.disk().synced();

        command(STRONG, turn -> {
            turn.store().put(key(STRONG, 1), Slice.utf8("a"));
            turn.notifyWhenWritten("written");
        });
        world.run(World.SECONDS);
        assertThat(told).containsExactly("written");
        assertThat(node.disk().synced()).isEqualTo(synced);
    }

    @Test
    void whateverWaitsForDurabilityIsSyncedWithoutFurtherWords() {
        List<Consumer<Turn>> waits = List.of(
                turn -> turn.notifyWhenDurable("durable"),
                turn -> turn.whenDurable(later -> later.notify("durable")),
                turn -> turn.sendWhenDurable(turn.ensurePeer(NodeId.of("n2")), 1, Slice.EMPTY, true));
        for (Consumer<Turn> wait : waits) {
            command(STRONG, turn -> {
                turn.store().put(key(STRONG, 1), Slice.utf8("a"));
                wait.accept(turn);
            });
            world.run(World.SECONDS);

            assertThat(node.disk().synced()).isEqualTo(node.disk().submitted());
        }
        assertThat(told).containsExactly("durable", "durable");
    }

    @Test
    void whatAStrongerProtocolWaitsForIsSyncedWhoeverElseWrites() {
        command(STRONG, turn -> {
            put(STRONG, 1, "a", turn);
            turn.notifyWhenDurable("strong");
        });
        command(WEAK, turn -> put(WEAK, 1, "b", turn));
        world.runUntil(() -> !told.isEmpty(), World.SECONDS);

        assertThat(node.disk().synced()).isEqualTo(node.disk().submitted());
    }

    @Test
    void aReadSeesWhatTheProtocolWroteBeforeAndNothingLater() {
        command(WEAK, turn -> {
            read(WEAK, 1, turn);
            put(WEAK, 1, "first", turn);
            read(WEAK, 1, turn);
        });
        command(WEAK, turn -> read(WEAK, 1, turn));
        world.run(World.SECONDS);
        command(WEAK, turn -> {
            read(WEAK, 1, turn);
            turn.whenDurable(later -> put(WEAK, 1, "second", later));
        });
        world.run(World.SECONDS);
        command(WEAK, turn -> read(WEAK, 1, turn));
        world.run(World.SECONDS);

        assertThat(told).containsExactly("first", "first", "first", "first", "second");
    }

    @Test
    void aReadOfARangeGoesOnWhereItWasCut() {
        command(WEAK, turn -> {
            for (int number = 1; number <= 7; number++) {
                put(WEAK, number, "v" + number, turn);
            }
            put(WEAK, 9, "behind the end", turn);
        });
        command(WEAK, turn -> readOn(key(WEAK, 0), turn));
        world.run(World.SECONDS);

        assertThat(told).containsExactly("v1 v2 v3", "v4 v5 v6", "v7");
    }

    private static void readOn(byte[] from, Turn turn) {
        turn.read(from, key(WEAK, 9), 3, 1000, (pairs, more, later) -> {
            later.notify(String.join(
                    " ", pairs.stream().map(pair -> text(pair.value())).toList()));
            if (more) {
                readOn(pairs.get(pairs.size() - 1).keyAfter(), later);
            }
        });
    }

    @Test
    void aReadWaitsForADiskThatHangs() {
        command(WEAK, turn -> put(WEAK, 1, "a", turn));
        world.run(World.SECONDS);
        node.disk().hang(false, true);

        command(WEAK, turn -> read(WEAK, 1, turn));
        world.run(World.SECONDS);
        assertThat(told).isEmpty();

        node.disk().hang(false, false);
        world.run(World.SECONDS);
        assertThat(told).containsExactly("a");
    }

    @Test
    void aReadIsNotAnsweredToTheNextProcess() {
        command(WEAK, turn -> put(WEAK, 1, "a", turn));
        world.run(World.SECONDS);
        command(WEAK, turn -> read(WEAK, 1, turn));
        world.runUntil(() -> false, 20_000);
        node.crash();
        node.start();
        world.run(World.SECONDS);

        assertThat(told).isEmpty();
    }

    @Test
    void aReadThatFailsEndsTheNode() {
        command(WEAK, turn -> read(WEAK, 1, turn));
        node.disk().breakDown();
        world.run(World.SECONDS);

        assertThat(told).isEmpty();
        assertThat(node.isRunning()).isFalse();
        assertThat(node.failure()).isNotNull();
    }
}
