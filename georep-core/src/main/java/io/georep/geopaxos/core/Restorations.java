package io.georep.geopaxos.core;

import io.georep.consensus.LogPlace;
import io.georep.consensus.LogRestoration;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.OrderedMapsRestoration;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoCommand.Restore;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoMessage.Logs;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the order of an operator to let a group go on from the copy of this node, because too many voters have
 * lost their stores for good. The node asks all nodes that are left what they have accepted. It ends the log with an
 * entry that begins another log, in which this node has the only vote. Then it leads, and changes the seats as any
 * leader does. Another node goes over to the new log if it knows no more of the former one to be decided than this
 * node did; otherwise it takes nothing of the new log. The logs of other groups stay as they are. So an operation of
 * several groups is ordered by the new log if the former one had not ordered it, or if that was lost.
 */
final class Restorations {
    private final NodeId self;
    private final List<GroupLog> logs;
    private final SeatChanges membership;
    private final LogNews news;
    private final GeoOutlet outlet;
    private final long lease;

    private enum Step {
        /** Other nodes have not answered yet. */
        ASKS,
        /** This node has accepted what the others had accepted. That is not durable yet. */
        STORES,
        GOES_ON
    }

    /** An order, which is answered when it is over. */
    private static final class Order {
        final long number;
        final Restore asked;
        final List<NodeId> members;
        final long since;
        Step step = Step.ASKS;

        Order(long number, Restore asked, List<NodeId> members, long since) {
            this.number = number;
            this.asked = asked;
            this.members = members;
            this.since = since;
        }
    }

    /** For how many leases it waits for the others. */
    private static final int PATIENCE = 4;

    /** The order under way; null if there is none. */
    private @Nullable Order order;

    Restorations(NodeId self, List<GroupLog> logs, SeatChanges membership, LogNews news, GeoOutlet outlet, long lease) {
        this.self = self;
        this.logs = logs;
        this.membership = membership;
        this.news = news;
        this.outlet = outlet;
        this.lease = lease;
    }

    /**
     * Returns the answer to an order that is not carried out, because it cannot be or is a dry run; null if it can be.
     */
    @Nullable
    GeoEvent atOnce(Restore asked, long now) {
        String why = isAlone(asked.group()) ? votersRefusal(asked) : refusal(asked, now);
        if (why == null && asked.isDry()) {
            return new GeoEvent.Restored(asked.token(), of(asked, now));
        }
        why = why == null ? behind(asked, now) : why;
        if (why != null) {
            return OpenRequests.refused(asked, Reason.INVALID, why);
        }
        return order != null || membership.isAsked()
                ? OpenRequests.refused(asked, Reason.OPEN, "another change is not answered yet")
                : null;
    }

    /**
     * Returns whether this node has gone on alone already. A crash may have made it forget who is to vote: only that
     * is left to be ordered.
     */
    private boolean isAlone(int group) {
        if (group < 0 || group >= logs.size()) {
            return false;
        }
        ReplicatedLog log = logs.get(group).log();
        return log.leads()
                && log.allegiance().hasOrigins()
                && SeatChanges.names(log).equals(List.of(self));
    }

    private @Nullable String refusal(Restore asked, long now) {
        int group = asked.group();
        if (group < 0 || group >= logs.size()) {
            return "there is no group " + group + " of ordered maps here, there are " + logs.size();
        }
        ReplicatedLog log = logs.get(group).log();
        Seats seats = log.seats();
        if (seats.log() == 0
                || logs.stream().anyMatch(each -> each.log().allegiance().goesOver())) {
            return "node " + self + " does not have the state of group " + group + ", or the group goes on elsewhere";
        } else if (!logs.get(group).isDead(now)) {
            return "group " + group + " has a leader, or had one a short while ago";
        } else if (group > 0 && logs.get(0).isDead(now)) {
            return "group 0 has no leader either: restore that one first";
        }
        for (NodeId lost : asked.lost()) {
            Seat seat = seats.of(lost);
            Logs said = news.lately(group, now).get(lost);
            boolean isThere = lost.equals(self)
                    ? seat == null || log.hasSeat()
                    : seat == null ? news.isHeard(lost, now) : said != null && said.store() == seat.store();
            if (isThere) {
                return "node " + lost + " is in reach with its store, so it is not lost";
            }
        }
        for (NodeId node : membership.present()) {
            if (!node.equals(self) && !asked.lost().contains(node) && !news.isHeard(node, now)) {
                return "node " + node + " is not in reach: start it, or stop it for good and name it among the lost";
            }
        }
        long left = SeatChanges.names(seats).stream()
                .filter(each -> !asked.lost().contains(each))
                .count();
        if (2 * left > seats.list().size()) {
            return "name the voters of group " + group
                    + " that have lost their stores for good: the group needs more than" + " half of "
                    + SeatChanges.names(seats) + ", and has them if only " + asked.lost() + " have";
        }
        return votersRefusal(asked);
    }

