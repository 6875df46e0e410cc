package io.georep.geopaxos.core;

import io.georep.consensus.LogTiming;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.Nearness;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three groups of the same three nodes, each at home with another one. */
public final class ThreeGroups {
    /** Those of most tests. */
    public static final List<NodeId> NODES = nodes("n1", "n2", "n3");

    private static final LogTiming TIMING = new LogTiming(100_000_000, 1_000_000_000, 50_000_000, 3_000_000_000L);

    private ThreeGroups() {}

    static List<NodeId> nodes(String... names) {
        return Stream.of(names).map(NodeId::of).toList();
    }

    /** Returns the groups of three nodes. */
    public static GeoGroups of(List<NodeId> nodes) {
        List<List<NodeId>> founders = IntStream.range(0, 3)
                .mapToObj(home -> {
                    List<NodeId> group = new ArrayList<>(nodes);
                    Collections.rotate(group, -home);
                    return List.copyOf(group);
                })
                .toList();
        return new GeoGroups(nodes, founders, 1, nearest(founders, 0), TIMING);
    }

    /** One group is the nearest, the ones after it are farther and farther. */
    static Nearness nearest(List<List<NodeId>> founders, int first) {
        return node -> {
            for (int far = 0; far < founders.size(); far++) {
                if (founders.get((first + far) % founders.size()).get(0).equals(node)) {
                    return far * 10_000_000L;
                }
            }
            return Nearness.UNKNOWN;
        };
    }
}
