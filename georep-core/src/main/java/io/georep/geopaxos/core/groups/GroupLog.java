package io.georep.geopaxos.core.groups;

import io.georep.consensus.Ballot;
import io.georep.consensus.Departure;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogOutlet;
import io.georep.consensus.LogPlace;
import io.georep.consensus.LogRecord;
import io.georep.consensus.LogRelation;
import io.georep.consensus.Proposal;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.execution.InFlight;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.Nearness;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The log of one group on this node, which is one of its acceptors or learns what they decide. */
public final class GroupLog implements LogOutlet {
    /** Parts of this node that the log informs. */
    public interface Host {
        void send(NodeId to, GeoMessage message);

        void decided(int group, long slot, LogEntry entry);

        void behind(int group, NodeId member);

        /** Returns whether this node leaves a log that another one has gone on from. */
        boolean leaves();

        /** The group has gone on without what this node knows to be decided. */
        void leftBehind();

        /** A node has sent what belongs to another log. */
        void unlike(NodeId member);
    }

    /** For how many leases a group has no leader before it counts as dead. An election takes one or two. */
    public static final int UNLED_LEASES = 4;

    private final int group;
    private final Host host;
    private final GeoOutlet outlet;
    private final ReplicatedLog log;
    private @Nullable Ballot followed;
    private final long patience;

    /** When it last had a leader that this node knew of; at first, when this node booted. */
    private long ledAt;

    /** What was told last about lost stores. */
    private GeoEvent.@Nullable StoresLost told;

    private boolean isDoubted;
    private long doubted;

    /** What this node has proposed as the leader. */
    private InFlight inFlight = new InFlight();

    public GroupLog(
            int group,
            Seat seat,
            GeoGroups groups,
            LogRecord stored,
            RandomGenerator random,
            Host host,
            GeoOutlet outlet,
            long now) {
        this.group = group;
        this.host = host;
        this.outlet = outlet;
        patience = UNLED_LEASES * groups.timing().lease();
        ledAt = now;
        log = new ReplicatedLog(seat, groups.timing(), stored, random, this, now);
        log.learners(groups.nodes());
    }

    public int group() {
        return group;
    }

    public ReplicatedLog log() {
        return log;
    }

    public InFlight inFlight() {
        return inFlight;
    }

    /** This node leads no more. Other threads may still look at what there was. */
    void resigned() {
        inFlight = new InFlight();
    }

    /** Takes a message, which may tell that there is a log. */
    public void onMessage(NodeId from, LogMessage message, long now) {
        if (message instanceof LogMessage.Prepare ask) {
            Seats seats = ask.seats();
            hears(from, new LogPlace(seats.log(), ask.decided(), ask.decided(), seats.origins()), now);
        } else if (message instanceof LogMessage.Accept accept && log.seats().log() == 0) {
            hears(from, new LogPlace(accept.log(), accept.decided(), accept.decided(), List.of()), now);
        }
        log.onMessage(from, message, now);
    }

    /** A node says which log it has. */
    public void hears(NodeId from, LogPlace place, long now) {
        if (log.allegiance().log() != 0 && !host.leaves()) {
            return;
        }
        LogRelation relation = log.hears(from, place, now);
        if (relation == LogRelation.UNLIKE) {
            outlet.otherLog(group, from);
        } else if (relation == LogRelation.ENDED) {
            host.leftBehind();
            outlet.leftBehind(new GeoEvent.LeftBehind(group, from, log.decided()));
        }
    }

    /** Asks the leader of this group to order an operation, if there is one. */
    public void ask(Operation operation, long now) {
        NodeId leader = log.leader(now);
        if (leader != null) {
            host.send(leader, new GeoMessage.Order(group, operation));
        }
    }

    /** Returns whether this node follows another ballot than when it was asked last, or one again. */
    public boolean hasNewLeader(long now) {
        Ballot before = followed;
        followed = log.following(now);
        ledAt = followed == null ? ledAt : now;
        return followed != null && !followed.equals(before);
    }

    /** Returns the groups that have a leader as far as this node knows: a set of bits. */
    public static int led(List<GroupLog> logs, long now) {
        int led = 0;
        for (GroupLog each : logs) {
            led |= each.log.leader(now) == null ? 0 : 1 << each.group;
        }
        return led;
    }

    /** Returns whether all groups of a set have leaders, as far as this node knows. */
    public static boolean areLed(List<GroupLog> logs, int set, long now) {
        return (set & ~led(logs, now)) == 0;
    }

