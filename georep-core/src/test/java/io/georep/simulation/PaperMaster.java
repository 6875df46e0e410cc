package io.georep.simulation;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.PeerAnswers;
import io.georep.funnel.core.keepers.HastyLeaseClock;
import io.georep.funnel.core.keepers.LeaseClock;
import io.georep.funnel.core.keepers.LedgerEntry;
import io.georep.funnel.core.keepers.ViewLeader;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.keepers.ViewPolicy;
import io.georep.model.NodeId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A master of views as nodes see one that rests on consensus of three peers, which it only plays. Its log survives everything, and entries take a while until they
 * are applied, in their order. Leaders come and go, each with a clock of its own. What a leader had not finished is done before the next one
 * begins, or is lost. One peer may not have heard of the new leader for a while, and if it led before, it goes on answering.
 */
final class PaperMaster extends FunnelMaster {
    private static final int PEERS = 3;
    private static final double RATE_ERROR = 0.01;
    private static final long DELAY = 5 * World.MILLIS;
    private static final long LAG_MAX = 3 * World.SECONDS;

    private final World world;
    private final RandomGenerator random;
    private final ViewPolicy policy;
    private final long leaseNanos;
    private final FunnelShape.Flaw flaw;
    private ViewLedger ledger = new ViewLedger();
    private final Set<NodeId> cutOff = new HashSet<>();
    private final List<Peer> peers = Stream.generate(Peer::new).limit(PEERS).toList();
    private final Deque<Entry> log = new ArrayDeque<>();
    private Peer leader = peers.get(0);

    /** Reach only the peer that is behind, which reaches only them. */
    private final Set<NodeId> aside = new HashSet<>();

    private Peer behindAside;
    private boolean isUp = true;
    private long term;
    private long appliedAt;
    private long logNanos;
    private int entries;

    /** An entry that is not applied. */
    private record Entry(LedgerEntry content, long term, Consumer<Grant> answer) {}

    /** One replica. */
    private final class Peer {
        private long term;
        private long driftPpm;
        private long origin;

        /** What it led with in its term; null if it did not. */
        private ViewLeader leading;

        private LeaseClock clock;

        /** What it has applied, if it has not heard of a later leader; null if that is everything. */
        private ViewLedger old;

        long nanos() {
            return origin + world.now() + world.now() / 1_000_000 * driftPpm;
        }

        void lead() {
            driftPpm = random.nextLong(-10_000, 10_001);
            origin = random.nextLong(-World.SECONDS * 1_000, World.SECONDS * 1_000) - world.now();
            clock = flaw == FunnelShape.Flaw.HASTY_MASTER
                    ? new HastyLeaseClock(RATE_ERROR, leaseNanos, leaseNanos, nanos())
                    : new LeaseClock(RATE_ERROR, leaseNanos, leaseNanos, nanos());
            leading = new ViewLeader(policy, leaseNanos, clock);
            leading.leads(term, ledger, nanos());
        }

        void learn(long newer) {
            if (newer > term) {
                term = newer;
                leading = null;
                old = null;
            }
        }

        PeerAnswers.Answer answer(Renewal renewal) {
            if (leading == null) {
                return new PeerAnswers.Answer(term, -1, null);
            }
            Grant grant = leading.answer(renewal, old == null ? ledger : old, nanos());
            return new PeerAnswers.Answer(term, term, grant);
        }
    }

    PaperMaster(World world, List<NodeId> founders, long leaseNanos, FunnelShape.Flaw flaw) {
        this.world = world;
        this.random = world.random("master");
        this.leaseNanos = leaseNanos;
        this.flaw = flaw;
        policy = new ViewPolicy(founders, leaseNanos, 0);
        lead(null);
        tick();
    }

    /** Another leader is elected, by more than half of the peers. What the one before had in its log is applied first, or lost. */
    private void lead(Peer behind) {
        term++;
        isUp = true;
        behindAside = null;
        for (Peer each : peers) {
            if (each == behind) {
                each.old = each.leading == null ? null : ViewLedger.decode(ledger.encode());
                world.after(random.nextLong(LAG_MAX), () -> {
                    behindAside = null;
                    each.learn(term);
                });
            } else {
                each.learn(term);
            }
        }
        List<Entry> left = List.copyOf(log);
        log.clear();
        leader = peers.stream()
                .filter(each -> each != behind)
                .toList()
                .get(random.nextInt(behind == null ? PEERS : PEERS - 1));
        leader.lead();
        int kept = random.nextInt(left.size() + 1);
        left.subList(0, kept).forEach(this::apply);
    }

    private void tick() {
        step();
        world.after(leaseNanos / 10, this::tick);
    }

    private long delay() {
        return 1 + random.nextLong(random.nextInt(20) == 0 ? 20 * DELAY : DELAY);
    }

