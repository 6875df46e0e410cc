package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A node that says what is not so: what it says is refused and counted, and the others go on as if it were not there. */
class LiarsTest {
    private static final long LIAR = 666;
    private static final Slice LIES = Slice.utf8("lies");
    private static final long FROM = 8_000;

    private long made;
    private FleetSimulation fleet;

    private FleetJudge judged(Consumer<FleetRun> change) {
        FleetRun run = new FleetRun();
        run.nodes = 20;
        run.millis = 20_000;
        run.skew = 100;
        change.accept(run);
        fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        assertThat(judge.violations).as(judge.toString()).noneMatch(each -> !each.contains("D1 delivered"));
        assertThat(judge.answers.wrong).as(judge.toString()).isEmpty();
        return judge;
    }

    private static long clock(FleetSimulation seen) {
        return seen.wall(seen.members.get(0));
    }

    private Event event(long wallMillis) {
        Contact liar = new Contact(LIAR, "n0", 1, 0);
        FleetOperation operation =
                new FleetOperation(new RequestId(LIAR, made++), FleetOperation.Kind.PUT, LIES, Slice.utf8("lie"));
        return new Event(new OrderKey(FleetClock.timeOf(wallMillis) + made % 1000, LIAR), liar, operation);
    }

    private void say(FleetSimulation seen, FleetMessage message) {
        for (Member member : seen.alive) {
            seen.post(seen.now + 1, member, message);
        }
    }

    private void say(FleetSimulation seen, Event event, long age) {
        say(seen, new Ball(List.of(event), new long[] {age}));
    }

    private long refused() {
        return fleet.alive.stream()
                .mapToLong(member -> member.node.counters().refused())
                .sum();
    }

    private long lies() {
        return fleet.alive.stream()
                .filter(member -> {
                    KeyHistory.State state = member.node.store().look(LIES, OrderKey.LAST);
                    return state.version().source() == LIAR;
                })
                .count();
    }

    private long latestClock() {
        return fleet.alive.stream()
                .mapToLong(
                        each -> FleetClock.millisOf(each.node.epidemic().clock().latest()))
                .max()
                .orElse(0);
    }

    @Test
    void anEventFromTheFarFutureMovesNoClockAndIsNotKept() {
        judged(run -> run.script = seen -> {
            if (seen.now == FROM) {
                Event lie = event(clock(seen) + 600_000);
                say(seen, lie, 0);
                say(seen, new FleetMessage.Data(List.of(lie)));
                say(seen, new FleetMessage.Errand(lie, OrderKey.FIRST, true, true, 0));
            }
        });

        assertThat(refused()).isGreaterThanOrEqualTo(2 * 20);
        assertThat(lies()).isZero();
        assertThat(latestClock()).isLessThan(clock(fleet) + 1_000);
    }

    @Test
    void anEventThatSaysItIsOldAlreadyIsNotReleasedEarly() {
        judged(run -> run.script = seen -> {
            if (seen.now == FROM) {
                say(seen, event(clock(seen)), 6_000);
                say(seen, event(clock(seen) - 100), -1);
            }
        });

        assertThat(refused()).isEqualTo(2 * 20);
    }

    /** Under the printed rule the ages of these would begin at zero, and nothing behind them would be stable. */
    @Test
    void eventsThatAreMadeToLookYoungDelayNobody() {
        FleetJudge quiet = judged(run -> {});
        FleetJudge lied = judged(run -> run.script = seen -> {
            if (seen.now > FROM && seen.now % 125 == 0) {
                say(seen, event(clock(seen) - 700), 0);
            }
        });

        long before = quiet.answers.latency / quiet.answers.answered();
        assertThat(lied.answers.latency / lied.answers.answered()).isLessThan(before + 100);
    }

    @Test
    void aFloodOfOneSourceIsCutOffAndTheOthersGoOn() {
        FleetJudge judge = judged(run -> run.script = seen -> {
            if (seen.now == FROM) {
                List<Event> flood = new ArrayList<>();
                for (int i = 0; i < 600; i++) {
                    flood.add(event(clock(seen)));
                }
                say(seen, new Ball(flood, new long[600]));
            }
        });

        assertThat(refused()).isGreaterThanOrEqualTo(88 * 20);
        assertThat(judge.answers.unsure).isZero();
        assertThat(judge.holes).isZero();
    }

    @Test
    void whoFloodsInTheNameOfAnotherNodeSilencesNobody() {
        List<Outcome> told = new ArrayList<>();
        judged(run -> run.script = seen -> {
            Member victim = seen.members.get(3);
            if (seen.now == FROM) {
                for (int i = 0; i < 600; i++) {
                    Event event = event(clock(seen));
                    OrderKey key = new OrderKey(event.key().time(), victim.contact.id());
                    say(seen, new Event(key, victim.contact, event.operation()), 0);
                }
            } else if (seen.now > FROM && seen.now < FROM + 4_000 && seen.now % 100 == 0) {
                FleetOperation put = seen.operation(FleetOperation.Kind.PUT, Slice.utf8("k"));
                seen.submit(victim, put, FleetConsistency.ORDERED, OrderKey.FIRST, 1, told::add);
            }
        });

        assertThat(refused()).isGreaterThanOrEqualTo(88 * 19 + 600);
        assertThat(told).hasSize(39).extracting(Outcome::status).containsOnly(Outcome.Status.APPLIED);
    }

