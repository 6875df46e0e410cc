package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.TestTurn;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a message may break: its link, or the node that had begun to act on it. */
class FrameIntakeTest {
    private static final NodeIdentity PEER = new NodeIdentity(NodeId.of("b"), 1, 1, 77, "b:1", "west");
    private static final int CHANNEL = 9;
    private static final int VERSION = 2;

    private final TestTurn turn = new TestTurn();
    private final Faulty faulty = new Faulty();
    private final Membership membership =
            new Membership(ProtocolConfig.defaults(), new LocalNode(NodeId.of("a"), "a:1", "", List.of()));
    private long effects;
    private final WireCounts counts = new WireCounts();
    private final List<FrameIntake.Ignored> ignored = new ArrayList<>();
    private final FrameIntake intake = new FrameIntake(
            membership, List.of(faulty), channel -> turn, () -> {}, () -> effects, counts, ignored::add);

    /** Does what the type of a message says. */
    private final class Faulty implements HostedProtocol<Object> {
        static final int FINE = 1;
        static final int FAILS_IN_READING = 2;
        static final int FAILS_IN_ACTING = 3;
        static final int MALFORMED = 4;
        static final int BREAKS = 5;

        final List<Integer> handled = new ArrayList<>();

        @Override
        public ProtocolId id() {
            return new ProtocolId(CHANNEL, "faulty", VERSION);
        }

        @Override
        public boolean knows(int type) {
            return type >= FINE && type <= BREAKS;
        }

