package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.FixedMembership;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.FrameHeader;
import io.georep.spi.EntryStore;
import io.georep.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nobody sends on a channel the other side did not announce. */
class AnnouncedChannelsTest {
    private static final NodeId B = NodeId.of("b");
    private static final NodeIdentity SELF = new NodeIdentity(NodeId.of("a"), 1, 1, 1, "a:1", "");
    private static final Map<Integer, String> NAMES =
            Map.of(1, "membership", 2, "obedient", 7, "obedient", 8, "obedient");
    private static final NodeIdentity OLD = hosting(1, Map.of(1, 1, 7, 2));
    private static final NodeIdentity UPGRADED = hosting(2, Map.of(1, 1, 7, 2, 8, 1));
    private static final NodeIdentity OTHER =
            OLD.withChannels(OLD.channels().named(Map.of(1, "membership", 7, "stubborn")));
    private static final NodeIdentity REPLACED = hosting(3, Map.of(1, 1, 2, 1));

    private final FixedMembership membership = new FixedMembership(SELF, Map.of(B, "b:1"));
    private final List<Integer> sent = new ArrayList<>();
    private final List<Object> told = new ArrayList<>();
    private final NodeLoop loop = new NodeLoop(
            new IdleStore(),
            StoreWatch.Limits.of(ProtocolConfig.defaults()),
            new Tapped(),
            Ticker.system(),
            new SplittableRandom(1),
            membership,
            List.of(new Obedient(7, 2), new Obedient(8, 1), new Obedient(2, 1)),
            told::addAll);

    private static NodeIdentity hosting(int boot, Map<Integer, Integer> versions) {
        return new NodeIdentity(
                B, boot, 1, boot, "b:1", "", Channels.of(versions).named(NAMES));
    }

    /** Does what its command says, and tells which version its peers speak when they can be reached. */
    private record Obedient(int channel, int version) implements HostedProtocol<Consumer<Turn>> {
        @Override
        public ProtocolId id() {
            return new ProtocolId(channel, "obedient", version);
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
        public void onPeerReachable(Peer peer, Turn turn) {
            turn.notify(peer.version(channel));
        }

        @Override
        public void onCommand(Consumer<Turn> command, Turn turn) {
            command.accept(turn);
        }
    }

    /** Notes the channels of all messages. */
    private final class Tapped extends IdleTransport {
        @Override
        public void send(Outgoing frame) {
            BinReader in = new BinReader(Slice.of(frame.frame()));
            FrameHeader.read(in);
            while (in.hasMore()) {
                sent.add(in.u8());
                in.u8();
                in.bytes();
            }
        }
    }

    @BeforeEach
    void boot() {
        loop.boot();
        turn(new Input.Durable(1));
    }

    private void turn(Input... inputs) {
        loop.turn(List.of(inputs));
    }

    /** All three protocols do this in one turn. */
    private void all(BiConsumer<Turn, Peer> work) {
        Consumer<Turn> command = turn -> work.accept(turn, membership.find(B));
        turn(new Input.Command(7, command), new Input.Command(8, command), new Input.Command(2, command));
    }

    private List<Integer> toldVersions() {
        List<Integer> versions = new ArrayList<>();
        for (Object event : told) {
            if (event instanceof ProtocolEvent version) {
                versions.add((Integer) version.event());
            }
        }
        told.clear();
        return versions;
    }

    @Test
    void whatThisNodeHostsIsPartOfItsIdentity() {
        assertThat(membership.self().channels())
                .hasToString("{1=2 membership, 2=1 obedient, 7=2 obedient, 8=1 obedient}");
    }

    @Test
    void messagesLeaveOnAnnouncedChannelsOnlyAndTheRestIsCounted() {
        turn(new Input.LinkUp(OLD));

        all((turn, peer) -> turn.send(peer, 1, Slice.EMPTY, false));

        assertThat(sent).containsExactly(7);
        assertThat(loop.wireCounts().withheld()).isEqualTo(2);
    }

    @Test
    void aProtocolOfAnotherNameIsNotSentThatOfTheSameNumber() {
        turn(new Input.LinkUp(OTHER));
        assertThat(told).contains(new FrameIntake.OtherProtocol(OTHER, 7, "stubborn", "obedient"));
        assertThat(toldVersions()).containsExactly(0, 0, 0);

        all((turn, peer) -> turn.send(peer, 1, Slice.EMPTY, false));

        assertThat(sent).isEmpty();
        assertThat(loop.wireCounts().withheld()).isEqualTo(3);
    }

    @Test
    void messagesThatWaitedForTheStoreAreJudgedWhenTheyLeave() {
        turn(new Input.LinkUp(UPGRADED));
        all((turn, peer) -> {
            turn.store().requireDurable();
            turn.sendWhenDurable(peer, 1, Slice.EMPTY, true);
        });
        assertThat(sent).isEmpty();

        turn(new Input.LinkDown(B, "restart"), new Input.LinkUp(OLD), new Input.Durable(2));

        assertThat(sent).containsExactly(7);
        assertThat(loop.wireCounts().withheld()).isEqualTo(2);
    }

    @Test
    void messagesOfATurnInWhichTheProcessChangesAreJudgedAtItsEnd() {
        turn(new Input.LinkUp(UPGRADED));
        Consumer<Turn> command = turn -> turn.send(membership.find(B), 1, Slice.EMPTY, false);

        turn(new Input.Command(8, command), new Input.LinkDown(B, "restart"), new Input.LinkUp(OLD));

        assertThat(sent).isEmpty();
        assertThat(loop.wireCounts().withheld()).isOne();
    }

    @Test
    void aReconnectToAnotherProcessChangesWhatIsSentAndTheProtocolsAreTold() {
        turn(new Input.LinkUp(OLD));
        assertThat(toldVersions()).containsExactly(2, 0, 0);

        turn(new Input.LinkDown(B, "restart"), new Input.LinkUp(UPGRADED));
        assertThat(toldVersions()).containsExactly(2, 1, 0);
        all((turn, peer) -> turn.send(peer, 1, Slice.EMPTY, false));
        assertThat(sent).containsExactly(7, 8);

        turn(new Input.LinkDown(B, "restart"), new Input.LinkUp(REPLACED));
        assertThat(toldVersions()).containsExactly(0, 0, 1);
        sent.clear();
        all((turn, peer) -> turn.send(peer, 1, Slice.EMPTY, false));
        assertThat(sent).containsExactly(2);
    }

    @Test
    void whoIsNotLinkedGetsNothingAndIsNotCounted() {
        all((turn, peer) -> turn.send(peer, 1, Slice.EMPTY, false));

        assertThat(sent).isEmpty();
        assertThat(loop.wireCounts().withheld()).isZero();
    }
}
