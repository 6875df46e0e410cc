package io.georep.tally;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.Membership;
import io.georep.simulation.Machines;
import io.georep.simulation.NodeSoftware;
import io.georep.simulation.SimulatedDisk;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.Wing;
import io.georep.simulation.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A count by gossip. Some processes may host it in one of two versions, or not at all. What was told is durable, and in the end
 * all who host it agree.
 */
public final class TallyWing implements Wing {
    private static final int CHANNEL = 79;
    private static final long REPEAT = 5 * World.SECONDS;
    private static final long GAP_MAX = 3 * World.SECONDS;

    private final Machines machines;
    private final World world;
    private final RandomGenerator random;
    private final boolean isUnlike;
    private final boolean isHasty;

    /** What each node was told to be durable there. */
    private final Map<SimulatedNode, Long> told = new HashMap<>();

    private boolean rests;
    private long counted;

    /**
     * On these machines.
     *
     * @param isUnlike whether their software differs
     */
    public TallyWing(Machines machines, boolean isUnlike) {
        this(machines, isUnlike, false);
    }

    /** With a planted error, if it is hasty: counts are told before they are durable. */
    TallyWing(Machines machines, boolean isUnlike, boolean isHasty) {
        this.isHasty = isHasty;
        this.machines = machines;
        this.isUnlike = isUnlike;
        world = machines.world();
        random = world.random("tally");
    }

    @Override
    public String name() {
        return "tally";
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        int version = isUnlike ? random.nextInt(3) : TallyProtocol.VERSION;
        if (version == 0) {
            return List.of();
        }
        return List.of(
                isHasty ? new Hasty(version, membership) : new TallyProtocol(CHANNEL, version, membership, REPEAT));
    }

    /** Of a running node, null when its software has none. */
    private static @Nullable TallyProtocol tally(SimulatedNode node) {
        return node.protocols().others().stream()
                .filter(TallyProtocol.class::isInstance)
                .map(TallyProtocol.class::cast)
                .findAny()
                .orElse(null);
    }

    /** What was told is there. */
    @Override
    public void started(SimulatedNode node) {
        if (tally(node) != null && known(node, node) < told.getOrDefault(node, 0L)) {
            throw new AssertionError(node + " counted to " + told.get(node) + " and knows " + known(node, node));
        }
    }

    @Override
    public void begin() {
        world.after(1 + random.nextLong(GAP_MAX), () -> {
            SimulatedNode node = machines.any(random);
            if (node.isListening() && tally(node) != null) {
                node.command(CHANNEL, new TallyProtocol.Add(List.of("tally")));
            }
            if (!rests) {
                begin();
            }
        });
    }

    @Override
    public void rest() {
        rests = true;
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof TallyProtocol.Counted now) {
                counted++;
                told.merge(node, now.count(), Math::max);
            }
        }
    }

    /** What was told there may be gone. */
    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        told.remove(node);
    }

    @Override
    public long successes() {
        return counted;
    }

    private static long known(SimulatedNode at, SimulatedNode of) {
        return tally(at).durableCounts().getOrDefault(of.id().value(), 0L);
    }

    @Override
    public @Nullable String unsettled() {
        List<SimulatedNode> hosting =
                machines.running().stream().filter(node -> tally(node) != null).toList();
        for (SimulatedNode of : hosting) {
            long own = known(of, of);
            for (SimulatedNode at : hosting) {
                if (known(at, of) != own) {
                    return at + " knows " + known(at, of) + " of the " + own + " that " + of + " counted";
                }
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return counted + " counted";
    }

    /** With a mistake: it tells counts before they are durable. */
    private static final class Hasty extends TallyProtocol {
        Hasty(int version, Peers peers) {
            super(CHANNEL, version, peers, REPEAT);
        }

        @Override
        void tell(Counted counted, Turn turn) {
            turn.notify(counted);
        }
    }
}
