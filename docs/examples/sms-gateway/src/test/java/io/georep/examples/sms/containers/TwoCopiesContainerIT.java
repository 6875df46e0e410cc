package io.georep.examples.sms.containers;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Five gateways in containers, with two copies of each message (f = 2): two die at once, and then two others. */
@Tag("servers")
@EnabledIf("io.georep.examples.sms.containers.DockerEngine#answers")
final class TwoCopiesContainerIT {
    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = new Cluster(2, 5, 2);
        cluster.start(5);
    }

    @AfterAll
    static void remove() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void mend() {
        cluster.mend();
    }

    @ParameterizedTest
    @EnumSource(Crashes.Disk.class)
    void copiesAreBackBeforeTheNextTwoDie(Crashes.Disk disk) {
        List<Gateway> first = List.of(cluster.gateway(1), cluster.gateway(2));
        List<Gateway> second = List.of(cluster.gateway(3), cluster.gateway(4));

        new Crashes(cluster, new Ledger()).survive(disk, first, second);
    }
}
