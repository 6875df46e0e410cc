package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.listener.ListenerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.context.SmartLifecycle;

class LifecycleTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Phases of Boot's web server: graceful shutdown at -1024, start and stop at -2048. */
    @Test
    void stopsSourcesThenWebServerThenListenersThenNode() {
        int webServer = SmartLifecycle.DEFAULT_PHASE - 2048;

        assertThat(List.of(SmartLifecycle.DEFAULT_PHASE, webServer, ListenerRegistry.PHASE, NodeLifecycle.PHASE))
                .isSortedAccordingTo((first, second) -> Integer.compare(second, first));
    }

    @Test
    void stillSendsAndForwardsWhileSourcesStop() {
        List<String> order = new CopyOnWriteArrayList<>();
        TestApplication.alone()
                .withBean(Receiver.class)
                .withBean(Source.class, () -> new Source(order))
                .run(context -> {
                    Source source = context.getBean(Source.class);
                    source.outbox = context.getBean(Outboxes.class).outbox("last", String.class);
                    source.receiver = context.getBean(Receiver.class);
                    source.node = context.getBean(GeoRepNode.class);
                });

        assertThat(order).containsExactly("sent while RUNNING", "forwarded last words");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void runsListenersOnVirtualThreadsWhenEnabled() {
        TestApplication.alone()
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(Receiver.class)
                .run(context -> {
                    context.getBean(Outboxes.class).outbox("last", String.class).sendAndWait("x", SOON);

                    Receiver receiver = context.getBean(Receiver.class);
                    assertThat(receiver.seen.poll(SOON.toSeconds(), TimeUnit.SECONDS))
                            .isEqualTo("x");
                    assertThat(receiver.thread).contains("Virtual");
                });
    }

    static class Receiver {
        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        volatile String thread = "";

        @OutboxListener("last")
        void forward(String payload) {
            thread = Thread.currentThread().toString();
            seen.add(payload);
        }
    }

    static class Source implements SmartLifecycle {
        private final List<String> order;
        private volatile boolean running;
        Outbox<String> outbox;
        Receiver receiver;
        GeoRepNode node;

        Source(List<String> order) {
            this.order = order;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            NodeState state = node.state();
            outbox.sendAndWait("last words", SOON);
            order.add("sent while " + state);
            try {
                order.add("forwarded " + receiver.seen.poll(SOON.toSeconds(), TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