    /** Asks all peers, and if that is not enough, for an entry. The answer comes later, or never. */
    @Override
    void ask(Renewal renewal, Consumer<Grant> answer) {
        if (cutOff.contains(renewal.node())) {
            return;
        }
        PeerAnswers said = new PeerAnswers(flaw == FunnelShape.Flaw.ONE_PEER_IS_ENOUGH ? 1 : PEERS);
        boolean[] over = new boolean[1];
        for (Peer each : peers) {
            world.after(delay(), () -> {
                boolean isReached = reaches(renewal.node(), each) && (isUp || each != leader);
                PeerAnswers.Answer told = isReached ? each.answer(renewal) : null;
                world.after(delay(), () -> {
                    if (!over[0]) {
                        said.add(told);
                        over[0] = said.grant() != null || said.isOver();
                        if (over[0]) {
                            decide(renewal, said.grant(), answer);
                        }
                    }
                });
            });
        }
    }

    private boolean reaches(NodeId node, Peer peer) {
        return behindAside == null || aside.contains(node) == (peer == behindAside);
    }

    private void decide(Renewal renewal, Grant grant, Consumer<Grant> answer) {
        if (grant == null) {
            world.after(delay(), () -> {
                if (isUp && reaches(renewal.node(), leader)) {
                    append(leader.leading.entry(renewal, ledger, leader.nanos()), answer);
                }
            });
        } else if (!cutOff.contains(renewal.node())) {
            answer.accept(grant);
        }
    }

    private void append(LedgerEntry content, Consumer<Grant> answer) {
        Entry entry = new Entry(LedgerEntry.decode(content.encode()), term, answer);
        entries++;
        log.add(entry);
        appliedAt = Math.max(appliedAt, world.now() + delay() + logNanos);
        world.after(appliedAt - world.now(), () -> {
            if (isUp && log.peek() == entry) {
                log.remove();
                apply(entry);
                step();
            }
        });
    }

    private void apply(Entry entry) {
        if (entry.content instanceof LedgerEntry.Renew renew) {
            Grant grant = leader.leading.applied(renew, ledger, leader.nanos());
            if (entry.term == term) {
                world.after(delay(), () -> {
                    if (!cutOff.contains(renew.renewal().node())) {
                        entry.answer.accept(grant);
                    }
                });
            }
            return;
        }
        boolean isNew = entry.content instanceof LedgerEntry.Change change
                ? ledger.apply(change)
                : ledger.apply((LedgerEntry.Restore) entry.content);
        leader.leading.changed();
        if (isNew) {
            View view = ledger.view();
            views.put(view.number(), view);
            world.trace().note(world.now(), "view", "master", view, null, view.number());
        }
    }

    private void step() {
        LedgerEntry.Change change = isUp ? leader.leading.next(ledger, leader.nanos()) : null;
        if (change != null && leader.leading.appends(change, ledger, leader.nanos())) {
            append(change, grant -> {});
        }
    }

    /** The leader answers nobody for a while; then there is another one. */
    @Override
    void fail(long nanos) {
        long failed = term;
        isUp = false;
        world.after(nanos, () -> {
            if (!isUp && term == failed) {
                lead(random.nextBoolean() ? leader : null);
            }
        });
    }

    /** Another leader takes over at once. */
    @Override
    void changeLeader() {
        lead(random.nextInt(3) == 0 ? null : leader);
    }

    /** One node and the leader are cut off from all others, who elect another one. */
    @Override
    void cutOffWithLeader(NodeId node) {
        Peer old = leader;
        lead(old);
        behindAside = old;
        aside.clear();
        aside.add(node);
    }

    /** From now on an entry takes so much longer, as on a disk that is slow to sync. */
    @Override
    void slowLog(long nanos) {
        logNanos = nanos;
    }

    /** Returns how many entries there were. */
    @Override
    int entries() {
        return entries;
    }

    /** A node cannot reach the master. */
    @Override
    void cutOff(NodeId node) {
        cutOff.add(node);
    }

    /** All nodes can reach the master, and it is there. */
    @Override
    void heal() {
        cutOff.clear();
        behindAside = null;
        logNanos = 0;
        if (!isUp) {
            lead(null);
        }
    }

    /** Whether a member asked so lately that it is not taken out before those who die now. */
    @Override
    boolean isSure(NodeId node) {
        LeaseClock clock = leader.clock;
        return clock.heardWithin(node, leaseNanos / 4, leader.nanos())
                && policy.mayGrant(node, ledger, clock, leader.nanos());
    }

    @Override
    ViewLedger ledger() {
        return ledger;
    }

    /** The peers of the master have lost their directories. */
    @Override
    void loseDirectories() {
        ledger = new ViewLedger();
        log.clear();
        lead(null);
    }

    /** An operator orders to restore the view. */
    @Override
    Restoration restore(boolean dryRun) {
        long now = leader.nanos();
        Restoration plan = leader.leading.restore(ledger, now);
        LedgerEntry.Restore entry = leader.leading.restoring(ledger, now);
        if (!dryRun && entry != null && leader.leading.appends(entry, ledger, now)) {
            append(entry, grant -> {});
        }
        return plan;
    }

    /** Why there is no view that serves; null if nothing is wrong. */
    @Override
    String trouble() {
        return policy.trouble(ledger);
    }

    /** For whom the view waits; null if for nobody. */
    @Override
    String waitsFor() {
        return policy.trouble(ledger, leader.clock, leader.nanos());
    }
}
