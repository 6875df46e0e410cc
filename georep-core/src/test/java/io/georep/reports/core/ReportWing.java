package io.georep.reports.core;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.Membership;
import io.georep.reports.NodeReport;
import io.georep.simulation.Machines;
import io.georep.simulation.NodeSoftware;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.Wing;
import io.georep.simulation.World;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * People who look at any node of a cluster. What a node is told of another one, that one has written, and not before what was
 * told last; and in the end everybody sees what everybody has written since the trouble was over.
 */
final class ReportWing implements Wing {
    private static final long LOOK_MAX = 4 * World.SECONDS;
    private static final long WRITE_MAX = World.SECONDS / 2;

    private final Machines machines;
    private final World world;
    private final RandomGenerator random;
    private final boolean mixesThemUp;

    /** How many reports each node has written, in all its lives. */
    private final Map<NodeId, Long> written = new HashMap<>();

    /** When a node was last told to write one. */
    private final Map<SimulatedNode, Long> wantedAt = new HashMap<>();

    /** The newest report that a process has seen, by node and name. */
    private final Map<SimulatedNode, Map<NodeId, Long>> seen = new HashMap<>();

    private final Map<NodeId, Long> writtenAtRest = new HashMap<>();
    private long looks;
    private boolean isOver;

    ReportWing(Machines machines) {
        this(machines, false);
    }

    /** With a planted error, perhaps: what one node has told is shown as of another. */
    ReportWing(Machines machines, boolean mixesThemUp) {
        this.machines = machines;
        this.mixesThemUp = mixesThemUp;
        world = machines.world();
        random = world.random("reports");
    }

    @Override
    public String name() {
        return "reports";
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        // One in eight processes has none: older software, or it is not allowed there.
        if (random.nextInt(8) == 0) {
            return List.of();
        }
        return List.of(mixesThemUp ? new MixedUp(membership) : new ReportProtocol(membership));
    }

    private static @Nullable ReportProtocol reports(SimulatedNode node) {
        return node.protocols().others().stream()
                .filter(ReportProtocol.class::isInstance)
                .map(ReportProtocol.class::cast)
                .findAny()
                .orElse(null);
    }

    @Override
    public void started(SimulatedNode node) {
        seen.remove(node);
        wantedAt.remove(node);
    }

    @Override
    public void begin() {
        world.after(1 + random.nextLong(LOOK_MAX), () -> {
            look(machines.any(random));
            if (!isOver) {
                begin();
            }
        });
    }

    private void look(SimulatedNode node) {
        if (node.isListening() && reports(node) != null) {
            node.command(ReportProtocol.CHANNEL, new ReportCommand.Look("look"));
        }
    }

    @Override
    public void rest() {
        isOver = true;
        writtenAtRest.putAll(written);
        lookAgain();
    }

    private void lookAgain() {
        machines.running().forEach(this::look);
        world.after(2 * World.SECONDS, this::lookAgain);
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof ReportEvent.Wanted) {
                wanted(node);
            } else if (event instanceof ReportEvent.Seen now) {
                looks++;
                now.reports().forEach(report -> judge(node, report));
            }
        }
    }

    private void wanted(SimulatedNode node) {
        Long before = wantedAt.put(node, world.now());
        if (before != null && world.now() - before < ReportProtocol.EVERY_NANOS / 2) {
            throw new AssertionError(node + " is to write two reports within " + (world.now() - before) + " ns");
        }
        node.later(random.nextLong(WRITE_MAX), () -> {
            long number = written.merge(node.id(), 1L, Long::sum);
            byte[] text = (node.id() + " " + number).getBytes(StandardCharsets.UTF_8);
            node.command(ReportProtocol.CHANNEL, new ReportCommand.Written(Slice.of(text)));
        });
    }

    private void judge(SimulatedNode at, NodeReport report) {
        Slice text = report.text();
        if (text == null) {
            return;
        }
        String[] words = new String(text.toArray(), StandardCharsets.UTF_8).split(" ");
        long number = Long.parseLong(words[1]);
        if (!words[0].equals(report.node().value()) || number > written.getOrDefault(report.node(), 0L)) {
            throw new AssertionError(at + " was told '" + String.join(" ", words) + "' of " + report.node());
        }
        if (report.age().isNegative()) {
            throw new AssertionError(at + " has a report of " + report.node() + " from " + report.age());
        }
        Long before = seen.computeIfAbsent(at, node -> new HashMap<>()).put(report.node(), number);
        if (before != null && before > number) {
            throw new AssertionError(at + " saw report " + number + " of " + report.node() + " after " + before);
        }
    }

    @Override
    public long successes() {
        return looks;
    }

    @Override
    public @Nullable String unsettled() {
        List<SimulatedNode> hosting = machines.running().stream()
                .filter(node -> reports(node) != null)
                .toList();
        for (SimulatedNode at : hosting) {
            for (SimulatedNode of : hosting) {
                long number = seen.getOrDefault(at, Map.of()).getOrDefault(of.id(), 0L);
                if (at != of && number <= writtenAtRest.getOrDefault(of.id(), 0L)) {
                    return at + " has seen nothing new of " + of;
                }
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return looks + " looks, reports of "
                + new ArrayList<>(written.keySet()).stream().sorted().toList();
    }

    /** With a mistake: now and then it shows what one node has told as of another. */
    private static final class MixedUp extends ReportProtocol {
        private int looks;

        MixedUp(Peers peers) {
            super(peers);
        }

        @Override
        List<NodeReport> seen(long now) {
            List<NodeReport> seen = new ArrayList<>();
            looks++;
            List<NodeReport> all = super.seen(now);
            for (int i = 0; i < all.size(); i++) {
                NodeReport other = all.get((i + looks / 4) % all.size());
                seen.add(new NodeReport(all.get(i).node(), true, other.text(), Duration.ZERO));
            }
            return seen;
        }
    }
}
