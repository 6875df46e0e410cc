package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.protocol.BootKind;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.ClockSteps;
import io.georep.runtime.FrameIntake;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Each change of state is one line whose ids are in the text and in fields. */
class ChangeLogTest {
    private static final NodeId N2 = NodeId.of("n2");

    private final RecordingLogger log = new RecordingLogger();
    private final ChangeLog changes = new ChangeLog("n1", log);
    private final EventRouter router = new EventRouter("n1", changes, Ticker.system());

    private RecordingLogger.Line only(Object event) {
        router.events(List.of(
                event instanceof MembershipEvent ? new ProtocolEvent(MembershipProtocol.CHANNEL, event) : event));
        return only();
    }

    private RecordingLogger.Line only() {
        assertThat(log.lines()).hasSize(1);
        RecordingLogger.Line line = log.lines().get(0);
        assertThat(line.fields()).containsEntry("georep.node", "n1");
        assertThat(line.text()).contains("n1").doesNotContain("{}");
        line.fields().forEach((key, value) -> {
            if (!key.equals("georep.event")) {
                assertThat(line.text()).as(key).contains(value);
            }
        });
        return line;
    }

    @Test
    void tellsWhenTheStoreTakesNothingNewAndWhenItDoesAgain() {
        NodeLoop.StoreChanged stalled =
                new NodeLoop.StoreChanged(StoreState.READY, StoreState.STALLED, "it has answered no write for 5 s");

        RecordingLogger.Line line = only(stalled);

        assertThat(line.level()).isEqualTo(Level.WARN);
        assertThat(line.text()).contains("takes no new entries", "it has answered no write for 5 s");
        assertThat(line.fields())
                .contains(
                        entry("georep.event", "store-state"),
                        entry("georep.before", "READY"),
                        entry("georep.after", "STALLED"));
        router.events(List.of(new NodeLoop.StoreChanged(StoreState.STALLED, StoreState.READY, "")));
        assertThat(log.lines().get(1).level()).isEqualTo(Level.INFO);
    }

    @Test
    void tellsThatTheWallClockWasSet() {
        RecordingLogger.Line line = only(new ClockSteps.Stepped(-3_600_000));

        assertThat(line.level()).isEqualTo(Level.WARN);
        assertThat(line.fields()).contains(entry("georep.event", "clock-stepped"), entry("georep.seconds", "-3600"));
    }

    @Test
    void tellsThatTheClockOfAPeerIsOffAndThatItIsRightAgain() {
        RecordingLogger.Line line = only(new MembershipEvent.ClockOff(N2, true, -75_400));

        assertThat(line.level()).isEqualTo(Level.WARN);
        assertThat(line.text()).contains("the wall clock of n2 is -75 s ahead", "Set the wrong one right");
        assertThat(line.fields())
                .contains(
                        entry("georep.event", "clock-off"), entry("georep.peer", "n2"), entry("georep.seconds", "-75"));

        router.events(
                List.of(new ProtocolEvent(MembershipProtocol.CHANNEL, new MembershipEvent.ClockOff(N2, false, 400))));
        assertThat(log.lines().get(1).level()).isEqualTo(Level.INFO);
        assertThat(log.lines().get(1).fields()).contains(entry("georep.event", "clock-right"));
    }

    @Test
    void tellsStatesOfPeers() {
        RecordingLogger.Line line =
                only(new MembershipEvent.StateChanged(N2, "eu", PeerState.ACTIVE, PeerState.TERMINATED));

        assertThat(line.level()).isEqualTo(Level.INFO);
        assertThat(line.fields())
                .contains(
                        entry("georep.event", "peer-state"),
                        entry("georep.peer", "n2"),
                        entry("georep.site", "eu"),
                        entry("georep.before", "ACTIVE"),
                        entry("georep.after", "TERMINATED"));
    }

    @Test
    void warnsOfPeersThatAreMissingAndNotOfThoseThatSaidGoodbye() {
        assertThat(level(PeerState.ACTIVE, PeerState.SCHRODINGER)).isEqualTo(Level.WARN);
        assertThat(level(PeerState.SCHRODINGER, PeerState.TERMINATED)).isEqualTo(Level.WARN);
        assertThat(level(PeerState.ARNOLD, PeerState.TERMINATED)).isEqualTo(Level.WARN);
        assertThat(level(PeerState.ACTIVE, PeerState.ARNOLD)).isEqualTo(Level.INFO);
        assertThat(level(PeerState.ACTIVE, PeerState.TERMINATED)).isEqualTo(Level.INFO);
        assertThat(level(PeerState.SCHRODINGER, PeerState.ACTIVE)).isEqualTo(Level.INFO);
    }

