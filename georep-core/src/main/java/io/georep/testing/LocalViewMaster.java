package io.georep.testing;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.keepers.LeaseClock;
import io.georep.funnel.core.keepers.LedgerEntry;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.keepers.ViewPolicy;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A master of views for replicated maps on nodes in this JVM, for tests. It decides as a real one does, but it remembers everything in
 * memory only, and it never fails unless it is told to. Give the same object to all nodes. Thread-safe.
 *
 * <pre>{@code
 * FunnelSettings settings = FunnelSettings.defaults();
 * LocalViewMaster master = LocalViewMaster.of(settings, "n1", "n2", "n3");
 * try (LocalCluster cluster = LocalCluster.start(3, builder -> builder.replicatedMaps(settings, master))) {
 *     ReplicatedMaps maps = cluster.node(1).service(ReplicatedMaps.class);
 * }
 * }</pre>
 */
public final class LocalViewMaster implements ViewMaster.Factory {
    private final ViewLedger ledger = new ViewLedger();
    private final ViewPolicy policy;
    private final LeaseClock clock;
    private final long leaseNanos;
    private boolean silent;

    private LocalViewMaster(FunnelSettings settings, List<NodeId> founders) {
        leaseNanos = settings.lease().toNanos();
        policy = new ViewPolicy(founders, leaseNanos, 0);
        // Nobody had a lease before this object was made.
        clock = new LeaseClock(settings.clockRateError(), leaseNanos, 0, System.nanoTime());
    }

    /**
     * Returns a master that has not seen any node yet.
     *
     * @param settings with the lease that it grants, the same as those of the nodes
     * @param founders names of the nodes that are the first view, in order; the last one is its tail. There is no view before all of
     *     them have asked
     */
    public static LocalViewMaster of(FunnelSettings settings, String... founders) {
        return new LocalViewMaster(
                settings, Arrays.stream(founders).map(NodeId::of).toList());
    }

    /** Lets the master answer nobody from now on, as if it were not in reach, or answer again. */
    public synchronized void silent(boolean value) {
        silent = value;
    }

    @Override
    public ViewMaster create(ViewMaster.Place place) {
        return new ViewMaster() {
            @Override
            public CompletionStage<Grant> renew(Renewal renewal) {
                return answer(renewal);
            }

            @Override
            public CompletionStage<Restoration> restore(boolean dryRun) {
                return CompletableFuture.completedFuture(restored(dryRun));
            }

            @Override
            public void close() {}
        };
    }

    private synchronized CompletionStage<ViewMaster.Grant> answer(ViewMaster.Renewal renewal) {
        if (silent) {
            return new CompletableFuture<>();
        }
        ViewLedger.Answer answer = enter(renewal);
        if (changed()) {
            answer = enter(renewal);
        }
        Duration lease = answer.granted() ? Duration.ofNanos(leaseNanos) : Duration.ZERO;
        boolean mayWrite = policy.mayWrite(ledger, clock, System.nanoTime());
        return CompletableFuture.completedFuture(new ViewMaster.Grant(answer.view(), lease, mayWrite));
    }

    private ViewLedger.Answer enter(ViewMaster.Renewal renewal) {
        long now = System.nanoTime();
        long lease = policy.leaseFor(renewal, ledger, clock, now);
        ViewLedger.Answer answer = ledger.apply(new LedgerEntry.Renew(renewal, lease));
        clock.applied(renewal, answer.granted() ? lease : 0, now);
        return answer;
    }

    private synchronized ViewMaster.Restoration restored(boolean dryRun) {
        long now = System.nanoTime();
        ViewMaster.Restoration plan = policy.restore(ledger, clock, now);
        LedgerEntry.Restore entry = policy.restoring(ledger, clock, now);
        if (!dryRun && entry != null) {
            ledger.apply(entry);
        }
        return plan;
    }

    private boolean changed() {
        boolean changed = false;
        LedgerEntry.Change next = policy.next(ledger, clock, System.nanoTime());
        while (next != null && ledger.apply(next)) {
            changed = true;
            next = policy.next(ledger, clock, System.nanoTime());
        }
        return changed;
    }
}
