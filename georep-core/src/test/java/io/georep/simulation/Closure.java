package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.StreamId;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The second phase of a run: no more trouble, so everything that was promised must come true within a bound. */
final class Closure {
    /** A copy that stays is asked about after 15 to 30 heartbeats (6.8.7). */
    private static final int ASKED_WITHIN_HEARTBEATS = 31;

    private final OutboxWing outbox;
    private final SimulatedCluster cluster;
    private final SimulationOptions options;
    private final World world;
    private final Wholeness wholeness;
    private final Account account;

    Closure(OutboxWing outbox) {
        this.outbox = outbox;
        cluster = outbox.cluster();
        options = outbox.options();
        world = outbox.world();
        wholeness = new Wholeness(outbox);
        account = new Account(outbox);
    }

    /** Runs until all stores are empty and everybody agrees, judges the whole run, and returns repetitions by cause. */
    Map<Fault, Long> run() {
        nothingLost();
        settle("I12");
        account.judge();
        probe();
        settle("I14");
        Map<Fault, Long> causes = account.judge();
        quiet();
        return causes;
    }

    /** I12, the half that can be seen at any time: what was promised and not delivered is on some disk. */
    private void nothingLost() {
        for (History.Entry entry : outbox.history().entries()) {
            check(
                    entry.isExcused()
                            || !entry.deliveries.isEmpty()
                            || running().stream().anyMatch(host -> OutboxJudge.isDurableAt(host, entry.id)),
                    "loss",
                    () -> entry + " was acknowledged and no disk holds a copy");
        }
    }

    /**
     * How long everything may take to end once nothing is wrong any more; liveness needs some bound, and this one is the
     * sum of what may still follow one after the other. The last verdicts, 2 (T_s + T_x) for a node that was silent until
     * the healing and one that is then asked in vain; the same again for the adoption that follows and its own failed
     * questions; twice more for a drain or a return that began just then. Next, about twenty questions of ten heartbeats
     * each, redials and pauses of a minute, and at last the work of the consumers, one entry after the other. A promise
     * broken for good stays broken however long it is; one that is kept late within it is judged by I13 and I22, whose
     * bounds are tight.
     */
    private long limitNanos() {
        long heartbeat = options.config.heartbeat().toNanos();
        long work =
                options.consumer.workNanos() * (1 + outbox.history().entries().size() / options.consumer.window());
        // An entry that a slow consumer began to work on before the healing takes as long as it takes.
        long begun =
                options.faults.contains(Fault.SLOW_CONSUMER) ? Application.SLOWER * options.consumer.workNanos() : 0;
        return 6 * options.failoverNanos() + 200 * heartbeat + 60 * World.SECONDS + work + begun;
    }

    private void settle(String invariant) {
        long end = world.now() + limitNanos();
        long wholeBy = world.now() + wholeness.withinNanos();
        long held = world.now() + holderNanos();
        String left = unsettled();
        while (left != null) {
            String reason = left;
            if (world.now() >= held) {
                held = end;
                everythingHasAHolder();
            }
            check(world.now() < end, invariant, () -> "not settled long after all trouble was over: " + reason);
            world.run(World.SECONDS);
            for (Host host : running()) {
                outbox.queues().forEach(queue -> host.application().lookAfter(queue));
            }
            oneHolder();
            if (world.now() >= wholeBy) {
                wholeness.judge(running(), this::fate);
            }
            left = unsettled();
        }
    }

    /**
     * How long the network is quiet before somebody holds every entry: T_s + T_x until those who are gone are given up,
     * and the time until a copy is asked about whose owners lost theirs (6.8.7), for each of them in turn.
     */
    private long holderNanos() {
        int most = options.failures.stream().reduce(0, Math::max);
        return options.failoverNanos()
                + (1 + most)
                        * ASKED_WITHIN_HEARTBEATS
                        * options.config.heartbeat().toNanos()
                + 5 * World.SECONDS;
    }