    /** While a ball can be believed, its events are remembered; it is neither a hole nor passed on. */
    @Test
    void aBallThatIsShownAgainDoesNothing() {
        List<Ball> seenBalls = new ArrayList<>();
        FleetJudge judge = judged(run -> {
            run.rate = 5;
            run.script = seen -> {
                if (seen.now == FROM) {
                    Event event = event(clock(seen));
                    seenBalls.add(new Ball(List.of(event), new long[1]));
                    say(seen, seenBalls.get(0));
                } else if (seen.now > FROM && seen.now % 250 == 0) {
                    say(seen, seenBalls.get(0));
                    // The same with the age that it would have by now.
                    say(seen, seenBalls.get(0).event(0), seen.now - FROM);
                }
            };
        });

        assertThat(judge.lateAtGrown).isZero();
        assertThat(fleet.alive.stream()
                        .mapToLong(each -> each.node.counters().holes())
                        .sum())
                .isZero();
        assertThat(judge.violations.stream().filter(each -> each.contains("D1")).count())
                .as("delivered once each")
                .isLessThanOrEqualTo(20);
        assertThat(refused()).isPositive();
    }

    @Test
    void aNodeWhoseClockIsOffMakesNoEventsAndTheOthersGoOn() {
        FleetJudge judge = judged(run -> run.offBy = 3_000);

        Member off = fleet.members.get(0);
        assertThat(fleet.submit(
                        off,
                        fleet.operation(FleetOperation.Kind.PUT, Slice.utf8("k")),
                        FleetConsistency.ORDERED,
                        OrderKey.FIRST,
                        1,
                        outcome -> {}))
                .isNull();
        assertThat(fleet.alive.stream()
                        .filter(each -> each != off && each.node.counters().holes() > 0))
                .as("nodes that miss something")
                .isEmpty();
        assertThat(judge.answers.answered()).isGreaterThan(100);
    }

    /** What others said before its clock was set says nothing any more; what they say then does. */
    @Test
    void aNodeWhoseClockIsSetWrongNoticesAtOnceAndIsSoonBackWhenItIsSetRight() {
        List<String> said = new ArrayList<>();
        judged(run -> run.script = seen -> {
            Member set = seen.members.get(0);
            if (seen.now == FROM || seen.now == FROM + 4_000) {
                set.skew += seen.now == FROM ? 3_600_000 : -3_600_000;
            } else if (seen.now == FROM + 1 || seen.now == FROM + 3_000 || seen.now == FROM + 6_000) {
                boolean isRefused = seen.submit(
                                set,
                                seen.operation(FleetOperation.Kind.PUT, LIES),
                                FleetConsistency.ORDERED,
                                OrderKey.FIRST,
                                1,
                                outcome -> {})
                        == null;
                said.add(isRefused ? "refused" : "begun");
            }
        });

        assertThat(said).containsExactly("refused", "refused", "begun");
        assertThat(latestClock()).isLessThan(clock(fleet) + 1_000);
        assertThat(fleet.alive.stream()
                        .skip(1)
                        .filter(each -> each.node.counters().holes() > 0))
                .as("others that miss something")
                .isEmpty();
    }

    @Test
    void aNodeThatSaysAWrongTimeAgainAndAgainSilencesNobody() {
        Contact liar = new Contact(LIAR, "n0", 1, 0);
        FleetJudge judge = judged(run -> run.script = seen -> {
            if (seen.now > FROM && seen.now % 10 == 0) {
                say(seen, new FleetMessage.Shuffle(liar, List.of(), false, clock(seen) + 3_600_000));
            }
        });

        assertThat(fleet.alive.stream()
                        .map(each -> each.node.refusal(OrderKey.FIRST, fleet.wall(each)))
                        .filter(each -> each != null))
                .isEmpty();
        assertThat(judge.answers.unsure).isLessThan(judge.answers.asked() / 10);
    }

    private long unsure() {
        return fleet.alive.stream().filter(each -> each.node.isCutOff()).count();
    }

    /** They are late at everybody. */
    @Test
    void whoShowsEventsThatAreSecondsOldMakesNobodyUnsure() {
        List<Long> unsure = new ArrayList<>();
        judged(run -> {
            run.millis = 36_000;
            run.script = seen -> {
                if (seen.now >= FROM && seen.now % 500 == 0) {
                    say(seen, event(clock(seen) - 4_000), 4_000);
                }
                if (seen.now >= FROM + 10_000 && seen.now % 1_000 == 0) {
                    unsure.add(unsure());
                }
            };
        });

        assertThat(fleet.alive).allMatch(each -> each.node.counters().holes() > 10);
        assertThat(unsure).hasSizeGreaterThan(15).containsOnly(0L);
    }

