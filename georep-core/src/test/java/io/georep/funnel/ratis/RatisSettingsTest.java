package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.ViewPolicy;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.util.ExitUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatisSettingsTest {
    @TempDir
    private Path directory;

    private static final RatisSettings SETTINGS =
            RatisSettings.of("a=127.0.0.1:7400", "b=127.0.0.1:7410", "c=127.0.0.1:7420");

    private ViewMaster.Place at(String node, String host) {
        return new ViewMaster.Place(NodeId.of(node), FunnelSettings.defaults(), host, 7400, directory);
    }

    private static void create(RatisSettings settings, ViewMaster.Place place) {
        RatisViewMaster.over(settings).create(place).close();
    }

    @Test
    void refusesPeersThatCannotDecide() {
        assertThatThrownBy(() -> RatisSettings.of("a=h:1", "b=h:1"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("has 2 peers", "name 3 or 5");
        assertThatThrownBy(() -> RatisSettings.of("a=h:1", "a=h:2", "b=h:3")).hasMessageContaining("is twice");
        assertThatThrownBy(() -> RatisSettings.of("a=h:65535")).hasMessageContaining("has port 65536");
        assertThatThrownBy(() -> RatisSettings.of("a=h:7400", "b=h:7401", "c=i:7401"))
                .hasMessageContaining(
                        "peer a=h:7400 of the master of views would listen on port 7401 of h, which is that of node b",
                        "choose another port offset than 1");
        assertThatThrownBy(() -> RatisSettings.of("h:65535")).hasMessageContaining("write node=host:port");
        assertThatThrownBy(() -> RatisSettings.of("a=fe80::1:7400")).hasMessageContaining("[::1]:7401");
        assertThatThrownBy(() -> RatisSettings.of("a=h:many")).hasMessageContaining("no valid port");
        assertThatThrownBy(() -> SETTINGS.group(" ")).hasMessageContaining("1 to 64 characters");
        assertThat(RatisSettings.of("a=[::1]:7400").peers()).hasToString("[a=[::1]:7400]");
    }

    @Test
    void takesTheNextPortOfTheNodeOrTheOneGiven() {
        assertThat(new RatisPlace(SETTINGS, at("b", "127.0.0.1"), 1).listen()).hasToString("127.0.0.1:7411");
        assertThat(new RatisPlace(SETTINGS.portOffset(0), at("b", "127.0.0.1"), 1).listen())
                .hasToString("127.0.0.1:7410");
        assertThat(new RatisPlace(SETTINGS.listen("127.0.0.2:9"), at("b", "127.0.0.1"), 1).listen())
                .hasToString("127.0.0.2:9");
        assertThat(new RatisPlace(SETTINGS, at("d", "127.0.0.1"), 1).isPeer()).isFalse();
    }

    @Test
    void listensBeyondLoopbackOnlyIfSomethingProtectsThePort() {
        assertThatThrownBy(() -> create(SETTINGS, at("a", "0.0.0.0")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("would listen on 0.0.0.0:7401", "set TLS");
        assertThatThrownBy(() -> create(RatisSettings.of("a=192.0.2.1:7400"), at("d", "127.0.0.1")))
                .hasMessageContaining("peer a of the master of views is at 192.0.2.1:7401", "set TLS");
        assertThatCode(() -> create(SETTINGS.openToAnyoneWhoReachesThePort(true), at("a", "0.0.0.0")))
                .doesNotThrowAnyException();
        assertThatCode(() -> create(SETTINGS, at("a", "127.0.0.1"))).doesNotThrowAnyException();
    }

    @Test
    void aPeerNeedsADirectory() {
        ViewMaster.Place without =
                new ViewMaster.Place(NodeId.of("a"), FunnelSettings.defaults(), "127.0.0.1", 7400, null);

        assertThatThrownBy(() -> create(SETTINGS, without))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("has no data directory");
        assertThat(new RatisPlace(SETTINGS.directory(directory), without, 1).directory())
                .isEqualTo(directory);
    }

    @Test
    void refusesADirectoryOfAnotherGroup() throws Exception {
        Files.createDirectories(directory.resolve("views").resolve("6b6f0d7e-5a06-3a34-9d27-4a5f0f4f5f11"));

        assertThatThrownBy(() -> new RatisReplica(new RatisPlace(SETTINGS, at("a", "127.0.0.1"), 1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("belongs to another group", "another directory");
    }

    @Test
    void saysWhatIsWrongWithItsKeys() {
        RatisTls missing = RatisTls.pem(
                directory.resolve("no.key"), directory.resolve("no.pem"), directory.resolve("ca.pem"), "prod");

        assertThatThrownBy(() -> create(SETTINGS.tls(missing), at("a", "0.0.0.0")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("no.key cannot be read");
    }

    /** Ratis ends the JVM by default, if its port is taken and if any thread of the application fails. */
    @Test
    void ratisDoesNotEndTheJvm() {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();

        RatisGuard.set();

        assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(before);
        assertThatThrownBy(() -> ExitUtils.terminate(1, "a test", null)).isInstanceOf(ExitUtils.ExitException.class);
        ExitUtils.clear();
    }

    @Test
    void aMasterThatHasForgottenViewsIsNotBelieved() {
        ViewMaster.Renewal active = new ViewMaster.Renewal(NodeId.of("a"), 1, 3, 0, List.of());

        assertThatThrownBy(() -> RatisViewMaster.checkMemory(active, null))
                .hasMessageContaining("knows views up to 0, but this node was in view 3");
        assertThatThrownBy(() -> RatisViewMaster.checkMemory(active, new View(2, List.of(NodeId.of("b")))))
                .hasMessageContaining("Bring them back");
        assertThatCode(() -> RatisViewMaster.checkMemory(active, new View(3, List.of(NodeId.of("b")))))
                .doesNotThrowAnyException();
    }

    @Test
    void foundersAreThePeersUnlessOthersAreNamed() {
        assertThat(SETTINGS.firstMembers()).containsExactly(NodeId.of("a"), NodeId.of("b"), NodeId.of("c"));
        assertThat(SETTINGS.founders(List.of(NodeId.of("d"))).firstMembers()).containsExactly(NodeId.of("d"));
    }

    /** Nodes with names of their own at each start would fill the memory of the replicas. */
    @Test
    void nodesThatTheLedgerHasForgottenAreForgottenByTheClockOfLeases() {
        ViewStateMachine machine = new ViewStateMachine(
                new ViewPolicy(List.of(NodeId.of("a")), 1000, 0),
                ClientId.randomId(),
                1000,
                0.01,
                () -> 0,
                new ViewStateMachine.Seat() {
                    @Override
                    public boolean isLeaderReady() {
                        return false;
                    }

                    @Override
                    public long term() {
                        return -1;
                    }

                    @Override
                    public void lookSoon() {}
                });
        for (int i = 0; i < 2000; i++) {
            synchronized (machine) {
                machine.apply(new LedgerEntry.Renew(
                        new ViewMaster.Renewal(NodeId.of("pod-" + i), 1L << 32, 0, 0, List.of()), 0));
            }
        }
        assertThat(machine.remembered()).isLessThanOrEqualTo(600);
    }
}
