package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.ConfigurationException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.holder.PutBatcher;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names of queues, wherever they come from: one too many or one too long is refused, and nothing else happens. */
class PutBatcherTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("other"), 1, 0);

    private final TestTurn turn = new TestTurn();
    private final OutboxProtocol protocol =
            new OutboxProtocol(ProtocolConfig.defaults(), new HandMadePeers(NodeId.of("solo")), PeerSelection.random());

    @BeforeEach
    void boot() {
        protocol.boot(turn.disk(), turn);
    }

    @Test
    void oneQueueTooManyIsRefusedByName() {
        List<OutboxCommand.Put> puts = new ArrayList<>();
        for (int i = 0; i <= QueueNames.QUEUES_MAX; i++) {
            puts.add(put("queue " + i));
        }
        // More than pendingPutsMax would allow at a time.
        for (int from = 0; from < puts.size(); from += 10_000) {
            send(puts.subList(from, Math.min(puts.size(), from + 10_000)));
        }

        assertThat(turn.events(OutboxEvent.Stored.class)).hasSize(QueueNames.QUEUES_MAX);
        assertThat(turn.events(OutboxEvent.PutFailed.class)).singleElement().satisfies(failed -> {
            assertThat(failed.cause())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("'queue 65536' is one too many");
            assertThat(failed.puts()).containsExactly(puts.get(QueueNames.QUEUES_MAX));
        });
        turn.forget();
        send(List.of(put("queue 7")));
        assertThat(turn.events(OutboxEvent.Stored.class)).hasSize(1);
    }

    @Test
    void namesFromPeersThatNobodyCouldOpenAreRefused() {
        String tooLong = "é".repeat(128);

        assertThatThrownBy(() -> Group.decode(group(tooLong)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("queue name of 256 bytes");
        assertThatThrownBy(() -> Group.decode(group(""))).isInstanceOf(MalformedException.class);
        Slice query = new BinWriter().stream(STREAM).text(tooLong).toSlice();
        assertThatThrownBy(() -> protocol.onMessage(
                        new HandMadePeers.HandMadePeer(NodeId.of("other")),
                        OutboxMessages.QUERY,
                        new BinReader(query),
                        turn))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("queue name of 256 bytes");
        assertThat(Group.decode(group("é".repeat(127) + "x")).queue).endsWith("x");
    }

    private static Slice group(String queue) {
        Custody custody = Custody.fresh(EntryState.HELD, List.of(NodeId.of("other"), NodeId.of("solo")));
        return Group.encode(STREAM, 0, queue, custody, false, List.of(Slice.EMPTY))
                .bytes();
    }

    private static OutboxCommand.Put put(String queue) {
        return new OutboxCommand.Put(queue, 0, Slice.EMPTY, queue);
    }

    private void send(List<OutboxCommand.Put> puts) {
        int answers = answers();
        protocol.onCommand(new OutboxCommand.PutAll(puts), turn);
        turn.advance(Duration.ofNanos(PutBatcher.LINGER_NANOS));
        protocol.endOfTurn(turn);
        turn.completeStore();
        assertThat(answers() - answers).isEqualTo(puts.size());
    }

    private int answers() {
        return turn.events(OutboxEvent.Stored.class).size()
                + turn.events(OutboxEvent.PutFailed.class).size();
    }
}
