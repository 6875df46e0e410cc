package io.georep.tally;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The smallest protocol that uses everything a driver offers: every node counts, durably, and all nodes learn the counts
 * of all. The count of a node in its own store is never below what it told the application or a peer.
 */
public class TallyProtocol implements HostedProtocol<TallyProtocol.Command> {
    /** What the application asks. */
    public sealed interface Command {}

    /** What it is told. */
    public sealed interface Event {}

    /** Command: count on; each token is told its own number. */
    public record Add(List<Object> tokens) implements Command {}

    /** Event: these tokens got the numbers up to this one, and they are durable. */
    public record Counted(List<Object> tokens, long count) implements Event {}

    /** Command: what is durable here, answered with the token. */
    public record Read(Object token) implements Command {}

    /** Answer to {@link Read}. */
    public record Counts(Object token, Map<String, Long> counts) implements Event {}

    /** Newest version of its messages. */
    static final int VERSION = 2;

    /** All counts the sender knows. */
    private static final int TELL = 1;

    /** Since version 2: the sender's own count. */
    private static final int LATEST = 2;

    private static final long REPEAT_NANOS = 700_000_000L;

    private final long repeatNanos;

    private final int channel;
    private final int version;
    private final Peers peers;
    private final TreeMap<String, Long> counts = new TreeMap<>();
    private final TreeMap<String, Long> durableCounts = new TreeMap<>();
    private long repeatAt = Long.MAX_VALUE;
    private boolean changed;
    private boolean repeated;

    /** Of the newest version. */
    public TallyProtocol(int channel, Peers peers) {
        this(channel, VERSION, peers);
    }

    /** Of a version of old: a node that was not upgraded yet. */
    public TallyProtocol(int channel, int version, Peers peers) {
        this(channel, version, peers, REPEAT_NANOS);
    }

    /** With another time from one repetition to the next. */
    TallyProtocol(int channel, int version, Peers peers, long repeatNanos) {
        this.repeatNanos = repeatNanos;
        this.channel = channel;
        this.version = version;
        this.peers = peers;
    }

    /** What this node knows to be durable in its own store, by name of the counting node. */
    public Map<String, Long> durableCounts() {
        return durableCounts;
    }

    @Override
    public ProtocolId id() {
        return new ProtocolId(channel, "tally", version);
    }

    @Override
    public boolean knows(int type) {
        return type == TELL || (type == LATEST && version >= 2);
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        store.scanNow(new byte[] {(byte) channel}, new byte[] {(byte) (channel + 1)}, (key, value) -> {
            BinReader in = new BinReader(value);
            counts.put(in.text(), in.i64());
            return true;
        });
        durableCounts.putAll(counts);
        repeatAt = turn.now() + repeatNanos;
    }

    @Override
    public void onCommand(Command command, Turn turn) {
        if (command instanceof Add add) {
            long count = counts.getOrDefault(own(), 0L) + add.tokens.size();
            learn(own(), count, turn);
            tell(new Counted(add.tokens, count), turn);
        } else if (command instanceof Read read) {
            turn.notify(new Counts(read.token, Map.copyOf(durableCounts)));
        }
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        if (type == LATEST) {
            news(from.id().value(), body.i64(), turn);
            return;
        }
        while (body.hasMore()) {
            news(body.text(), body.i64(), turn);
        }
    }

    private void news(String name, long count, Turn turn) {
        if (count > counts.getOrDefault(name, 0L)) {
            learn(name, count, turn);
        }
    }

    private String own() {
        return peers.self().id().value();
    }

    private void learn(String name, long count, Turn turn) {
        counts.put(name, count);
        byte[] key = new BinWriter().u8(channel).text(name).toArray();
        turn.store().put(key, new BinWriter().text(name).i64(count).toSlice());
        turn.whenDurable(later -> {
            durableCounts.merge(name, count, Math::max);
            changed = true;
        });
    }

    void tell(Counted counted, Turn turn) {
        turn.notifyWhenDurable(counted);
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        turn.send(peer, TELL, message(), false);
    }

    @Override
    public void onTimer(Turn turn) {
        repeatAt = turn.now() + repeatNanos;
        repeated = true;
    }

    @Override
    public long nextDeadlineNanos() {
        return repeatAt;
    }

    @Override
    public void endOfTurn(Turn turn) {
        if (changed || repeated) {
            for (Peer peer : peers.all()) {
                if (version >= 2) {
                    // Who is of version 1 leaves it aside, and learns the count from what follows.
                    turn.send(peer, LATEST, latest(), false);
                }
                if (repeated || version < 2 || peer.version(channel) < 2) {
                    turn.send(peer, TELL, message(), false);
                }
            }
            changed = false;
            repeated = false;
        }
    }

    private Slice latest() {
        return new BinWriter().i64(durableCounts.getOrDefault(own(), 0L)).toSlice();
    }

    private Slice message() {
        BinWriter out = new BinWriter();
        durableCounts.forEach((name, count) -> out.text(name).i64(count));
        return out.toSlice();
    }
}
