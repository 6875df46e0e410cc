package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import io.georep.model.StoreException;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.tally.Tally;
import io.georep.tally.TallyModule;
import io.georep.tally.TallyProtocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node ends whatever the protocols of others do about it. */
@Timeout(60)
class NodeShutdownTest {
    private static final int CHANNEL = 77;

    /** A protocol with a local side of the test's. */
    private record Sided(TallyModule tally, LocalSide<Tally, TallyProtocol.Command, TallyProtocol.Event> side)
            implements ProtocolModule<Tally, TallyProtocol.Command, TallyProtocol.Event> {
        @Override
        public ProtocolId id() {
            return tally.id();
        }

        @Override
        public Class<Tally> serviceType() {
            return Tally.class;
        }

        @Override
        public Parts<Tally, TallyProtocol.Command, TallyProtocol.Event> start(
                Place place, Peers peers, NodeHandle<TallyProtocol.Command> node) {
            return new Parts<>(tally.start(place, peers, node).protocol(), side);
        }
    }

    /** Fails at each step of the end. */
    private static final class FailingSide implements LocalSide<Tally, TallyProtocol.Command, TallyProtocol.Event> {
        @Override
        public Tally service() {
            throw new IllegalStateException("service, for the test");
        }

        @Override
        public void event(TallyProtocol.Event event) {}

        @Override
        public void close() {
            throw new IllegalStateException("close, for the test");
        }

        @Override
        public void finish(Duration atMost) {
            throw new NoClassDefFoundError("finish, for the test");
        }

        @Override
        public CompletableFuture<Void> answered() {
            throw new IllegalStateException("answered, for the test");
        }

        @Override
        public void ended() {
            throw new IllegalStateException("ended, for the test");
        }
    }

    private static GeoRepNode start() {
        return GeoRepNode.builder()
                .nodeId("a")
                .durability(Durability.MEMORY)
                .add(new Sided(new TallyModule(CHANNEL), new FailingSide()))
                .start();
    }

    @Test
    void closes() {
        GeoRepNode node = start();

        node.close();

        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
        assertThat(node.stopped().toCompletableFuture()).isCompleted();
    }

    @Test
    void halts() {
        GeoRepNode node = start();

        node.halt();

        assertThat(node.state()).isEqualTo(NodeState.CLOSED);
    }

    /** Knows when it was told of the end; a side has threads, ports and callers of its own to let go. */
    private static final class EndedSide implements LocalSide<Tally, TallyProtocol.Command, TallyProtocol.Event> {
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        @Override
        public Tally service() {
            throw new IllegalStateException("nobody asks");
        }

        @Override
        public void event(TallyProtocol.Event event) {}

        @Override
        public void ended() {
            ended.complete(null);
        }
    }

    @Test
    void whoWasGivenUpWhileItStartedStillTellsItsProtocolsOfItsEnd() {
        HangingStore store = new HangingStore();
        store.hang();
        EndedSide side = new EndedSide();
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("a")
                .durability(Durability.MEMORY)
                .store(settings -> store)
                .startTimeout(Duration.ofMillis(200))
                .closeTimeout(Duration.ofMillis(100))
                .add(new Sided(new TallyModule(CHANNEL), side));

        assertThatThrownBy(builder::start).isInstanceOf(StoreException.class).hasMessageContaining("did not start");
        assertThat(side.ended).as("its driver is still at work").isNotDone();
        store.goOn();

        assertThat(side.ended).succeedsWithin(Duration.ofSeconds(20));
    }
}
