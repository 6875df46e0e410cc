package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ProtocolConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Conversations of the protocol as text, turn by turn: what each node was told and what it did. A change of the protocol
 * shows as a difference to be read. After one that is meant, run this with {@code -Dgeorep.transcripts=rewrite}.
 */
class TranscriptTest {
    private static final Path TEXTS = Path.of("src", "test", "resources", "transcripts");
    private static final Duration SHORT = Duration.ofSeconds(4);

    /** What is told, each in a file of that name. */
    enum Conversation {
        PUT_WITH_ONE_COPY(3, scenario -> {
            scenario.consume(1);
            scenario.put(1, 1);
            scenario.pass(SHORT);
        }),
        PUT_WITH_TWO_COPIES(3, scenario -> {
            scenario.consume(1);
            scenario.put(1, 2);
            scenario.pass(SHORT);
        }),
        SILENT_OWNER_REPLACED(3, scenario -> {
            scenario.cut(1, 2);
            scenario.put(1, 1);
            scenario.heal(1, 2).pass(SHORT);
        }),
        WITHDRAWAL(3, scenario -> {
            scenario.split(1);
            scenario.put(1, 1);
            scenario.join(1).pass(SHORT);
        }),
        ADOPTION(3, scenario -> {
            scenario.put(1, 2);
            scenario.die(1).passFailover();
            scenario.consume(2).pass(SHORT);
        }),
        RETURN_AND_CEDE(3, scenario -> {
            scenario.put(1, 2);
            scenario.split(1).passFailover();
            scenario.join(1).passFailover();
        }),
        LATE_RETURN_OF_A_DEAD_NODE(3, scenario -> {
            scenario.put(1, 1);
            scenario.crash(1).passFailover();
            scenario.consume(2).pass(SHORT);
            scenario.start(1).pass(SHORT);
        }),
        GOODBYE_FOR_GOOD(3, scenario -> {
            scenario.put(1, 1);
            scenario.leave(1, Duration.ZERO).pass(SHORT);
        }),
        DRAIN(3, scenario -> {
            scenario.put(1, 1);
            scenario.drain(1).passFailover();
        }),
        OWNER_REMOVED(3, scenario -> {
            scenario.put(1, 1);
            scenario.die(2).passFailover();
            scenario.remove(1, 2).pass(SHORT);
        }),
        COPY_LOST_AND_RESTORED(3, scenario -> {
            scenario.put(1, 1);
            scenario.crash(2).loseStore(2).start(2).passFailover();
        }),
        OWNER_LOST_AND_REPLACED(3, settings -> settings.reReplicateAfter(Duration.ofSeconds(20)), scenario -> {
            scenario.put(1, 1);
            scenario.die(2).passFailover().pass(Duration.ofSeconds(25));
        }),
        PREPARED_AND_COMMITTED(3, scenario -> {
            scenario.consume(1);
            scenario.put(1, 1, put -> put.prepared = true);
            scenario.passFailover();
        });

        private final int nodes;
        private final UnaryOperator<ProtocolConfig.Builder> settings;
        private final Consumer<Scenario> script;

        Conversation(int nodes, Consumer<Scenario> script) {
            this(nodes, settings -> settings, script);
        }

        Conversation(int nodes, UnaryOperator<ProtocolConfig.Builder> settings, Consumer<Scenario> script) {
            this.nodes = nodes;
            this.settings = settings;
            this.script = script;
        }

        private String hold() {
            SimulationOptions options = Scenario.options(nodes, 1, settings, SimulationOptions.Rules.fixed(nodes));
            SimulatedCluster cluster = new SimulatedCluster(options, 1000);
            Scenario scenario = Scenario.of(cluster);
            cluster.transcript().begin();
            script.accept(scenario);
            return cluster.transcript().text();
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
