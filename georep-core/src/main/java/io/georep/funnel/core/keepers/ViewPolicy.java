package io.georep.funnel.core.keepers;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.keepers.ViewLedger.Known;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the leader of the master does next. It looks at the ledger and at the clock of leases, changes neither, and remembers nothing, so
 * the next leader comes to the same result.
 *
 * <p>A member is taken out if it let its lease end, or said farewell; if it came back with an older or empty store; if its store takes nothing; or if it
 * and another member cannot reach each other, and it is the one with more such others, or with the lower rank. It gets no lease from then on, and the next view
 * begins when its last one has ended. A restarted member leads to a new view with the same members. A node that has caught up joins
 * at the front, so the tail stays; if members are gone, it takes their place. A view has at least {@code membersMin} members, unless stores are
 * lost; with fewer there it is only read, for a write would have too few copies. Nobody is taken out unless those who stay and are there have everything that was committed ({@link
 * ViewLedger}).
 */
public final class ViewPolicy {
    /** More views than can be decided while none of them begins: the stores do not know such views. */
    public static final long UNHEARD_VIEWS = 1000;

    private final List<NodeId> founders;
    private final long leaseNanos;
    private final int membersMin;

    /**
     * Creates it.
     *
     * @param founders members of the first view, in order; the tail last
     * @param leaseNanos what nodes are granted; one that has not asked for as long is not taken in
     * @param membersMin below so many members nothing is written, and nobody is taken out for being silent; 0 for more than half of the
     *     founders
     */
    public ViewPolicy(List<NodeId> founders, long leaseNanos, int membersMin) {
        this.founders = List.copyOf(founders);
        this.membersMin = membersMin == 0 ? founders.size() / 2 + 1 : membersMin;
        if (founders.size() > ViewLedger.MEMBERS_MAX) {
            throw new ConfigurationException("replicated maps have " + founders.size() + " founders, at most "
                    + ViewLedger.MEMBERS_MAX + ": name fewer");
        }
        this.leaseNanos = leaseNanos;
    }

    /** Returns the lease that this request may be answered with: 0 if the node is about to be taken out, or says farewell. */
    public long leaseFor(Renewal renewal, ViewLedger ledger, LeaseClock clock, long now) {
        return !renewal.left() && mayGrant(renewal.node(), ledger, clock, now) ? leaseNanos : 0;
    }

    /** Returns whether the node may get another lease. One that let its own end may: it was slow, and is still a member. */
    public boolean mayGrant(NodeId node, ViewLedger ledger, LeaseClock clock, long now) {
        Set<NodeId> expired = expired(ledger, clock, now);
        return expired.contains(node) || !leaving(ledger, clock, now).contains(node);
    }

    /** Returns whether so many members are there that a write has the copies that it needs. */
    public boolean mayWrite(ViewLedger ledger, LeaseClock clock, long now) {
        return there(ledger, clock, now) >= membersMin;
    }

    private int there(ViewLedger ledger, LeaseClock clock, long now) {
        return ledger.members().size() - expired(ledger, clock, now).size();
    }

    /** Returns the change to write into the log now; null for none. Asked again after every entry, and from time to time. */
    public LedgerEntry.@Nullable Change next(ViewLedger ledger, LeaseClock clock, long now) {
        View view = ledger.view();
        if (view == null) {
            return first(ledger, clock, now);
        }
        Set<NodeId> leaving = leaving(ledger, clock, now);
        List<LedgerEntry.Joined> members = new ArrayList<>();
        List<LedgerEntry.Removed> removed = new ArrayList<>();
        boolean restarted = false;
        for (Known each : ledger.members()) {
            if (leaving.contains(each.id) && (each.left() || clock.ended(each.id, now))) {
                removed.add(new LedgerEntry.Removed(each.id, each.grants));
            } else {
                boolean isNew = each.restarted() && !each.lost();
                restarted |= isNew;
                members.add(new LedgerEntry.Joined(each.id, isNew ? each.saidIncarnation : each.incarnation));
            }
        }
        // One comparison at a time: others join when all members are active in the view, or when the view ends anyway.
        boolean mayJoin = leaving.isEmpty() ? areActive(ledger) : !removed.isEmpty();
        List<LedgerEntry.Joined> joining = mayJoin ? joining(ledger, leaving, clock, now) : List.of();
        if (removed.isEmpty() && joining.isEmpty() && !restarted) {
            return null;
        }
        members.addAll(0, joining);
        return new LedgerEntry.Change(view.number(), members, removed);
    }

