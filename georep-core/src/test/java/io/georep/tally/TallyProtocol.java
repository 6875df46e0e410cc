package io.georep.tally;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The smallest protocol that uses everything a driver offers: every node counts, durably, and all nodes learn the counts
 * of all. The count of a node in its own store is never below what it told the application or a peer.
 */
public final class TallyProtocol implements HostedProtocol {
    /** Command: count on; each token is told its own number. */
    public record Add(List<Object> tokens) {}

    /** Event: these tokens got the numbers up to this one, and they are durable. */
    public record Counted(List<Object> tokens, long count) {}

    /** Command: what is durable here, answered with the token. */
    public record Read(Object token) {}

    /** Answer to {@link Read}. */
    public record Counts(Object token, Map<String, Long> counts) {}

    private static final int TELL = 1;
    private static final long REPEAT_NANOS = 700_000_000L;

    private final int channel;
    private final Peers peers;
    private final TreeMap<String, Long> counts = new TreeMap<>();
    private final TreeMap<String, Long> durableCounts = new TreeMap<>();
    private long repeatAt = Long.MAX_VALUE;
    private boolean changed;

    public TallyProtocol(int channel, Peers peers) {
        this.channel = channel;
        this.peers = peers;
    }

    /** What this node knows to be durable in its own store, by name of the counting node. */
    public Map<String, Long> durableCounts() {
        return durableCounts;
    }

    @Override
    public int channel() {
        return channel;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        store.scanNow(new byte[] {(byte) channel}, new byte[] {(byte) (channel + 1)}, (key, value) -> {
            BinReader in = new BinReader(value);
            counts.put(in.text(), in.i64());
            return true;
        });
        durableCounts.putAll(counts);
        repeatAt = turn.now() + REPEAT_NANOS;
    }

    @Override
    public void onCommand(Object command, Turn turn) {
        if (command instanceof Add add) {
            long count = counts.getOrDefault(own(), 0L) + add.tokens.size();
            learn(own(), count, turn);
            turn.notifyWhenDurable(new Counted(add.tokens, count));
        } else if (command instanceof Read read) {
            turn.notify(new Counts(read.token, Map.copyOf(durableCounts)));
        }
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        while (body.hasMore()) {
            String name = body.text();
            long count = body.i64();
            if (count > counts.getOrDefault(name, 0L)) {
                learn(name, count, turn);
            }
        }
    }

    private String own() {
        return peers.self().id().value();
    }

    private void learn(String name, long count, Turn turn) {
        counts.put(name, count);
        byte[] key = new BinWriter().u8(channel).text(name).toArray();
        turn.store().put(key, new BinWriter().text(name).i64(count).toSlice());
        turn.store().requireDurable();
        turn.whenDurable(later -> {
            durableCounts.merge(name, count, Math::max);
            changed = true;
        });
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        turn.send(peer, TELL, message(), false);
    }

    @Override
    public void onTimer(Turn turn) {
        repeatAt = turn.now() + REPEAT_NANOS;
        changed = true;
    }

    @Override
    public long nextDeadlineNanos() {
        return repeatAt;
    }

    @Override
    public void endOfTurn(Turn turn) {
        if (changed) {
            changed = false;
            for (Peer peer : peers.all()) {
                turn.send(peer, TELL, message(), false);
            }
        }
    }

    private Slice message() {
        BinWriter out = new BinWriter();
        durableCounts.forEach((name, count) -> out.text(name).i64(count));
        return out.toSlice();
    }
}
