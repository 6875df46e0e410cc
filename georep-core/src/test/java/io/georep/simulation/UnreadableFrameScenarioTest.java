package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.Input;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A frame that cannot be read costs its sender a moment, not the peer. */
class UnreadableFrameScenarioTest {
    /** A message that the membership does not have, of its own version. */
    private static final byte[] UNREADABLE = {MembershipProtocol.CHANNEL, 99, 0};

    private final World world = new World(1);
    private final SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
    private final SimulatedNode first = start("n1", "n2:1");
    private final SimulatedNode second = start("n2", "n1:1");
    private int spoilt;
    private int heard;

    private SimulatedNode start(String name, String seed) {
        SimulatedNode node = new SimulatedNode(
                world,
                network,
                new SimulatedNode.Machine(NodeId.of(name), name + ":1", "", List.of(seed)),
                boot -> new NodeSoftware.Protocols(
                        new Membership(
                                ProtocolConfig.defaults(),
                                new LocalNode(boot.id(), boot.address(), boot.site(), List.of(seed))),
                        List.of()),
                new SimulatedDisk.Speed(20_000, 400_000, 0),
                new Pace(20_000, 16),
                0);
        node.start();
        return node;
    }

    private static PeerState view(SimulatedNode of, SimulatedNode peer) {
        Peer seen = Objects.requireNonNull(of.protocols().membership().find(peer.id()));
        return seen.linked() ? seen.state() : PeerState.SCHRODINGER;
    }

    private void spoil(int frames) {
        spoil(frames, 1);
    }

    /** The next frames that the first node gets, each, or each so many, end in something that it cannot read. */
    private void spoil(int frames, int each) {
        first.hearing(frame -> {
            if (spoilt == frames || ++heard % each > 0) {
                return frame;
            }
            spoilt++;
            byte[] bytes = Arrays.copyOf(frame.bytes(), frame.bytes().length + UNREADABLE.length);
            System.arraycopy(UNREADABLE, 0, bytes, frame.bytes().length, UNREADABLE.length);
            return new Input.Frame(frame.from(), bytes, frame.urgent());
        });
    }

    @Test
    void peersMeetAgainAfterAFrameThatCouldNotBeRead() {
        world.run(5 * World.SECONDS);
        assertThat(view(first, second)).isEqualTo(PeerState.ACTIVE);

        spoil(1);
        assertThat(world.runUntil(() -> spoilt == 1, 5 * World.SECONDS)).isTrue();
        world.run(World.SECONDS / 2);
        assertThat(view(first, second)).as("refused").isNotEqualTo(PeerState.ACTIVE);
        world.run(4 * World.SECONDS);

        assertThat(view(first, second)).isEqualTo(PeerState.ACTIVE);
        assertThat(view(second, first)).isEqualTo(PeerState.ACTIVE);
    }

    /** After 1, 2, 4, 4, … seconds, each time with a greeting and what its clock shows. */
    @Test
    void whoeverSendsNothingElseIsLetInLessAndLessOften() {
        world.run(5 * World.SECONDS);
        spoil(Integer.MAX_VALUE);

        world.run(60 * World.SECONDS);
        assertThat(spoilt).isBetween(5, 40);
        int before = spoilt;
        world.run(60 * World.SECONDS);

        assertThat(spoilt - before).isBetween(1, 2 * 15);
    }

    /** Given up, its entries would be adopted by those who pause, while it lives and forwards them. */
    @Test
    void whoRepeatsOneMessageOfManyThatCannotBeReadIsNotGivenUp() {
        world.run(5 * World.SECONDS);
        spoil(Integer.MAX_VALUE, 5);

        boolean isGivenUp =
                world.runUntil(() -> isGivenUp(first, second) || isGivenUp(second, first), 300 * World.SECONDS);

        assertThat(spoilt).isGreaterThan(20);
        assertThat(isGivenUp).as("after " + spoilt + " frames").isFalse();
    }

    private static boolean isGivenUp(SimulatedNode of, SimulatedNode peer) {
        Peer seen = Objects.requireNonNull(of.protocols().membership().find(peer.id()));
        return seen.state() == PeerState.TERMINATED;
    }
}
