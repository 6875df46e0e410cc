package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Durability;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.runtime.LocalSide;
import io.georep.runtime.NodeHandle;
import io.georep.runtime.ProtocolModule;
import io.georep.tally.Tally;
import io.georep.tally.TallyModule;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node ends whatever the protocols of others do about it. */
@Timeout(60)
class NodeShutdownTest {
    private static final int CHANNEL = 77;

    /** A protocol whose local side fails at each step of the end. */
    private record Failing(TallyModule tally) implements ProtocolModule<Tally> {
        @Override
        public ProtocolId id() {
            return tally.id();
        }

        @Override
        public Class<Tally> serviceType() {
            return Tally.class;
        }

        @Override
        public HostedProtocol protocol(Peers peers) {
            return tally.protocol(peers);
        }

        @Override
        public LocalSide<Tally> local(NodeHandle node) {
            return new FailingSide();
        }
    }

    private static final class FailingSide implements LocalSide<Tally> {
        @Override
        public Tally service() {
            throw new IllegalStateException("service, for the test");
        }

        @Override
        public void event(Object event) {}

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
                .add(new Failing(new TallyModule(CHANNEL)))
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
}
