package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.jsmpp.bean.DeliverSm;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class ReceiptLogTest {
    @Test
    void addressesForgeNoLines() {
        Logger logger = (Logger) LoggerFactory.getLogger(ReceiptLog.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        DeliverSm deliver = new DeliverSm();
        deliver.setSourceAddr("3120\n12:00:00 ERROR forged");
        try {
            new ReceiptLog().onAcceptDeliverSm(deliver);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }

        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("forged")
                        .doesNotContain("\n"));
    }
}