    /** Its members are empty. So nodes with content first get the time to say so: the master may have forgotten its views. */
    private LedgerEntry.@Nullable Change first(ViewLedger ledger, LeaseClock clock, long now) {
        if (!clock.listenedFor(leaseNanos, now) || ledger.all().stream().anyMatch(each -> each.saidActive > 0)) {
            return null;
        }
        List<LedgerEntry.Joined> members = new ArrayList<>();
        for (NodeId id : founders) {
            Known founder = ledger.known(id);
            if (founder == null || isSilent(founder, clock, now)) {
                return null;
            }
            members.add(new LedgerEntry.Joined(id, founder.saidIncarnation));
        }
        return new LedgerEntry.Change(0, members, List.of());
    }

    /**
     * Returns what an operator's order to restore would do now. The master has lost what it had decided, but the stores of the nodes have
     * not. All founders must ask, and who said to have more, for one of them may have what the others lack. The members are the nodes that
     * were active in the newest view that any of them knows; the others learn. Nodes that run on may have been told of later views, so
     * its number is far above. They must have asked since the last lease ended: before, a view could begin, and take writes, without
     * being heard of.
     */
    public Restoration restore(ViewLedger ledger, LeaseClock clock, long now) {
        TreeMap<NodeId, Long> stores = new TreeMap<>();
        ledger.all().stream()
                .filter(each -> clock.heardWithin(each.id, leaseNanos, now))
                .forEach(each -> stores.put(each.id, each.saidActive));
        long newest = stores.values().stream().mapToLong(each -> each).max().orElse(0);
        List<NodeId> missing = new ArrayList<>(founders);
        ledger.all().stream().filter(each -> each.saidActive > newest).forEach(each -> missing.add(each.id));
        missing.removeAll(stores.keySet());
        String refusal = null;
        if (!missing.isEmpty()) {
            refusal = "nodes " + missing + " do not ask, and may have what the others lack: start them";
        } else if (newest <= ledger.number()) {
            refusal = "nothing to restore: the master knows view " + ledger.number() + ", and no store a later one";
        } else if (!stores.keySet().stream().allMatch(clock::heardSinceAllEnded)) {
            refusal = "leases of the view before may not have ended: try again after a lease";
        }
        if (refusal != null) {
            return new Restoration(null, stores, refusal);
        }
        List<NodeId> members = new ArrayList<>(stores.keySet());
        members.removeAll(founders);
        members.addAll(founders);
        members.removeIf(id -> !Objects.equals(stores.get(id), newest));
        return new Restoration(new View(newest + UNHEARD_VIEWS, members), stores, null);
    }

    /** Returns the entry that does what {@link #restore} says; null if that is nothing. */
    public LedgerEntry.@Nullable Restore restoring(ViewLedger ledger, LeaseClock clock, long now) {
        View view = restore(ledger, clock, now).view();
        if (view == null) {
            return null;
        }
        List<LedgerEntry.Joined> members = new ArrayList<>();
        for (NodeId id : view.members()) {
            Known node = ledger.known(id);
            members.add(new LedgerEntry.Joined(id, node == null ? 0 : node.saidIncarnation));
        }
        return new LedgerEntry.Restore(view.number(), members);
    }

    private boolean isSilent(@Nullable Known founder, LeaseClock clock, long now) {
        return founder == null || !clock.heardWithin(founder.id, leaseNanos, now);
    }

