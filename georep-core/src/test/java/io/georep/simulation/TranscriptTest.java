package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.messages.OutboxCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Conversations of the protocol as text, turn by turn: what each node was told and what it did, and in lines with {@code #}
 * what happened to the cluster. A change of the protocol shows as a difference to be read. After one that is meant, run this
 * with {@code -Dgeorep.transcripts=rewrite}.
 */
class TranscriptTest {
    private static final Path TEXTS = Path.of("src", "test", "resources", "transcripts");
    private static final Duration SHORT = Duration.ofSeconds(4);

    /** What is told, each in a file of that name. */
    enum Conversation {
        PUT_WITH_ONE_COPY(3, story -> {
            story.nodes().consume(1);
            story.nodes().put(1, 1);
            story.nodes().pass(SHORT);
        }),
        PUT_WITH_TWO_COPIES(3, story -> {
            story.nodes().consume(1);
            story.nodes().put(1, 2);
            story.nodes().pass(SHORT);
        }),
        SILENT_OWNER_REPLACED(3, story -> {
            story.note("nothing gets from n1 to n2").cut(1, 2);
            story.nodes().put(1, 1);
            story.note("the way from n1 to n2 is open again").heal(1, 2).pass(SHORT);
        }),
        WITHDRAWAL(3, story -> {
            story.note("n1 is cut off").split(1);
            story.nodes().put(1, 1);
            story.note("the network heals").join(1).pass(SHORT);
        }),
        ADOPTION(3, story -> {
            story.nodes().put(1, 2);
            story.note("n1 dies").die(1).passFailover();
            story.note("the application of n2 takes entries").consume(2).pass(SHORT);
        }),
        RETURN_AND_CEDE(3, story -> {
            story.nodes().put(1, 2);
            story.note("n1 is cut off").split(1).passFailover();
            story.note("the network heals").join(1).pass(SHORT);
        }),
        LATE_RETURN_OF_A_DEAD_NODE(3, story -> {
            story.nodes().put(1, 1);
            story.note("n1 crashes").crash(1).passFailover();
            story.note("the application of n2 takes entries").consume(2).pass(SHORT);
            story.note("n1 starts again, later than T_s + T_x").start(1).pass(SHORT);
        }),
        GOODBYE_FOR_GOOD(3, story -> {
            story.nodes().put(1, 1);
            story.note("n1 leaves for good").leave(1, Duration.ZERO).pass(SHORT);
        }),
        DRAIN(3, story -> {
            story.nodes().put(1, 1);
            story.note("an operator drains n1").drain(1).passFailover();
        }),
        OWNER_REMOVED(3, story -> {
            story.nodes().put(1, 1);
            story.note("n2 dies").die(2).passFailover();
            story.note("an operator removes n2, on n1").remove(1, 2).pass(SHORT);
        }),
        COPY_LOST_AND_RESTORED(3, story -> {
            story.nodes().put(1, 1);
            story.note("n2 crashes, and starts again with an empty store")
                    .crash(2)
                    .loseStore(2)
                    .start(2)
                    .passFailover();
        }),
        OWNER_LOST_AND_REPLACED(3, settings -> settings.reReplicateAfter(Duration.ofSeconds(20)), story -> {
            story.nodes().put(1, 1);
            story.note("n2 dies; T_rr is 20 s").die(2).passFailover().pass(Duration.ofSeconds(25));
        }),
        PREPARED_AND_COMMITTED(3, story -> {
            story.nodes().consume(1);
            History.Put put = story.nodes().put(1, 1, prepared -> prepared.prepared = true);
            story.nodes().pass(Duration.ofSeconds(1));
            story.note("the producer commits");
            put.decision = History.Decision.COMMITTED;
            story.command(1, new OutboxCommand.Decide(List.of(put.id), true)).pass(SHORT);
        }),
        PREPARED_AND_ADOPTED(3, story -> {
            History.Put put = story.nodes().put(1, 1, prepared -> prepared.prepared = true);
            story.note("n1 dies; nobody knows yet whether the producer commits")
                    .die(1)
                    .passFailover();
            story.note("the application of n2 takes entries: it gets none")
                    .consume(2)
                    .pass(SHORT);
            story.note("the application of n2 has found out that the producer committed");
            put.decision = History.Decision.COMMITTED;
            story.command(2, new OutboxCommand.Decide(List.of(put.id), true)).pass(SHORT);
        }),
        DEAD_LETTER(3, story -> {
            story.host(1).givesUp = true;
            story.nodes().consume(1);
            History.Put put = story.nodes().put(1, 1);
            story.nodes().pass(Duration.ofSeconds(1));
            story.note("n1 dies").die(1).passFailover();
            story.note("the application of n2 takes entries: it gets none")
                    .consume(2)
                    .pass(SHORT);
            story.note("an operator replays the dead letter, on n2");
            story.command(2, new OutboxCommand.ReplayDeadLetters(put.queue, List.of(put.id), ""))
                    .pass(SHORT);
        });

        private final int nodes;
        private final UnaryOperator<ProtocolConfig.Builder> settings;
        private final Consumer<Story> script;

        Conversation(int nodes, Consumer<Story> script) {
            this(nodes, settings -> settings, script);
        }

        Conversation(int nodes, UnaryOperator<ProtocolConfig.Builder> settings, Consumer<Story> script) {
            this.nodes = nodes;
            this.settings = settings;
            this.script = script;
        }

        private String hold() {
            SimulationOptions options = Scenario.options(nodes, 1, settings, SimulationOptions.Rules.fixed(nodes));
            SimulatedCluster cluster = new SimulatedCluster(options, 1000);
            Scenario scenario = Scenario.of(cluster);
            cluster.transcript().begin();
            script.accept(new Story(scenario));
            return cluster.transcript().text();
        }
    }

    /** A scenario whose text says what happens to the cluster. */
    private record Story(Scenario nodes) {
        Scenario note(String what) {
            nodes.cluster().transcript().note(what);
            return nodes;
        }

        Scenario command(int node, OutboxCommand command) {
            host(node).command(command);
            return nodes;
        }

        Host host(int node) {
            return nodes.outbox().hosts().get(node - 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Conversation.class)
    void conversationGoesAsWritten(Conversation conversation) throws IOException {
        Path file = TEXTS.resolve(conversation.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".txt");

        String text = conversation.hold();

        if ("rewrite".equals(System.getProperty("georep.transcripts"))) {
            Files.createDirectories(TEXTS);
            Files.writeString(file, text);
        }
        assertThat(text)
                .as("if the change is meant, rewrite with -Dgeorep.transcripts=rewrite and read the difference")
                .isEqualTo(Files.readString(file));
    }
}
