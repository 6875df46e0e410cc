package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.NodeId;
import io.georep.protocol.HostedProtocol;
import io.georep.tally.TallyProtocol;
import java.util.List;
import java.util.TreeMap;

/** The second protocol of those nodes that host it: what was told is durable, and in the end all who host it agree. */
final class Tallies {
    static final int CHANNEL = 9;

    /** What each node was told to be durable there. */
    private final TreeMap<NodeId, Long> told = new TreeMap<>();

    /** Counts one, where there is a tally. */
    void add(Host host) {
        if (tally(host) != null) {
            host.node().command(CHANNEL, new TallyProtocol.Add(List.of("tally")));
        }
    }

    void event(Host host, Object event) {
        if (event instanceof TallyProtocol.Counted counted) {
            told.merge(host.id(), counted.count(), Math::max);
        }
    }

    /** What was told there may be gone. */
    void storeReplaced(Host host) {
        told.remove(host.id());
    }

    /** The tally of a running node, null when its software has none. */
    private static TallyProtocol tally(Host host) {
        for (HostedProtocol<?> protocol : host.node().protocols().others()) {
            if (protocol instanceof TallyProtocol tally) {
                return tally;
            }
        }
        return null;
    }

    private static long known(Host at, Host of) {
        return tally(at).durableCounts().getOrDefault(of.id().value(), 0L);
    }

    /** What is still to be done, null when nothing is. */
    String unsettled(List<Host> running) {
        List<Host> hosting =
                running.stream().filter(host -> tally(host) != null).toList();
        for (Host of : hosting) {
            long own = known(of, of);
            check(
                    own >= told.getOrDefault(of.id(), 0L),
                    "tally",
                    () -> of + " counted to " + told.get(of.id()) + " and knows " + own);
            for (Host at : hosting) {
                if (known(at, of) != own) {
                    return at + " knows " + known(at, of) + " of the " + own + " that " + of + " counted";
                }
            }
        }
        return null;
    }
}