    /** Returns the founders for which the first view waits; none if there is a view. */
    public List<NodeId> awaited(ViewLedger ledger, LeaseClock clock, long now) {
        if (ledger.view() != null) {
            return List.of();
        }
        return founders.stream()
                .filter(id -> isSilent(ledger.known(id), clock, now))
                .toList();
    }

    private static boolean areActive(ViewLedger ledger) {
        return ledger.members().stream().allMatch(each -> each.activeView == ledger.number() && !each.restarted());
    }

    /** Returns the nodes that have learned, ask, and reach all members that stay. */
    private List<LedgerEntry.Joined> joining(ViewLedger ledger, Set<NodeId> leaving, LeaseClock clock, long now) {
        List<LedgerEntry.Joined> joining = new ArrayList<>();
        for (Known each : ledger.all()) {
            if (each.joined == 0
                    && each.readyView == ledger.number()
                    && leaving.containsAll(each.unreachable)
                    && ledger.members().size() + joining.size() < ViewLedger.MEMBERS_MAX
                    && clock.heardWithin(each.id, leaseNanos, now)) {
                joining.add(new LedgerEntry.Joined(each.id, each.saidIncarnation));
            }
        }
        return joining;
    }

    /**
     * Returns the members that let their lease end and have not asked since, or said farewell. A node that was started
     * again asks, but has had no lease yet.
     */
    private Set<NodeId> expired(ViewLedger ledger, LeaseClock clock, long now) {
        Set<NodeId> expired = new HashSet<>();
        for (Known each : ledger.members()) {
            boolean isSilent = clock.ended(each.id, now)
                    && !clock.heardWithin(each.id, leaseNanos, now)
                    && clock.listenedFor(leaseNanos, now);
            if (isSilent || each.left()) {
                expired.add(each.id);
            }
        }
        return expired;
    }

    /**
     * Returns the members to take out. A member that lost its store goes if the others have everything, whether they
     * are there or not. Any other member goes only if the members that are there have everything, and if enough of them
     * stay; if nobody is there, taking it out helps nobody. A member that cannot store goes only if the same is true of
     * the members that can: if no disk takes anything, all of them go on with reading.
     */
    private Set<NodeId> leaving(ViewLedger ledger, LeaseClock clock, long now) {
        Set<NodeId> leaving = new LinkedHashSet<>();
        for (Known each : ledger.members()) {
            if (each.lost()) {
                leaving.add(each.id);
            }
        }
        if (!ledger.holdEverything(each -> !leaving.contains(each))) {
            return Set.of();
        }
        Set<NodeId> more = new LinkedHashSet<>(leaving);
        more.addAll(expired(ledger, clock, now));
        Set<NodeId> there = new HashSet<>();
        for (Known each : ledger.members()) {
            // They ask three times per lease, so a shorter time is enough. With a whole lease, after a power cut one
            // node could be taken out in favour of another that is as dead but was heard a moment later.
            if (clock.heardWithin(each.id, leaseNanos / 2, now) && !each.left()) {
                there.add(each.id);
            }
        }
        if (!leavesEnough(ledger, there, more, clock, now)) {
            return leaving;
        }
        Set<NodeId> withFull = new LinkedHashSet<>(more);
        for (Known each : ledger.members()) {
            if (each.unreachable.contains(each.id)) {
                withFull.add(each.id);
            }
        }
        more = leavesEnough(ledger, there, withFull, clock, now) ? withFull : more;
        for (NodeId worst = worst(ledger, there, more, clock, now);
                worst != null;
                worst = worst(ledger, there, more, clock, now)) {
            more.add(worst);
        }
        return more;
    }

    /**
     * Returns whether the members that are there and stay have everything, and are enough, together with those that
     * join, for the copies of a write.
     */
    private boolean leavesEnough(
            ViewLedger ledger, Set<NodeId> there, Set<NodeId> leaving, LeaseClock clock, long now) {
        int joining = joining(ledger, leaving, clock, now).size();
        return ledger.members().size() - leaving.size() + joining >= membersMin
                && ledger.holdEverything(each -> there.contains(each) && !leaving.contains(each));
    }

