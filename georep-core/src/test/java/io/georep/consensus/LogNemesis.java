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
    private boolean hasEnded;

    /** Where seats were last proposed. Before that slot is decided, nobody knows how many may forget. */
    private long reseated;

    LogNemesis(LogCluster cluster) {
        this.cluster = cluster;
        random = cluster.random;
    }

    void act() {
        List<LogMember> all = new ArrayList<>(cluster.members.values());
        LogMember victim = pick(all);
        LogMember leads = all.stream()
                .filter(member -> member.runs() && member.log.leads())
                .findFirst()
                .orElse(victim);
        NodeId from = pick(List.of(victim, leads)).id;
        NodeId to = pick(all).id;
        switch (random.nextInt(21)) {
            case 0 -> crash(victim);
            case 1 -> crash(leads);
            case 2, 3, 4 -> bootAll();
            case 5 -> victim.fuse = 1 + random.nextInt(3);
            case 6 -> leads.fuse = 1 + random.nextInt(3);
            case 7 -> bounce(victim);
            case 8 -> bounce(leads);
            case 9 -> split(all);
            case 10, 11 -> cluster.cut(from, to);
            case 12, 13 -> cluster.cut(to, from);
            case 14 -> cluster.heal();
            case 15 -> cluster.breakLink(from, to);
            case 16 -> hold(from, to);
            case 17 -> empty(victim);
            case 18 -> forget(victim);
            case 19 -> bounceUnheard(leads, victim);
            default -> reseat();
        }
    }

    private void crash(LogMember victim) {
        if (victim.runs()) {
            cluster.crash(victim);
        }
    }

    private void bounce(LogMember victim) {
        if (victim.runs()) {
            cluster.bounce(victim);
        }
    }

    /** It boots without the leader that it has promised to keep. */
    private void bounceUnheard(LogMember leads, LogMember victim) {
        cluster.cut(leads.id, victim.id);
        bounce(victim);
    }

    private void bootAll() {
        for (LogMember member : cluster.members.values()) {
            if (!member.runs() && random.nextInt(3) > 0) {
                cluster.boot(member);
            }
        }
    }

    /** All cuts heal, and two sides part. */
    private void split(List<LogMember> all) {
        cluster.heal();
        int side = random.nextInt(1 << all.size());
        for (int i = 0; i < all.size(); i++) {
            for (int j = 0; j < all.size(); j++) {
                if ((side >> i & 1) != (side >> j & 1) && random.nextInt(8) > 0) {
                    cluster.cut(all.get(i).id, all.get(j).id);
                }
            }
        }
    }

    private void hold(NodeId from, NodeId to) {
        long nanos = (1 + random.nextInt(5)) * 1000 * LogCluster.MILLI;
        for (NodeId each : random.nextBoolean() ? List.of(to) : cluster.members.keySet()) {
            if (!each.equals(from)) {
                cluster.hold(from, each, nanos);
            }
        }
    }

    /**
     * One store at a time, and none before the group is founded. The only founder is not emptied either: alone it would found the group
     * once more.
     */
    private void empty(LogMember victim) {
        LogMember leader = cluster.leader();
        boolean isWhole = !hasEnded
                && leader != null
                && leader.log.seats().slot() > 0
                && (cluster.founders.size() > 1 || !cluster.founders.contains(victim.id))
                && leader.log.decided() >= reseated
                && leader.log.seats().list().size() > 2
                && remembers(leader);
        if (isWhole) {
            victim.crash();
            emptied = victim;
            cluster.empty(victim);
            if (random.nextBoolean()) {
                split(new ArrayList<>(cluster.members.values()));
            }
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
        if (random.nextBoolean()) {
            cluster.at(cluster.now + random.nextInt(150) * LogCluster.MILLI, () -> empty(leader));
        }
    }

    void endAll() {
        hasEnded = true;
        cluster.heal();
        for (LogMember member : cluster.members.values()) {
            member.fuse = 0;
            if (!member.runs()) {
                cluster.boot(member);
            }
        }
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
