package io.georep.rumour;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.simulation.Fault;
import io.georep.simulation.Machines;
import io.georep.simulation.Nemesis;
import io.georep.simulation.NodeSoftware;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.Wing;
import io.georep.simulation.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An epidemic over links of its own choice, which remembers nothing across a restart. What a node tells after all trouble every
 * node knows in the end, and no node has more links than it may. It lives in a package of its own, as any wing may.
 */
public final class RumourWing implements Wing {
    private static final int CHANNEL = 78;
    private static final long ROUND = 5 * World.SECONDS;
    private static final long GAP_MAX = 5 * World.SECONDS;

    private final Machines machines;
    private final World world;
    private final RandomGenerator random;
    private final List<String> told = new ArrayList<>();

    /** What was told in peace. */
    private final Set<String> last = new TreeSet<>();

    private boolean rests;
    private long heard;

    /** On these machines. */
    public RumourWing(Machines machines) {
        this.machines = machines;
        world = machines.world();
        random = world.random("rumours");
    }

    @Override
    public String name() {
        return "links";
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        return List.of(new RumourProtocol(CHANNEL, membership, ROUND));
    }

    private static RumourProtocol protocol(SimulatedNode node) {
        return Machines.protocol(node, RumourProtocol.class);
    }

    private static RumourProtocol.View view(SimulatedNode node) {
        return protocol(node).view();
    }

    /** As an application that knows an address. */
    @Override
    public void started(SimulatedNode node) {
        for (SimulatedNode other : machines.nodes()) {
            if (other != node && (rests || random.nextBoolean())) {
                node.command(CHANNEL, new RumourProtocol.Meet(other.address()));
            }
        }
    }

    @Override
    public void turned(SimulatedNode node) {
        int links = protocol(node).links();
        if (links > RumourProtocol.LINKS) {
            throw new AssertionError(node + " has " + links + " links");
        }
    }

    /** Those break to whom links lead. */
    @Override
    public List<Nemesis.Special> troubles(Nemesis nemesis) {
        return List.of(new Nemesis.Special("CRASH_LINKED", node -> {
            List<String> up = node.isListening() ? List.copyOf(view(node).up()) : List.of();
            machines.nodes().stream()
                    .filter(other -> up.contains(other.address()))
                    .forEach(other -> nemesis.crash(Fault.CRASH, other));
        }));
    }

    @Override
    public void begin() {
        world.after(1 + random.nextLong(GAP_MAX), () -> {
            if (!rests) {
                tell("r" + told.size());
                begin();
            }
        });
    }

    private void tell(String rumour) {
        SimulatedNode node = machines.any(random);
        if (node.isListening()) {
            told.add(rumour);
            node.command(CHANNEL, new RumourProtocol.Tell(rumour));
            world.after(2 * ROUND, () -> heard += known(rumour) > 1 ? 1 : 0);
        }
    }

    private long known(String rumour) {
        return machines.nodes().stream()
                .filter(SimulatedNode::isRunning)
                .filter(node -> view(node).rumours().contains(rumour))
                .count();
    }

    @Override
    public void rest() {
        rests = true;
        world.after(
                10 * World.SECONDS,
                () -> machines.nodes().stream()
                        .filter(SimulatedNode::isListening)
                        .forEach(node -> {
                            started(node);
                            last.add("last of " + node);
                            node.command(CHANNEL, new RumourProtocol.Tell("last of " + node));
                        }));
    }

    /** Rumours that more than one node knew after a while. */
    @Override
    public long successes() {
        return heard;
    }

    @Override
    public @Nullable String unsettled() {
        Set<String> all = new TreeSet<>();
        List<SimulatedNode> running = machines.running();
        running.forEach(node -> all.addAll(view(node).rumours()));
        for (SimulatedNode node : running) {
            if (!view(node).rumours().equals(all)) {
                return node + " knows " + view(node).rumours() + " of " + all;
            }
        }
        return all.containsAll(last) ? null : all + " is known of " + last;
    }
}