    /** Not by so much that it would notice. Its events have the times of what it has heard, so they are not late. */
    @Test
    void aClockThatIsASecondBehindMakesNobodyUnsure() {
        List<Long> unsure = new ArrayList<>();
        judged(run -> {
            run.offBy = -1_100;
            run.script = seen -> {
                if (seen.now >= FROM && seen.now % 1_000 == 0) {
                    unsure.add(unsure());
                }
            };
        });

        assertThat(fleet.alive).allMatch(each -> each.node.counters().holes() == 0);
        assertThat(unsure).hasSizeGreaterThan(10).containsOnly(0L);
    }

    private Event signed(Event event, KeyPair writer, long millis) {
        return new Event(event.key(), event.origin(), Writers.signed(event.operation(), writer, millis));
    }

    /** Refused once at each node that is shown it, so nobody passes it on. */
    @Test
    void whoHasNoKeyChangesNothingWhereThereIsAListOfKeys() throws NoSuchAlgorithmException {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("Ed25519");
        KeyPair writer = keys.generateKeyPair();
        List<Outcome> told = new ArrayList<>();
        judged(run -> {
            run.rate = 0;
            run.nodes = 10;
            run.settings = FleetSettings.hardened(10).writtenBy(List.of(writer.getPublic()));
            run.script = seen -> {
                if (seen.now == FROM - 1_000) {
                    FleetOperation put = seen.operation(FleetOperation.Kind.PUT, Slice.utf8("prices"));
                    FleetOperation ours = Writers.signed(put, writer, clock(seen));
                    seen.submit(seen.any(), ours, FleetConsistency.ORDERED, OrderKey.FIRST, 1, told::add);
                } else if (seen.now == FROM) {
                    Event none = event(clock(seen));
                    Event other = signed(event(clock(seen)), keys.generateKeyPair(), clock(seen));
                    Event old = signed(event(clock(seen)), writer, clock(seen) - 3_600_000);
                    Proof proof = signed(none, writer, clock(seen)).operation().proof();
                    Event another = event(clock(seen));
                    Event forged = new Event(
                            another.key(), another.origin(), another.operation().with(proof));
                    say(seen, none, 0);
                    say(seen, other, 0);
                    say(seen, old, 0);
                    say(seen, forged, 0);
                    say(seen, new FleetMessage.Data(List.of(forged)));
                    say(seen, new FleetMessage.Errand(none, OrderKey.FIRST, true, true, 0));
                }
            };
        });

        assertThat(told).extracting(Outcome::status).containsExactly(Outcome.Status.APPLIED);
        assertThat(refused()).isEqualTo(6 * 10);
        assertThat(lies()).isZero();
    }

    private void judgedWithKeys(FleetSettings settings, Consumer<FleetSimulation> lies) {
        judged(run -> {
            run.rate = 0;
            run.nodes = 10;
            run.settings = settings;
            run.script = seen -> {
                if (seen.now == FROM) {
                    lies.accept(seen);
                }
            };
        });
    }

    /** Otherwise it would count before what others have written meanwhile. */
    @Test
    void whatWasSignedDoesNotCountAtAPlaceFromBeforeThat() throws NoSuchAlgorithmException {
        KeyPair writer = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        FleetSettings settings = FleetSettings.hardened(10).writtenBy(List.of(writer.getPublic()));
        judgedWithKeys(settings, seen -> {
            Event early = signed(event(clock(seen) - 60_000), writer, clock(seen));
            say(seen, new FleetMessage.Data(List.of(early)));
            say(seen, new FleetMessage.Errand(early, OrderKey.FIRST, true, true, 0));
        });
        assertThat(refused()).isEqualTo(2 * 10);
        assertThat(lies()).isZero();

        judgedWithKeys(settings, seen -> {
            Event clocksDiffer = signed(event(clock(seen) - 4_000), writer, clock(seen));
            say(seen, new FleetMessage.Data(List.of(clocksDiffer)));
        });
        assertThat(refused()).isZero();
        assertThat(lies()).isEqualTo(10);
    }

    @Test
    void aRetiredKeyCountsAtPlacesBeforeThatAndAtNoOther() throws NoSuchAlgorithmException {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("Ed25519");
        KeyPair retired = keys.generateKeyPair();
        Instant until = Instant.ofEpochMilli(1_600_000_000_000L + FROM - 1_000);
        FleetSettings settings = FleetSettings.hardened(10)
                .writtenBy(List.of(keys.generateKeyPair().getPublic()), Map.of(retired.getPublic(), until));
        judgedWithKeys(settings, seen -> {
            Event later = signed(event(until.toEpochMilli()), retired, until.toEpochMilli());
            say(seen, new FleetMessage.Data(List.of(later)));
            say(seen, new FleetMessage.Errand(later, OrderKey.FIRST, true, true, 0));
            say(seen, later, clock(seen) - until.toEpochMilli());
        });
        assertThat(refused()).isEqualTo(3 * 10);
        assertThat(lies()).isZero();

        judgedWithKeys(settings, seen -> {
            long before = until.toEpochMilli() - 1_000;
            say(seen, new FleetMessage.Data(List.of(signed(event(before), retired, before))));
        });
        assertThat(refused()).isZero();
        assertThat(lies()).isEqualTo(10);
    }
}
