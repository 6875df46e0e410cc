package io.georep.examples.sms.operator;

import io.georep.examples.sms.Await;
import io.georep.model.EntryId;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A gateway for tests of its links. */
abstract class LinkFixture {
    /** How far its clock is ahead. */
    final AtomicLong ahead = new AtomicLong();

    private LocalCluster cluster;
    private int sequence;

    @BeforeEach
    final void startCluster() {
        cluster = LocalCluster.start(1);
    }

    @AfterEach
    final void stopCluster() {
        cluster.close();
    }

    final EntryId nextId() {
        return EntryId.parse("n1:1:0:" + sequence++);
    }

    /** A link that may be without a session yet. */
    final OperatorLink started(OddOperator odd, Duration enquireLink, Duration responseTimeout) {
        OperatorLink link = OperatorLinkTest.linkTo(
                odd.port(),
                Duration.ofSeconds(Await.SECONDS_MAX),
                Integer.MAX_VALUE,
                cluster,
                enquireLink,
                responseTimeout,
                () -> System.nanoTime() + ahead.get());
        link.start();
        return link;
    }

    final OperatorLink connected(OddOperator odd, Duration enquireLink, Duration responseTimeout) {
        OperatorLink link = started(odd, enquireLink, responseTimeout);
        Await.until("a session", link::connected);
        return link;
    }

    /** A link that ends no session for want of an answer. */
    final OperatorLink connected(OddOperator odd, Duration responseTimeout) {
        return connected(odd, Duration.ofSeconds(Await.SECONDS_MAX), responseTimeout);
    }
}
