package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose turn it is to dial, when one attempt goes wrong. */
@Timeout(60)
class DialTurnsTest {
    private final EventLoop control = new DefaultEventLoop();
    private final DialTurns turns = new DialTurns(control);

    @AfterEach
    void close() {
        control.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
    }

    @Test
    void anAttemptThatThrowsDoesNotKeepOthersFromTheirs() throws Exception {
        AtomicBoolean begun = new AtomicBoolean();

        assertThatThrownBy(() -> control.submit(() -> turns.enter(false, () -> {
                            throw new IllegalStateException("for the test");
                        }))
                        .get())
                .isInstanceOf(ExecutionException.class);
        control.submit(() -> turns.enter(false, () -> {
                    begun.set(true);
                    return true;
                }))
                .get();

        assertThat(begun).isTrue();
    }
}
