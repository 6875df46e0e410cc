package io.georep.consensus;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Does harm to a {@link LogCluster}, but never empties a store before the one before has its seat back. */
final class LogNemesis {
    private final LogCluster cluster;
    private final Random random;
    private LogMember emptied;
    private int born;

    /** Where seats were last proposed. Before that slot is decided, nobody knows how many may forget. */
    private long reseated;

    LogNemesis(LogCluster cluster) {
        this.cluster = cluster;
        random = cluster.random;
    }

    void act() {
        LogMember victim = pick(new ArrayList<>(cluster.members.values()));
        switch (random.nextInt(12)) {
            case 0, 1 -> {
                if (victim.runs()) {
                    cluster.crash(victim);
                }
            }
            case 2, 3, 4 -> {
                if (!victim.runs()) {
                    cluster.boot(victim);
                }
            }
            case 5 -> cut(victim);
            case 6, 7 -> cluster.cut.clear();
            case 8 -> empty(victim);
            case 9 -> cluster.breakLink(victim.id, pick(new ArrayList<>(cluster.members.values())).id);
            case 10 -> forget(victim);
            default -> reseat();
        }
    }

    private void cut(LogMember victim) {
        for (NodeId other : cluster.members.keySet()) {
            if (!other.equals(victim.id) && random.nextBoolean()) {
                cluster.cut.add(victim.id + ">" + other);
                if (random.nextBoolean()) {
                    cluster.cut.add(other + ">" + victim.id);
                }
            }
        }
    }

    /**
     * One store at a time, and none before the group is founded. The only founder is not emptied either: alone it would found the group
     * once more.
     */
    private void empty(LogMember victim) {
        LogMember leader = cluster.leader();
        boolean isWhole = leader != null
                && leader.log.seats().slot() > 0
                && (cluster.founders.size() > 1 || !cluster.founders.contains(victim.id))
                && leader.log.decided() >= reseated
                && leader.log.seats().list().size() > 2
                && remembers(leader);
        if (isWhole) {
            victim.crash();
            emptied = victim;
            cluster.empty(victim);
        }
    }

    /** Whether the last member with a new store has its seat again, or needs none. */
    private boolean remembers(LogMember leader) {
        return !leader.log.isChangingSeats()
                && (emptied == null
                        || leader.log.seats().has(new Seat(emptied.id, emptied.disk.number))
                        || !leader.log.seats().names(emptied.id));
    }

    private void forget(LogMember victim) {
        if (victim.runs()) {
            victim.turn(() -> victim.log.forget(victim.log.decided() - random.nextInt(3)));
        }
    }

    /** Another node learns, or takes a seat, or somebody loses it. */
    private void reseat() {
        LogMember leader = cluster.leader();
        if (leader == null || !remembers(leader)) {
            return;
        }
        if (born < 3 && random.nextInt(3) == 0) {
            cluster.add(NodeId.of("m" + ++born));
        }
        List<NodeId> learners = new ArrayList<>(cluster.members.keySet());
        List<NodeId> seats = new ArrayList<>();
        leader.log.seats().list().forEach(seat -> seats.add(seat.node()));
        NodeId other = pick(learners);
        if (seats.contains(other) && seats.size() > 1) {
            seats.remove(other);
        } else if (!seats.contains(other) && seats.size() < 5) {
            seats.add(random.nextInt(seats.size() + 1), other);
        }
        leader.turn(() -> {
            leader.log.learners(learners);
            reseated = Math.max(reseated, leader.log.reseat(seats));
        });
    }

    void endAll() {
        cluster.cut.clear();
        for (LogMember member : cluster.members.values()) {
            if (!member.runs()) {
                cluster.boot(member);
            }
        }
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
