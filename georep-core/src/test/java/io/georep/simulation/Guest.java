package io.georep.simulation;

import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A wing that is there, and of which nothing is asked: for stories, which ask for themselves. Keeps what all nodes tell. */
class Guest implements Wing {
    final List<Object> told = new ArrayList<>();
    private final Function<Membership, List<? extends HostedProtocol<?>>> software;

    Guest(Function<Membership, List<? extends HostedProtocol<?>>> software) {
        this.software = software;
    }

    /** A cluster whose outboxes have applications that take nothing, and this guest beside them. */
    SimulatedCluster besideOutboxes(long seed, int nodes) {
        SimulationOptions options = new SimulationOptions(seed);
        options.nodes = nodes;
        options.wings = cluster -> List.of(new OutboxWing(cluster), this);
        SimulatedCluster cluster = new SimulatedCluster(options);
        cluster.wing(OutboxWing.class).hosts().forEach(host -> host.idle = true);
        return cluster;
    }

    @Override
    public String name() {
        return "guest";
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        return software.apply(membership);
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        told.addAll(events);
    }

    @Override
    public void begin() {}

    @Override
    public void rest() {}

    @Override
    public long successes() {
        return 0;
    }

    @Override
    public @Nullable String unsettled() {
        return null;
    }
}
