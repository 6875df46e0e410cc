package io.georep.funnel.ratis;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.LedgerEntry;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What nodes say to the master and what it answers.
 *
 * <pre>
 * request = u8 1 | renewal                                   (see {@link LedgerEntry})
 * answer  = u8 1 | varint leaseNanos | u8 mayWrite | varint view | varint count | (text node)*      view 0 and no nodes: none yet
 * </pre>
 */
final class MasterWire {
    private static final int VERSION = 1;

    private MasterWire() {}

    static Slice request(Renewal renewal) {
        BinWriter out = new BinWriter(128).u8(VERSION);
        LedgerEntry.writeRenewal(renewal, out);
        return out.toSlice();
    }

    static Renewal readRequest(Slice bytes) {
        BinReader in = start(bytes, "question");
        Renewal renewal = LedgerEntry.readRenewal(in);
        end(in, "question");
        return renewal;
    }

    static Slice answer(@Nullable View view, long leaseNanos, boolean mayWrite) {
        BinWriter out = new BinWriter(128).u8(VERSION).varint(leaseNanos).u8(mayWrite ? 1 : 0);
        List<NodeId> members = view == null ? List.of() : view.members();
        out.varint(view == null ? 0 : view.number()).varint(members.size());
        members.forEach(out::node);
        return out.toSlice();
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
