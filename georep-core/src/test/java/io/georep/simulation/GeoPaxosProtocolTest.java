package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.Slice;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** GeoPaxos+ with ordered maps on nodes. */
class GeoPaxosProtocolTest extends GeoPaxosNodes {
    @Test
    void eachGroupIsLedFromItsHome() {
        for (int group = 0; group < 3; group++) {
            for (int node = 1; node <= 3; node++) {
                assertThat(GeoAudit.leads(at(node), group))
                        .as("whether n%d leads group %d", node, group)
                        .isEqualTo(node == group + 1);
            }
        }
    }

    @Test
    void anOperationIsExecutedOnceOnAllNodesHoweverOftenItIsRepeated() {
        Slice absent =
                MapOperation.encode(new MapOperation.Put(new MapEntry(bytes("k"), bytes("<v>"), 0), Guard.ABSENT));
        MapResult first = result(submit(2, 7, 1, absent));
        assertThat(first).isEqualTo(new MapResult.Written(true, null));
        assertThat(result(submit(3, 7, 1, absent))).isEqualTo(first);
        assertThat(result(submit(3, 7, 2, absent))).isEqualTo(new MapResult.Written(false, bytes("<v>")));

        for (int node = 1; node <= 3; node++) {
            assertThat(read(node, "k")).isEqualTo("<v>");
        }
        cluster.pass(1);
        statesAreEqual();
        assertThat(guest.told.stream().filter(GeoEvent.class::isInstance)).hasSize(tokens);
    }

    @Test
    void objectsAreGivenToOtherGroupsAndBack() {
        result(submit(1, 7, 1, put("k", "<1>")));
        for (int to : new int[] {0b010, 0b111, 0b100, 0b001}) {
            int from = GeoAudit.groupsOf(at(3), FIRST_LEAF);
            String given = command(3, new GeoCommand.Give(token(), new long[] {FIRST_LEAF}, from, to));
            cluster.world().runUntil(() -> isAnswered(given), 20 * World.SECONDS);
            cluster.pass(1);
            assertThat(GeoAudit.groupsOf(at(1), FIRST_LEAF)).isEqualTo(to);
            result(submit(2, 7, 1 + to, put("k", "<" + to + ">")));
            assertThat(read(1, "k")).isEqualTo("<" + to + ">");
        }
        cluster.pass(2);
        statesAreEqual();
    }

    /** Otherwise something of each run of an application would stay for ever. */
    @Test
    void nothingIsKeptOfWritesWithoutNumbers() {
        for (int run = 1; run <= 3; run++) {
            result(command(1, new GeoCommand.Submit(token(), put("k", "<" + run + ">"))));
            restart(1, null, false);
            cluster.pass(8);
        }
        result(submit(2, 7, 1, put("k", "<v>")));
        cluster.pass(2);
        for (int node = 1; node <= 3; node++) {
            assertThat(GeoAudit.remembered(at(node)))
                    .as("n%d: a client and a result", node)
                    .isEqualTo(2);
        }
    }

    private void snapshotsAreFrequent() {
        for (int node = 1; node <= 3; node++) {
            GeoAudit.snapshotEvery(at(node), 5);
        }
    }

    @Test
    void whatWasDecidedIsThereAfterARestartOfAllNodes() {
        snapshotsAreFrequent();
        for (int i = 1; i <= 20; i++) {
            result(submit(1 + i % 3, 7, i, put("k" + i, "<" + i + ">")));
        }
        cluster.pass(1);
        Slice state = GeoAudit.state(at(2));
        List<Long> stores = IntStream.rangeClosed(1, 3)
                .mapToObj(node -> GeoAudit.store(at(node)))
                .toList();
        for (int node = 1; node <= 3; node++) {
            cluster.node(node).crash();
        }
        cluster.start();
        cluster.pass(2);

        for (int node = 1; node <= 3; node++) {
            assertThat(GeoAudit.store(at(node))).isEqualTo(stores.get(node - 1));
            assertThat(GeoAudit.state(at(node))).as("n%d", node).isEqualTo(state);
        }
        assertThat(GeoAudit.base(at(1), 0)).as("of the log is forgotten").isPositive();
        assertThat(result(submit(2, 7, 20, put("k20", "<again>")))).isEqualTo(new MapResult.Written(true, null));
        assertThat(read(1, "k20")).as("a repeated operation").isEqualTo("<20>");
    }

