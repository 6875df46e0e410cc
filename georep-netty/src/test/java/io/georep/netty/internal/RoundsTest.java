package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    private final Rounds rounds = new Rounds(loops, told::add);

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }

    private Long next() throws InterruptedException {
        return told.poll(20, TimeUnit.SECONDS);
    }

    @Test
    void aRoundIsToldOnceWhenAllLoopsHaveMadeIt() throws Exception {
        rounds.go(7);
        assertThat(next()).isEqualTo(7);

        rounds.go(8);
        assertThat(next()).isEqualTo(8);
    }

    /** The loops have time then, but what others send waits in the sockets. */
    @Test
    void whileNothingIsReadNoRoundIsMade() throws Exception {
        rounds.reading(false);
        rounds.go(7);
        rounds.go(8);
        loops.forEach(loop -> loop.submit(() -> {}).syncUninterruptibly());
        assertThat(told).isEmpty();

        rounds.reading(true);
        assertThat(next()).isEqualTo(8);
        rounds.go(9);
        assertThat(next()).as("only the last one was made up for").isEqualTo(9);
    }
}
