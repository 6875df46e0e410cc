package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A moment without threads costs one answer, not a name. */
@Timeout(60)
class AddressesTest {
    private final AtomicBoolean exhausted = new AtomicBoolean(true);
    private final ThreadFactory threads = task -> {
        if (exhausted.get()) {
            throw new InternalError(
                    "unable to create native thread, for the test"); // an OutOfMemoryError would end JUnit
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    };
    private final Addresses addresses =
            new Addresses(host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, threads);
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        addresses.close();
    }

    private String answer() throws InterruptedException {
        addresses.resolve("node.example", (found, problem) -> answers.add(found == null ? "no: " + problem : "yes"));
        return answers.poll(20, TimeUnit.SECONDS);
    }

    @Test
    void aNameWhoseLookupCouldNotBeginIsLookedUpWhenItIsAskedForAgain() throws Exception {
        assertThat(answer()).startsWith("no: ").contains("node.example", "unable to create native thread");

        exhausted.set(false);

        assertThat(answer()).isEqualTo("yes");
    }

    /** What watches certificates is repeated, and would end with the first error. */
    @Test
    void whatIsDoneAsideThrowsNothing() throws Exception {
        addresses.aside(() -> answers.add("aside"));
        exhausted.set(false);
        addresses.aside(() -> answers.add("aside"));

        assertThat(List.of(answers.take())).containsExactly("aside");
    }
}
