package io.georep.geopaxos.core;

import io.georep.consensus.LogPlace;
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
import org.jspecify.annotations.Nullable;

/**
 * An operator lets a group go on from the copy of this node, because too many voters have lost their stores for good. The node ends the log with
 * an entry of its own, by which it has the only vote in another log, and then leads and changes the seats like any leader. Who knows no more of
 * the former log to be decided than this node did goes over, whoever knows more takes nothing. Entries of other groups stay as they are, so
 * operations of several groups are ordered by the new log if the former one did not, or has lost that.
 */
final class Restorations {
    private final NodeId self;
    private final List<GroupLog> logs;
    private final SeatChanges membership;
    private final LogNews news;
    private final GeoOutlet outlet;

    /** An order is taken, and waits for the store. */
    private boolean isOrdered;

    Restorations(NodeId self, List<GroupLog> logs, SeatChanges membership, LogNews news, GeoOutlet outlet) {
        this.self = self;
        this.logs = logs;
        this.membership = membership;
        this.news = news;
        this.outlet = outlet;
    }

    /** Returns the answer to what is not done: what cannot be, or is only asked about; null if it can be done. */
    @Nullable
    GeoEvent atOnce(Restore asked, long now) {
        String why = refusal(asked, now);
        if (why == null && asked.isDry()) {
            return new GeoEvent.Restored(asked.token(), of(asked, now));
        }
        why = why == null ? behind(asked, now) : why;
        if (why != null) {
            return OpenRequests.refused(asked, Reason.INVALID, why);
        }
        return isOrdered || membership.isAsked()
                ? OpenRequests.refused(asked, Reason.OPEN, "another change is not answered yet")
                : null;
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
        return asked.voters().contains(self)
                ? Layouts.votersRefusal(asked.voters())
                : "node " + self + " has what is kept, so name it among the voters";
    }

    /**
     * Returns why the order is not for this node, but for another one: that has executed more, or has more in its log, which the lost voters may
     * have acknowledged.
     */
    private @Nullable String behind(Restore asked, long now) {
        LogPlace own = logs.get(asked.group()).log().allegiance().place();
        for (Map.Entry<NodeId, Logs> each : news.lately(asked.group(), now).entrySet()) {
            LogPlace place = each.getValue().places().get(asked.group());
            boolean isSame = place.log() == own.log();
            if (isSame && place.decided() > own.decided()) {
                return "node " + each.getKey() + " has executed " + (place.decided() - own.decided())
                        + " operations of group " + asked.group() + " more than node " + self
                        + ", which would be lost: send the order there";
            } else if (isSame && place.decided() == own.decided() && place.accepted() > own.accepted()) {
                return "node " + each.getKey() + " has " + (place.accepted() - own.accepted())
                        + " operations of group " + asked.group() + " more in its log than node " + self
                        + ", which may be acknowledged and would be lost: send the order there";
            }
        }
        return null;
    }

    private OrderedMapsRestoration of(Restore asked, long now) {
        ReplicatedLog log = logs.get(asked.group()).log();
        List<OrderedMapsRestoration.Position> others = new ArrayList<>();
        news.lately(asked.group(), now).forEach((node, said) -> {
            LogPlace place = said.places().get(asked.group());
            if (place.log() == log.seats().log()) {
                boolean isVoter = log.seats().list().contains(new Seat(node, said.store()));
                others.add(new OrderedMapsRestoration.Position(node, place.decided(), isVoter));
            }
        });
        LogPlace own = log.allegiance().place();
        return new OrderedMapsRestoration(
                asked.group(), asked.of(membership.layout()), own.decided(), own.accepted(), others);
    }

    /**
     * Does it, once all that this node has accepted is durable, because that counts as decided; unless it has heard by then what speaks against it.
     * Answered like the change of the voters, which it is.
     */
    void restore(long number, Restore asked, long now) {
        isOrdered = true;
        outlet.whenDurable(() -> {
            isOrdered = false;
            if (refusal(asked, now) != null || behind(asked, now) != null || membership.isAsked()) {
                outlet.refused(number, Reason.UNDECIDED);
                return;
            }
            OrderedMapsLayout next = asked.of(membership.layout()); // by the seats before
            logs.get(asked.group()).log().goOn(now);
            membership.ask(number, next, now);
        });
    }
}