    /** The one that knew what was decided is away: two that do not must not decide anything. */
    @Test
    void anEmptiedNodeHasNoVoteUntilItHasCaughtUp() {
        cluster.node(3).crash();
        result(submit(1, 7, 1, put("k", "<v>")));
        cluster.node(1).crash();
        restart(2, null, true);
        cluster.node(3).start();
        String lost = submit(3, 8, 1, put("k", "<lost>"));
        cluster.pass(30);
        assertThat(answers(lost)).isEmpty();
        assertThat(IntStream.range(0, 9).filter(each -> GeoAudit.leads(at(2 + each % 2), each % 3)))
                .isEmpty();

        cluster.node(1).start();
        cluster.pass(15);
        assertThat(result(lost)).isEqualTo(new MapResult.Written(true, null));
        for (int group = 0; group < 3; group++) {
            assertThat(GeoAudit.hasSeat(at(2), group)).as("group %d", group).isTrue();
        }
        cluster.node(1).crash();
        assertThat(read(2, "k")).isEqualTo("<lost>");
    }

    @Test
    void anEmptiedNodeTakesAStateInPagesIfTheLogsAreForgotten() {
        snapshotsAreFrequent();
        for (int i = 1; i <= 40; i++) {
            result(submit(1 + i % 3, 7, i, put("k" + i, "<" + i + ">" + " ".repeat(60_000))));
        }
        cluster.pass(1);
        assertThat(GeoAudit.base(at(1), 0)).isPositive();
        longest = 0;
        restart(1, null, true);
        cluster.pass(10);
        statesAreEqual();
        assertThat(pages).as("of 48 KiB, each sent once").isBetween(40, 80);
        assertThat(longest).isLessThan(1 << 16);
        assertThat(GeoAudit.hasSeat(at(1), 0)).isTrue();
        assertThat(read(1, "k3")).startsWith("<3>");
    }

    @Test
    void aNodeThatCrashesWhileItTakesAStateTakesItFromTheBeginning() {
        snapshotsAreFrequent();
        for (int i = 1; i <= 40; i++) {
            result(submit(1 + i % 3, 7, i, put("k" + i, "<" + i + ">" + " ".repeat(60_000))));
        }
        cluster.pass(1);
        restart(1, null, true);
        for (int crash = 1; crash <= 3; crash++) {
            pages = 0;
            int some = 3 * crash;
            cluster.world().runUntil(() -> pages > some, 20 * World.SECONDS);
            restart(1, null, false);
        }
        cluster.pass(10);
        statesAreEqual();
        restart(1, null, false);
        cluster.pass(5);
        statesAreEqual();
    }

    /** Each of two nodes lacks what the other one has executed. Both could take the state of a third one, but that loses its store. */
    @Test
    void nodesThatWereApartFindTogetherWithoutTheOneThatHadAll() {
        snapshotsAreFrequent();
        cluster.cut(1, 2);
        for (int i = 1; i <= 12; i++) {
            String put = submit(1, 7, i, put("k" + i, "<" + i + ">"));
            String given = command(2, new GeoCommand.Give(token(), new long[] {99}, 0b010, 0b010));
            cluster.world().runUntil(() -> isAnswered(put) && isAnswered(given), 20 * World.SECONDS);
        }
        assertThat(GeoAudit.base(at(1), 0)).as("forgotten by n1").isGreaterThan(GeoAudit.decided(at(2), 0));
        assertThat(GeoAudit.decided(at(2), 1)).as("n1 lacks").isGreaterThan(GeoAudit.decided(at(1), 1));
        restart(3, null, true);
        cluster.join().pass(20);

        result(submit(2, 7, 41, put("k1", "<new>")));
        String given = command(1, new GeoCommand.Give(token(), new long[] {FIRST_LEAF}, 0b001, 0b010));
        cluster.world().runUntil(() -> isAnswered(given), 20 * World.SECONDS);
        assertThat(read(3, "k1")).isEqualTo("<new>");
        cluster.pass(1);
        statesAreEqual();
    }

