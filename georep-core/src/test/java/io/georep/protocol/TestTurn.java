package io.georep.protocol;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.membership.MembershipTurn;
import io.georep.spi.BootImage;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * A turn for tests of a protocol alone: remembers what it was asked for, time moves by hand, and whatever waits for the
 * store waits until {@link #completeStore}.
 */
public final class TestTurn implements MembershipTurn, LinkingTurn {
    /** A message that was sent. */
    public record Sent(NodeId to, int type, Slice body, boolean urgent) {}

    /** A message over a link of the protocol's own choice. */
    public record SentOver(String address, int type, Slice body) {}

    /** A state change that was announced; before and after are equal when only a mark changed. */
    public record Changed(NodeId peer, PeerState before, PeerState after) {}

    /** An identity that was refused. */
    public record Refusal(NodeIdentity peer, String reason) {}

    public final List<Sent> sent = new ArrayList<>();
    public final List<SentOver> sentOver = new ArrayList<>();
    public final Set<String> links = new TreeSet<>();
    public final List<Object> events = new ArrayList<>();
    public final List<Changed> changes = new ArrayList<>();
    public final List<NodeId> reachable = new ArrayList<>();
    public final List<Refusal> refusals = new ArrayList<>();
    public Map<NodeId, String> targets = Map.of();
    public List<String> seeds = List.of();
    public final List<NodeId> renewed = new ArrayList<>();
    public final Set<NodeId> needed = new TreeSet<>();
    public final List<NodeId> forgotten = new ArrayList<>();
    public int staleStores;
    public boolean isCertainlyStale;

    /** Of the values in answers to reads. */
    public long bytesRead;

    /** Who knows peers by name. */
    public Function<NodeId, Peer> ensure = id -> {
        throw new IllegalStateException("nobody knows peer " + id);
    };

    private final TreeMap<byte[], Slice> disk;
    private final RandomGenerator random;
    private final List<Runnable> deferred = new ArrayList<>();
    private StoreBatch batch = new StoreBatch();
    private long nowNanos;
    private long wallMillis;

    /** A turn over an empty store. */
    public TestTurn() {
        this(new TreeMap<>(Arrays::compareUnsigned), 1);
    }

    private TestTurn(TreeMap<byte[], Slice> disk, long seed) {
        this.disk = disk;
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        // Monotonic clocks start anywhere, also below zero.
        nowNanos = -1_000_000_000_000L;
        wallMillis = 1_700_000_000_000L;
    }

    /** A turn of the next boot, over what was made durable in this one, after this time down. */
    public TestTurn nextBoot(Duration down) {
        TestTurn next = new TestTurn(new TreeMap<>(disk), random.nextLong());
        next.ensure = ensure;
        next.nowNanos = nowNanos * 3 + 7;
        next.wallMillis = wallMillis + down.toMillis();
        return next;
    }

    /** Lets time pass on both clocks. */
    public TestTurn advance(Duration time) {
        nowNanos += time.toNanos();
        wallMillis += time.toMillis();
        return this;
    }

    /** Makes everything durable and lets go what waited for it. */
    public void completeStore() {
        for (StoreBatch.Op op : batch.ops()) {
            apply(op);
        }
        batch = new StoreBatch();
        List<Runnable> ready = List.copyOf(deferred);
        deferred.clear();
        ready.forEach(Runnable::run);
    }

    private void apply(StoreBatch.Op op) {
        switch (op.kind()) {
            case PUT -> disk.put(op.key(), op.value());
            case DELETE, DELETE_ONCE -> disk.remove(op.key());
            case DELETE_RANGE -> disk.subMap(op.key(), op.value().toArray()).clear();
        }
    }

    /** Messages of one type to one peer since the last {@link #forget}. */
    public List<Sent> sent(NodeId to, int type) {
        return sent.stream()
                .filter(message -> message.to().equals(to) && message.type() == type)
                .toList();
    }

    /** Events of one kind since the last {@link #forget}. */
    public <E> List<E> events(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Forgets what was recorded, not what is stored. */
    public void forget() {
        sent.clear();
        sentOver.clear();
        events.clear();
        changes.clear();
        reachable.clear();
        refusals.clear();
    }

    /** What is durable, for {@link HostedProtocol#boot}. */
    public EntryStore disk() {
        return new BootImage<>(disk, Function.identity());
    }

    @Override
    public long now() {
        return nowNanos;
    }

    @Override
    public long wallMillis() {
        return wallMillis;
    }

    /** Sets the wall clock back or forth. */
    public void stepWallClock(Duration step) {
        wallMillis += step.toMillis();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public StoreBatch store() {
        return batch;
    }

    @Override
    public int storeBacklog() {
        return deferred.size();
    }

    @Override
    public void send(Peer to, int type, Slice body, boolean urgent) {
        sent.add(new Sent(to.id(), type, body, urgent));
    }

    @Override
    public void sendWhenWritten(Peer to, int type, Slice body, boolean urgent) {
        deferred.add(() -> send(to, type, body, urgent));
    }

    @Override
    public void openLink(String address) {
        links.add(address);
    }

    @Override
    public void closeLink(String address) {
        links.remove(address);
    }

    @Override
    public boolean writable(String address) {
        return links.contains(address);
    }

    @Override
    public void send(String address, int type, Slice body) {
        sentOver.add(new SentOver(address, type, body));
    }

    @Override
    public void sendWhenDurable(String address, int type, Slice body) {
        deferred.add(() -> send(address, type, body));
    }

    @Override
    public void whenWritten(Later action) {
        deferred.add(() -> action.run(this));
    }

    @Override
    public void notify(Object event) {
        events.add(event);
    }

    @Override
    public void notifyWhenWritten(Object event) {
        deferred.add(() -> notify(event));
    }

    @Override
    public void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Scanned answer) {
        deferred.add(() -> {
            List<EntryStore.Pair> pairs = new ArrayList<>();
            long bytes = 0;
            boolean more = false;
            for (Map.Entry<byte[], Slice> pair : disk.subMap(from, to).entrySet()) {
                more = pairs.size() == pairsMax || (bytes >= bytesMax && !pairs.isEmpty());
                if (more) {
                    break;
                }
                pairs.add(new EntryStore.Pair(pair.getKey(), pair.getValue()));
                bytes += pair.getValue().length();
            }
            bytesRead += bytes;
            answer.run(pairs, more, this);
        });
    }

    @Override
    public Peer ensurePeer(NodeId id, @Nullable NodeId teller) {
        return ensure.apply(id);
    }

    @Override
    public Channels hosted() {
        return Channels.of(Map.of(1, 1, 2, 1));
    }

    @Override
    public void peerChanged(Peer peer, PeerState before) {
        changes.add(new Changed(peer.id(), before, peer.state()));
    }

    @Override
    public void peerReachable(Peer peer) {
        reachable.add(peer.id());
    }

    @Override
    public boolean isNeeded(NodeId id) {
        return needed.contains(id);
    }

    @Override
    public void peerForgotten(NodeId id) {
        forgotten.add(id);
    }

    @Override
    public void staleStore(boolean isCertain) {
        staleStores++;
        isCertainlyStale = isCertain;
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> newSeeds) {
        targets = new TreeMap<>(peers);
        seeds = List.copyOf(newSeeds);
    }

    @Override
    public void renewLink(Peer peer, String reason) {
        renewed.add(peer.id());
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        refusals.add(new Refusal(peer, reason));
    }
}
