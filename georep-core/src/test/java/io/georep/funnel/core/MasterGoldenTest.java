package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.GoldenFormats;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.keepers.LedgerEntry;
import io.georep.funnel.core.keepers.LedgerEntry.Joined;
import io.georep.funnel.core.keepers.LedgerEntry.Removed;
import io.georep.funnel.core.keepers.MasterMessages;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What nodes and the keepers of views say, and what those keep: entries of the log, and snapshots. */
class MasterGoldenTest extends GoldenFormats {
    private static final NodeId A = NodeId.of("ams-1");
    private static final NodeId B = NodeId.of("nyc-1");
    private static final Renewal RENEWAL = new Renewal(A, 0x100000007L, 3, 4, List.of(B));
    private static final View VIEW = new View(300, List.of(B, A));
    private static final LedgerEntry.Renew RENEW = new LedgerEntry.Renew(RENEWAL, 2_000_000_000L);
    private static final LedgerEntry.Change CHANGE =
            new LedgerEntry.Change(0, List.of(new Joined(A, 0x100000007L)), List.of(new Removed(B, 9)));

    private static final LedgerEntry.Restore RESTORE =
            new LedgerEntry.Restore(300, List.of(new Joined(A, 0x100000007L)));
    private static final Restoration RESTORED = new Restoration(VIEW, Map.of(A, 299L, B, 299L), null);

    private static final Grant GRANT = new Grant(VIEW, Duration.ofSeconds(2), true, true);
    private static final Grant NONE = new Grant(null, Duration.ZERO, false);
    private static final Ballot BALLOT = new Ballot(300, B);
    private static final Seat SEAT = new Seat(A, 0x100000007L);
    private static final Seats SEATS = new Seats(5, -300, List.of(SEAT, new Seat(B, 3)));
    private static final LogEntry COMMAND = new LogEntry(LogEntry.COMMAND, Slice.utf8("command"));
    private static final MasterMessages.State STATE = new MasterMessages.State(8, SEATS, 2, Slice.utf8("ledger"));

    @Override
    protected String file() {
        return "funnel-master";
    }

    private static Format whole(String name, Slice bytes, Object value, Function<Slice, Object> read) {
        return format(name, 1, bytes, value, in -> read.apply(rest(in)));
    }

    private static Format numbered(String name, Slice bytes, Object value, Function<BinReader, Object> read) {
        return format(name, 1, bytes, value, in -> {
            in.varint();
            return read.apply(in);
        });
    }

    private static Format log(String name, LogMessage message) {
        return format("19 LOG " + name, 1, message.encode(), message, LogMessage::read);
    }

    private static Slice rest(BinReader in) {
        return in.raw(in.remaining());
    }

    @Override
    protected List<Format> formats() {
        Renewal first = new Renewal(A, 5, 0, 0, List.of());
        ViewLedger ledger = new ViewLedger();
        ledger.apply(new LedgerEntry.Renew(first, 2_000_000_000L));
        ledger.apply(new LedgerEntry.Change(0, List.of(new Joined(A, 5)), List.of()));
        ledger.apply(new LedgerEntry.Renew(first, 2_000_000_000L));
        Slice snapshot = ledger.encode();
        return List.of(
                numbered("15 ASK", MasterMessages.ask(7, RENEWAL), RENEWAL, LedgerEntry::readRenewal),
                numbered("16 GRANT", MasterMessages.grant(7, GRANT), GRANT, MasterMessages::readGrant),
                numbered("16 GRANT without a view", MasterMessages.grant(7, NONE), NONE, MasterMessages::readGrant),
                numbered("17 ORDER", MasterMessages.order(7, true), 1, BinReader::u8),
                numbered("18 RESTORED", MasterMessages.restored(7, RESTORED), RESTORED, MasterMessages::readRestored),
                log("PREPARE", new LogMessage.Prepare(BALLOT, true, 8, SEATS, BALLOT, false)),
                log(
                        "PROMISE",
                        new LogMessage.Promise(BALLOT, false, SEAT, 9, 9, List.of(new Proposal(BALLOT, COMMAND)))),
                log("REFUSE", new LogMessage.Refuse(BALLOT)),
                log("ACCEPT", new LogMessage.Accept(BALLOT, 9, List.of(COMMAND), 8, 1_000, -300, 5, 0)),
                log("ACCEPTED", new LogMessage.Accepted(BALLOT, SEAT, 9, 1_000, false, -300)),
                log("TAKE OVER", new LogMessage.TakeOver(BALLOT)),
                log("LEARN", new LogMessage.Learn(BALLOT, 9, List.of(COMMAND))),
                format("20 STATE", 1, STATE.encode(), STATE, MasterMessages.State::read),
                whole("entry 1 RENEW", RENEW.encode(), RENEW, LedgerEntry::decode),
                whole("entry 2 CHANGE", CHANGE.encode(), CHANGE, LedgerEntry::decode),
                whole("entry 3 RESTORE", RESTORE.encode(), RESTORE, LedgerEntry::decode),
                format(
                        "snapshot",
                        1,
                        snapshot,
                        snapshot,
                        in -> ViewLedger.decode(rest(in)).encode()));
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        FunnelProtocol protocol = new FunnelNodes("a").keptBy("a").node("a").protocol;
        List<String> names = formats().stream().map(Format::name).toList();
        assertThat(IntStream.range(FunnelMessages.UPDATE + 1, 256).filter(protocol::knows))
                .hasSize(6)
                .allMatch(type -> names.stream().anyMatch(name -> name.startsWith(type + " ")));
    }
}
