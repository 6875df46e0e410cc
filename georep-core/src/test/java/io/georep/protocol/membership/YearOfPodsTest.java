package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.LifeCurve;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A year of a cluster in which pods come under names nobody will use again, stay for hours, and go, half of them without a
 * GOODBYE. What membership costs per day, keeps and stores is the same at the end of the year as in its beginning.
 */
@Tag("alone")
class YearOfPodsTest {
    private static final int LONGER = Integer.getInteger("georep.endurance", 1);
    private static final int DAYS = 365 * LONGER;
    private static final int PERMANENT = Integer.getInteger("georep.endurance.nodes", 10);
    private static final int HOURS_BETWEEN_PODS = 3;
    private static final int PODS_AT_A_TIME = 3;

    /** Few heartbeats make a day, so that a year takes seconds. */
    private static final ProtocolConfig CONFIG = ProtocolConfig.builder()
            .heartbeat(Duration.ofHours(3))
            .heartbeatAway(Duration.ofHours(3))
            .suspectAfter(Duration.ofHours(9))
            .terminateAfter(Duration.ofHours(6))
            .tombstoneLife(Duration.ofHours(24))
            .build();

    private final MembershipCluster cluster = new MembershipCluster(11, CONFIG);
    private final List<Process> nodes = new ArrayList<>();
    private final Deque<Process> pods = new ArrayDeque<>();
    private final Random random = new Random(11);
    private int podsEver;

    private Process start(String id, int address, Disk disk) {
        return cluster.start(id, "10.0." + address / 250 + "." + address % 250 + ":7400", disk, "10.0.0.0:7400");
    }

    /** A pod comes, and the oldest one goes when there are enough. */
    private void change() {
        String name = "pod-" + Long.toString(random.nextLong() >>> 1, 36);
        pods.add(start(name, PERMANENT + podsEver++ % 1000, new Disk()));
        if (pods.size() > PODS_AT_A_TIME) {
            Process pod = pods.remove();
            if (random.nextBoolean()) {
                pod.command(new MembershipCommand.Leave(Duration.ZERO));
                cluster.run(Duration.ofMinutes(1));
            }
            pod.crash();
        }
    }

    private void restart(int index) {
        Process old = nodes.get(index);
        old.crash();
        nodes.set(index, start(old.id.value(), index, old.disk));
    }

    private long storedBytes() {
        long bytes = 0;
        for (Process node : nodes) {
            for (Map.Entry<byte[], Slice> pair : node.disk.pairs.entrySet()) {
                bytes += pair.getKey().length + pair.getValue().length();
            }
        }
        return bytes;
    }

    private long names() {
        return nodes.stream().mapToLong(node -> node.membership.all().size()).sum();
    }

    private long trafficBytes() {
        long bytes = 0;
        for (Process node : nodes) {
            for (Peer peer : node.membership.all()) {
                bytes += ((PeerRecord) peer).traffic.heapBytes();
            }
        }
        return bytes;
    }

    private void settle() {
        cluster.tracing = false;
        cluster.eventsMax = 100_000_000;
        cluster.redialNanos = Duration.ofHours(12).toNanos();
        cluster.redialLinkedNanos = cluster.redialNanos;
        for (int i = 0; i < PERMANENT; i++) {
            nodes.add(start("node-" + i, i, new Disk()));
        }
        cluster.run(Duration.ofDays(1));
    }

    @Test
    void aYearOfPodsLeavesADayAsItWas() {
        settle();
        LifeCurve days = new LifeCurve(
                "a day with eight pods among " + PERMANENT + " nodes",
                "pods",
                DAYS,
                "bytes sent",
                "turns",
                "names",
                "bytes of frame times",
                "bytes stored");
        LifeCurve boots = new LifeCurve("a boot among pods", "pods", DAYS, "names");
        for (int day = 0; day < DAYS; day++) {
            cluster.frameBytes = 0;
            cluster.turns = 0;
            days.begin();
            for (int hour = 0; hour < 24; hour += HOURS_BETWEEN_PODS) {
                change();
                cluster.run(Duration.ofHours(HOURS_BETWEEN_PODS));
            }
            days.end();
            days.add(podsEver, cluster.frameBytes, cluster.turns, names(), trafficBytes(), storedBytes());
            cluster.processes.values().forEach(node -> node.events.clear());
            boots.begin();
            restart(day % PERMANENT);
            boots.end();
            boots.add(podsEver, nodes.get(day % PERMANENT).membership.all().size());
        }
        days.assertFlat();
        boots.assertFlat();

        cluster.run(Duration.ofDays(8));
        for (Process node : nodes) {
            assertThat(node.membership.all()).as("%s knows", node.id).hasSize(PERMANENT - 1 + PODS_AT_A_TIME);
        }
    }
}
