package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.LinkingTurn;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Links that protocols choose, and frames of strangers, beside the membership and its peers. */
class ChosenLinksTest {
    private static final int OUTBOX = 2;
    private static final int CHOOSER = 7;
    private static final int OTHER_CHOOSER = 8;
    private static final int LINKS = 3;
    private static final NodeId B = NodeId.of("b");
    private static final NodeIdentity STRANGER = new NodeIdentity(NodeId.of("s"), 1, 1, 5, "s:1", "")
            .withChannels(Channels.of(Map.of(1, 1, OUTBOX, 1, CHOOSER, 1, OTHER_CHOOSER, 1)));
    private static final NodeIdentity MEMBER = new NodeIdentity(B, 1, 1, 6, "b:1", "")
            .withChannels(Channels.of(Map.of(1, 1, OUTBOX, 1, CHOOSER, 1, OTHER_CHOOSER, 1)));

    private final List<String> asked = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private final List<Object> told = new ArrayList<>();
    private boolean opensLinks = true;
    private long now = 1_000_000_000L;
    private final Membership membership =
            new Membership(ProtocolConfig.defaults(), new LocalNode(NodeId.of("a"), "a:1", "", List.of()));
    private final NodeLoop loop = new NodeLoop(
            new Idle(),
            StoreWatch.Limits.of(ProtocolConfig.defaults()),
            new Asked(),
            new Ticker() {
                @Override
                public long nanos() {
                    return now;
                }

                @Override
                public long wallMillis() {
                    return now / 1_000_000;
                }
            },
            new SplittableRandom(1),
            membership,
            List.of(new Plain(OUTBOX), new Chooser(CHOOSER), new Chooser(OTHER_CHOOSER)),
            told::addAll);

    /** Notes what the loop asks of it. */
    private final class Asked implements Transport {
        @Override
        public String start(NodeIdentity self, Listener listener) {
            return self.address();
        }

        @Override
        public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
            asked.add("targets " + peers.keySet());
        }

