package io.georep.funnel.core.keepers;

import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the master of views knows: a state machine without clock and without settings, which every replica of the master
 * runs over the same log. {@link ViewPolicy} says, on the leader alone, what to write into the log. Not thread-safe.
 *
 * <p>A change of the view is checked once more when it is applied: it has no effect if another view came between, if a member that it
 * takes out has got one more lease, or if a node has restarted. So it does not matter who proposed it, nor when.
 *
 * <p>A view must have a <em>complete</em> member, one that has every committed write. A write is committed only when all
 * members of a view have said that they are active in it. So a node is complete that was active in some view, with the store it
 * still has, and that has been a member ever since.
 *
 * <p>A node that was restarted cannot know whether its store is still the right one: an older image says the same of
 * itself. So a member is in doubt from its restart until it is active in a view as the new process, and so has compared
 * what it holds. Where everybody is in doubt, more than half of the members must be in the next view, and one of them
 * must have the right store. A member that says that its store is lost or older does not count.
 */
public final class ViewLedger {
    /** Most members of a view: who has reported a write is kept as bits of a long. */
    public static final int MEMBERS_MAX = Long.SIZE;

    /** Nodes outside the view of which something is remembered. */
    static final int CANDIDATES_MAX = 256;

    /** Bits of an incarnation that tell the time at which a process began; the number of the boot is above them. */
    public static final int MILLIS_BITS = 42;

    final TreeMap<NodeId, Known> nodes = new TreeMap<>(NodeId::compareTo);

    @Nullable
    View view;

    long longestLease;
    long renewals;

    /** How many members in doubt are needed at least, even if there are fewer members by now; 0 when none is in doubt. */
    int needed;

    /**
     * What a renewal was answered.
     *
     * @param view null while there is none
     * @param granted whether the node has the lease that its entry carried
     */
    public record Answer(@Nullable View view, boolean granted) {}

    /** A node. */
    public static final class Known {
        final NodeId id;

        /** The incarnation under which it is a member of the view. */
        long incarnation;

        /** The newest incarnation that was heard of. */
        public long saidIncarnation;

        /** The newest view it was active in, under the incarnation by which it is a member. */
        public long activeView;

        /** The newest view it was active in under the newest incarnation. */
        public long saidActive;

        public long readyView;

        /** First view of those it has been a member of without a break; 0 for no member. */
        public long joined;

        /** First view of those it has been a member of in this process; 0 for no member. */
        public long since;

        /**
         * Whether it is a member of the first view, before which nothing was committed, and no member was heard to be active
         * since.
         */
        boolean fresh;

        /** How many leases it has got. */
        long grants;

        /** When it asked last, counted in renewals of all nodes. */
        long touched;

        public List<NodeId> unreachable = List.of();

        Known(NodeId id) {
            this.id = id;
        }

        public boolean restarted() {
            return saidIncarnation != incarnation;
        }

        /** Returns whether it is a member that came back with an older or empty store. */
        boolean lost() {
            return joined > 0 && restarted() && saidActive < activeView;
        }

        /** Returns whether its process has ended in order and said so: it has no lease any more. */
        boolean left() {
            return readyView == Renewal.LEFT && !restarted();
        }

        boolean complete() {
            return joined > 0 && !lost() && (fresh || activeView >= joined);
        }

        /** Returns whether it is complete for certain: it was active as the process by which it is a member. */
        boolean proven() {
            return complete() && !restarted() && (activeView >= since || (fresh && since == joined));
        }

        @Override
        public String toString() {
            return id + " active in view " + saidActive + (joined > 0 ? ", member since view " + joined : "");
        }
    }

    /** Returns the newest view; null while there is none. */
    public @Nullable View view() {
        return view;
    }

    /** Returns its number; 0 while there is none. */
    public long number() {
        return view == null ? 0 : view.number();
    }

    /** Returns the longest lease that was ever granted, in nanoseconds. */
    public long longestLeaseNanos() {
        return longestLease;
    }

    /** Returns the names of all nodes that are remembered. */
    public Set<NodeId> names() {
        return nodes.keySet();
    }

    @Nullable
    public Known known(NodeId id) {
        return nodes.get(id);
    }

    private Known named(NodeId id) {
        return Objects.requireNonNull(nodes.get(id));
    }

    public Collection<Known> all() {
        return nodes.values();
    }