    @Test
    void nodesThatForgetAloneDoNotFindTogether() {
        error = "FORGETS_ALONE";
        for (int node = 1; node <= 3; node++) {
            restart(node, null, false);
            cluster.pass(5);
        }
        assertThatThrownBy(this::nodesThatWereApartFindTogetherWithoutTheOneThatHadAll)
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void anOlderStoreHasNoVoteEither() {
        result(submit(1, 7, 1, put("k", "<old>")));
        SimulatedDisk.Image image = cluster.node(2).disk().image();
        restart(2, null, false);
        cluster.pass(5);
        result(submit(1, 7, 2, put("k", "<new>")));
        long before = GeoAudit.store(at(2));
        String underWay = submit(2, 9, 1, put("other", "<v>"));

        restart(2, image, true);
        String early = submit(2, 9, 2, put("early", "<v>"));
        cluster.pass(10);
        result(early);
        assertThat(GeoAudit.store(at(2))).isNotEqualTo(before);
        for (int group = 0; group < 3; group++) {
            assertThat(GeoAudit.hasSeat(at(2), group)).as("group %d", group).isTrue();
        }
        assertThat(read(2, "k")).isEqualTo("<new>");
        statesAreEqual();
        assertThat(answers(underWay).count()).isLessThanOrEqualTo(1);
        long seat = GeoAudit.store(at(2));
        restart(2, null, false);
        cluster.pass(5);
        assertThat(GeoAudit.store(at(2)))
                .as("what it stored is read as what it is")
                .isEqualTo(seat);
        assertThat(read(2, "k")).isEqualTo("<new>");
    }

    /** Its machine stands still, and with it its monotonic clock, while the others go on without it. */
    @Test
    void aLeaderThatWasSuspendedReadsNothingOld() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).suspend(false);
        cluster.pass(6);
        result(submit(2, 7, 2, put("k", "<new>")));
        String read = command(1, new GeoCommand.Read(token(), get("k")));
        cluster.node(1).resume();
        assertThat(result(read)).isEqualTo(new MapResult.Value(bytes("<new>")));
        cluster.pass(10);
        eachGroupIsLedFromItsHome();
    }

    @Test
    void aReadOfTheLeaderSendsNothing() {
        result(submit(1, 7, 1, put("k", "<v>")));
        cluster.pass(1);
        long before = GeoAudit.decided(at(1), 0);
        assertThat(read(1, "k")).isEqualTo("<v>");
        cluster.pass(1);
        assertThat(GeoAudit.decided(at(1), 0)).isEqualTo(before);
        assertThat(read(2, "k")).as("elsewhere").isEqualTo("<v>");
        cluster.pass(1);
        assertThat(GeoAudit.decided(at(1), 0)).as("is asked, not ordered").isEqualTo(before);
    }

    /** It led when it was asked. */
    @Test
    void aReadThatItsLeaderDoesNotAnswerIsOrdered() {
        result(submit(1, 7, 1, put("k", "<v>")));
        cluster.node(1).pause();
        assertThat(read(2, "k")).isEqualTo("<v>");
        cluster.node(1).resume();
        cluster.pass(10);
        statesAreEqual();
    }

    @Test
    void whatCannotBeOrderedIsRefusedAtTheDoor() {
        refused(command(1, new GeoCommand.Read(token(), put("k", "<v>"))), "would change something");
        refused(submit(1, 7, 1, Slice.of(new byte[(1 << 20) + 1])), "at most 1048576");
        refused(command(1, new GeoCommand.Give(token(), new long[] {1}, 1, ALL + 1)), "all are 7");
        assertThat(read(2, "k")).isNull();
        statesAreEqual();
    }
}