    private @Nullable String votersRefusal(Restore asked) {
        return asked.voters().contains(self)
                ? Layouts.votersRefusal(asked.voters())
                : "node " + self + " has what is kept, so name it among the voters";
    }

    /** Returns which other node the order must be sent to, because it has executed more; null if there is none. */
    private @Nullable String behind(Restore asked, long now) {
        LogPlace own = logs.get(asked.group()).log().allegiance().place();
        for (Map.Entry<NodeId, Logs> each : same(asked.group(), now).entrySet()) {
            long more = each.getValue().places().get(asked.group()).decided() - own.decided();
            if (more > 0) {
                return "node " + each.getKey() + " has executed " + more + " operations of group " + asked.group()
                        + " more than node " + self + ", which would be lost: send the order there";
            }
        }
        return null;
    }

    /** Returns how far those nodes are that are in reach and have the same log as this one. */
    private SortedMap<NodeId, Logs> same(int group, long now) {
        long own = logs.get(group).log().allegiance().log();
        SortedMap<NodeId, Logs> same = news.lately(group, now);
        same.values().removeIf(said -> said.places().get(group).log() != own);
        return same;
    }

    private OrderedMapsRestoration of(Restore asked, long now) {
        int group = asked.group();
        ReplicatedLog log = logs.get(group).log();
        LogPlace own = log.allegiance().place();
        long kept = own.accepted();
        List<OrderedMapsRestoration.Position> others = new ArrayList<>();
        for (Map.Entry<NodeId, Logs> each : same(group, now).entrySet()) {
            LogPlace place = each.getValue().places().get(group);
            boolean isVoter = log.seats()
                    .list()
                    .contains(new Seat(each.getKey(), each.getValue().store()));
            kept = Math.max(kept, place.accepted());
            others.add(new OrderedMapsRestoration.Position(each.getKey(), place.decided(), isVoter));
        }
        return new OrderedMapsRestoration(group, asked.of(membership.layout()), own.decided(), kept, others);
    }

    /** Begins to carry out an order. It is answered like a change of the voters. */
    void restore(long number, Restore asked, long now) {
        if (isAlone(asked.group())) {
            membership.ask(number, asked.of(membership.layout()), now);
            return;
        }
        List<NodeId> members = new ArrayList<>(same(asked.group(), now).keySet());
        members.add(self);
        order = new Order(number, asked, members, now);
        restoration(order).ask(members);
    }

    private LogRestoration restoration(Order present) {
        return logs.get(present.asked.group()).log().restoration();
    }

    /** Asks those again that have not answered. */
    void repeat() {
        Order present = order;
        if (present != null && restoration(present).isUnderWay()) {
            restoration(present).ask(present.members);
        }
    }

    /** Goes on once all have answered and what this node has accepted is durable, because that counts as decided. */
    void endOfTurn(long now) {
        Order present = order;
        if (present == null) {
            return;
        }
        boolean isOverdue = present.step == Step.ASKS && now - present.since > PATIENCE * lease;
        boolean isReady = restoration(present).isReady();
        if (isOverdue || !restoration(present).isUnderWay()) {
            end(present);
        } else if (isReady && present.step == Step.GOES_ON) {
            goOn(present, now);
        } else if (isReady && present.step == Step.ASKS) {
            present.step = Step.STORES;
            outlet.whenDurable(() -> present.step = Step.GOES_ON); // by then another order may be under way
        }
    }

    /** Ends an order without any effect. */
    private void end(Order present) {
        order = null;
        restoration(present).end();
        outlet.refused(present.number, Reason.UNDECIDED);
    }

    /** Carries out the order, unless this node has heard meanwhile of something that forbids it. */
    private void goOn(Order present, long now) {
        Restore asked = present.asked;
        if (refusal(asked, now) != null || behind(asked, now) != null || membership.isAsked()) {
            end(present);
            return;
        }
        order = null;
        OrderedMapsLayout before = membership.layout(); // by the seats before, if nobody has changed anything
        restoration(present).goOn(now); // a change may be decided by that
        OrderedMapsLayout ordered = membership.ordered();
        membership.ask(present.number, asked.of(ordered.version() > 0 ? ordered : before), now);
    }

    /** For tests: returns the group that goes on as soon as the store is ready; -1 for none. */
    int ready() {
        return order == null || order.step != Step.STORES ? -1 : order.asked.group();
    }
}