        @Override
        public void send(Outgoing frame) {}

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            asked.add("refuse " + peer.id() + ": " + reason);
        }

        @Override
        public boolean opensLinks() {
            return opensLinks;
        }

        @Override
        public void openLink(long link, int channel, String address) {
            asked.add("open " + link + " " + channel + " " + address);
        }

        @Override
        public void closeLink(long link) {
            asked.add("close " + link);
        }

        @Override
        public void sendOver(long link, byte[] frame) {
            asked.add("send " + link + " " + frame.length);
        }

        @Override
        public void close() {}
    }

    private static final class Idle implements EntryStore {
        @Override
        public void scanNow(byte[] from, byte[] to, Visitor visitor) {}

        @Override
        public void start(Listener listener) {}

        @Override
        public void submit(StoreBatch batch) {}

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {}

        @Override
        public void close() {}
    }

    /** Does what its command says. */
    private class Plain implements HostedProtocol {
        final int channel;

        Plain(int channel) {
            this.channel = channel;
        }

        @Override
        public int channel() {
            return channel;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public boolean knows(int type) {
            return type < 10;
        }

        @Override
        public void boot(EntryStore store, Turn turn) {}

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn turn) {
            heard.add(channel + " message " + type + " of " + from.id());
        }

        @Override
        @SuppressWarnings("unchecked")
        public void onCommand(Object command, Turn turn) {
            ((Consumer<Turn>) command).accept(turn);
        }
    }

    private final class Chooser extends Plain implements LinkingProtocol {
        Chooser(int channel) {
            super(channel);
        }

        @Override
        public int linksMax() {
            return LINKS;
        }

        @Override
        public void onLinkUp(String address, NodeIdentity process, Turn turn) {
            heard.add(channel + " up " + address + " " + process.id());
        }

        @Override
        public void onLinkDown(String address, String reason, Turn turn) {
            heard.add(channel + " down " + address + ": " + reason);
        }

        @Override
        public void onStranger(NodeIdentity from, int type, BinReader body, Turn turn) {
            heard.add(channel + " stranger " + from.id() + " " + type + " " + body.text());
        }
    }

    @BeforeEach
    void boot() {
        loop.boot();
        turn(new Input.Durable(1));
        asked.clear();
        told.clear();
    }

    private void turn(Input... inputs) {
        loop.turn(List.of(inputs));
    }

    private void choose(int channel, Consumer<LinkingTurn> work) {
        Consumer<Turn> command = turn -> work.accept(LinkingTurn.of(turn));
        turn(new Input.Command(channel, command));
    }

    private static Input.StrangerFrame stranger(NodeIdentity from, int channel, int type, String text) {
        return new Input.StrangerFrame(
                from, channel, new BinWriter().u8(type).text(text).toArray());
    }

    @Test
    void aLinkIsOpenedOnceAndCarriesWhatIsSentOnTheProtocolsChannel() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.openLink("s:1");
        });
        turn(new Input.LinkOpened(1, STRANGER));
        choose(CHOOSER, turn -> {
            turn.send("s:1", 3, Slice.of(new byte[10]));
            turn.send("nobody:1", 3, Slice.of(new byte[10]));
            turn.closeLink("s:1");
            turn.send("s:1", 3, Slice.of(new byte[10]));
        });

        assertThat(asked).containsExactly("open 1 7 s:1", "send 1 11", "close 1");
        assertThat(heard).containsExactly("7 up s:1 s");
    }

    @Test
    void theLeastRecentlyUsedLinkIsClosedForOneMore() {
        choose(CHOOSER, turn -> {
            turn.openLink("one:1");
            turn.openLink("two:1");
            turn.openLink("three:1");
            turn.send("one:1", 1, Slice.EMPTY);
            turn.openLink("two:1");
        });
        asked.clear();

        choose(CHOOSER, turn -> turn.openLink("four:1"));
        assertThat(asked).as("three was used last before the others").containsExactly("open 4 7 four:1", "close 3");
        assertThat(heard).containsExactly("7 down three:1: made room for a link that is used more");
        choose(CHOOSER, turn -> turn.openLink("five:1"));
        choose(CHOOSER, turn -> turn.openLink("six:1"));

        assertThat(asked).endsWith("open 5 7 five:1", "close 1", "open 6 7 six:1", "close 2");
    }

    @Test
    void linksOfOthersAreNobodysRoom() {
        choose(OTHER_CHOOSER, turn -> turn.openLink("theirs:1"));
        membership.linkUp(MEMBER, null);
        asked.clear();

        choose(CHOOSER, turn -> {
            for (int i = 0; i < 10; i++) {
                turn.openLink("s:" + i);
            }
            turn.closeLink("theirs:1");
        });

        assertThat(asked).as("neither the other protocol's link nor targets").noneMatch(it -> it.equals("close 1"));
        assertThat(asked).noneMatch(it -> it.startsWith("targets"));
        assertThat(heard).allMatch(it -> it.startsWith("7 "));
    }

    @Test
    void lateNewsOfALinkThatIsClosedIsNobodys() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.closeLink("s:1");
            turn.openLink("s:1");
        });

        turn(new Input.LinkOpened(1, STRANGER), new Input.LinkEnded(1, "broken"));
        assertThat(heard).isEmpty();

        turn(new Input.LinkOpened(2, STRANGER), new Input.LinkEnded(2, "broken"), new Input.LinkEnded(2, "broken"));
        assertThat(heard).containsExactly("7 up s:1 s", "7 down s:1: broken");
        choose(CHOOSER, turn -> turn.openLink("s:1"));
        assertThat(asked).endsWith("open 3 7 s:1");
    }

    @Test
    void aNodeWithoutTheProtocolIsNoUse() {
        choose(CHOOSER, turn -> turn.openLink("s:1"));

        turn(new Input.LinkOpened(1, STRANGER.withChannels(Channels.of(Map.of(1, 1, OUTBOX, 1)))));

        assertThat(asked).endsWith("close 1");
        assertThat(heard).containsExactly("7 down s:1: node 's' does not host the protocol on channel 7");
    }

    @Test
    void aTransportWithoutSuchLinksSaysSo() {
        opensLinks = false;

        choose(CHOOSER, turn -> turn.openLink("s:1"));

        assertThat(asked).isEmpty();
        assertThat(heard)
                .containsExactly("7 down s:1: the transport of this node opens no links beyond the membership's");
    }

    @Test
    void aMessageThatIsTooLongIsRefusedWhereItIsSent() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.send("s:1", 1, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX]));
        });
        assertThat(asked).endsWith("send 1 " + (LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1));

        assertThatThrownBy(() -> choose(
                        CHOOSER,
                        turn -> turn.send("s:1", 1, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1]))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cut it up");
    }

    @Test
    void aStrangerIsHeardByTheProtocolItMeansAndStaysAStranger() {
        turn(stranger(STRANGER, CHOOSER, 3, "hello"));

        assertThat(heard).containsExactly("7 stranger s 3 hello");
        assertThat(membership.find(STRANGER.id())).isNull();
        assertThat(membership.strangers()).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void whatAStrangerSendsToTheOutboxOrTheMembershipIsCountedAndIgnored() {
        turn(
                stranger(STRANGER, OUTBOX, 3, "copy"),
                stranger(STRANGER, 1, 1, "hello"),
                stranger(STRANGER, 99, 3, "nobody"),
                new Input.StrangerFrame(STRANGER, OUTBOX, new byte[0]));

        assertThat(heard).isEmpty();
        assertThat(loop.wireCounts().ignored()).isEqualTo(4);
        assertThat(told).containsExactly(new FrameIntake.Ignored(STRANGER, OUTBOX, 3, 1, 0));
        assertThat(asked).as("nobody is refused").isEmpty();
        assertThat(membership.all()).isEmpty();
        assertThat(membership.strangers()).isEmpty();
    }

    @Test
    void aStrangersFrameIsNoSignOfLifeOfAPeer() {
        byte[] greeting = frame(1);
        turn(new Input.LinkUp(MEMBER), new Input.Frame(MEMBER, greeting));
        Peer peer = membership.find(B);
        assertThat(peer).isNotNull();
        PeerState before = peer.state();
        assertThat(before).isEqualTo(PeerState.ACTIVE);

        long silence = ProtocolConfig.defaults().suspectAfter().toNanos();
        for (int step = 0; step < 20 && peer.state() == before; step++) {
            now += silence / 10;
            turn(stranger(MEMBER, CHOOSER, 3, "still here"));
        }

        assertThat(peer.state()).isNotEqualTo(PeerState.ACTIVE);
        assertThat(heard).hasSizeGreaterThan(5);
    }

    private static byte[] frame(long number) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, number, 0, 0, true, true, 30_000).write(out);
        return out.toArray();
    }

    @Test
    void aStrangerWhoseMessageCannotBeReadIsRefused() {
        turn(new Input.StrangerFrame(STRANGER, CHOOSER, new byte[] {3, 99}));

        assertThat(asked).singleElement().asString().startsWith("refuse s: malformed frame over a link");
    }

    @Test
    void aStrangersMessageOfANewerKindIsLeftAside() {
        NodeIdentity newer = STRANGER.withChannels(Channels.of(Map.of(CHOOSER, 2)));
        turn(stranger(newer, CHOOSER, 200, "new"));

        assertThat(asked).isEmpty();
        assertThat(told).containsExactly(new FrameIntake.Ignored(newer, CHOOSER, 200, 2, 1));

        turn(stranger(STRANGER, CHOOSER, 200, "none of that"));
        assertThat(asked).singleElement().asString().contains("whose version 1 has none of that type");
    }

    @Test
    void onlyAProtocolThatChoosesLinksGetsThem() {
        Consumer<Turn> command = turn -> assertThat(turn).isNotInstanceOf(LinkingTurn.class);
        turn(new Input.Command(OUTBOX, command));
    }

    @Test
    void strangersHaveABoundedRoomAndTheRoomOfTheirProtocolsLane() {
        HandOff<Object> queue = new HandOff<>();
        List<Boolean> reading = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        DriverInbox inbox = new DriverInbox(queue, reading::add, () -> dropped.add("frame"));
        int frames = (int) (DriverInbox.STRANGERS_BYTES_MAX / (64 << 10));
        for (int i = 0; i < frames + 10; i++) {
            inbox.strangerFrame(STRANGER, CHOOSER, new byte[64 << 10]);
        }
        assertThat(dropped).hasSize(11);
        assertThat(reading).as("members are read on").isEmpty();

        List<Object> drained = new ArrayList<>();
        queue.drainTo(drained, 1000);
        InputLanes lanes = new InputLanes();
        drained.forEach(input -> lanes.add((Input) input));
        Input others = new Input.Command(OUTBOX, "put");
        lanes.add(others);
        List<Input> batch = new ArrayList<>();
        lanes.takeAtMost(64, batch);
        assertThat(batch).as("they do not stand before others").contains(others);

        inbox.taken(batch);
        inbox.strangerFrame(STRANGER, CHOOSER, new byte[64 << 10]);
        assertThat(dropped).as("there is room again").hasSize(11);
    }
}
