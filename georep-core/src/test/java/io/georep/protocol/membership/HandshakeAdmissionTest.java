package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.membership.HandshakeAdmission.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandshakeAdmissionTest {

    /** A peer heard in boot 5 at b:1 with nonce 77. */
    private static PeerRecord known(PeerState state) {
        PeerRecord peer = new PeerRecord(B, Timing.of(ProtocolConfig.defaults()), 0);
        peer.state = state;
        peer.incarnation = 5;
        peer.heardIncarnation = 5;
        peer.nonce = 77;
        peer.address = "b:1";
        return peer;
    }

    @Test
    void strangersAreWelcome() {
        assertThat(HandshakeAdmission.judge(null, identity(B), 1)).isEqualTo(Verdict.ACCEPT);
    }

    @ParameterizedTest(name = "{0}: boot {1} at {2} with nonce {3}: {4}")
    @CsvSource({
        // the same process
        "ACTIVE, 5, b:1, 77, ACCEPT",
        "TERMINATED, 5, b:1, 77, ACCEPT",
        // it raised its incarnation while running
        "ACTIVE, 6, b:1, 77, ACCEPT",
        // restart on the same address
        "ACTIVE, 6, b:1, 88, ACCEPT",
        "SCHRODINGER, 6, b:1, 88, ACCEPT",
        // a number used twice: restored image
        "ACTIVE, 5, b:1, 88, STALE",
        "TERMINATED, 5, b:1, 88, STALE",
        // an older boot
        "ACTIVE, 4, b:1, 88, STALE",
        "ACTIVE, 4, b:1, 77, STALE",
        "TERMINATED, 4, b:2, 88, STALE",
        // a second process while the first is alive
        "ACTIVE, 6, b:2, 88, CONFLICT",
        "SCHRODINGER, 6, b:2, 88, CONFLICT",
        "ACTIVE, 4, b:2, 88, CONFLICT",
        "ACTIVE, 5, b:2, 88, CONFLICT",
        // once the first is away or given up, the higher incarnation wins
        "TERMINATED, 6, b:2, 88, ACCEPT",
        "ARNOLD, 6, b:2, 88, ACCEPT",
        "PROSPECT, 6, b:2, 88, ACCEPT",
        "TERMINATED, 5, b:2, 88, STALE"
    })
    void judgesWhoUsesAnId(PeerState state, long incarnation, String address, long nonce, Verdict expected) {
        PeerRecord peer = known(state);

        Verdict verdict = HandshakeAdmission.judge(peer, identity(B, incarnation, address, nonce), incarnation);

        assertThat(verdict).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "5, 77, true, REMOVED",
        "5, 77, false, STALE",
        "4, 88, true, STALE",
        "5, 88, true, STALE",
        "6, 88, true, ACCEPT",
        "6, 77, false, ACCEPT"
    })
    void removedNodesComeBackUnderAHigherIncarnationOnly(
            long incarnation, long nonce, boolean isTold, Verdict expected) {
        PeerRecord peer = known(PeerState.TERMINATED);
        peer.removedBelow = 6;
        peer.removalTold = isTold;

        Verdict verdict = HandshakeAdmission.judge(peer, identity(B, incarnation, "b:1", nonce), incarnation);

        assertThat(verdict).isEqualTo(expected);
    }

    /** Else the link under the name would be taken from the replacement, and lead to the process that was removed. */
    @Test
    void aRemovedProcessIsRefusedWhileItsReplacementLives() {
        PeerRecord replacement = known(PeerState.ACTIVE);
        replacement.removedBelow = 5;

        Verdict verdict = HandshakeAdmission.judge(replacement, identity(B, 4, "b:2", 88), 4);

        assertThat(verdict).isEqualTo(Verdict.CONFLICT);
    }

    @Test
    void aNonceKnownFromOthersOnlyIsNotAlive() {
        PeerRecord peer = known(PeerState.PROSPECT);
        peer.heardIncarnation = 0;

        Verdict verdict = HandshakeAdmission.judge(peer, identity(B, 6, "b:2", 88), 6);

        assertThat(verdict).isEqualTo(Verdict.ACCEPT);
    }

    @Test
    void refusalsNameBothAddressesAndTheRemedy() {
        String text = HandshakeAdmission.conflictText(identity(B, 6, "b:2", 88), "b:1");

        assertThat(text).contains("'b'").contains("b:1").contains("b:2").contains("stop one of them");
    }
}
