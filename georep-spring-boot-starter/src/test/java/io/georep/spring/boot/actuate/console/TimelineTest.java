package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.PeerChange;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.spring.boot.actuate.EndpointReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the console tells of what happened. */
class TimelineTest {
    private static final Instant NOW = Instant.parse("2026-11-30T03:00:00Z");

    private final Timeline timeline = new Timeline();

    private List<String> told() {
        return timeline.all().values().stream()
                .map(event -> event.kind() + " " + event.subject() + (event.count() == 0 ? "" : " " + event.count()))
                .toList();
    }

    private void peer(PeerState before, PeerState after) {
        timeline.peer(new PeerChange(NodeId.of("n2"), "ams", before, after), NOW);
    }

    @Test
    void tellsHowAPeerIsSeen() {
        peer(null, PeerState.PROSPECT);
        peer(PeerState.PROSPECT, PeerState.ACTIVE);
        peer(PeerState.ACTIVE, PeerState.SCHRODINGER);
        peer(PeerState.SCHRODINGER, PeerState.TERMINATED);
        peer(PeerState.TERMINATED, PeerState.ACTIVE);
        peer(PeerState.ACTIVE, PeerState.ARNOLD);

        assertThat(told())
                .containsExactly("heard-of n2", "met n2", "suspected n2", "given-up n2", "returned n2", "away n2");
    }

    @Test
    void whatGoesOnIsOneEventUntilItPauses() {
        timeline.count("adopted", "mail", 10, "taken over from n2", NOW);
        timeline.add("drained", "n3", "", NOW);
        timeline.count("adopted", "mail", 5, "taken over from n2", NOW.plusSeconds(50));
        timeline.count("adopted", "sms", 1, "taken over from n2", NOW.plusSeconds(51));
        timeline.count("adopted", "mail", 7, "taken over from n2", NOW.plusSeconds(120));

        assertThat(told()).containsExactly("adopted mail 15", "drained n3", "adopted sms 1", "adopted mail 7");
    }

    @Test
    void eachNodeThatEntriesComeFromIsToldByItself() {
        timeline.count("adopted", "mail", 100, "taken over from n2", NOW);
        timeline.count("adopted", "mail", 50, "taken over from n3", NOW);
        timeline.count("adopted", "mail", 1, "taken over from n2", NOW);

        assertThat(timeline.all().values().stream().map(event -> event.count() + " " + event.text()))
                .containsExactlyInAnyOrder("101 taken over from n2", "50 taken over from n3");
    }

    @Test
    void isBounded() {
        for (int i = 0; i < 1000; i++) {
            timeline.add("drained", "n" + i, "", NOW);
        }

        assertThat(told()).hasSize(300).first().isEqualTo("drained n700");
    }

    @Test
    void tellsWhatChangesBetweenTwoLooks() {
        Differences differences = new Differences(timeline);
        differences.peers(List.of(seen("n2", false, false), seen("n3", false, false)), NOW);
        differences.peers(List.of(seen("n2", true, false), seen("n3", false, true)), NOW);
        differences.peers(List.of(seen("n2", false, false)), NOW);
        differences.store("READY", "n1", NOW);
        differences.store("STALLED", "n1", NOW);

        assertThat(told()).containsExactly("drained n2", "refused n3", "undrained n2", "removed n3", "store n1");
    }

    @Test
    void tellsByHowMuchAClockIsOff() {
        Differences differences = new Differences(timeline);
        differences.peers(List.of(clock("n2", Duration.ofSeconds(-75), true), clock("n3", null, true)), NOW);
        differences.peers(List.of(clock("n2", Duration.ofSeconds(-76), true), clock("n3", null, true)), NOW);

        assertThat(timeline.all().values().stream().map(Timeline.Event::text))
                .satisfiesExactly(
                        text -> assertThat(text).startsWith("its clock is 75 s behind that of this node"),
                        text -> assertThat(text).startsWith("its clock is more than a minute off that of this node"));
    }

    @Test
    void aClockThatIsOffIsToldOnceUntilItIsRight() {
        Differences differences = new Differences(timeline);
        for (boolean off : new boolean[] {true, true, false, false}) {
            differences.peers(List.of(clock("n2", null, off)), NOW);
        }
        assertThat(told()).containsExactly("clock-off n2", "clock-right n2");

        differences.peers(List.of(clock("n2", null, true)), NOW);
        differences.peers(List.of(), NOW);
        differences.peers(List.of(clock("n2", null, true)), NOW);
        assertThat(told().subList(2, 5)).containsExactly("clock-off n2", "removed n2", "clock-off n2");
    }

    private static EndpointReport.Peer clock(String id, @Nullable Duration ahead, boolean off) {
        return new EndpointReport.Peer(
                id, "ams", "ACTIVE", Duration.ZERO, 1, null, null, true, true, false, false, ahead, off);
    }

    private static EndpointReport.Peer seen(String id, boolean drained, boolean foreign) {
        return new EndpointReport.Peer(
                id, "ams", "ACTIVE", Duration.ZERO, 1, null, null, true, true, drained, foreign, null, false);
    }
}