    /** Returns the members in order. */
    List<Known> members() {
        List<Known> members = new ArrayList<>();
        if (view != null) {
            for (NodeId id : view.members()) {
                members.add(named(id));
            }
        }
        return members;
    }

    /** Takes a request for a lease. */
    public Answer apply(LedgerEntry.Renew entry) {
        Renewal renewal = entry.renewal();
        Known node = nodes.computeIfAbsent(renewal.node(), Known::new);
        node.touched = ++renewals;
        forgetOne();
        boolean isReady = view != null && node.joined == 0 && renewal.readyView() == view.number();
        // This message is late: the process that is a member sent it before it was active.
        boolean isEmpty = node.joined > 0 && renewal.activeView() == 0 && renewal.incarnation() != node.incarnation;
        if (bootOf(renewal.incarnation()) < bootOf(node.saidIncarnation) && !isReady && !isEmpty) {
            // Late, or its store is older than it knows: its peers will tell it, and it counts on from there. If none
            // heard of a later process, it becomes a member without content, or after it has learned. Two have one boot
            // number if the first died before it was durable; the one that spoke last counts as alive.
            return new Answer(view, false);
        }
        boolean sameProcess = renewal.incarnation() == node.saidIncarnation;
        node.saidIncarnation = renewal.incarnation();
        node.saidActive = sameProcess ? Math.max(node.saidActive, renewal.activeView()) : renewal.activeView();
        node.readyView = renewal.readyView();
        node.unreachable = ofView(renewal.unreachable());
        if (node.joined == 0 || node.restarted()) {
            return new Answer(view, false);
        }
        node.activeView = node.saidActive;
        if (needed > 0 && members().stream().allMatch(Known::proven)) {
            needed = 0;
        }
        if (entry.leaseNanos() > 0) {
            node.grants++;
            longestLease = Math.max(longestLease, entry.leaseNanos());
        }
        return new Answer(view, entry.leaseNanos() > 0);
    }

    /** Returns whether a request would leave all as it is, except counters: it can be answered without an entry. */
    boolean holds(Renewal renewal) {
        Known node = nodes.get(renewal.node());
        return node != null
                && renewal.incarnation() == node.saidIncarnation
                && renewal.activeView() <= node.saidActive // less: it had to begin anew
                && renewal.readyView() == node.readyView
                && ofView(renewal.unreachable()).equals(node.unreachable)
                && (node.joined == 0 || node.restarted() || node.activeView == node.saidActive)
                && (needed == 0 || !members().stream().allMatch(Known::proven));
    }

    /** Returns whether a node is a member by the process that asks. */
    boolean isMember(Renewal renewal) {
        Known node = nodes.get(renewal.node());
        return node != null && node.joined > 0 && node.incarnation == renewal.incarnation();
    }

    /** Returns whether the process that asks has said farewell before: this was on its way for longer. */
    boolean hasLeft(Renewal renewal) {
        Known node = nodes.get(renewal.node());
        return node != null && node.left() && node.saidIncarnation == renewal.incarnation();
    }

    private List<NodeId> ofView(List<NodeId> some) {
        return view == null
                ? List.of()
                : some.stream().filter(view.members()::contains).toList();
    }

    private static long bootOf(long incarnation) {
        return incarnation >>> MILLIS_BITS;
    }

    private void forgetOne() {
        if (nodes.size() - (view == null ? 0 : view.members().size()) > CANDIDATES_MAX) {
            nodes.values().stream()
                    .filter(each -> each.joined == 0)
                    .min((a, b) -> Long.compare(a.touched, b.touched))
                    .ifPresent(each -> nodes.remove(each.id));
        }
    }

    /** Takes a new view. Returns whether it had an effect. */
    public boolean apply(LedgerEntry.Change change) {
        if (!isAllowed(change)) {
            return false;
        }
        long number = number() + 1;
        boolean hadContent = nodes.values().stream().anyMatch(each -> each.activeView > 0 || each.saidActive > 0);
        needed = members().stream().allMatch(each -> each.proven() || isRemoved(each, change)) ? 0 : quorum();
        for (LedgerEntry.Removed each : change.removed()) {
            Known out = named(each.node());
            out.joined = 0;
            out.since = 0;
            out.fresh = false;
        }
        List<NodeId> members = new ArrayList<>();
        for (LedgerEntry.Joined each : change.members()) {
            Known node = named(each.node());
            if (node.joined == 0) {
                node.joined = number;
                node.since = number;
                node.fresh = number == 1;
                node.activeView = node.saidActive;
            } else if (each.incarnation() != node.incarnation) {
                node.since = number;
                node.fresh &= !hadContent;
                node.activeView = node.saidActive;
            }
            node.incarnation = each.incarnation();
            members.add(node.id);
        }
        nodes.values().forEach(each -> each.unreachable = List.of());
        view = new View(number, members);
        return true;
    }

