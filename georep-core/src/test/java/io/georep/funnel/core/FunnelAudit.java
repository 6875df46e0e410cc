package io.georep.funnel.core;

import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.keepers.ViewKeeper;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A look into the core of replicated maps, for checks. */
public final class FunnelAudit {
    private FunnelAudit() {}

    /** Where the store keeps what was committed of a key. */
    public static byte[] place(Slice key) {
        return FunnelLayout.keyPlace(key);
    }

    /** Lets the pages of transfers have about so many bytes. */
    public static void pages(FunnelProtocol protocol, int bytes) {
        protocol.context().pageBytes = bytes;
    }

    /** The first place of writes that are not committed yet. */
    public static byte[] firstUncommitted() {
        return FunnelLayout.first('D');
    }

    /** A place behind them. */
    public static byte[] behindUncommitted() {
        return FunnelLayout.behind('D');
    }

    /** Whether what the store keeps at the place of a key says that the key had this commit or a later one. */
    public static boolean isAtLeast(byte[] place, Slice content, long view, long commit) {
        Cell cell = new Cell(place);
        cell.read(content.toArray());
        return Version.compare(cell.view, cell.commit, view, commit) >= 0;
    }

    /** Whether these bytes are somewhere in a value of the store. */
    public static boolean contains(Slice where, byte[] what) {
        int end = where.offset() + where.length() - what.length;
        for (int at = where.offset(); at <= end; at++) {
            if (where.array()[at] == what[0]
                    && Arrays.equals(where.array(), at, at + what.length, what, 0, what.length)) {
                return true;
            }
        }
        return false;
    }

    /** All that the master knows. */
    public static String describe(ViewLedger ledger) {
        return ledger.view() + " "
                + ledger.all().stream()
                        .map(each -> each + (each.restarted() ? " restarted" : "") + ", ready in " + each.readyView
                                + ", cannot reach " + each.unreachable)
                        .toList();
    }

    /** What a node knows of views. */
    public static String describe(FunnelProtocol protocol) {
        FunnelContext context = protocol.context();
        return context.standing.phase() + " in " + context.standing.view() + ", applied " + context.progress.applied()
                + ", " + context.writes.all().stream().map(Write::id).toList() + " uncommitted";
    }

    /** When a value goes, in milliseconds of the wall clock by which it was committed; 0 for never. */
    public static long expiresAt(FunnelProtocol protocol, Slice key) {
        Cell cell = protocol.context().tables.find(key);
        return cell == null ? 0 : cell.expiresAt;
    }

    /** How many writes a node knows that are not committed. */
    public static int uncommitted(FunnelProtocol protocol) {
        return protocol.context().writes.size();
    }

    /** The first of the views that a node is a member of in one process, as the master knows; 0 if it is none. */
    public static long since(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known == null ? 0 : known.since;
    }

    /** The newest view that a node has said to have been active in. */
    public static long activeView(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known == null ? 0 : known.saidActive;
    }

    /** Whether a node that is no member has told the master that it has all that the newest view has. */
    public static boolean isReady(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known != null && known.joined == 0 && known.readyView == ledger.number();
    }

    /** Whether the master knows that a node is active in the newest view, in the process that it is a member by. */
    public static boolean isActive(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        return known != null && known.joined > 0 && !known.restarted() && known.activeView == ledger.number();
    }

    /** What a node says first that was started with an empty store, once it knows by its peers how often it was started before. */
    public static ViewMaster.Renewal emptied(ViewLedger ledger, NodeId node) {
        ViewLedger.Known known = ledger.known(node);
        long before = known == null ? 0 : known.saidIncarnation;
        return new ViewMaster.Renewal(node, before + (1L << ViewLedger.MILLIS_BITS), 0, 0, List.of());
    }

    /** What a keeper knows of views. */
    public static ViewLedger ledger(FunnelProtocol protocol) {
        return keeper(protocol).ledger();
    }

    private static ViewKeeper keeper(FunnelProtocol protocol) {
        return Objects.requireNonNull(protocol.keeper());
    }

    /** Whether a keeper leads and answers. */
    public static boolean leads(FunnelProtocol protocol) {
        return keeper(protocol).leads();
    }

    /** The last slot of the log that a keeper knows to be decided. */
    public static long decided(FunnelProtocol protocol) {
        return keeper(protocol).log().decided();
    }

    /** The log of a keeper, in words. */
    public static String log(FunnelProtocol protocol) {
        return keeper(protocol).toString();
    }

    /** Whether the stores of these keepers have the seats, and enough of them know it. */
    public static boolean isWhole(List<FunnelProtocol> keepers) {
        return keepers.stream()
                .filter(FunnelAudit::leads)
                .map(FunnelAudit::keeper)
                .anyMatch(leader -> keepers.stream()
                                .allMatch(each -> leader.log()
                                        .seats()
                                        .list()
                                        .contains(keeper(each).seat()))
                        && !leader.log().isChangingSeats());
    }

    /** How many questions a keeper remembers. */
    static int questions(FunnelProtocol protocol) {
        return keeper(protocol).questions();
    }

    /** The number of the store of a keeper as a seat. */
    public static long seat(FunnelProtocol protocol) {
        return keeper(protocol).seat().store();
    }

    /** Up to which slot the state of a keeper stands for its log. */
    public static long base(FunnelProtocol protocol) {
        return keeper(protocol).log().base();
    }
}
