package io.georep.simulation;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.LeaseClock;
import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.ViewLedger;
import io.georep.funnel.core.ViewPolicy;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The master of views as nodes see one that rests on consensus: its log survives everything, entries take a while until they are
 * applied, its leaders come and go, each with a clock of its own, and what a leader had not finished may be done by the next one or
 * be lost.
 */
final class FunnelMaster {
    private static final double RATE_ERROR = 0.01;
    private static final long DELAY = 5 * World.MILLIS;

    private final World world;
    private final RandomGenerator random;
    private final ViewPolicy policy;
    private final long leaseNanos;
    private final boolean isHasty;
    private ViewLedger ledger = new ViewLedger();
    private final TreeMap<Long, View> views = new TreeMap<>();
    private final Set<NodeId> cutOff = new HashSet<>();
    private LeaseClock clock;
    private boolean isUp = true;
    private boolean isProposed;
    private int term;
    private long driftPpm;
    private long origin;

    FunnelMaster(World world, List<NodeId> founders, long leaseNanos, boolean isHasty) {
        this.world = world;
        this.random = world.random("master");
        this.leaseNanos = leaseNanos;
        this.isHasty = isHasty;
        policy = new ViewPolicy(founders, leaseNanos, 0);
        lead();
        tick();
    }

    private void lead() {
        term++;
        isUp = true;
        isProposed = false;
        driftPpm = random.nextLong(-10_000, 10_001);
        origin = random.nextLong(-World.SECONDS * 1_000, World.SECONDS * 1_000) - world.now();
        clock = new LeaseClock(
                RATE_ERROR, leaseNanos, guarded(Math.max(leaseNanos, ledger.longestLeaseNanos())), nanos());
    }

    private long guarded(long nanos) {
        return isHasty ? Math.min(1, nanos) : nanos;
    }

    private long nanos() {
        return origin + world.now() + world.now() / 1_000_000 * driftPpm;
    }

    private void tick() {
        step();
        world.after(leaseNanos / 10, this::tick);
    }

    private long delay() {
        return 1 + random.nextLong(random.nextInt(20) == 0 ? 20 * DELAY : DELAY);
    }

    /** Asks; the answer comes later, or never. */
    void ask(Renewal renewal, Consumer<Grant> answer) {
        if (cutOff.contains(renewal.node())) {
            return;
        }
        world.after(delay(), () -> {
            if (isUp) {
                int since = term;
                long lease = policy.leaseFor(renewal.node(), ledger, clock, nanos());
                world.after(delay(), () -> apply(new LedgerEntry.Renew(renewal, lease), since, answer));
            }
        });
    }

    private boolean isLost(int since) {
        return !isUp || (since != term && random.nextBoolean());
    }

    private void apply(LedgerEntry.Renew entry, int since, Consumer<Grant> answer) {
        if (isLost(since)) {
            return;
        }
        ViewLedger.Answer applied = ledger.apply((LedgerEntry.Renew) LedgerEntry.decode(entry.encode()));
        long lease = applied.granted() ? entry.leaseNanos() : 0;
        clock.applied(entry.renewal(), guarded(lease), nanos());
        boolean mayWrite = policy.mayWrite(ledger, clock, nanos());
        if (since == term) {
            world.after(delay(), () -> {
                if (!cutOff.contains(entry.renewal().node())) {
                    answer.accept(new Grant(applied.view(), Duration.ofNanos(lease), mayWrite));
                }
            });
        }
        step();
    }

    private void step() {
        LedgerEntry.Change change = isUp && !isProposed ? policy.next(ledger, clock, nanos()) : null;
        if (change == null) {
            return;
        }
        isProposed = true;
        int since = term;
        world.after(delay(), () -> {
            if (since == term) {
                isProposed = false;
            }
            if (!isLost(since) && ledger.apply(change)) {
                View view = ledger.view();
                views.put(view.number(), view);
                world.trace().note(world.now(), "view", "master", view, null, view.number());
            }
            step();
        });
    }

    /** Nobody answers for a while; then there is another leader. */
    void fail(long nanos) {
        isUp = false;
        world.after(nanos, () -> {
            if (!isUp) {
                lead();
            }
        });
    }

    /** Another leader takes over at once. */
    void changeLeader() {
        lead();
    }

    /** A node cannot reach the master. */
    void cutOff(NodeId node) {
        cutOff.add(node);
    }

    /** All nodes can reach the master, and it is there. */
    void heal() {
        cutOff.clear();
        if (!isUp) {
            lead();
        }
    }

    /** Whether a member asked so lately that it is not taken out before those who die now. */
    boolean isSure(NodeId node) {
        return clock.heardWithin(node, leaseNanos / 4, nanos()) && policy.mayGrant(node, ledger, clock, nanos());
    }

    ViewLedger ledger() {
        return ledger;
    }

    /** Returns a view by its number. */
    View view(long number) {
        return views.get(number);
    }

    /** The peers of the master have lost their directories. */
    void loseDirectories() {
        ledger = new ViewLedger();
        lead();
    }

    /** An operator orders to restore the view. */
    Restoration restore(boolean dryRun) {
        Restoration plan = policy.restore(ledger, clock, nanos());
        LedgerEntry.Restore entry = policy.restoring(ledger, clock, nanos());
        if (!dryRun && entry != null && ledger.apply((LedgerEntry.Restore) LedgerEntry.decode(entry.encode()))) {
            views.put(entry.view(), ledger.view());
        }
        return plan;
    }

    /** Returns the newest view; null if there is none. */
    View view() {
        return ledger.view();
    }

    /** Why there is no view that serves; null if nothing is wrong. */
    String trouble() {
        return policy.trouble(ledger);
    }

    /** For whom the view waits; null if for nobody. */
    String waitsFor() {
        return policy.trouble(ledger, clock, nanos());
    }

    int viewCount() {
        return views.size();
    }
}
