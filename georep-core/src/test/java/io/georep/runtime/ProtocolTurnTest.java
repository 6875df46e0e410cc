package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.FixedMembership;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.protocol.membership.MembershipTurn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What one protocol does in a turn stays on its own channel. */
class ProtocolTurnTest {
    private static final NodeIdentity SELF = new NodeIdentity(NodeId.of("a"), 1, 1, 1, "a:1", "");

    private final List<Object> told = new ArrayList<>();
    private final Recorded store = new Recorded();
    private final NodeLoop loop = loop(new FixedMembership(SELF, Map.of()));

    private NodeLoop loop(MembershipProtocol membership) {
        return new NodeLoop(
                store,
                StoreWatch.Limits.of(ProtocolConfig.defaults()),
                new Nowhere(),
                Ticker.system(),
                new SplittableRandom(1),
                membership,
                List.of(new Obedient(7, Durability.FSYNC), new Obedient(8, Durability.OS)),
                told::addAll);
    }

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
        public void boot(EntryStore store, Turn turn) {
            turn.store().put(key(channel), Slice.EMPTY);
        }

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

        @Override
        public void onCommand(Consumer<Turn> command, Turn turn) {
            command.accept(turn);
        }
    }

    private static final class Recorded extends IdleStore {
        private final List<Scan> scans = new ArrayList<>();

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
            scans.add(new Scan(token, from, to, pairsMax, bytesMax));
        }
    }

    private record Scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {}

    private static final class Nowhere extends IdleTransport {}

    private void command(int channel, Consumer<Turn> work) {
        loop.turn(List.of(new Input.Command(channel, work)));
    }

    private static byte[] key(int first) {
        return new byte[] {(byte) first, 1};
    }

    @Test
    void eventsCarryTheChannelOfWhoTells() {
        loop.turn(List.of(
                new Input.Command(7, (Consumer<Turn>) turn -> turn.notify("seven")),
                new Input.Command(8, (Consumer<Turn>) turn -> turn.notify("eight"))));

        assertThat(told).containsExactly(new ProtocolEvent(7, "seven"), new ProtocolEvent(8, "eight"));
    }

    @Test
    void workThatWaitedForTheStoreIsStillOfItsProtocol() {
        command(
                7,
                turn -> turn.whenDurable(later -> {
                    later.notify("later");
                    later.store().put(key(7), Slice.EMPTY);
                }));

        loop.turn(List.of(new Input.Durable(1)));

        assertThat(told).containsExactly(new ProtocolEvent(7, "later"));
        assertThat(store.batches).hasSize(2);
    }

    @Test
    void keysOfOthersCannotBeChanged() {
        command(7, turn -> {
            turn.store().put(key(7), Slice.EMPTY);
            turn.store().deleteRange(key(7), new byte[] {7, 9});
        });

        assertThatThrownBy(() -> command(7, turn -> turn.store().put(key(8), Slice.EMPTY)))
                .hasMessageContaining("begins with 8")
                .hasMessageContaining("begin with 7");
        assertThatThrownBy(() -> command(7, turn -> turn.store().delete(new byte[0])))
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> command(8, turn -> turn.store().deleteOnce(key(7))))
                .hasMessageContaining("begins with 7");
        assertThatThrownBy(() -> command(8, turn -> turn.store().deleteRange(key(8), key(9))))
                .as("its end, which is not deleted, could be written otherwise")
                .hasMessageContaining("begins with 9");
    }

    @Test
    void keysOfOthersCannotBeRead() {
        Turn.Scanned nobody = (pairs, more, turn) -> {};

        assertThatThrownBy(() -> command(7, turn -> turn.read(key(8), key(8), 1, 1, nobody)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("begins with 8")
                .hasMessageContaining("begin with 7");
        assertThatThrownBy(() -> command(7, turn -> turn.read(key(7), key(8), 1, 1, nobody)))
                .hasMessageContaining("begins with 8");
        assertThatThrownBy(() -> command(7, turn -> turn.read(new byte[0], key(7), 1, 1, nobody)))
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> command(8, turn -> turn.read(key(7), (value, later) -> {})))
                .hasMessageContaining("begins with 7");
        assertThat(store.scans).isEmpty();
    }

    @Test
    void oneAnswerToAReadIsBoundedWhateverIsAskedFor() {
        command(7, turn -> turn.read(key(7), key(7), Integer.MAX_VALUE, Long.MAX_VALUE, (pairs, more, later) -> {}));
        command(7, turn -> turn.read(key(7), key(7), 3, 5, (pairs, more, later) -> {}));

        assertThat(store.scans.get(0).pairsMax).isEqualTo(Turn.READ_PAIRS_MAX);
        assertThat(store.scans.get(0).bytesMax).isEqualTo(Turn.READ_BYTES_MAX);
        assertThat(store.scans.get(1).pairsMax).isEqualTo(3);
        assertThat(store.scans.get(1).bytesMax).isEqualTo(5);
    }

    @Test
    void aReadOfOneKeyFindsThatKeyOnly() {
        command(7, turn -> {
            turn.read(key(7), (value, later) -> later.notify(String.valueOf(value)));
            turn.read(key(7), (value, later) -> later.notify(String.valueOf(value)));
        });
        Scan asked = store.scans.get(0);
        assertThat(asked.from).isEqualTo(key(7));
        assertThat(asked.to).as("nothing else lies between").isEqualTo(new byte[] {7, 1, 0});

        loop.turn(List.of(
                new Input.Scanned(asked.token, List.of(new EntryStore.Pair(key(7), Slice.EMPTY)), false),
                new Input.Scanned(store.scans.get(1).token, List.of(), false)));

        assertThat(told)
                .containsExactly(new ProtocolEvent(7, String.valueOf(Slice.EMPTY)), new ProtocolEvent(7, "null"));
    }

    @Test
    void aBatchIsAsDurableAsTheStrongestInItAsksFor() {
        command(8, turn -> turn.store().requireDurable());
        loop.turn(List.of(durable(8), durable(7)));
        loop.turn(List.of(durable(7), durable(8)));
        command(7, turn -> turn.store().put(key(7), Slice.EMPTY));

        assertThat(store.batches)
                .extracting(StoreBatch::required)
                .containsExactly(Durability.OS, Durability.FSYNC, Durability.FSYNC, Durability.MEMORY);
    }

    private static Input durable(int channel) {
        return new Input.Command(channel, (Consumer<Turn>) turn -> turn.store().requireDurable());
    }

    @Test
    void aBootIsDurableEvenIfTheLastProtocolWantsLess() {
        loop.boot();

        assertThat(store.batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch.required()).isEqualTo(Durability.FSYNC));
    }

    @Test
    void onlyTheMembershipDecidesAboutLinks() {
        command(7, turn -> assertThat(turn).isNotInstanceOf(MembershipTurn.class));
    }

    @Test
    void aNameThatAProtocolBringsIsNewsOfTheMembership() {
        NodeLoop real = loop(
                new Membership(ProtocolConfig.defaults(), new LocalNode(SELF.id(), SELF.address(), "", List.of())));
        real.boot();
        told.clear();

        real.turn(List.of(
                new Input.Command(7, (Consumer<Turn>) turn -> turn.ensurePeer(NodeId.of("owner-of-an-old-entry")))));

        assertThat(told)
                .containsExactly(new ProtocolEvent(
                        MembershipProtocol.CHANNEL,
                        new MembershipEvent.StateChanged(
                                NodeId.of("owner-of-an-old-entry"), "", null, PeerState.PROSPECT)));
    }
}
