package io.georep.funnel.core.keepers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Renewal;
import io.georep.model.NodeId;
import java.util.List;
import java.util.stream.Stream;

/** A master of views on paper: requests and changes go through their bytes into a ledger, time is a number. */
abstract class LedgerOnPaper {
    static final long LEASE = 1_000_000;
    static final double RATE_ERROR = 0.01;
    static final NodeId A = NodeId.of("a");
    static final NodeId B = NodeId.of("b");
    static final NodeId C = NodeId.of("c");
    static final NodeId D = NodeId.of("d");

    /** Of any number of members. */
    ViewPolicy policy = new ViewPolicy(List.of(A, B, C), LEASE, 1);

    ViewLedger ledger = new ViewLedger();
    long now = -5 * LEASE;
    LeaseClock clock = new LeaseClock(RATE_ERROR, LEASE, LEASE, now);

    ViewLedger.Answer renew(NodeId node, long incarnation, long active, long ready, NodeId... unreachable) {
        Renewal renewal = new Renewal(node, incarnation << ViewLedger.MILLIS_BITS, active, ready, List.of(unreachable));
        LedgerEntry.Renew entry = (LedgerEntry.Renew) LedgerEntry.decode(
                new LedgerEntry.Renew(renewal, policy.leaseFor(renewal, ledger, clock, now)).encode());
        ViewLedger.Answer answer = ledger.apply(entry);
        clock.applied(renewal, answer.granted() ? entry.leaseNanos() : 0, now);
        return answer;
    }

    ViewLedger.Answer renew(NodeId node) {
        return renew(node, 1, ledger.number(), 0);
    }

    LedgerEntry.Change next() {
        return policy.next(ledger, clock, now);
    }

    /** Proposes and applies what is to be done next. Returns whether there was anything. */
    boolean step() {
        LedgerEntry.Change change = next();
        if (change == null) {
            return false;
        }
        assertThat(LedgerEntry.decode(change.encode())).isEqualTo(change);
        assertThat(ledger.apply(change)).isTrue();
        ledger = ViewLedger.decode(ledger.encode());
        return true;
    }

    /** Time passes, in which these nodes renew. */
    void pass(double leases, NodeId... alive) {
        long end = now + (long) (leases * LEASE);
        while (now < end) {
            now = Math.min(end, now + LEASE / 4);
            for (NodeId each : alive) {
                renew(each);
            }
        }
    }

    void found() {
        pass(1, A, B, C);
        assertThat(step()).isTrue();
        Stream.of(A, B, C).forEach(each -> renew(each, 1, 1, 0));
    }

    List<NodeId> members() {
        return ledger.view().members();
    }
}
