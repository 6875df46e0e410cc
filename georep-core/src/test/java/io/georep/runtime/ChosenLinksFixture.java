package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.LinkingTurn;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import io.georep.spi.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;

/** A loop with a real membership, two protocols that choose links and one that does not; a test says what happens to it. */
abstract class ChosenLinksFixture {
    static final int OUTBOX = 2;
    static final int CHOOSER = 7;
    static final int OTHER_CHOOSER = 8;
    static final int LINKS = 3;
    static final NodeId B = NodeId.of("b");
    static final NodeIdentity STRANGER = new NodeIdentity(NodeId.of("s"), 1, 1, 5, "s:1", "")
            .withChannels(hosting(Map.of(1, 1, OUTBOX, 1, CHOOSER, 1, OTHER_CHOOSER, 1)));
    static final NodeIdentity MEMBER = new NodeIdentity(B, 1, 1, 6, "b:1", "").withChannels(STRANGER.channels());

    final List<String> asked = new ArrayList<>();
    final List<String> heard = new ArrayList<>();
    final List<Object> told = new ArrayList<>();
    boolean opensLinks = true;

    /** Whether the transport has threads that must be awaited. */
    boolean hasThreads;

    long now = 1_000_000_000L;
    final Membership membership =
            new Membership(ProtocolConfig.defaults(), new LocalNode(NodeId.of("a"), "a:1", "", List.of()));
    final NodeLoop loop = new NodeLoop(
            new IdleStore(),
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

    static Channels hosting(Map<Integer, Integer> versions) {
        return Channels.of(versions)
                .named(Map.of(1, "membership", OUTBOX, "plain", CHOOSER, "plain", OTHER_CHOOSER, "plain"));
    }

    /** Notes what the loop asks of it. */
    private final class Asked extends IdleTransport {
        @Override
        public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
            asked.add("targets " + peers.keySet());
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            asked.add("refuse " + peer.id() + ": " + reason);
        }

        @Override
        public boolean opensLinks() {
            return opensLinks;
        }

        @Override
        public boolean goRound(long stamp) {
            asked.add("round " + stamp);
            return hasThreads;
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
    }

    /** Does what its command says. */
    private class Plain implements HostedProtocol<Object> {
        final int channel;

        Plain(int channel) {
            this.channel = channel;
        }

        @Override
        public ProtocolId id() {
            return new ProtocolId(channel, "plain", 1);
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

    private final class Chooser extends Plain implements LinkingProtocol<Object> {
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

    final void turn(Input... inputs) {
        loop.turn(List.of(inputs));
    }

    final void choose(int channel, Consumer<LinkingTurn> work) {
        Consumer<Turn> command = turn -> work.accept(LinkingTurn.of(turn));
        turn(new Input.Command(channel, command));
    }

    static Input.StrangerFrame stranger(NodeIdentity from, int channel, int type, String text) {
        return new Input.StrangerFrame(
                from, channel, new BinWriter().u8(type).text(text).toArray());
    }
}
