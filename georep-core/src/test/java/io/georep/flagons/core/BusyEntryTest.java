package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** One node through which clients write more than others take of one node. */
class BusyEntryTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final String ENTRY = "a:1";
    private static final Slice VALUE = Slice.of(new byte[FleetOperation.VALUE_BYTES_MAX]);

    private final SplittableRandom random = new SplittableRandom(1);
    private final Map<String, List<FleetMessage>> sent = new LinkedHashMap<>();
    private final FleetNode entry = node(1, ENTRY);
    private final FleetNode other = node(2, "b:1");
    private long made;

    private FleetNode node(long id, String address) {
        FleetNode node = new FleetNode(
                new Contact(id, address, id, 0), FleetSettings.hardened(1_000), random::nextLong, new Outlet() {
                    @Override
                    public void send(Contact to, FleetMessage message) {
                        sent.computeIfAbsent(to.address(), any -> new ArrayList<>())
                                .add(message);
                    }

                    @Override
                    public void answered(RequestId request, Outcome outcome) {}
                });
        node.start(List.of(), true, 0, 0, WALL);
        return node;
    }

    private void asks(String client, int count) {
        for (int i = 0; i < count; i++) {
            FleetOperation put = new FleetOperation(
                    new RequestId(9, made), FleetOperation.Kind.PUT, Slice.utf8("k" + made % 50), VALUE);
            Contact origin = Contact.at(1_000 + made++, client);
            entry.onMessage(
                    client,
                    new FleetMessage.Ask(origin, put, FleetConsistency.ORDERED, OrderKey.FIRST),
                    100,
                    WALL + 100);
        }
    }

    private List<Outcome> refused(String client) {
        return sent.getOrDefault(client, List.of()).stream()
                .map(each -> ((FleetMessage.Answer) each).outcome())
                .toList();
    }

    @Test
    void whatOthersWouldNotTakeIsRefusedAtOnceAndTheClientIsTold() {
        asks("client:1", 1_200);
        assertThat(refused("client:1"))
                .as("it has half of what this node brings")
                .hasSizeBetween(700, 800)
                .containsOnly(Outcome.refused());
        asks("client:2", 1_200);
        assertThat(refused("client:2")).as("a quarter is for the node itself").hasSizeBetween(950, 1_000);
        assertThat(entry.isFull()).isFalse();
        asks("client:3", 10);
        assertThat(refused("client:3")).hasSize(10);

        hearsAllOfIt();
        assertThat(other.status(0).refused()).as("by others").isZero();
        assertThat(other.epidemic().bytes()).isEqualTo(entry.epidemic().bytes());

        for (long now = 300; now < 12_000; now += 125) {
            entry.onTimer(now, WALL + now);
        }
        assertThat(refused("client:1"))
                .filteredOn(Outcome::isDone)
                .as("the others were done")
                .hasSizeGreaterThan(400);
        assertThat(entry.isFull()).isFalse();
    }

    /** All that the entry sends of it in its next round. */
    private void hearsAllOfIt() {
        Contact contact = other.self();
        entry.onMessage(
                "b:1", new FleetMessage.Shuffle(contact, List.of(new Aged(contact, 0)), false, WALL), 150, WALL + 150);
        sent.clear();
        entry.onTimer(250, WALL + 250);
        List<FleetMessage> balls = sent.get("b:1");
        balls.stream().filter(Ball.class::isInstance).forEach(ball -> other.onMessage(ENTRY, ball, 300, WALL + 300));
    }
}