    /** I13. */
    private void everythingHasAHolder() {
        for (History.Entry entry : outbox.history().entries()) {
            check(
                    entry.isExcused()
                            || !entry.deliveries.isEmpty()
                            || running().stream().anyMatch(host -> holds(host, entry)),
                    "I13",
                    () -> "nobody holds " + fate(entry.id));
        }
    }

    private static boolean holds(Host host, History.Entry entry) {
        OutboxView.Held held = host.view().find(entry.id);
        return held != null && held.state() != EntryState.COPY;
    }

    /** Who is alive. A process that ended, because its disk had broken before it was mended, is started again. */
    private List<Host> running() {
        return cluster.startAll().stream().map(node -> outbox.host(node.id())).toList();
    }

    private Set<NodeId> dead() {
        Set<NodeId> dead = new TreeSet<>();
        cluster.nodes().stream().filter(cluster::isDead).forEach(node -> dead.add(node.id()));
        return dead;
    }

    /** What is still to be done, null when nothing is. */
    private String unsettled() {
        Set<NodeId> dead = dead();
        for (Host host : running()) {
            if (!host.node().isListening()) {
                return host + " does not listen";
            }
            OutboxView view = host.view();
            if (view.liveCount() > 0) {
                return host + " holds " + view.liveCount() + ", "
                        + fate(view.held().get(0).id()) + "; " + peers(host);
            }
            Set<NodeId> untold = OutboxAudit.untoldOwners(view);
            untold.removeAll(dead);
            if (!untold.isEmpty()) {
                return host + " has DELETE or RELEASE unconfirmed by " + untold + "; " + peers(host);
            }
        }
        for (History.Put put : outbox.history().puts()) {
            if (put.answer == History.Answer.OPEN) {
                return put + " has no answer";
            }
        }
        return null;
    }

    /** What every node knows of an entry. */
    private String fate(io.georep.model.EntryId id) {
        StringBuilder text = new StringBuilder(outbox.history().entry(id).toString());
        for (Host host : running()) {
            OutboxView view = host.view();
            text.append(", ")
                    .append(host)
                    .append(' ')
                    .append(view.isFinished(id) ? "tombstone" : view.find(id))
                    .append(OutboxAudit.isUnconfirmed(view, id) ? " unconfirmed" : "");
        }
        return text.toString();
    }

    private static String peers(Host host) {
        return PeerJudge.text(host.node());
    }

    /** A node that would hand an entry out. */
    private record Holder(Host host, OutboxView.Held held) {
        /** Whether one of them knows the other as an owner; two sides that replaced all others do not. */
        boolean sharesWith(Holder other) {
            return held.owners().contains(other.host.id())
                    || other.held.owners().contains(host.id());
        }
    }

    /**
     * I20: once all claims are confirmed, nobody shares the role of the holder. Two that do not know each other as owners
     * are not judged: each side of a partition replaced the other's owners, neither list names who could object, and rank
     * ends one of the two when they meet (6.6); until then each has acknowledged entries that only its side holds for
     * certain, so that neither may yield unasked. Nor are two between whom no frame passes: what they cannot know they
     * cannot settle; nor two of whom one is about to be released. All this ends: entries that two hold for ever stay.
     */
    private void oneHolder() {
        TreeMap<io.georep.model.EntryId, Holder> holders = new TreeMap<>();
        for (Host host : running()) {
            if (host.isRunning() && host.view().claimsUnconfirmed() > 0) {
                return;
            }
        }
        for (Host host : running()) {
            for (OutboxView.Held held : host.isRunning() ? host.view().held() : List.<OutboxView.Held>of()) {
                if (held.state() == EntryState.HELD && !held.heldBack() && !held.taken()) {
                    Holder holder = new Holder(host, held);
                    Holder other = holders.put(held.id(), holder);
                    check(
                            other == null
                                    || !holder.sharesWith(other)
                                    || OutboxAudit.releases(
                                            running().stream().map(Host::view), held.id(), host.id(), other.host.id())
                                    || cluster.way(other.host.node(), host.node())
                                            .isCut(),
                            "I20",
                            () -> host + " and " + other + " both are holders of " + held + " and nobody objects");
                }
            }
        }
    }

