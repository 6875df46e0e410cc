package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Who has a link, and who of them is within reach: in touch, and linked. */
final class Reach {
    private final TreeMap<NodeId, PeerRecord> linked = new TreeMap<>();

    /** In no order: a rumour draws some of them without a look at the others. */
    private final List<PeerRecord> reached = new ArrayList<>();

    /** Those with a link, in the order of their names, strangers included. */
    Collection<PeerRecord> linked() {
        return Collections.unmodifiableCollection(linked.values());
    }

    void setLinked(PeerRecord record, boolean isLinked) {
        record.linked = isLinked;
        if (isLinked) {
            linked.put(record.id, record);
        } else {
            linked.remove(record.id);
        }
    }

    /** Takes note if this peer came within reach or left it. */
    void check(PeerRecord record) {
        boolean inReach = record.inTouch() && record.linked && !record.forgotten;
        if (inReach && record.reachIndex < 0) {
            record.reachIndex = reached.size();
            reached.add(record);
        } else if (!inReach && record.reachIndex >= 0) {
            swap(record.reachIndex, reached.size() - 1);
            reached.remove(reached.size() - 1);
            record.reachIndex = -1;
        }
    }

    /** Returns some of those within reach, drawn at random; all of them if there are no more. */
    List<PeerRecord> draw(int count, RandomGenerator random) {
        int drawn = Math.min(count, reached.size());
        for (int i = 0; i < drawn && drawn < reached.size(); i++) {
            swap(i, i + random.nextInt(reached.size() - i));
        }
        return List.copyOf(reached.subList(0, drawn));
    }

    /** Returns how many are within reach. */
    int count() {
        return reached.size();
    }

    /** Returns whether somebody is within reach who may not pass on what operators order. */
    boolean hasLimited() {
        return reached.stream().anyMatch(record -> record.limited);
    }

    private void swap(int i, int j) {
        PeerRecord atI = reached.get(i);
        PeerRecord atJ = reached.get(j);
        reached.set(i, atJ);
        reached.set(j, atI);
        atJ.reachIndex = i;
        atI.reachIndex = j;
    }
}
