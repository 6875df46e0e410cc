package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a node says of another one although only that one, or a node that may decide over others, is believed (M33). */
public final class Slander {
    private static final long BEYOND = 1 << 20;
    private static final Duration DAY = Duration.ofDays(1);

    private Slander() {}

    /** The type of the message. */
    public static int type() {
        return MembershipMessages.PEERS;
    }

    /** Its body: that this node was removed or drained, is away, or was once at a higher incarnation. */
    public static Slice body(NodeIdentity victim, RandomGenerator random) {
        PeerEntry line = MembershipFixture.entry(victim);
        PeerEntry said = switch (random.nextInt(4)) {
            case 0 -> MembershipFixture.removed(line, victim.incarnation() + 1, DAY);
            case 1 -> MembershipFixture.drained(line, BEYOND, true);
            case 2 -> MembershipFixture.entry(victim, BEYOND, DAY);
            default -> MembershipFixture.entry(victim.withIncarnation(victim.incarnation() + BEYOND));
        };
        return MembershipMessages.pages(List.of(said)).get(0);
    }
}
