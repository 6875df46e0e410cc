package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.FrameHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What strangers send, beside the membership and its peers. */
class StrangersTest extends ChosenLinksFixture {
    @Test
    void aStrangerIsHeardByTheProtocolItMeansAndStaysAStranger() {
        turn(stranger(STRANGER, CHOOSER, 3, "hello"));

        assertThat(heard).containsExactly("7 stranger s 3 hello");
        assertThat(membership.find(STRANGER.id())).isNull();
        assertThat(membership.strangers()).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void whatAStrangerSendsToTheOutboxOrTheMembershipIsCountedAndIgnored() {
        turn(
                stranger(STRANGER, OUTBOX, 3, "copy"),
                stranger(STRANGER, 1, 1, "hello"),
                stranger(STRANGER, 99, 3, "nobody"),
                new Input.StrangerFrame(STRANGER, OUTBOX, new byte[0]));

        assertThat(heard).isEmpty();
        assertThat(loop.wireCounts().ignored()).isEqualTo(4);
        assertThat(told).containsExactly(new FrameIntake.Ignored(STRANGER, OUTBOX, 3, 1, 0));
        assertThat(asked).as("nobody is refused").isEmpty();
        assertThat(membership.all()).isEmpty();
        assertThat(membership.strangers()).isEmpty();
    }

    @Test
    void aStrangersFrameIsNoSignOfLifeOfAPeer() {
        byte[] greeting = frame(1);
        turn(new Input.LinkUp(MEMBER), new Input.Frame(MEMBER, greeting));
        Peer peer = membership.find(B);
        assertThat(peer).isNotNull();
        PeerState before = peer.state();
        assertThat(before).isEqualTo(PeerState.ACTIVE);

        long silence = ProtocolConfig.defaults().suspectAfter().toNanos();
        for (int step = 0; step < 20 && peer.state() == before; step++) {
            now += silence / 10;
            turn(stranger(MEMBER, CHOOSER, 3, "still here"));
        }

        assertThat(peer.state()).isNotEqualTo(PeerState.ACTIVE);
        assertThat(heard).hasSizeGreaterThan(5);
    }

    private static byte[] frame(long number) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, number, 0, 0, true, true, 30_000).write(out);
        return out.toArray();
    }

    @Test
    void aStrangerWhoseMessageCannotBeReadIsRefused() {
        turn(new Input.StrangerFrame(STRANGER, CHOOSER, new byte[] {3, 99}));

        assertThat(asked).singleElement().asString().startsWith("refuse s: malformed frame over a link");
    }

    @Test
    void aStrangersMessageOfANewerKindIsLeftAside() {
        NodeIdentity newer = STRANGER.withChannels(hosting(Map.of(CHOOSER, 2)));
        turn(stranger(newer, CHOOSER, 200, "new"));

        assertThat(asked).isEmpty();
        assertThat(told).containsExactly(new FrameIntake.Ignored(newer, CHOOSER, 200, 2, 1));

        turn(stranger(STRANGER, CHOOSER, 200, "none of that"));
        assertThat(asked).singleElement().asString().contains("whose version 1 has none of that type");
    }

    @Test
    void strangersHaveABoundedRoomAndTheRoomOfTheirProtocolsLane() {
        HandOff<Object> queue = new HandOff<>();
        List<Boolean> reading = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        DriverInbox inbox = new DriverInbox(queue, reading::add, () -> dropped.add("frame"));
        int frames = (int) (DriverInbox.STRANGERS_BYTES_MAX / (64 << 10));
        for (int i = 0; i < frames + 10; i++) {
            inbox.accept(new Input.StrangerFrame(STRANGER, CHOOSER, new byte[64 << 10]));
        }
        assertThat(dropped).hasSize(11);
        assertThat(reading).as("members are read on").isEmpty();

        List<Object> drained = new ArrayList<>();
        queue.drainTo(drained, 1000);
        InputLanes lanes = new InputLanes();
        drained.forEach(input -> lanes.add((Input) input));
        Input others = new Input.Command(OUTBOX, "put");
        lanes.add(others);
        List<Input> batch = new ArrayList<>();
        lanes.takeAtMost(64, batch);
        assertThat(batch).as("they do not stand before others").contains(others);

        inbox.taken(batch);
        inbox.accept(new Input.StrangerFrame(STRANGER, CHOOSER, new byte[64 << 10]));
        assertThat(dropped).as("there is room again").hasSize(11);
    }
}
