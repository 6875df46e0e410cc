package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spi.TransportFactory;
import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What operators order of a connector holds on all nodes, and after a restart. */
@Timeout(60)
class OrdersTest {
    @TempDir
    Path directory;

    private static void order(Connectors connectors, State state) {
        if (state == State.PAUSED) {
            connectors.pause("rec");
        } else {
            connectors.stop("rec");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"PAUSED", "STOPPED"})
    void anOrderIsRememberedAtARestart(State state) {
        Diary diary = RecordingSink.diary("rec");
        ApplicationContextRunner onDisk = recording()
                .withPropertyValues(
                        "georep.durability=os", "georep.f=0", "georep.data-dir=" + directory.resolve("data"));
        onDisk.run(context -> {
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
            order(context.getBean(Connectors.class), state);
            await().atMost(SOON).until(() -> status(context).state() == state);
        });
        int starts = diary.events.size();

        onDisk.run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> status(context).state() == state);
            assertThat(diary.records).isEmpty();
            if (state == State.STOPPED) {
                assertThat(diary.events).as("not started for a moment").hasSize(starts);
            }

            context.getBean(Connectors.class).resume("rec");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
        onDisk.run(context -> await().atMost(SOON).until(() -> status(context).state() == State.RUNNING));
    }

    private static ApplicationContextRunner member(LocalNetwork network, int port) {
        return recording()
                .withBean(TransportFactory.class, network::transports)
                .withPropertyValues(
                        "georep.node-id=n" + port,
                        "georep.host=local",
                        "georep.port=" + port,
                        "georep.seeds=local:1001,local:1002",
                        "georep.close-timeout=1s",
                        "georep.protocol.heartbeat=100ms");
    }

    @Test
    void allNodesFollow() {
        RecordingSink.diary("rec");
        LocalNetwork network = new LocalNetwork();
        member(network, 1001).run(first -> member(network, 1002).run(second -> {
            for (State state : List.of(State.PAUSED, State.STOPPED)) {
                order(first.getBean(Connectors.class), state);
                await().atMost(SOON).until(() -> status(first).state() == state);
                await().atMost(SOON).until(() -> status(second).state() == state);
            }
            second.getBean(Connectors.class).resume("rec");
            await().atMost(SOON).until(() -> status(first).state() == State.RUNNING);
            await().atMost(SOON).until(() -> status(second).state() == State.RUNNING);
        }));
    }
}
