package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.time.Duration;

/** What the application or an operator asks of the membership. */
public sealed interface MembershipCommand {
    /** Leave: GOODBYE to all with the expected time away (zero: for good). Answer: {@link MembershipEvent.Left}. */
    record Leave(Duration away) implements MembershipCommand {}

    /** Drain a node (this or another), or end the drain. Gossiped. */
    record Drain(NodeId node, boolean on) implements MembershipCommand {}

    /** Remove another node for ever (rule p12). Gossiped. */
    record Remove(NodeId node) implements MembershipCommand {}
}