    private Level level(PeerState before, PeerState after) {
        log.clear();
        return only(new MembershipEvent.StateChanged(N2, "eu", before, after)).level();
    }

    @Test
    void tellsThatAPeerWasMet() {
        RecordingLogger.Line line = only(new MembershipEvent.StateChanged(N2, "eu", null, PeerState.PROSPECT));

        assertThat(line.fields()).doesNotContainKey("georep.before").containsEntry("georep.after", "PROSPECT");
        assertThat(line.text()).contains("unknown -> PROSPECT");
    }

    @Test
    void tellsDrainsAndRemovals() {
        assertThat(only(new MembershipEvent.Drained(N2, true)).fields())
                .contains(entry("georep.event", "drained"), entry("georep.peer", "n2"));
        log.clear();
        assertThat(only(new MembershipEvent.Drained(N2, false)).fields()).containsEntry("georep.event", "undrained");
        log.clear();
        RecordingLogger.Line removed = only(new MembershipEvent.Removed(N2));
        assertThat(removed.level()).isEqualTo(Level.WARN);
        assertThat(removed.fields()).contains(entry("georep.event", "removed"), entry("georep.peer", "n2"));
    }

    @Test
    void tellsOfMessagesThatAreLeftAsideAndWhatToDo() {
        NodeIdentity peer = new NodeIdentity(N2, 1, 1, 1, "n2:1", "eu");

        RecordingLogger.Line newer = only(new FrameIntake.Ignored(peer, 9, 77, 3, 2));
        assertThat(newer.level()).isEqualTo(Level.INFO);
        assertThat(newer.text()).contains("type 77", "version 3", "version 2", "upgrade this node");
        assertThat(newer.fields())
                .contains(
                        entry("georep.event", "message-ignored"),
                        entry("georep.peer", "n2"),
                        entry("georep.address", "n2:1"),
                        entry("georep.channel", "9"));
        log.clear();
        RecordingLogger.Line unknown = only(new FrameIntake.Ignored(peer, 9, 77, 3, 0));
        assertThat(unknown.level()).isEqualTo(Level.WARN);
        assertThat(unknown.text()).contains("hosts no protocol there", "add that protocol");
    }

    @Test
    void tellsConflictsStaleStoresAndRefusals() {
        RecordingLogger.Line conflict = only(new MembershipEvent.Conflict(N2, "at host:1 and host:2"));
        assertThat(conflict.level()).isEqualTo(Level.ERROR);
        assertThat(conflict.fields()).contains(entry("georep.event", "conflict"), entry("georep.peer", "n2"));
        assertThat(conflict.text()).contains("at host:1 and host:2");
        log.clear();
        assertThat(only(new MembershipEvent.StaleStore(7, BootKind.FRESH)).fields())
                .contains(entry("georep.event", "stale-store"), entry("georep.incarnation", "7"));
        log.clear();
        assertThat(only(new MembershipEvent.Refused("host:3", "wrong cluster")).fields())
                .contains(entry("georep.event", "refused"), entry("georep.address", "host:3"));
    }

    @Test
    void tellsTheLifeOfTheNode() {
        changes.started(new NodeIdentity(NodeId.of("n1"), 9, 1, 1, "host:1", "eu"));
        assertThat(only().fields())
                .contains(
                        entry("georep.event", "started"), entry("georep.site", "eu"), entry("georep.incarnation", "9"));
        log.clear();
        changes.leaving(Duration.ofMinutes(1));
        assertThat(only().fields()).contains(entry("georep.event", "leaving"), entry("georep.away", "PT1M"));
        log.clear();
        changes.stopped();
        assertThat(only().fields()).isEqualTo(Map.of("georep.event", "stopped", "georep.node", "n1"));
        log.clear();
        changes.failed(new IllegalStateException("disk gone"));
        assertThat(only().level()).isEqualTo(Level.ERROR);
        assertThat(only().text()).contains("disk gone");
    }
}
