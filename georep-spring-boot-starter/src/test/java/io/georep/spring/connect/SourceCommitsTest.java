package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that tells a source what is durable. */
@Timeout(60)
class SourceCommitsTest {
    private static final class NoTask extends SourceTask {
        @Override
        public String version() {
            return "1";
        }

        @Override
        public void start(Map<String, String> settings) {}

        @Override
        public List<SourceRecord> poll() {
            return List.of();
        }

        @Override
        public void stop() {}
    }

    /** The task's thread would wait in its poll for ever, and the source would look as if it had nothing. */
    @Test
    void aThreadThatBreaksDownEndsThePoll() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        KeySpaceOfNobody space = new KeySpaceOfNobody();
        SourceCommits commits = new SourceCommits(
                "s-0",
                new NoTask(),
                new SourceLog(),
                new SourceOffsets(space.proxy(), "s", null),
                60_000,
                new PluginCalls("Task s-0", 60_000),
                stopped::countDown,
                () -> {});

        commits.resend(() -> {
            throw new NoClassDefFoundError("a/Codec");
        });
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(commits::check).isInstanceOf(ConnectException.class);
        commits.finish(1);
    }

    private static final class KeySpaceOfNobody {
        io.georep.keys.KeySpace proxy() {
            return (io.georep.keys.KeySpace) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {io.georep.keys.KeySpace.class},
                    (self, method, args) -> {
                        throw new UnsupportedOperationException(method.getName());
                    });
        }
    }
}
