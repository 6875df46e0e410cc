package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.time.Duration;

/** What the application or an operator asks of the membership. */
public sealed interface MembershipCommand {
    /** Leave: GOODBYE to all with the expected time away (zero: for good). Answer: {@link MembershipEvent.Left}. */
    record Leave(Duration away) implements MembershipCommand {}

    /** Drain a node (this or another), or end the drain. Gossiped. */
    record Drain(NodeId node, boolean on) implements MembershipCommand {}

    /** Take the cluster of this node, which belongs to another one, with all who are in touch (M32). */
    record JoinClusterOf(NodeId node) implements MembershipCommand {}

    /** Remove another node for ever (rule p12). Gossiped. */
    record Remove(NodeId node) implements MembershipCommand {}
}
