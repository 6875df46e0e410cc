package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpace;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that tells a source what is durable. */
@Timeout(60)
class SourceCommitsTest {
    private static class NoTask extends SourceTask {
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

    /** By then the next life of the task, or another node, has written offsets that are ahead. */
    @Test
    void aThreadThatIsNotWaitedForAnyMoreWritesNoOffsets() throws Exception {
        CountDownLatch commits = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        SourceTask slow = new NoTask() {
            @Override
            public void commitRecord(SourceRecord record, RecordMetadata metadata) throws InterruptedException {
                commits.countDown();
                goOn.await();
            }
        };
        AtomicInteger writes = new AtomicInteger();
        KeySpace space = (KeySpace) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeySpace.class}, (self, method, args) -> {
                    writes.incrementAndGet();
                    return CompletableFuture.completedFuture(null);
                });
        SourceLog log = new SourceLog();
        SourceOffsets offsets = new SourceOffsets(space, "s", null);
        PluginCalls calls = new PluginCalls("Task late-0", 60_000);
        SourceCommits late = new SourceCommits("late-0", slow, log, offsets, 60_000, calls, () -> {}, () -> {});
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("georep-connect-late-0-commit"))
                .findFirst()
                .orElseThrow();
        log.submit(new SourceRecord(Map.of("a", "b"), Map.of("at", 1L), "sms", null, null))
                .done(null);
        commits.await();

        late.finish(1);
        goOn.countDown();
        thread.join();

        assertThat(writes).hasValue(0);
    }

    /** The same if that happens between two of its writes: so many offsets are not written at once. */
    @Test
    void aThreadThatIsNotWaitedForAnyMoreWritesNoFurtherOffsets() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CompletableFuture<Void> written = new CompletableFuture<>();
        AtomicInteger writes = new AtomicInteger();
        KeySpace space = (KeySpace) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeySpace.class}, (self, method, args) -> {
                    writes.incrementAndGet();
                    writing.countDown();
                    return written;
                });
        SourceLog log = new SourceLog();
        for (int i = 0; i < 120; i++) {
            log.submit(new SourceRecord(Map.of("file", "f" + i), Map.of("at", 1L), "sms", null, null))
                    .done(null);
        }
        SourceOffsets offsets = new SourceOffsets(space, "s", null);
        PluginCalls calls = new PluginCalls("Task many-0", 60_000);
        SourceCommits late = new SourceCommits("many-0", new NoTask(), log, offsets, 10, calls, () -> {}, () -> {});
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("georep-connect-many-0-commit"))
                .findFirst()
                .orElseThrow();
        writing.await();

        late.finish(1);
        written.complete(null);
        thread.join();

        assertThat(writes).hasValue(1);
    }

    /** Its partition alone comes again after a crash. */
    @Test
    void anOffsetThatCannotBeWrittenKeepsNoOtherFromBeingWritten() {
        List<KeyBatch> batches = new ArrayList<>();
        KeySpace space = (KeySpace) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeySpace.class}, (self, method, args) -> {
                    batches.add((KeyBatch) args[0]);
                    return CompletableFuture.completedFuture(null);
                });
        Map<ByteBuffer, Map<String, ?>> all = new LinkedHashMap<>();
        all.put(ByteBuffer.wrap(FlatMap.write(Map.of("file", "odd"))), Map.of("at", new Object()));
        all.put(ByteBuffer.wrap(FlatMap.write(Map.of("file", "a"))), Map.of("at", 1L));

        assertThatThrownBy(() -> new SourceOffsets(space, "s", null).write(all, () -> false))
                .isInstanceOf(DataException.class);
        assertThat(batches).hasSize(1);
    }

    private static final class KeySpaceOfNobody {
        KeySpace proxy() {
            return (KeySpace) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {KeySpace.class}, (self, method, args) -> {
                        throw new UnsupportedOperationException(method.getName());
                    });
        }
    }
}
