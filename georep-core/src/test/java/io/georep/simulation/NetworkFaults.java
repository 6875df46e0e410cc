package io.georep.simulation;

import java.util.random.RandomGenerator;

/** Trouble between nodes: blocks, one-way cuts, broken connections, ways that hold everything back. */
final class NetworkFaults {
    private final SimulatedCluster cluster;
    private final Trouble trouble;
    private final Faults faults;
    private final RandomGenerator random;

    NetworkFaults(SimulatedCluster cluster, Trouble trouble, Faults faults, RandomGenerator random) {
        this.cluster = cluster;
        this.trouble = trouble;
        this.faults = faults;
        this.random = random;
    }

    void partition() {
        int side = 1 + random.nextInt((1 << cluster.hosts().size()) - 1);
        boolean silently = random.nextBoolean();
        long nanos = faults.spell();
        for (int a = 0; a < cluster.hosts().size(); a++) {
            for (int b = 0; b < cluster.hosts().size(); b++) {
                if ((side >> a & 1) != (side >> b & 1)) {
                    cut(Fault.PARTITION, cluster.hosts().get(a), cluster.hosts().get(b), silently, nanos);
                }
            }
        }
    }

    void oneWay() {
        boolean silently = random.nextBoolean();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            cut(Fault.ONE_WAY, faults.any(), faults.any(), silently, faults.spell());
        }
    }

    private void cut(Fault kind, Host from, Host to, boolean silently, long nanos) {
        Way way = cluster.way(from, to);
        if (from != to && !way.isCut()) {
            Trouble.Item item = trouble.begin(kind, from.id(), to.id());
            way.cut(silently);
            faults.later(item, nanos, way::heal);
        }
    }

    void breakSome(Host host) {
        for (Host other : cluster.hosts()) {
            if (other != host && random.nextBoolean()) {
                Trouble.Item item = trouble.begin(Fault.BREAK, host.id(), other.id());
                cluster.way(host, other).breakConnection();
                trouble.end(item, faults.settling());
            }
        }
    }

    void clog(Host from, Host to) {
        Way way = cluster.way(from, to);
        if (from != to && way.isOpen()) {
            Trouble.Item item = trouble.begin(Fault.CLOG, from.id(), to.id());
            way.clog();
            faults.later(item, faults.spell(), way::heal);
        }
    }
}
