package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Conversations of the replicated log as text, to be read beside its code. A change of the log shows as a difference. After one that is meant,
 * run this with {@code -Dgeorep.transcripts=rewrite}.
 */
class LogTranscriptTest {
    private static final Path TEXTS = Path.of("src", "test", "resources", "transcripts", "consensus");
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");

    /** What is told, each in a file of that name. All begin with three members, of which n1 leads at home. */
    enum Conversation {
        ELECTION_AFTER_PROBES(cluster -> {
            LogTranscript story = LogTranscript.of(cluster);
            story.note("n3 hears nobody for a while, and nobody keeps to it");
            cluster.cut(N1, N3);
            cluster.cut(N2, N3);
            cluster.run(2 * SECOND);
            story.note("the links are whole again");
            cluster.heal();
            cluster.run(SECOND);
            story.note("n1 dies");
            cluster.members.get(N1).crash();
            cluster.runUntil(() -> cluster.leader() != null, 10 * SECOND);
        }),
        SLOTS_UNDER_WAY_AND_A_GAP(cluster -> {
            LogTranscript story = LogTranscript.of(cluster);
            story.note("three are asked for, one after the other");
            for (String each : List.of("a", "b", "c")) {
                cluster.propose(each);
                cluster.run(5 * LogCluster.MILLI);
            }
            story.note("what is on its way from n1 to n3 is lost");
            cluster.breakLink(N1, N3);
            cluster.propose("d");
            cluster.run(SECOND / 2);
        }),
        CATCH_UP_BY_A_STATE(cluster -> {
            LogTranscript story = LogTranscript.of(cluster);
            story.note("n3 crashes");
            cluster.members.get(N3).crash();
            cluster.propose("a");
            cluster.run(SECOND / 2);
            story.note("n1 forgets the log, of which it has a state");
            LogMember leader = cluster.leader();
            leader.turn(() -> leader.log.forget(leader.log.decided()));
            story.note("n3 boots");
            cluster.boot(cluster.members.get(N3));
            cluster.run(SECOND / 2);
            cluster.propose("b");
            cluster.run(SECOND / 5);
        }),
        CHANGE_OF_SEATS(cluster -> {
            LogTranscript story = LogTranscript.of(cluster);
            LogMember leader = cluster.leader();
            story.note("n3 is dead, n4 gets the log without a vote");
            cluster.members.get(N3).crash();
            cluster.add(N4);
            leader.turn(() -> leader.log.learners(List.of(N4)));
            cluster.run(SECOND / 2);
            story.note("n4 gets the seat of n3");
            leader.turn(() -> leader.log.reseat(List.of(N1, N2, N4)));
            cluster.propose("no room behind a change");
            cluster.run(SECOND / 2);
            cluster.propose("a");
            cluster.run(SECOND / 5);
        }),
        THE_LEAD_GOES_HOME(cluster -> {
            cluster.members.get(N1).crash();
            cluster.runUntil(() -> cluster.leader() != null, 10 * SECOND);
            LogTranscript story = LogTranscript.of(cluster);
            story.note("n1 is back");
            cluster.boot(cluster.members.get(N1));
            cluster.runUntil(
                    () -> cluster.leader() != null && cluster.leader().id.equals(N1), 10 * SECOND);
            cluster.run(SECOND / 5);
        });

        private final Consumer<LogCluster> script;

        Conversation(Consumer<LogCluster> script) {
            this.script = script;
        }

        private String hold() {
            LogCluster cluster = ReplicatedLogTest.founded(1);
            script.accept(cluster);
            return cluster.transcript.toString();
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
