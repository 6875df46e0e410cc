package io.georep.funnel.core.keepers;

import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replica of the master does beside its log: it measures leases, and while it leads it answers requests that change nothing, and
 * says when the view has to change. Not thread-safe.
 *
 * <p><b>Leases without entries.</b> The next leader knows nothing of them, so two rules keep its views from beginning
 * too early. When its term begins, it treats every lease as if it had just begun. And a grant counts only if more than
 * half of the replicas followed who gave it <em>after</em> the node had asked: then no later leader had been elected
 * when the lease began. Within one term, nothing is granted this way from when a change of the view was decided until
 * it is applied. None of this rests on a clock of the leader that runs while it is suspended.
 */
public final class ViewLeader {
    private final ViewPolicy policy;
    private final LeaseClock leases;
    private final long leaseNanos;

    /** The term in which the clock was restarted; -1 for none. */
    private long term = -1;

    /** Changes of the view that are in the log of this term and not applied. */
    private int changes;

    /** Creates it for a replica that begins, with a clock that is its own. */
    public ViewLeader(ViewPolicy policy, long leaseNanos, LeaseClock leases) {
        this.policy = policy;
        this.leaseNanos = leaseNanos;
        this.leases = leases;
    }

    /**
     * This replica leads in that term. It remembers nothing of earlier terms, above all not when leases were granted.
     */
    public void leads(long inTerm, ViewLedger ledger, long now) {
        if (inTerm != term) {
            forget(ledger, now);
            term = inTerm;
        }
    }

    /** The ledger is another one, from a snapshot. */
    public void forget(ViewLedger ledger, long now) {
        term = -1;
        changes = 0;
        leases.restart(Math.max(leaseNanos, ledger.longestLeaseNanos()), now);
    }

    /** Returns the request as an entry, with the lease that the node may have. */
    public LedgerEntry.Renew entry(Renewal renewal, ViewLedger ledger, long now) {
        Renewal last = ledger.hasLeft(renewal) ? renewal.farewell() : renewal;
        return new LedgerEntry.Renew(last, policy.leaseFor(last, ledger, leases, now));
    }

    /** Answers a request that leaves the ledger as it is; null if it has to go through the log. */
    public @Nullable Grant answer(Renewal renewal, ViewLedger ledger, long now) {
        if (changes > 0 || !ledger.holds(renewal)) {
            return null;
        }
        long lease = ledger.isMember(renewal) ? policy.leaseFor(renewal, ledger, leases, now) : 0;
        // The next leader may have settings with a shorter lease, and waits for the longest one in the ledger.
        return lease > ledger.longestLeaseNanos() ? null : granted(renewal, lease, ledger, now);
    }

    /**
     * Answers as if the node still reached the members that it reached when it was heard last; null if more than that is new.
     * That it reaches others now is written to the log, which may wait for full disks; its lease does not.
     */
    @Nullable
    Grant answerAsKnown(Renewal asks, ViewLedger ledger, long now) {
        ViewLedger.Known node = ledger.known(asks.node());
        List<NodeId> unreachable = node == null ? asks.unreachable() : node.unreachable;
        return answer(
                new Renewal(asks.node(), asks.incarnation(), asks.activeView(), asks.readyView(), unreachable),
                ledger,
                now);
    }

    /** A request went through the log. */
    public Grant applied(LedgerEntry.Renew entry, ViewLedger ledger, long now) {
        long lease = ledger.apply(entry).granted() ? entry.leaseNanos() : 0;
        return granted(entry.renewal(), lease, ledger, now);
    }

    private Grant granted(Renewal renewal, long lease, ViewLedger ledger, long now) {
        leases.applied(renewal, lease, now);
        if (leases.size() > 2 * ledger.names().size()) {
            leases.keep(ledger.names());
        }
        return new Grant(ledger.view(), Duration.ofNanos(lease), policy.mayWrite(ledger, leases, now));
    }

    /** Returns the change to propose now; null for none, also while one is under way. */
    public LedgerEntry.@Nullable Change next(ViewLedger ledger, long now) {
        return changes > 0 ? null : policy.next(ledger, leases, now);
    }

    /**
     * A change of the view is about to go into the log of this term: from here on nobody gets a lease without an entry.
     *
     * @return false if it must not, because what it was decided on is no longer so
     */
    public boolean appends(LedgerEntry change, ViewLedger ledger, long now) {
        LedgerEntry wanted =
                change instanceof LedgerEntry.Restore ? policy.restoring(ledger, leases, now) : next(ledger, now);
        if (!change.equals(wanted)) {
            return false;
        }
        changes++;
        return true;
    }

    /** A change of the view was applied, whoever proposed it. */
    public void changed() {
        changes = Math.max(0, changes - 1);
    }

    /** Returns whether the node is no member, and all members are active in the view. */
    public static boolean goesOnWithout(NodeId node, ViewLedger ledger) {
        return ledger.members().stream().allMatch(each -> !each.id.equals(node) && each.saidActive == ledger.number());
    }

    /** See {@link ViewPolicy#restore}. */
    public Restoration restore(ViewLedger ledger, long now) {
        return policy.restore(ledger, leases, now);
    }

    /** See {@link ViewPolicy#restoring}. */
    public LedgerEntry.@Nullable Restore restoring(ViewLedger ledger, long now) {
        return policy.restoring(ledger, leases, now);
    }

    /** Returns why there is no view that serves, and what to do; null if nothing is wrong. */
    public @Nullable String trouble(ViewLedger ledger, long now) {
        return policy.trouble(ledger, leases, now);
    }

    /** Returns the founders for which the first view waits. */
    public List<NodeId> awaited(ViewLedger ledger, long now) {
        return policy.awaited(ledger, leases, now);
    }
}
