package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Judges J13: of what {@link GeoStreams} ask for, operations of one client that meet take effect in the order of its calls. */
final class CallOrder {
    private record Executed(Operation operation, Footprint footprint) {}

    /** More than a client has under way, and may repeat. */
    private static final int LOOKS_BACK = 60;

    /** By client: what was executed first, the last one first. */
    private final Map<Long, Deque<Executed>> executed = new HashMap<>();

    /** What was executed, and is lost with those who had executed it: later ones may be kept. */
    private final Set<List<Long>> lost = new HashSet<>();

    void lost(Operation operation) {
        lost.add(List.of(operation.client(), operation.sequence()));
    }

    /** One was executed that nobody has executed before. */
    void executed(NodeId node, Operation operation, Service service) {
        if (operation.client() < GeoStreams.FIRST_CLIENT
                || lost.contains(List.of(operation.client(), operation.sequence()))) {
            return;
        }
        Deque<Executed> before = executed.computeIfAbsent(operation.client(), unknown -> new ArrayDeque<>());
        Footprint footprint = service.footprint(operation.body());
        for (Executed earlier : before) {
            assertThat(earlier.operation.sequence() > operation.sequence() && footprint.meets(earlier.footprint))
                    .as("J13: at %s %s after %s", node, operation, earlier.operation)
                    .isFalse();
        }
        before.addFirst(new Executed(operation, footprint));
        if (before.size() > LOOKS_BACK) {
            before.removeLast();
        }
    }
}
