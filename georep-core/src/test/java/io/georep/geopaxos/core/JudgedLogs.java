package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** What a {@link GeoJudge} has seen in the logs of all nodes. */
final class JudgedLogs {
    private record Place(int group, long slot) {}

    /** By group: who votes from the slot after this one on. */
    private final List<TreeMap<Long, List<NodeId>>> voters = new ArrayList<>();

    private final Map<Place, LogEntry> logs = new HashMap<>();

    /** Must come again where a group goes on, because somebody has voted for it who is left. */
    private final Map<Place, LogEntry> voted = new HashMap<>();

    private final Map<OpId, TreeMap<Integer, Long>> slots = new HashMap<>();
    private final Map<String, Long> incarnations = new HashMap<>();
    private final long[] first = new long[GeoGroups.MAX];
    private final long[] clocks = new long[GeoGroups.MAX];
    private final long[] decided = new long[GeoGroups.MAX];
    private OrderedMapsLayout layout = Layouts.NONE;

    /** Slots that the one who went on did not know to be decided, and somebody had voted for. */
    long saved;

    JudgedLogs(List<List<NodeId>> founders) {
        founders.forEach(each -> voters.add(new TreeMap<>(Map.of(0L, each))));
    }

    /** J1 and S1: all nodes have the same logs. */
    void decided(NodeId node, int group, long slot, LogEntry entry) {
        LogEntry before = logs.putIfAbsent(new Place(group, slot), entry);
        if (before != null) {
            assertThat(entry)
                    .as("J1: slot %d of group %d at %s", slot, group, node)
                    .isEqualTo(before);
            return;
        }
        LogEntry due = voted.getOrDefault(new Place(group, slot), entry);
        assertThat(entry)
                .as("slot %d of group %d at %s, which goes on", slot, group, node)
                .isEqualTo(due);
        decided[group] = slot;
        if (entry.kind() != LogEntry.COMMAND) {
            List<Seat> seats = Seats.read(entry.body());
            voters.get(group).put(slot, seats.stream().map(Seat::node).toList());
        } else {
            takes(group, slot, entry);
        }
    }

    private void takes(int group, long slot, LogEntry entry) {
        GroupEntry read = GroupEntry.read(entry.body());
        if (read instanceof GroupEntry.Sync sync) {
            clocks[group] = Math.max(clocks[group], sync.clock());
        } else if (read instanceof GroupEntry.Change change) {
            changes(change.layout());
        } else if (read instanceof GroupEntry.Gone gone) {
            gone.contacts()
                    .forEach(contact -> first[group] =
                            Math.max(first[group], 1 + incarnations.getOrDefault(group + "/" + contact, -1L)));
            gone.contacts().forEach(contact -> incarnations.remove(group + "/" + contact));
        } else if (read instanceof GroupEntry.Set set
                && isInTime(group, set.operation().id())
                && slots.computeIfAbsent(set.operation().id(), id -> new TreeMap<>())
                                .putIfAbsent(group, slot)
                        == null) {
            clocks[group] = Math.max(clocks[group] + 1, Math.min(set.operation().clock(), clocks[group] + (1L << 32)));
        }
    }

    private void changes(OrderedMapsLayout next) {
        layout = new Rules().isNext(next, layout) ? next : layout;
        for (int group = voters.size(); group < layout.groups().size(); group++) {
            voters.add(new TreeMap<>(Map.of(0L, layout.groups().get(group))));
        }
    }

    /** What an earlier incarnation of a contact asked comes too late. */
    private boolean isInTime(int group, OpId id) {
        String name = group + "/" + id.contact();
        boolean isKnown = incarnations.containsKey(name);
        return (isKnown || id.incarnation() >= first[group])
                && incarnations.merge(name, id.incarnation(), Math::max) == id.incarnation();
    }

    /**
     * What stands behind this slot has never been, and from then on this node has the only vote. But what was decided and is the last thing that
     * anybody left has voted for comes again.
     */
    void goesOn(int group, NodeId node, long last, LongFunction<LogEntry> votes) {
        voted.keySet().removeIf(place -> place.group() == group);
        for (long slot = last + 1; slot <= decided[group]; slot++) {
            Place place = new Place(group, slot);
            LogEntry vote = votes.apply(slot);
            if (vote == null || !vote.equals(logs.get(place))) {
                break;
            }
            voted.put(place, vote);
            saved++;
        }
        logs.keySet().removeIf(place -> place.group() == group && place.slot() > last);
        voters.get(group).tailMap(last, true).clear();
        voters.get(group).put(last, List.of(node));
        incarnations.keySet().removeIf(name -> name.startsWith(group + "/"));
        first[group] = 0;
        clocks[group] = 0;
        decided[group] = last;
        layout = group == 0 ? Layouts.NONE : layout;
        slots.values().forEach(places -> places.remove(group));
        for (long slot = 1; slot <= last; slot++) {
            LogEntry entry = logs.get(new Place(group, slot));
            if (entry.kind() == LogEntry.COMMAND) {
                takes(group, slot, entry);
            }
        }
    }

    /** Returns who votes in a group, and who did before. */
    List<List<NodeId>> seats(int group) {
        return voters.get(group).descendingMap().values().stream().limit(2).toList();
    }

    /** Returns who votes for a slot. */
    List<NodeId> voters(int group, long slot) {
        return voters.get(group).lowerEntry(slot).getValue();
    }

    /** Returns where an operation stands in a group; null if it does not. */
    Long slot(OpId id, int group) {
        return slots.getOrDefault(id, new TreeMap<>()).get(group);
    }

    long clock(int group) {
        return clocks[group];
    }

    /** Returns the last decided slots of all groups. */
    long[] decided() {
        return decided.clone();
    }

    /** Returns how many groups there are. */
    int groups() {
        return voters.size();
    }

    /** For people. */
    String text(int group) {
        StringBuilder text = new StringBuilder();
        for (long slot = 1; slot <= decided[group]; slot++) {
            LogEntry entry = logs.get(new Place(group, slot));
            text.append("\n  ").append(slot).append(' ');
            text.append(entry.kind() == LogEntry.COMMAND ? GroupEntry.read(entry.body()) : "seats");
        }
        return text.toString();
    }
}