    /** Returns the bytes of what these logs have not forgotten. */
    public static long bytes(List<GroupLog> logs) {
        long bytes = 0;
        for (GroupLog each : logs) {
            bytes += each.log.bytes();
        }
        return bytes;
    }

    /** Returns where its leader is at home. */
    public NodeId home() {
        return log.seats().home().node();
    }

    /** Returns how long it takes from this node to so many seats and back that a majority has heard, in nanoseconds. */
    public long round(Nearness nearness) {
        List<Seat> seats = log.seats().list();
        return seats.stream()
                .mapToLong(seat -> nearness.nanosTo(seat.node()))
                .sorted()
                .skip(seats.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    /** Returns whether a node knows no sooner what is decided than the leader at home, who then tells it. */
    public boolean waitsForLeader(NodeId node) {
        return node.equals(home()) || !log.seats().isDecidedWithLeader(node);
    }

    /**
     * Returns the group in a set whose home is nearest to this node; of several the first one. One without a leader only if there is no
     * choice.
     */
    public static int nearest(List<GroupLog> logs, Nearness nearness, int all, long now) {
        int set = all & led(logs, now);
        set = set == 0 ? all : set;
        int nearest = Integer.numberOfTrailingZeros(set);
        for (int group = nearest + 1; group < logs.size(); group++) {
            boolean isIn = (set >> group & 1) != 0;
            if (isIn
                    && nearness.nanosTo(logs.get(group).home())
                            < nearness.nanosTo(logs.get(nearest).home())) {
                nearest = group;
            }
        }
        return nearest;
    }

    /** Returns whether no leader is known for so long that none is being elected: nobody knows when there will be one. */
    public boolean isDead(long now) {
        return log.leader(now) == null && now - ledAt > patience;
    }

    /** Returns the earliest time at which one of these logs has something to do, or {@code first} if none is earlier. */
    public static long nextDeadlineNanos(List<GroupLog> logs, long first) {
        long next = first;
        for (GroupLog each : logs) {
            long due = each.log.nextDeadlineNanos();
            next = due != Long.MAX_VALUE && due - next < 0 ? due : next;
        }
        return next;
    }

    /**
     * The clock may have stood still, which would make leases longer: they count again once enough seats have followed this
     * leader after now.
     */
    public void doubt() {
        if (log.leads()) {
            isDoubted = true;
            doubted = log.doubt();
        }
    }

    /** Returns whether its lease is not in doubt. */
    public boolean isCertain() {
        isDoubted = isDoubted && !log.isFollowedSince(doubted);
        return !isDoubted;
    }

    /** Processes again what is known to be decided after a slot. */
    void replay(long after) {
        for (long slot = Math.max(after, log.base()) + 1; slot <= log.decided(); slot++) {
            host.decided(group, slot, log.entry(slot));
        }
    }

    @Override
    public void send(NodeId to, LogMessage message) {
        host.send(to, new GeoMessage.Log(group, message));
    }

    @Override
    public void whenDurable(Runnable action) {
        outlet.whenDurable(action);
    }

    @Override
    public void storePromise(Ballot promised) {
        outlet.storePromise(group, promised);
    }

    @Override
    public void storeProposal(long slot, Proposal proposal) {
        outlet.storeProposal(group, slot, proposal);
    }

    @Override
    public void dropProposals(long after) {
        outlet.dropProposals(group, after);
    }

    @Override
    public void storeDeparture(Departure departure) {
        outlet.storeDeparture(group, departure);
    }

    @Override
    public void storeDecided(long slot) {
        outlet.storeDecided(group, slot);
    }

    @Override
    public void storeBase(long slot, Seats seats) {
        outlet.storeBase(group, slot, seats);
    }

    @Override
    public void onDecided(long slot, LogEntry entry) {
        host.decided(group, slot, entry);
    }

    @Override
    public void onBehind(NodeId member) {
        host.behind(group, member);
    }

    @Override
    public void onStoresLost(List<NodeId> voters, @Nullable NodeId elder) {
        GeoEvent.StoresLost lost = new GeoEvent.StoresLost(group, voters, elder);
        if (!lost.equals(told)) {
            told = lost;
            outlet.storesLost(lost);
        }
    }

    @Override
    public void onOtherLog(NodeId member) {
        host.unlike(member);
    }

    @Override
    public boolean isBelieved(NodeId node) {
        return outlet.isBelieved(node);
    }
}
