package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.flagons.FleetConsistency;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A call ends by its deadline, in whatever state its node, or the client, is. */
class FleetProtocolTest {
    private static final FleetSettings SETTINGS = FleetSettings.hardened(5);
    private static final NodeIdentity OTHER = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "b:1", "");
    private static final long DEADLINE = 2_000;

    private final HandMadePeers peers = new HandMadePeers(NodeId.of("a"));
    private final TestTurn turn = new TestTurn();
    private final LinkingProtocol<FleetCommand> node =
            new FleetProtocol(SETTINGS, List.of(OTHER.address()), peers, event -> false);

    private void runs(LinkingProtocol<FleetCommand> protocol, long millis) {
        for (long i = 0; i < millis; i += 25) {
            turn.advance(Duration.ofMillis(25));
            if (protocol.nextDeadlineNanos() <= turn.now()) {
                protocol.onTimer(turn);
            }
            turn.completeStore();
        }
    }

    private void asks(LinkingProtocol<FleetCommand> protocol, FleetConsistency consistency) {
        FleetOperation put = new FleetOperation(
                new RequestId(1, consistency.ordinal()), FleetOperation.Kind.PUT, Slice.utf8("k"), Slice.utf8("v"));
        protocol.onCommand(new FleetCommand.Submit(put, consistency, OrderKey.FIRST, 1, DEADLINE, consistency), turn);
    }

    private List<Object> ended() {
        return turn.events(FleetEvent.Answered.class).stream()
                .filter(each -> each.outcome().status() == Outcome.Status.UNSURE)
                .map(FleetEvent.Answered::token)
                .toList();
    }

    private void hears(Duration ahead) {
        long wall = turn.wallMillis() + ahead.toMillis();
        Contact other = new Contact(2, OTHER.address(), 1, 0);
        Slice shuffle = FleetCodec.write(new FleetMessage.Shuffle(other, List.of(new Aged(other, 0)), false, wall));
        node.onStranger(
                OTHER,
                FleetCodec.type(new FleetMessage.Shuffle(other, List.of(), false, wall)),
                new BinReader(shuffle),
                turn);
    }

    /** It took them while it knew nobody who could have told it. */
    @Test
    void whatANodeWasAskedBeforeItHeardThatItsClockIsWrongEnds() {
        node.boot(turn.disk(), turn);
        turn.completeStore();
        for (FleetConsistency each : FleetConsistency.values()) {
            asks(node, each);
        }
        hears(Duration.ofHours(1));
        runs(node, DEADLINE + 2 * SETTINGS.roundMillis());

        assertThat(ended()).containsExactlyInAnyOrder((Object[]) FleetConsistency.values());
    }

    @Test
    void whatANodeWasAskedThatMeetsNobodyEnds() {
        node.boot(turn.disk(), turn);
        turn.completeStore();
        for (FleetConsistency each : FleetConsistency.values()) {
            asks(node, each);
        }
        runs(node, DEADLINE + 2 * SETTINGS.roundMillis());

        assertThat(ended()).containsExactlyInAnyOrder((Object[]) FleetConsistency.values());
    }

    @Test
    void whatAClientAsksEndsWhenNoNodeCanBeReached() {
        LinkingProtocol<FleetCommand> client = new FleetClientProtocol(List.of("b:1", "c:1"), peers);
        client.boot(turn.disk(), turn);
        for (FleetConsistency each : FleetConsistency.values()) {
            asks(client, each);
        }
        for (String address : List.copyOf(turn.links)) {
            client.onLinkDown(address, "test", turn);
        }
        runs(client, DEADLINE + 200);

        assertThat(ended()).containsExactlyInAnyOrder((Object[]) FleetConsistency.values());
    }

    private FleetStatus status(LinkingProtocol<FleetCommand> protocol) {
        protocol.onCommand(new FleetCommand.ReadStatus("status"), turn);
        List<FleetEvent.Status> told = turn.events(FleetEvent.Status.class);
        return told.get(told.size() - 1).status();
    }

    @Test
    void aNodeSaysThatItsClockIsOff() {
        node.boot(turn.disk(), turn);
        turn.completeStore();
        hears(Duration.ofMillis(1_200));
        assertThat(status(node).isClockOff()).isFalse();
        hears(Duration.ofMillis(1_300));
        assertThat(status(node).isClockOff()).isTrue();
    }

    /** It goes on trying, although nobody asks it for anything. */
    @Test
    void aClientSaysThatItReachesNobodyUntilItDoes() {
        LinkingProtocol<FleetCommand> client = new FleetClientProtocol(List.of("b:1", "c:1"), peers);
        client.boot(turn.disk(), turn);
        assertThat(status(client).known()).as("not known to be away").isEqualTo(2);
        asks(client, FleetConsistency.ANY);
        for (int i = 0; i < 2; i++) {
            String address = turn.links.stream().findFirst().orElseThrow();
            turn.links.remove(address);
            client.onLinkDown(address, "test", turn);
        }
        runs(client, DEADLINE + 200);
        assertThat(status(client).known()).isZero();
        assertThat(turn.links).as("it waits for a while").isEmpty();

        runs(client, 5_000);
        assertThat(turn.links).containsExactlyInAnyOrder("b:1", "c:1");
        client.onLinkUp("b:1", OTHER, turn);
        assertThat(status(client).known()).isEqualTo(1);
    }
}
