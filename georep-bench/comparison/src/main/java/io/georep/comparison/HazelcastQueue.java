package io.georep.comparison;

import com.hazelcast.collection.IQueue;
import com.hazelcast.config.Config;
import com.hazelcast.config.QueueConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Hazelcast's queue, in memory, with one synchronous backup. Each node has a queue of its own, which it owns itself, so that only
 * backups go over the network. Entries are taken many at once, and leave the queue before they are handled.
 */
final class HazelcastQueue implements ComparedQueue {
    private static final int PORT = 7620;
    private static final int AT_ONCE = 1000;
    private static final String NAMES = "bench-";

    private final Place place;
    private final HazelcastInstance instance;
    private final PendingSends sends = new PendingSends();
    private final AtomicLong ended = new AtomicLong();

    HazelcastQueue(Place place) {
        this.place = place;
        System.setProperty("hazelcast.local.localAddress", place.host());
        System.setProperty("hazelcast.local.publicAddress", place.host());
        Config config = new Config(place.name()).setClusterName("comparison");
        HazelcastMap.network(
                config,
                PORT,
                IntStream.range(0, place.nodes())
                        .mapToObj(each -> place.address(each, PORT))
                        .toList());
        instance =
                Hazelcast.newHazelcastInstance(config.addQueueConfig(new QueueConfig(NAMES + "*").setBackupCount(1)));
    }

    @Override
    public boolean ready() {
        if (instance.getCluster().getMembers().size() < place.nodes()) {
            return false;
        }
        // Partitions get their owners when they are used for the first time.
        return instance.getQueue(NAMES).isEmpty()
                && instance.getPartitionService().isClusterSafe();
    }

    @Override
    public void consume(Consumer<byte[]> handler) {
        IQueue<byte[]> own = ownQueue();
        sends.start(AT_ONCE, own::addAll);
        Thread taker = new Thread(() -> take(own, handler), "taker");
        taker.setDaemon(true);
        taker.start();
    }

    /** A queue lives where its name belongs: names are tried until one belongs here. */
    private IQueue<byte[]> ownQueue() {
        for (int i = 0; ; i++) {
            String name = NAMES + place.index() + "-" + i;
            if (instance.getPartitionService()
                    .getPartition(name)
                    .getOwner()
                    .equals(instance.getCluster().getLocalMember())) {
                return instance.getQueue(name);
            }
        }
    }

    private void take(IQueue<byte[]> from, Consumer<byte[]> handler) {
        List<byte[]> taken = new ArrayList<>();
        try {
            while (true) {
                if (from.drainTo(taken, AT_ONCE) == 0) {
                    byte[] one = from.poll(1, TimeUnit.SECONDS);
                    if (one != null) {
                        taken.add(one);
                    }
                }
                taken.forEach(handler);
                ended.addAndGet(taken.size());
                taken.clear();
            }
        } catch (InterruptedException | HazelcastInstanceNotActiveException e) {
            return; // Closed.
        }
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        return sends.add(payload);
    }

    @Override
    public long ended() {
        return ended.get();
    }

    @Override
    public void close() {
        sends.close();
        instance.getLifecycleService().terminate();
    }
}