    /** The member that cannot reach most of those who stay, or cannot be reached by them; null if all reach each other. */
    private @Nullable NodeId worst(
            ViewLedger ledger, Set<NodeId> there, Set<NodeId> leaving, LeaseClock clock, long now) {
        List<Known> staying = new ArrayList<>(ledger.members());
        staying.removeIf(each -> leaving.contains(each.id));
        NodeId worst = null;
        int most = 0;
        for (Known each : staying) {
            int pairs = 0;
            for (Known other : staying) {
                if (other != each && (each.unreachable.contains(other.id) || other.unreachable.contains(each.id))) {
                    pairs++;
                }
            }
            Set<NodeId> without = new HashSet<>(leaving);
            without.add(each.id);
            if (pairs > most && leavesEnough(ledger, there, without, clock, now)) {
                worst = each.id;
                most = pairs;
            }
        }
        return worst;
    }

    /** Returns why there is no view that serves, and what to do, for the log; null if nothing is wrong. */
    public @Nullable String trouble(ViewLedger ledger, LeaseClock clock, long now) {
        String lost = trouble(ledger);
        if (lost != null) {
            return lost;
        }
        Set<NodeId> absent = expired(ledger, clock, now);
        String waits = absent.isEmpty() ? apart(ledger, clock, now) : waits(ledger, absent);
        return waits == null ? tooFew(ledger, clock, now) : waits;
    }

    private @Nullable String apart(ViewLedger ledger, LeaseClock clock, long now) {
        List<String> apart = ledger.members().stream()
                .filter(each -> !each.unreachable.isEmpty())
                .map(each -> each.id + " cannot with " + each.unreachable)
                .toList();
        boolean isNobodySure = ledger.members().stream().noneMatch(Known::proven);
        if (apart.isEmpty() || !isNobodySure || !leaving(ledger, clock, now).isEmpty()) {
            return null;
        }
        return "view " + ledger.number() + " waits until its members can compare what they hold, and store it: " + apart
                + ". All were restarted, and they are too few to go on without one. Mend the links between them, and"
                + " look at their disks";
    }

    private @Nullable String tooFew(ViewLedger ledger, LeaseClock clock, long now) {
        int there = there(ledger, clock, now);
        if (ledger.view() == null || there >= membersMin) {
            return null;
        }
        return "view " + ledger.number() + " is only read: " + there + " of at least " + membersMin
                + " members are there (membersMin). Start the others of " + ledger.names()
                + ", or other nodes with maps"
                + ". If a store is lost, start its node with an empty one";
    }

    private static @Nullable String waits(ViewLedger ledger, Set<NodeId> absent) {
        boolean isNobodyThere = absent.size() == ledger.members().size();
        if (absent.isEmpty() || isNobodyThere || ledger.holdEverything(each -> !absent.contains(each))) {
            return null;
        }
        return "view " + ledger.number() + " waits for " + absent
                + ": the other members were restarted, and they are too few to be sure that their stores are not older"
                + " than what was committed. Start " + absent
                + ". If a store is lost, start its node with an empty one";
    }

    /** Returns why there can be no view that serves, whoever comes back; null if nothing is wrong. */
    public @Nullable String trouble(ViewLedger ledger) {
        View view = ledger.view();
        if (view == null) {
            List<Known> active =
                    ledger.all().stream().filter(each -> each.saidActive > 0).toList();
            return active.isEmpty()
                    ? null
                    : "the master knows of no view, but " + active
                            + ": its own storage was lost or is of another cluster. Bring"
                            + " it back, or order that the view is restored from the stores of the nodes; the master"
                            + " makes no empty map of one that has content";
        }
        if (ledger.members().stream().anyMatch(Known::complete)) {
            return null;
        }
        return "no member of view " + view.number() + " has all that was committed: " + ledger.members()
                + ". Bring back the store of one of them; the master makes no empty map of one that had content";
    }
}