    /** Whatever happened before, nodes that see enough others accept entries. */
    private void probe() {
        long heartbeat = options.config.heartbeat().toNanos();
        world.run(wholeness.diskNanos() + options.failoverNanos() + 10 * heartbeat + 5 * World.SECONDS);
        List<Host> takers = running().stream()
                .filter(host ->
                        !host.membership().selfDrained() && !host.membership().leaving() && hasAnHeir(host))
                .toList();
        int f = Math.min(takers.size() - 1, 1);
        List<History.Put> probes = new ArrayList<>(put(takers, f));
        // A store allowed to owe less than what these puts or one snapshot come to refuses the copies that come
        // meanwhile.
        for (int again = 0; again < 3 && options.hasTinyBacklog(); again++) {
            List<Host> refused = probes.stream()
                    .filter(put -> put.answer != History.Answer.STORED)
                    .map(put -> outbox.host(put.node))
                    .toList();
            probes.removeIf(put -> put.answer != History.Answer.STORED);
            refused.forEach(host -> probes.addAll(put(List.of(host), f)));
        }
        for (History.Put put : probes) {
            check(
                    put.answer == History.Answer.STORED,
                    "availability",
                    () -> put + " although nothing is wrong; " + peers(outbox.host(put.node)));
        }
        world.run(options.longest(ProtocolConfig::heartbeatAway) + World.SECONDS);
        for (History.Put put : probes) {
            check(
                    running().stream().allMatch(host -> host.view().find(put.id) == null),
                    "I14",
                    () -> "forwarded and not dropped: " + fate(put.id));
        }
    }

    /** Whether a node that hands over what it is given has somebody to give it to. */
    private boolean hasAnHeir(Host host) {
        return !options.breadth.handsOver(host.id())
                || running().stream()
                        .anyMatch(other -> !options.breadth.handsOver(other.id())
                                && !other.membership().selfDrained()
                                && !other.membership().leaving());
    }

    /** One put at each of these nodes, all at once, and the time it takes until all are answered. */
    private List<History.Put> put(List<Host> hosts, int f) {
        List<History.Put> puts = new ArrayList<>();
        hosts.forEach(host -> puts.add(outbox.put(host, f)));
        world.run(options.longest(ProtocolConfig::putTimeout) + World.SECONDS);
        return puts;
    }

    /** I15, I16 and the emptiness of stores, after a time in which nothing happens. */
    private void quiet() {
        world.run(2 * options.failoverNanos() + 2 * options.longest(ProtocolConfig::heartbeatAway));
        cluster.peers().agree(cluster.startAll());
        running().forEach(this::nothingRemains);
    }

    /** Quiet between two troubles: lists become equal and entries whole, although work goes on. */
    void pause() {
        world.run(wholeness.diskNanos() + 5 * World.SECONDS);
        running();
        world.run(wholeness.withinNanos());
        cluster.peers().agree(cluster.startAll());
        wholeness.judge(running(), this::fate);
    }

    /**
     * Growth: nothing but floors is left of what is over. Of an earlier boot a crash may have taken entries that were on
     * their way, so that their numbers stay open until the stream is forgotten, T_tomb after its last change. Nobody can say
     * what became of an entry whose copies were all destroyed, either.
     */
    private void nothingRemains(Host host) {
        Set<NodeId> dead = dead();
        Set<StreamId> destroyed = outbox.history().entries().stream()
                .filter(History.Entry::isExcused)
                .map(entry -> entry.id.stream())
                .collect(Collectors.toSet());
        String remains = OutboxAudit.remains(
                host.protocol(),
                stream -> !dead.contains(stream.origin())
                        && !destroyed.contains(stream)
                        && OutboxAudit.isOfThisBoot(outbox.host(stream.origin()).protocol(), stream),
                node -> !dead.contains(node));
        check(remains == null, "growth", () -> host + ": " + remains);
    }
}
