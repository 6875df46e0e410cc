package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.AppSink;
import io.georep.runtime.ClockSteps;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.ProtocolEvent;
import io.georep.runtime.StoreWatch;
import io.georep.spi.EntryStore;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** What runs on a simulated machine: makes the protocols of one boot. */
@FunctionalInterface
public interface NodeSoftware {
    /**
     * What a boot starts from.
     *
     * @param id name of the node
     * @param address where it listens
     * @param site what it fails together with
     * @param seeds addresses to greet
     * @param transport its transport, not started yet
     * @param random the only randomness
     */
    record Boot(
            NodeId id,
            String address,
            String site,
            Collection<String> seeds,
            Transport transport,
            RandomGenerator random) {}

    /**
     * The protocols of one boot.
     *
     * @param membership the membership protocol
     * @param others the others, in the order of their turns
     * @param store what is expected of the store
     * @param seen what the node runs in the place of one of the others
     */
    record Protocols(
            MembershipProtocol membership,
            List<? extends HostedProtocol<?>> others,
            StoreWatch.Limits store,
            UnaryOperator<HostedProtocol<?>> seen) {
        /** With nobody between the others and their node. */
        Protocols(MembershipProtocol membership, List<? extends HostedProtocol<?>> others, StoreWatch.Limits store) {
            this(membership, others, store, protocol -> protocol);
        }

        /** With the usual patience for the store. */
        Protocols(MembershipProtocol membership, List<? extends HostedProtocol<?>> others) {
            this(membership, others, StoreWatch.Limits.of(ProtocolConfig.defaults()));
        }

        /** The loop that runs them. */
        NodeLoop loop(EntryStore disk, Transport transport, Ticker clock, RandomGenerator random, AppSink application) {
            return new NodeLoop(
                    disk,
                    store,
                    transport,
                    clock,
                    random,
                    membership,
                    others.stream().map(seen).toList(),
                    events -> tell(events, application));
        }

        /** Steps of the clock are for operators. Here the world makes them. */
        private static void tell(List<Object> events, AppSink application) {
            List<Object> told = events.stream()
                    .filter(event -> !(event instanceof ClockSteps.Stepped))
                    .map(event -> event instanceof ProtocolEvent of ? of.event() : event)
                    .toList();
            if (!told.isEmpty()) {
                application.accept(told);
            }
        }
    }

    /** Makes the protocols of one boot. */
    Protocols install(Boot boot);
}
