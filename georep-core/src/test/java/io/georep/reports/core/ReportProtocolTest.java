package io.georep.reports.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.reports.NodeReport;
import io.georep.reports.Reports;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a look costs, and who is answered how often. */
class ReportProtocolTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final TestTurn turn = new TestTurn();
    private final HandMadePeers peers = new HandMadePeers(NodeId.of("n0"));
    private final ReportProtocol protocol = new ReportProtocol(peers);

    private HandMadePeers.HandMadePeer host(NodeId id) {
        HandMadePeers.HandMadePeer peer = peers.peer(id);
        peer.channels = Channels.of(Map.of(1, 1, ReportProtocol.CHANNEL, 1));
        return peer;
    }

    private List<NodeReport> look() {
        turn.forget();
        protocol.onCommand(new ReportCommand.Look("token"), turn);
        protocol.endOfTurn(turn);
        ReportEvent.Seen seen = turn.events(ReportEvent.Seen.class).get(0);
        assertThat(seen.token()).isEqualTo("token");
        return seen.reports();
    }

    private void ask(NodeId from) {
        message(from, ReportProtocol.ASK, Slice.EMPTY);
    }

    private void message(NodeId from, int type, Slice body) {
        protocol.onMessage(peers.peer(from), type, new BinReader(body), turn);
        protocol.endOfTurn(turn);
    }

    private void write(String text) {
        protocol.onCommand(new ReportCommand.Written(Slice.utf8(text)), turn);
        protocol.endOfTurn(turn);
    }

    private void timer() {
        if (protocol.nextDeadlineNanos() <= turn.now()) {
            protocol.onTimer(turn);
        }
        protocol.endOfTurn(turn);
    }

    @Test
    void aLookAsksThoseWhoHaveReportsAndTheNextOneShowsThem() {
        host(N1);
        peers.peer(N2);

        assertThat(look())
                .containsExactly(
                        new NodeReport(N1, true, null, Duration.ZERO), new NodeReport(N2, false, null, Duration.ZERO));
        assertThat(turn.sent).extracting(TestTurn.Sent::to).containsExactly(N1);

        message(N1, ReportProtocol.REPORT, Slice.utf8("well"));
        turn.advance(Duration.ofMillis(300));

        assertThat(look().get(0)).isEqualTo(new NodeReport(N1, true, Slice.utf8("well"), Duration.ofMillis(300)));
        assertThat(turn.sent).as("asked a moment ago").isEmpty();
        turn.advance(SECOND);
        look();
        assertThat(turn.sent(N1, ReportProtocol.ASK)).hasSize(1);
    }

    @Test
    void manyPeersAreAskedLessOften() {
        for (int i = 0; i < 100; i++) {
            host(NodeId.of("n" + (100 + i)));
        }
        look();
        assertThat(turn.sent).hasSize(100);
        turn.advance(Duration.ofMillis(4_999));
        look();
        assertThat(turn.sent).isEmpty();
        turn.advance(Duration.ofMillis(1));
        look();
        assertThat(turn.sent).hasSize(100);
    }

    @Test
    void whoIsNotInReachDoesNotReadOrWasRemovedIsNotAsked() {
        host(N1).linked = false;
        host(N2).full = true;
        host(NodeId.of("n3")).removed = true;
        assertThat(look()).extracting(NodeReport::node).containsExactly(N1, N2);
        assertThat(turn.sent).isEmpty();
    }

    @Test
    void aReportThatNobodyAskedForIsNotKept() {
        host(N1);
        message(N1, ReportProtocol.REPORT, Slice.utf8("unasked"));
        assertThat(protocol.kept()).isZero();

        look();
        message(N1, ReportProtocol.REPORT, Slice.utf8("asked"));
        message(N1, ReportProtocol.REPORT, Slice.utf8("once more"));
        assertThat(look().get(0).text()).isEqualTo(Slice.utf8("asked"));
    }

    @Test
    void oneReportPerSecondIsWrittenForAllWhoAsk() {
        host(N1);
        host(N2);
        ask(N1);
        ask(N2);
        ask(N2);
        assertThat(turn.events(ReportEvent.Wanted.class)).hasSize(1);
        write("well");
        assertThat(turn.sent)
                .containsExactly(
                        new TestTurn.Sent(N1, ReportProtocol.REPORT, Slice.utf8("well"), false),
                        new TestTurn.Sent(N2, ReportProtocol.REPORT, Slice.utf8("well"), false));

        turn.forget();
        turn.advance(Duration.ofMillis(400));
        ask(N1);
        timer();
        assertThat(turn.events).as("a second has not passed").isEmpty();
        assertThat(protocol.nextDeadlineNanos())
                .isEqualTo(turn.now() + Duration.ofMillis(600).toNanos());
        turn.advance(Duration.ofMillis(600));
        timer();
        assertThat(turn.events(ReportEvent.Wanted.class)).hasSize(1);
        assertThat(protocol.nextDeadlineNanos()).as("it waits for the writer").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whoHasGoneMeanwhileIsNotAnswered() {
        host(N1);
        ask(N1);
        peers.all.remove(N1);
        write("well");
        assertThat(turn.sent).isEmpty();
    }

    @Test
    void whatNobodyLooksAtIsDropped() {
        host(N1);
        look();
        message(N1, ReportProtocol.REPORT, Slice.utf8("well"));
        turn.advance(Duration.ofSeconds(59));
        timer();
        assertThat(protocol.kept()).isEqualTo(1);
        turn.advance(SECOND);
        timer();
        assertThat(protocol.kept()).isZero();
        assertThat(protocol.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aForgottenNameTakesItsReportWithIt() {
        host(N1);
        host(N2);
        look();
        message(N1, ReportProtocol.REPORT, Slice.utf8("well"));
        ask(N1);
        protocol.onPeerForgotten(N1);
        protocol.onPeerForgotten(N2);
        assertThat(protocol.kept()).isZero();
    }

    @Test
    void whatCannotBeReadChangesNothing() {
        host(N1);
        look();
        assertThatThrownBy(() -> message(N1, ReportProtocol.REPORT, Slice.of(new byte[Reports.BYTES_MAX + 1])))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("a report of 49153 bytes, at most 49152");
        assertThatThrownBy(() -> message(N1, ReportProtocol.ASK, Slice.utf8("x")))
                .isInstanceOf(MalformedException.class);
        message(N1, ReportProtocol.REPORT, Slice.of(new byte[Reports.BYTES_MAX]));
        assertThat(look().get(0).text()).isNotNull();
    }

    @Test
    void aReportForNobodyStopsTheNode() {
        assertThatThrownBy(() -> write("unwanted")).isInstanceOf(BrokenInvariantException.class);
    }
}
