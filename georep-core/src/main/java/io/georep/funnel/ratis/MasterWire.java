package io.georep.funnel.ratis;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.PeerAnswers;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What nodes say to the master and what it answers.
 *
 * <pre>
 * request = u8 1 | u8 1 | renewal                            (see {@link LedgerEntry})
 *         | u8 1 | u8 2                                      the order to restore a view; as a query a dry run
 * restoration = u8 1 | varint view | varint count | (text node)* | varint count | (text node, varint view)* | text refusal
 *         | u8 1 | u8 3 | renewal                            as a question to one peer: answer without an entry, if that can be
 * peer    = u8 1 | i64 term | i64 ledTerm | answer?          ledTerm -1: does not lead; no answer: only with an entry
 * answer  = u8 1 | varint leaseNanos | u8 mayWrite | varint view | varint count | (text node)*      view 0 and no nodes: none yet
 * </pre>
 */
final class MasterWire {
    private static final int VERSION = 1;
    private static final int RENEWAL = 1;
    private static final int RESTORE = 2;
    private static final int QUESTION = 3;

    private MasterWire() {}

    static Slice request(Renewal renewal) {
        BinWriter out = new BinWriter(128).u8(VERSION).u8(RENEWAL);
        LedgerEntry.writeRenewal(renewal, out);
        return out.toSlice();
    }

    /** The order to restore a view. */
    static Slice restore() {
        return new BinWriter(2).u8(VERSION).u8(RESTORE).toSlice();
    }

    /** Returns what a node says of itself; null for {@link #restore}. */
    static @Nullable Renewal readRequest(Slice bytes) {
        BinReader in = start(bytes, "question");
        int kind = in.u8();
        if (kind != RENEWAL && kind != RESTORE) {
            throw new MalformedException("question of kind " + kind);
        }
        Renewal renewal = kind == RENEWAL ? LedgerEntry.readRenewal(in) : null;
        end(in, "question");
        return renewal;
    }

    /** The question to every peer. */
    static Slice question(Renewal renewal) {
        BinWriter out = new BinWriter(128).u8(VERSION).u8(QUESTION);
        LedgerEntry.writeRenewal(renewal, out);
        return out.toSlice();
    }

    static Renewal readQuestion(Slice bytes) {
        BinReader in = start(bytes, "question");
        int kind = in.u8();
        if (kind != QUESTION) {
            throw new MalformedException("question of kind " + kind + " to one peer");
        }
        Renewal renewal = LedgerEntry.readRenewal(in);
        end(in, "question");
        return renewal;
    }

    static Slice peerAnswer(PeerAnswers.Answer said) {
        BinWriter out = new BinWriter(128).u8(VERSION).i64(said.term()).i64(said.ledTerm());
        Grant grant = said.grant();
        if (grant != null) {
            writeAnswer(grant, out.u8(VERSION));
        }
        return out.toSlice();
    }

    static PeerAnswers.Answer readPeerAnswer(Slice bytes) {
        BinReader in = start(bytes, "answer");
        long term = in.i64();
        long ledTerm = in.i64();
        Grant grant = in.hasMore() ? readAnswer(in.raw(in.remaining())) : null;
        return new PeerAnswers.Answer(term, ledTerm, grant);
    }

    static Slice restoration(Restoration told) {
        BinWriter out = new BinWriter(128).u8(VERSION);
        View view = told.view();
        out.varint(view == null ? 0 : view.number());
        LedgerEntry.writeNodes(view == null ? List.of() : view.members(), out);
        out.varint(told.stores().size());
        told.stores().forEach((node, active) -> out.node(node).varint(active));
        String refusal = told.refusal();
        out.text(refusal == null ? "" : refusal);
        return out.toSlice();
    }

    static Restoration readRestoration(Slice bytes) {
        BinReader in = start(bytes, "answer");
        long number = LedgerEntry.readNumber(in);
        List<NodeId> members = LedgerEntry.readNodes(in);
        Map<NodeId, Long> stores = new TreeMap<>();
        for (int left = in.count(2, "stores"); left > 0; left--) {
            stores.put(in.node(), LedgerEntry.readNumber(in));
        }
        String refusal = in.text();
        end(in, "answer");
        return new Restoration(
                number == 0 ? null : new View(number, members), stores, refusal.isEmpty() ? null : refusal);
    }

    static Slice answer(Grant grant) {
        BinWriter out = new BinWriter(128).u8(VERSION);
        writeAnswer(grant, out);
        return out.toSlice();
    }

    private static void writeAnswer(Grant grant, BinWriter out) {
        out.varint(grant.lease().toNanos()).u8(grant.mayWrite() ? 1 : 0);
        View view = grant.view();
        List<NodeId> members = view == null ? List.of() : view.members();
        out.varint(view == null ? 0 : view.number()).varint(members.size());
        members.forEach(out::node);
    }

    static Grant readAnswer(Slice bytes) {
        BinReader in = start(bytes, "answer");
        long leaseNanos = in.varint(Long.MAX_VALUE, "lease");
        int mayWrite = in.u8();
        long number = in.varint(Long.MAX_VALUE, "view");
        List<NodeId> members = new ArrayList<>();
        for (int left = in.count(2, "members"); left > 0; left--) {
            members.add(in.node());
        }
        end(in, "answer");
        if (mayWrite > 1) {
            throw new MalformedException("a flag of the answer is " + mayWrite);
        }
        if ((number == 0) != members.isEmpty()) {
            throw new MalformedException("view " + number + " with " + members.size() + " members");
        }
        return new Grant(number == 0 ? null : new View(number, members), Duration.ofNanos(leaseNanos), mayWrite == 1);
    }

    private static BinReader start(Slice bytes, String what) {
        BinReader in = new BinReader(bytes);
        int version = in.u8();
        if (version != VERSION) {
            throw new MalformedException(what + " of the master of views has version " + version
                    + ", this software knows " + VERSION + ": all nodes need versions that can talk to each other");
        }
        return in;
    }

    private static void end(BinReader in, String what) {
        if (in.hasMore()) {
            throw new MalformedException(in.remaining() + " bytes behind the " + what + " of the master of views");
        }
    }
}
