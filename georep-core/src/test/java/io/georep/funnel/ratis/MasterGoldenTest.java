package io.georep.funnel.ratis;

import io.georep.codec.BinReader;
import io.georep.codec.GoldenFormats;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.LedgerEntry.Joined;
import io.georep.funnel.core.LedgerEntry.Removed;
import io.georep.funnel.core.ViewLedger;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What nodes say to the master on Ratis, and what it keeps: entries of the log, and snapshots. */
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

    @Override
    protected String file() {
        return "funnel-master";
    }

    private static Format whole(String name, Slice bytes, Object value, Function<Slice, Object> read) {
        return format(name, 1, bytes, value, in -> read.apply(rest(in)));
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
                whole("question", MasterWire.request(RENEWAL), RENEWAL, MasterWire::readRequest),
                whole(
                        "answer",
                        MasterWire.answer(new Grant(VIEW, Duration.ofSeconds(2), true)),
                        new Grant(VIEW, Duration.ofSeconds(2), true),
                        MasterWire::readAnswer),
                whole(
                        "answer without a view",
                        MasterWire.answer(new Grant(null, Duration.ZERO, false)),
                        new Grant(null, Duration.ZERO, false),
                        MasterWire::readAnswer),
                whole("entry 1 RENEW", RENEW.encode(), RENEW, LedgerEntry::decode),
                whole("entry 2 CHANGE", CHANGE.encode(), CHANGE, LedgerEntry::decode),
                whole("entry 3 RESTORE", RESTORE.encode(), RESTORE, LedgerEntry::decode),
                whole("restoration", MasterWire.restoration(RESTORED), RESTORED, MasterWire::readRestoration),
                format(
                        "snapshot",
                        2,
                        snapshot,
                        snapshot,
                        in -> ViewLedger.decode(rest(in)).encode()));
    }
}
