package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.ReplicatedLog;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.keepers.LedgerEntry;
import io.georep.funnel.core.keepers.MasterMessages;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What an old leader has proposed and a later one finds, and what is stored when nothing changes. */
class KeeperTermsTest {
    private static final long INCARNATION = 1L << ViewLedger.MILLIS_BITS;

    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c").keptBy("a", "b", "c");
    private final List<FunnelNodes.Node> asking = new ArrayList<>(nodes.all.values());
    private long number;

    private void until(String what, BooleanSupplier isSo) {
        for (int step = 0; !isSo.getAsBoolean(); step++) {
            assertThat(step).as(what).isLessThan(400);
            for (FunnelNodes.Node node : nodes.all.values()) {
                node.turn.advance(Duration.ofMillis(50));
                if (asking.contains(node)) {
                    long view = FunnelAudit.ledger(node.protocol).number();
                    Renewal renewal = new Renewal(node.id, INCARNATION, view, 0, List.of());
                    node.protocol.onCommand(new FunnelCommand.AskKeepers(++number, renewal), node.turn);
                }
                node.protocol.onTimer(node.turn);
            }
            nodes.run();
        }
    }

    private static ReplicatedLog log(FunnelNodes.Node node) {
        return Objects.requireNonNull(node.protocol.keeper()).log();
    }

    private FunnelNodes.Node leader() {
        return nodes.all.values().stream()
                .filter(node -> !nodes.cutOff.contains(node.id) && FunnelAudit.leads(node.protocol))
                .findFirst()
                .orElse(null);
    }

    private void untilAView() {
        until(
                "a view",
                () -> leader() != null
                        && nodes.all.values().stream()
                                .allMatch(
                                        node -> FunnelAudit.isActive(FunnelAudit.ledger(leader().protocol), node.id)));
    }

    /** Heartbeats and renewals store nothing, and wait for no disk. */
    @Test
    void nothingIsSyncedWhileNothingChanges() {
        untilAView();
        long from = leader().turn.now();
        until("all know what is decided", () -> leader().turn.now() - from > 1_000_000_000);
        int before = nodes.syncs;
        until("a while", () -> leader().turn.now() - from > 5_000_000_000L);
        assertThat(nodes.syncs).isEqualTo(before);
    }

    /**
     * A leader that nobody hears takes a silent member out of its own log's view. The next one grants that member a lease without an
     * entry, and the one after that finds the change and has to decide it.
     */
    @Test
    void whatAnOldLeaderProposedDoesNothingInALaterTerm() {
        untilAView();
        FunnelNodes.Node old = leader();
        long decided = log(old).decided();
        FunnelNodes.Node silent = nodes.all.values().stream()
                .filter(node -> node != old)
                .findFirst()
                .orElseThrow();
        asking.remove(silent);
        long since = old.turn.now();
        until("nearly a lease", () -> old.turn.now() - since >= FunnelNodes.LEASE.toNanos() * 9 / 10);
        assertThat(leader()).isSameAs(old);
        assertThat(log(old).decided()).isEqualTo(decided);

        nodes.cutOff.add(old.id);
        NodeId stranger = NodeId.of("x");
        Slice question = MasterMessages.ask(1, new Renewal(stranger, INCARNATION, 0, 0, List.of()));
        old.protocol.onMessage(old.peers.peer(stranger), MasterMessages.ASK, new BinReader(question), old.turn);
        until("two proposals of the old leader", () -> log(old).toString().contains(decided + ".." + (decided + 2)));
        asking.add(silent);
        until("the next leader", () -> leader() != null);
        FunnelNodes.Node next = leader();
        silent.turn.events.clear();
        until(
                "a lease",
                () -> silent.turn.events(FunnelEvent.Answered.class).stream()
                        .anyMatch(each ->
                                !each.grant().lease().isZero() && !each.grant().stored()));
        assertThat(log(next).decided()).as("granted without an entry").isEqualTo(decided + 1);

        nodes.cutOff.clear();
        until("the old leader follows", () -> log(old).decided() == decided + 1);
        nodes.cutOff.add(next.id);
        until("the leader after that", () -> leader() != null && leader() != next);
        LogEntry found = log(leader()).entry(decided + 2);
        BinReader in = new BinReader(found.body());
        assertThat(in.varint()).as("its term").isPositive();
        assertThat(LedgerEntry.decode(in.raw(in.remaining())))
                .isInstanceOfSatisfying(
                        LedgerEntry.Change.class,
                        change -> assertThat(change.removed())
                                .anyMatch(each -> each.node().equals(silent.id)));
        assertThat(FunnelAudit.ledger(leader().protocol).view().members()).contains(silent.id);
        assertThat(FunnelAudit.ledger(leader().protocol).number()).isEqualTo(1);
    }

    /** The slots that it proposed for them are others' now. The node would get a lease of which the new leader knows nothing. */
    @Test
    void whatTheNextLeaderHasDecidedAnswersNoQuestionThatTheOldOneProposed() {
        untilAView();
        FunnelNodes.Node old = leader();
        NodeId member = old.id.equals(NodeId.of("a")) ? NodeId.of("b") : NodeId.of("a");
        long decided = log(old).decided();
        for (NodeId stranger : List.of(NodeId.of("x"), NodeId.of("y"))) {
            old.peers.peer(stranger).channels = old.peers.peer(member).channels;
            Slice question = MasterMessages.ask(1, new Renewal(stranger, INCARNATION, 0, 0, List.of()));
            old.protocol.onMessage(old.peers.peer(stranger), MasterMessages.ASK, new BinReader(question), old.turn);
        }
        old.protocol.endOfTurn(old.turn);
        assertThat(log(old)).asString().contains(decided + ".." + (decided + 2));
        old.turn.forget();

        long term = decided + 1;
        long lease = FunnelNodes.LEASE.toNanos();
        LedgerEntry renew = new LedgerEntry.Renew(new Renewal(member, INCARNATION, 1, 0, List.of()), lease);
        List<LogEntry> entries = List.of(
                new LogEntry(LogEntry.COMMAND, new BinWriter(1).varint(0).toSlice()),
                new LogEntry(
                        LogEntry.COMMAND,
                        new BinWriter(64).varint(term).raw(renew.encode()).toSlice()));
        Slice accept = new LogMessage.Accept(new Ballot(1000, member), term, entries, term + 1, 1, 0, 1, 0).encode();
        old.protocol.onMessage(old.peers.peer(member), MasterMessages.LOG, new BinReader(accept), old.turn);

        assertThat(log(old).decided()).isEqualTo(term + 1);
        assertThat(old.turn.sent).noneMatch(sent -> sent.type() == MasterMessages.GRANT);
    }
}