        @Override
        public void boot(EntryStore store, Turn aTurn) {}

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn aTurn) {
            switch (type) {
                case FAILS_IN_READING -> throw new ArithmeticException("for the test");
                case FAILS_IN_ACTING -> {
                    effects++;
                    throw new IllegalArgumentException("for the test");
                }
                case BREAKS -> throw new BrokenInvariantException("for the test");
                case MALFORMED -> throw new MalformedException("for the test");
                default -> handled.add(type);
            }
        }
    }

    @BeforeEach
    void boot() {
        membership.boot(turn.disk(), turn);
    }

    private FrameIntake.Refused take(int... types) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, 1, 0, 0, false, true, 30_000).write(out);
        for (int type : types) {
            out.u8(CHANNEL).u8(type).bytes(Slice.EMPTY);
        }
        return intake.take(new Input.Frame(PEER, out.toArray()));
    }

    @Test
    void aMessageThatCannotBeReadCostsItsLinkAndNotTheNode() {
        FrameIntake.Refused refused = take(Faulty.FINE, Faulty.FAILS_IN_READING, Faulty.FINE);

        assertThat(refused.from()).isEqualTo(PEER);
        assertThat(refused.reason()).contains("type 2", "channel 9", "for the test");
        assertThat(refused.fault()).isInstanceOf(ArithmeticException.class);
        assertThat(faulty.handled).as("nothing after it is read").hasSize(1);
        assertThat(take(Faulty.FINE)).isNull();
    }

    @Test
    void aMessageThatWasActedOnEndsTheNodeByName() {
        assertThatThrownBy(() -> take(Faulty.FAILS_IN_ACTING))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("b at b:1")
                .hasMessageContaining("type 3")
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    /** Found out before anything was done for the message, which is as innocent as its sender. */
    @Test
    void aBrokenInvariantIsNoPeersFault() {
        assertThatThrownBy(() -> take(Faulty.BREAKS)).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void aMalformedMessageIsRefusedWithWhatIsWrong() {
        FrameIntake.Refused refused = take(Faulty.MALFORMED);

        assertThat(refused.reason()).isEqualTo("malformed frame: for the test");
        assertThat(refused.fault()).isNull();
    }

    /** As a later release may send them. */
    private static final NodeIdentity NEWER =
            PEER.withChannels(Channels.of(Map.of(1, 3, 2, 7, CHANNEL, VERSION + 1, 30, 1))
                    .named(Map.of(1, "membership", 2, "outbox", CHANNEL, "faulty", 30, "later")));

    private static BinWriter frame() {
        BinWriter out = new BinWriter();
        new FrameHeader(1, 1, 0, 0, false, true, 30_000).write(out);
        return out;
    }

    @Test
    void messagesOfChannelsNobodyHostsAreLeftAsideAndTheirNeighboursHandled() {
        BinWriter out = frame();
        out.u8(CHANNEL).u8(Faulty.FINE).bytes(Slice.EMPTY);
        out.u8(30).u8(1).bytes(Slice.of(new byte[100]));
        out.u8(0).u8(0).bytes(Slice.EMPTY);
        out.u8(CHANNEL).u8(Faulty.FINE).bytes(Slice.EMPTY);

        assertThat(intake.take(new Input.Frame(NEWER, out.toArray()))).isNull();
        assertThat(intake.take(new Input.Frame(PEER, out.toArray())))
                .as("although it did not announce them")
                .isNull();

        assertThat(faulty.handled).hasSize(4);
        assertThat(counts.ignored()).isEqualTo(4);
        assertThat(ignored).as("once of each process").containsExactly(new FrameIntake.Ignored(NEWER, 30, 1, 1, 0));
    }

    @Test
    void messagesOfANewerVersionAreLeftAsideAndTheirNeighboursHandled() {
        BinWriter out = frame();
        out.u8(CHANNEL).u8(200).bytes(Slice.of(new byte[3]));
        out.u8(CHANNEL).u8(Faulty.FINE).bytes(Slice.EMPTY);
        out.u8(1).u8(99).bytes(Slice.EMPTY);
        out.u8(CHANNEL).u8(Faulty.FINE).bytes(Slice.EMPTY);

        assertThat(intake.take(new Input.Frame(NEWER, out.toArray()))).isNull();

        assertThat(faulty.handled).hasSize(2);
        assertThat(counts.ignored()).isEqualTo(2);
        assertThat(ignored).containsExactly(new FrameIntake.Ignored(NEWER, CHANNEL, 200, VERSION + 1, VERSION));
    }

    @Test
    void whoSpeaksTheSameVersionIsRefusedForATypeThatItDoesNotHave() {
        NodeIdentity same = PEER.withChannels(
                Channels.of(Map.of(1, 1, CHANNEL, VERSION)).named(Map.of(1, "membership", CHANNEL, "faulty")));
        BinWriter out = frame();
        out.u8(CHANNEL).u8(200).bytes(Slice.EMPTY);
        out.u8(CHANNEL).u8(Faulty.FINE).bytes(Slice.EMPTY);

        FrameIntake.Refused refused = intake.take(new Input.Frame(same, out.toArray()));

        assertThat(refused.reason()).contains("type 200", "channel " + CHANNEL, "version " + VERSION);
        assertThat(faulty.handled).isEmpty();
        assertThat(counts.ignored()).isZero();
    }

    /** It sends none, unless it has not heard yet of this process. */
    @Test
    void messagesOfAnotherProtocolWithTheSameNumberAreLeftAside() {
        NodeIdentity other =
                PEER.withChannels(Channels.of(Map.of(1, 1, CHANNEL, VERSION)).named(Map.of(CHANNEL, "another")));
        BinWriter out = frame();
        out.u8(CHANNEL).u8(Faulty.MALFORMED).bytes(Slice.EMPTY);
        out.u8(CHANNEL).u8(200).bytes(Slice.EMPTY);

        assertThat(intake.take(new Input.Frame(other, out.toArray()))).isNull();

        assertThat(counts.ignored()).isEqualTo(2);
        assertThat(ignored).containsExactly(new FrameIntake.Ignored(other, CHANNEL, Faulty.MALFORMED, VERSION, 0));
    }

    @Test
    void aMessageThatIsLeftAsideMustStillEndInItsFrame() {
        BinWriter out = frame();
        out.u8(30).u8(1).varint(5).u8(0);

        assertThat(intake.take(new Input.Frame(NEWER, out.toArray())).reason()).startsWith("malformed frame");
    }

    @Test
    void theNextProcessOfAPeerIsReportedAnew() {
        BinWriter out = frame();
        out.u8(30).u8(1).bytes(Slice.EMPTY);
        NodeIdentity next = new NodeIdentity(PEER.id(), 2, 1, 78, PEER.address(), PEER.site(), NEWER.channels());

        intake.take(new Input.Frame(NEWER, out.toArray()));
        intake.take(new Input.Frame(next, out.toArray()));
        intake.take(new Input.Frame(next, out.toArray()));

        assertThat(ignored).extracting(FrameIntake.Ignored::from).containsExactly(NEWER, next);
    }

    @Test
    void whatIsHostedIsAnnounced() {
        assertThat(intake.hosted()).hasToString("{1=2 membership, 9=2 faulty}");
    }

    /** Random bodies for every type of membership message: the list survives, or the peer is refused. */
    @Test
    void randomMembershipMessagesDoNotEndTheNode() {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] body = new byte[random.nextInt(40)];
            random.nextBytes(body);
            BinWriter out = new BinWriter();
            new FrameHeader(1, i + 1, 0, 0, false, true, 30_000).write(out);
            out.u8(membership.channel()).u8(random.nextInt(10)).bytes(new Slice(body, 0, body.length));

            FrameIntake.Refused refused = intake.take(new Input.Frame(PEER, out.toArray()));

            if (refused != null) {
                assertThat(refused.fault()).isNull();
            }
            membership.endOfTurn(turn);
        }
    }
}
