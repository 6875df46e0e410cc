package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whom a node knows, and whom it tries again. */
class NeighboursTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final int LOST = 20;
    private static final long TRY_MILLIS = 30_000;

    private final List<String> sent = new ArrayList<>();
    private final List<Contact> asked = new ArrayList<>();
    private int moves;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Neighbours neighbours = new Neighbours(
            new Contact(1, "a:1", 1, 0),
            FleetSettings.hardened(1_000),
            random::nextLong,
            new Outlet() {
                @Override
                public void send(Contact to, FleetMessage message) {
                    sent.add(to.address());
                    if (message instanceof FleetMessage.Shuffle) {
                        asked.add(to);
                    }
                }

                @Override
                public void answered(RequestId request, Outcome outcome) {
                    throw new AssertionError("nobody asks");
                }
            },
            new FleetCounters(),
            new Neighbours.Moves() {
                @Override
                public void joined() {}

                @Override
                public void moved() {
                    moves++;
                }
            });

    /** Behind any of them may be the other part of a split, and most are of nodes that are no more. */
    @Test
    void eachAddressThatWasLostGetsItsTurnAndASeedIsTriedEachTime() {
        Set<String> seeds = Set.of("seed:1", "seed:2");
        neighbours.start(seeds.stream().map(Contact::unmet).toList(), true, 0, 0, WALL);
        List<Aged> others = new ArrayList<>();
        Set<String> lost = new HashSet<>();
        for (int i = 1; i <= LOST; i++) {
            others.add(new Aged(new Contact(100 + i, "lost:" + i, (long) i << 50, 0), 0));
            lost.add("lost:" + i);
        }
        neighbours.onShuffle(new FleetMessage.Shuffle(new Contact(2, "lost:1", 1L << 50, 0), others, false, WALL));
        lost.forEach(neighbours::unreachable);

        Set<String> triedSeeds = new HashSet<>();
        Set<String> triedLost = new HashSet<>();
        for (int i = 1; i <= LOST; i++) {
            sent.clear();
            neighbours.at(i * TRY_MILLIS, WALL + i * TRY_MILLIS);
            neighbours.onTimer();
            assertThat(sent).as("after %d times", i).containsAnyElementsOf(seeds);
            triedSeeds.addAll(sent);
            triedLost.addAll(sent);
            assertThat(i < 2 || triedSeeds.containsAll(seeds))
                    .as("seeds in turn")
                    .isTrue();
        }
        assertThat(triedLost).containsAll(lost);
    }

    private void runs(long from, long to, List<Aged> others) {
        for (long now = from; now < to; now += 125) {
            asked.clear();
            neighbours.at(now, WALL + now);
            neighbours.onTimer();
            neighbours.look();
            List.copyOf(asked)
                    .forEach(peer -> neighbours.onShuffle(new FleetMessage.Shuffle(peer, List.of(), true, WALL)));
            neighbours.onMembers(new FleetMessage.Members(others));
        }
    }

    /** It would take the fleet for one of billions of nodes, and itself for cut off from it. */
    @Test
    void aGroupCountOutOfThinAirMovesANodeThatJoinsForAFewSecondsOnly() {
        List<Aged> others = new ArrayList<>();
        List<Aged> lies = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            Contact other = new Contact(100 + i, "b:" + i, (long) i << 60, 0);
            others.add(new Aged(other, 0));
            lies.add(new Aged(other.at(Range.DEPTH_MAX), 0));
        }
        Contact liar = new Contact(666, "liar:1", 5, Range.DEPTH_MAX);
        neighbours.start(List.of(Contact.unmet("liar:1")), false, 0, 0, WALL);
        neighbours.onShuffle(new FleetMessage.Shuffle(liar, lies, true, WALL));
        assertThat(neighbours.group.self().depth()).isEqualTo(Range.DEPTH_MAX);

        runs(125, 5_000, others);
        assertThat(neighbours.group.self().depth()).as("as the positions say").isZero();
        assertThat(neighbours.outlook.size()).as("with the liar").isEqualTo(12);
        assertThat(neighbours.outlook.isCutOff(5_000)).isFalse();
    }

    @Test
    void aGroupCountOutOfThinAirMovesNoOtherNode() {
        List<Aged> lies = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            lies.add(new Aged(new Contact(100 + i, "b:" + i, (long) i << 60, Range.DEPTH_MAX), 0));
        }
        neighbours.start(List.of(), true, 0, 0, WALL);
        Contact liar = new Contact(666, "liar:1", 5, Range.DEPTH_MAX);
        for (long now = 0; now < 20_000; now += 1_000) {
            neighbours.onShuffle(new FleetMessage.Shuffle(liar, lies, false, WALL + now));
            neighbours.onJoin(new FleetMessage.Join(liar));
            runs(now + 125, now + 1_000, lies);
        }
        assertThat(moves).isZero();
        assertThat(neighbours.group.self().depth()).isZero();
        assertThat(neighbours.outlook.isCutOff(20_000)).isFalse();
    }
}
