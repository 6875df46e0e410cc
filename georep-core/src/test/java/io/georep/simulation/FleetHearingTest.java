package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.FleetOperation;
import io.georep.flagons.core.FleetProtocol;
import io.georep.flagons.core.FleetSettings;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.core.RequestId;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.FixedMembership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What clients of a node are told whose machine has no time to read what others send it, while its turns go on. */
class FleetHearingTest implements NodeObserver {
    private static final int NODES = 6;
    private static final long DEADLINE_MILLIS = 20_000;
    private static final long GROWN = 90 * World.SECONDS;
    private static final FleetSettings SETTINGS = FleetSettings.hardened(NODES);
    private static final Slice KEY = Slice.utf8("k");

    private final World world = new World(1);
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<Object, Outcome> told = new HashMap<>();
    private long requests;

    FleetHearingTest() {
        SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
        network.defaultDelay(2 * World.MILLIS, World.MILLIS);
        for (int i = 0; i < NODES; i++) {
            List<String> seeds = i == 0 ? List.of() : List.of("n0:1");
            var machine = new SimulatedNode.Machine(NodeId.of("n" + i), "n" + i + ":1", "", seeds);
            SimulatedDisk.Speed disk = new SimulatedDisk.Speed(20_000, 400_000, 300_000);
            SimulatedNode node = new SimulatedNode(
                    world, network, machine, FleetHearingTest::install, disk, new Pace(20_000, 16), 50);
            node.observer(this);
            nodes.add(node);
            node.start();
        }
        world.run(GROWN);
    }

    private static NodeSoftware.Protocols install(NodeSoftware.Boot boot) {
        NodeIdentity self = new NodeIdentity(boot.id(), 1, 1, 1, boot.address(), boot.site());
        FixedMembership membership = new FixedMembership(self, Map.of());
        return new NodeSoftware.Protocols(
                membership,
                List.of(new FleetProtocol(SETTINGS, List.copyOf(boot.seeds()), membership, event -> false)));
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof FleetEvent.Answered answered) {
                told.put(answered.token(), answered.outcome());
            }
        }
    }

    private void ask(int node, String name, FleetOperation.Kind kind, @Nullable String value) {
        FleetOperation operation =
                new FleetOperation(new RequestId(1, requests++), kind, KEY, value == null ? null : Slice.utf8(value));
        nodes.get(node)
                .command(
                        FleetProtocol.ID.channel(),
                        new FleetCommand.Submit(
                                operation, FleetConsistency.ORDERED, OrderKey.FIRST, 1, DEADLINE_MILLIS, name));
    }

    private void run(long millis) {
        world.run(millis * World.MILLIS);
    }

    private void putBefore() {
        ask(3, "before", FleetOperation.Kind.PUT, "old");
        run(5_000);
        assertThat(told.get("before").status()).isEqualTo(Outcome.Status.APPLIED);
    }

    @Test
    void aNodeThatCannotReadIsNotSureOfAnOlderValue() {
        putBefore();

        nodes.get(2).threads().standStill();
        run(50);
        ask(3, "change", FleetOperation.Kind.PUT, "new");
        run(100);
        ask(2, "get", FleetOperation.Kind.GET, null);
        run(4_000);
        assertThat(told.get("change").status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(told)
                .as("what it has not heard may be older than what it knows")
                .doesNotContainKey("get");

        nodes.get(2).threads().goOn();
        run(10_000);
        assertThat(told.get("get").value()).isEqualTo(Slice.utf8("new"));
    }

    @Test
    void anAnswerThatIsLostIsAskedForAgain() {
        putBefore();

        nodes.get(2).threads().standStill();
        nodes.get(2).threads().loseAnswers(true);
        run(300);
        nodes.get(2).threads().goOn();
        nodes.get(2).threads().loseAnswers(false);
        run(10_000);

        ask(2, "get", FleetOperation.Kind.GET, null);
        run(5_000);
        assertThat(told.get("get").value()).as("it hears again").isEqualTo(Slice.utf8("old"));
    }

    @Test
    void whatIsAskedOfANodeThatCannotReadIsMadeWhenItCan() {
        assertThatAChangeComesBehindAGet(1_000, 5_000);
    }

    /** It does not know yet that it hears nothing, and nobody believes in the end what leaves so late. */
    @Test
    void whatLeavesSoLateThatNobodyBelievesItIsMadeAnew() {
        assertThatAChangeComesBehindAGet(100, 12_000);
    }

    private void assertThatAChangeComesBehindAGet(long askedAfter, long stillFor) {
        putBefore();

        nodes.get(2).threads().standStill();
        run(askedAfter);
        ask(2, "change", FleetOperation.Kind.PUT, "late");
        run(1_000);
        ask(3, "get", FleetOperation.Kind.GET, null);
        run(stillFor - askedAfter - 1_000);
        nodes.get(2).threads().goOn();
        run(10_000);

        ask(4, "after", FleetOperation.Kind.GET, null);
        run(5_000);
        assertThat(told.get("after").version())
                .as("it counts at the place that was told")
                .isEqualTo(told.get("change").place());
        assertThat(told.get("get").value()).isEqualTo(Slice.utf8("old"));
        assertThat(told.get("change").status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(told.get("change").place())
                .as("others have passed earlier ones")
                .isGreaterThan(told.get("get").place());
    }
}
