package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections that do not bind: who gives way, and how much is logged. */
final class StrangersTest {
    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void theOldestOfTheSameAddressGivesWay() throws Exception {
        Unbound<String> unbound = new Unbound<>(10, 2);

        assertThat(unbound.add("other", address(2))).isNull();
        assertThat(unbound.add("a", address(1))).isNull();
        assertThat(unbound.add("b", address(1))).isNull();
        assertThat(unbound.add("c", address(1))).isEqualTo("a");
        unbound.remove("b");
        assertThat(unbound.add("d", address(1))).isNull();
        assertThat(unbound.add("e", address(1))).isEqualTo("c");
    }

    @Test
    void theOldestOfAllGivesWayWhenThereAreTooMany() throws Exception {
        Unbound<String> unbound = new Unbound<>(2, 2);

        assertThat(unbound.add("a", address(1))).isNull();
        assertThat(unbound.add("b", address(2))).isNull();
        assertThat(unbound.add("c", address(3))).isEqualTo("a");
        assertThat(unbound.add("d", address(4))).isEqualTo("b");
    }

    @Test
    void fewLinesAreLoggedAndTheOthersCounted() {
        Logger logger = (Logger) LoggerFactory.getLogger("strangers-test");
        logger.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        AtomicLong now = new AtomicLong(-5);
        RareLog log = new RareLog(logger, Duration.ofSeconds(10), now::get);

        for (int i = 0; i < 560; i++) {
            log.info("line " + i);
        }
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        log.info("later");

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("line 0", "later (and 559 lines like this one since the last)");
    }
}
