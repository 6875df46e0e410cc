package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.georep.examples.sms.RareLog;
import io.georep.examples.sms.Strangers;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Connections that do not bind: who gives way, and how much is logged. */
final class StrangersTest {
    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    private final RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(1);

    @Test
    void oneOfTheSameAddressGivesWay() throws Exception {
        Strangers<String> unbound = new Strangers<>(10, 2, random);

        assertThat(unbound.add("other", address(2))).isNull();
        assertThat(unbound.add("a", address(1))).isNull();
        assertThat(unbound.add("b", address(1))).isNull();
        assertThat(unbound.add("c", address(1))).isIn("a", "b");
        unbound.remove("c");
        assertThat(unbound.add("d", address(1))).isNull();
        assertThat(unbound.size()).isEqualTo(3);
    }

    @Test
    void oneOfAllGivesWayWhenThereAreTooMany() throws Exception {
        Strangers<String> unbound = new Strangers<>(2, 2, random);

        assertThat(unbound.add("a", address(1))).isNull();
        assertThat(unbound.add("b", address(2))).isNull();
        assertThat(unbound.add("c", address(3))).isIn("a", "b");
        assertThat(unbound.size()).isEqualTo(2);
    }

    @Test
    void addressesOfOneNetworkOfIpv6CountTogether() throws Exception {
        Strangers<String> strangers = new Strangers<>(10, 2, random);

        assertThat(strangers.add("a", InetAddress.getByName("2001:db8:0:1::1"))).isNull();
        assertThat(strangers.add("b", InetAddress.getByName("2001:db8:0:1::2"))).isNull();
        assertThat(strangers.add("c", InetAddress.getByName("2001:db8:0:2::1"))).isNull();
        assertThat(strangers.add("d", InetAddress.getByName("2001:db8:0:1:ffff::3")))
                .isIn("a", "b");
    }

    /** A client that is 100 ms away, and strangers behind its own address that connect 500 times a second. */
    @Test
    void strangersWhoConnectFastDoNotKeepAClientOutForGood() throws Exception {
        int through = 0;
        for (int attempt = 0; attempt < 100; attempt++) {
            Strangers<String> unbound = new Strangers<>(100, 20, random);
            for (int i = 0; i < 20; i++) {
                unbound.add("stranger " + i, address(1));
            }
            boolean displaced = "client".equals(unbound.add("client", address(1)));
            for (int i = 0; i < 50; i++) {
                displaced |= "client".equals(unbound.add("stranger later " + i, address(1)));
            }
            through += displaced ? 0 : 1;
        }
        assertThat(through).as("attempts of 100").isGreaterThanOrEqualTo(3);
    }

    @Test
    void fewLinesAreLoggedAndTheOthersCounted() {
        Logger logger = (Logger) LoggerFactory.getLogger("strangers-test");
        logger.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        AtomicLong now = new AtomicLong(-5);
        RareLog log = new RareLog(logger, 2, Duration.ofSeconds(10), now::get);

        for (int i = 0; i < 560; i++) {
            log.info("line " + i);
        }
        now.addAndGet(Duration.ofSeconds(10).toNanos());
        log.info("later");

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("line 0", "line 1", "later (and 558 lines like this one since the last)");
    }
}
