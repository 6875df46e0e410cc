package io.georep.rumour;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.LinkingTurn;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The smallest epidemic: every node tells all it has heard to a few nodes of its own choice, which need not be its peers, and
 * changes them now and then.
 */
public final class RumourProtocol implements LinkingProtocol<RumourProtocol.Command> {
    /** What the application asks. */
    public sealed interface Command {}

    /** What it is told. */
    public sealed interface Event {}

    /** Command: there is somebody at this address. */
    public record Meet(String address) implements Command {}

    /** Command: something new. */
    public record Tell(String rumour) implements Command {}

    /** Command: what is known here, answered with the token. */
    public record Read(Object token) implements Command {}

    /** Answer to {@link Read}. */
    public record Known(Object token, View view) implements Event {}

    /** What a node has heard, whom it has met, and where its links lead. */
    public record View(Set<String> rumours, Set<String> met, Set<String> up, List<String> down) {}

    /** Most links at a time. */
    public static final int LINKS = 2;

    private static final int GOSSIP = 1;
    private static final long ROUND_NANOS = 50_000_000L;
    private static final int LOG_MAX = 1000;

    private final int channel;
    private final Peers peers;
    private final TreeSet<String> rumours = new TreeSet<>();
    private final TreeSet<String> met = new TreeSet<>();
    private final TreeSet<String> up = new TreeSet<>();
    private final List<String> down = new ArrayList<>();
    private final long roundNanos;
    private long roundAt = Long.MAX_VALUE;

    /** On this channel. */
    public RumourProtocol(int channel, Peers peers) {
        this(channel, peers, ROUND_NANOS);
    }

    /** With another time from one round to the next. */
    public RumourProtocol(int channel, Peers peers, long roundNanos) {
        this.channel = channel;
        this.peers = peers;
        this.roundNanos = roundNanos;
    }

    /** What is known here. */
    public View view() {
        return new View(Set.copyOf(rumours), Set.copyOf(met), Set.copyOf(up), List.copyOf(down));
    }

    /** How many links there are. */
    int links() {
        return up.size();
    }

    @Override
    public int linksMax() {
        return LINKS;
    }

    @Override
    public ProtocolId id() {
        return new ProtocolId(channel, "rumours", 1);
    }

    @Override
    public boolean knows(int type) {
        return type == GOSSIP;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        roundAt = turn.now() + roundNanos;
    }

    @Override
    public void onCommand(Command command, Turn turn) {
        if (command instanceof Meet meet) {
            met.add(meet.address);
        } else if (command instanceof Tell tell) {
            rumours.add(tell.rumour);
        } else if (command instanceof Read read) {
            turn.notify(new Known(read.token, view()));
        }
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        throw new IllegalStateException("nothing is sent to peers");
    }

    @Override
    public void onLinkUp(String address, NodeIdentity process, Turn turn) {
        up.add(address);
        LinkingTurn.of(turn).send(address, GOSSIP, gossip());
    }

    @Override
    public void onLinkDown(String address, String reason, Turn turn) {
        up.remove(address);
        if (down.size() < LOG_MAX) {
            down.add(address + ": " + reason);
        }
    }

    @Override
    public void onStranger(NodeIdentity from, int type, BinReader body, Turn turn) {
        met.add(from.address());
        int addresses = (int) body.varint();
        for (int i = 0; i < addresses; i++) {
            met.add(body.text());
        }
        while (body.hasMore()) {
            rumours.add(body.text());
        }
        met.remove(peers.self().address());
    }

    @Override
    public long nextDeadlineNanos() {
        return roundAt;
    }

    @Override
    public void onTimer(Turn turn) {
        roundAt = turn.now() + roundNanos;
        for (String address : up) {
            LinkingTurn.of(turn).send(address, GOSSIP, gossip());
        }
        if (!met.isEmpty()) {
            List<String> all = new ArrayList<>(met);
            LinkingTurn.of(turn).openLink(all.get(turn.random().nextInt(all.size())));
        }
    }

    private Slice gossip() {
        BinWriter out = new BinWriter().varint(met.size());
        met.forEach(out::text);
        rumours.forEach(out::text);
        return out.toSlice();
    }
}