    /**
     * Takes the view that an operator ordered. Its members have all that was committed if their stores are what they say, and that is
     * in doubt until they have compared what they hold. Returns whether it had an effect.
     */
    public boolean apply(LedgerEntry.Restore restore) {
        long newest =
                nodes.values().stream().mapToLong(each -> each.saidActive).max().orElse(0);
        boolean fits = newest > number()
                && newest < restore.view()
                && !restore.members().isEmpty();
        Set<NodeId> ids = new HashSet<>();
        for (LedgerEntry.Joined each : restore.members()) {
            Known node = nodes.get(each.node());
            fits &= node != null
                    && ids.add(node.id)
                    && node.saidActive == newest
                    && node.saidIncarnation == each.incarnation();
        }
        if (!fits || ids.size() > MEMBERS_MAX) {
            return false;
        }
        for (Known each : nodes.values()) {
            boolean isMember = ids.contains(each.id);
            each.joined = isMember ? newest : 0;
            each.since = isMember ? restore.view() : 0;
            each.fresh = false;
            each.activeView = isMember ? newest : each.activeView;
            each.incarnation = isMember ? each.saidIncarnation : each.incarnation;
            each.unreachable = List.of();
        }
        needed = ids.size() / 2 + 1;
        view = new View(
                restore.view(),
                restore.members().stream().map(LedgerEntry.Joined::node).toList());
        return true;
    }

    private static boolean isRemoved(Known node, LedgerEntry.Change change) {
        return change.removed().stream().anyMatch(each -> each.node().equals(node.id));
    }

    /** Returns how many of the members must be in the next view if all of these are in doubt. */
    private int quorum() {
        long members = members().stream().filter(each -> !each.lost()).count();
        return Math.max(needed, (int) members / 2 + 1);
    }

    /**
     * Returns whether these members have everything that was committed: one of them for certain, or more than half of
     * all are among them, or all whose stores are not lost.
     */
    boolean holdEverything(Predicate<NodeId> these) {
        int complete = 0;
        boolean areAll = true;
        for (Known each : members()) {
            if (these.test(each.id)) {
                if (each.proven()) {
                    return true;
                }
                complete += each.complete() ? 1 : 0;
            } else {
                areAll &= each.lost();
            }
        }
        return complete > 0 && (areAll || complete >= quorum());
    }

    private boolean isAllowed(LedgerEntry.Change change) {
        if (change.expectedView() != number()
                || change.members().isEmpty()
                || change.members().size() > MEMBERS_MAX) {
            return false;
        }
        Set<NodeId> staying = new HashSet<>();
        for (LedgerEntry.Joined each : change.members()) {
            Known node = nodes.get(each.node());
            if (node == null || !staying.add(node.id) || !mayBeIn(node, each.incarnation())) {
                return false;
            }
        }
        Set<NodeId> going = new HashSet<>();
        for (LedgerEntry.Removed each : change.removed()) {
            Known node = nodes.get(each.node());
            if (node == null || node.joined == 0 || node.grants != each.grants() || !going.add(node.id)) {
                return false;
            }
        }
        return (view == null || holdEverything(staying::contains))
                && members().stream().allMatch(each -> staying.contains(each.id) != going.contains(each.id))
                && going.size() <= members().size();
    }

    private boolean mayBeIn(Known node, long incarnation) {
        if (node.joined > 0) {
            return incarnation == node.incarnation || (incarnation == node.saidIncarnation && !node.lost());
        }
        boolean ready = view == null ? node.saidActive == 0 : node.readyView == number();
        return incarnation == node.saidIncarnation && ready;
    }

    /** Returns the whole state as bytes, for a snapshot. */
    public Slice encode() {
        return LedgerSnapshot.encode(this);
    }

    /**
     * Reads a snapshot.
     *
     * @throws MalformedException if it is none, or of a later version
     */
    public static ViewLedger decode(Slice bytes) {
        return LedgerSnapshot.decode(bytes);
    }
}
