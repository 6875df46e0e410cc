package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.membership.ClusterWord;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits for whom before a turn. */
class InputLanesTest {
    private static final NodeIdentity PEER = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "b:1", "west");
    private static final int GREEDY = 9;
    private static final int MODEST = 2;
    private static final int LARGE = 60_000;

    private final InputLanes lanes = new InputLanes();
    private long frames;

    private Input.Frame frame(int channel, int bytes) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, ++frames, 300, 70_000, true, true, 30_000).write(out);
        return new Input.Frame(
                PEER, out.u8(channel).u8(1).bytes(Slice.of(new byte[bytes])).toArray());
    }

    private Input.Frame heartbeat() {
        BinWriter out = new BinWriter();
        new FrameHeader(1, ++frames, 0, 0, true, true, 30_000).write(out);
        return new Input.Frame(PEER, out.toArray());
    }

    private <I extends Input> I added(I input) {
        lanes.add(input);
        return input;
    }

    private List<Input> turn() {
        List<Input> batch = new ArrayList<>();
        lanes.take(batch);
        return batch;
    }

    private List<Input> all() {
        List<Input> all = new ArrayList<>();
        while (!lanes.isEmpty()) {
            lanes.take(all);
        }
        return all;
    }

    private static long bytes(List<Input> batch, int channel) {
        return batch.stream()
                .filter(input ->
                        input instanceof Input.Frame frame && FrameHeader.firstChannel(frame.bytes()) == channel)
                .mapToLong(input -> ((Input.Frame) input).bytes().length)
                .sum();
    }

    @Test
    void thatThreadsHaveComeRoundIsKnownAfterAllThatTheyHadBrought() {
        List<Input> before = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            before.add(added(frame(GREEDY, LARGE)));
            before.add(added(new Input.StrangerFrame(PEER, MODEST, new byte[LARGE])));
        }
        Input round = added(new Input.CameRound(1));
        added(frame(MODEST, 1));

        List<Input> all = all();
        assertThat(all.subList(0, all.indexOf(round))).containsAll(before);
    }

    @Test
    void oneProtocolAloneIsAQueue() {
        List<Input> added = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            added.add(added(i % 3 == 0 ? new Input.Command(MODEST, i) : frame(MODEST, i)));
        }

        assertThat(turn()).isEqualTo(added.subList(0, 512));
        assertThat(all()).isEqualTo(added.subList(512, 1_500));
    }

    @Test
    void aTurnTakesSoManyInputsOrBytes() {
        for (int i = 0; i < 100; i++) {
            added(frame(MODEST, 1 << 20));
        }

        assertThat(turn()).hasSize(1);
    }

    /** 32 MiB is what waits at most before reading is paused. */
    @Test
    void aGreedyProtocolDelaysNobodyByMoreThanItsShare() {
        for (int i = 0; i < (32 << 20) / LARGE; i++) {
            added(frame(GREEDY, LARGE));
        }
        for (int i = 0; i < 20_000; i++) {
            added(new Input.Command(GREEDY, i));
        }
        Input modest = added(frame(MODEST, LARGE));
        for (int i = 0; i < 6; i++) {
            added(frame(MODEST, LARGE));
        }
        Input command = added(new Input.Command(MODEST, "put"));

        List<Input> turn = turn();

        assertThat(turn.indexOf(modest)).isBetween(0, 2);
        assertThat(turn).contains(command);
        assertThat(bytes(turn, GREEDY)).isGreaterThan(bytes(turn, MODEST));
    }

    @Test
    void twoThatAreGreedyShareATurn() {
        for (int i = 0; i < 1_000; i++) {
            added(frame(GREEDY, LARGE));
            added(frame(MODEST, 100));
        }

        List<Input> turn = turn();

        long half = InputLanes.TURN_COST / 2;
        assertThat(bytes(turn, GREEDY)).isBetween(half - 2 * LARGE, half + 2 * LARGE);
        long slack = 2 * LARGE / InputLanes.INPUT_COST;
        assertThat(turn.size() - bytes(turn, GREEDY) / LARGE)
                .as("small frames, each of which costs as much as any input")
                .isBetween(half / InputLanes.INPUT_COST - slack, half / InputLanes.INPUT_COST + slack);
    }

    @Test
    void answersOfTheStoreLinksAndLifeSignsComeFirst() {
        added(frame(GREEDY, LARGE));
        List<Input> first = List.of(
                added(new Input.Durable(1)),
                added(new Input.LinkDown(PEER.id(), "test")),
                added(new Input.LinkUp(PEER)),
                added(heartbeat()),
                added(new Input.Frame(PEER, frame(MODEST, 100).bytes(), true)),
                added(new Input.LifeSign(PEER)),
                added(new Input.Writable(PEER.id(), GREEDY, false)),
                added(new Input.StoreFull(true)));

        assertThat(turn().subList(0, first.size())).isEqualTo(first);
    }

    @Test
    void lifeSignsLeaveHalfOfATurnToOthers() {
        for (int i = 0; i < 1_000; i++) {
            added(new Input.LifeSign(PEER));
            added(frame(MODEST, 10));
        }

        assertThat(turn().stream().filter(Input.Frame.class::isInstance)).hasSize(256);
        all();
        for (int i = 0; i < 1_000; i++) {
            added(new Input.LifeSign(PEER));
        }
        assertThat(turn()).hasSize(512);
    }

    @Test
    void aGoodbyeComesAfterAllThatWasThere() {
        for (int i = 0; i < 10; i++) {
            added(frame(GREEDY, LARGE));
            added(frame(MODEST, 10));
        }
        Input goodbye = added(frame(MembershipProtocol.CHANNEL, 10));
        Input leave = added(new Input.Command(MembershipProtocol.CHANNEL, "leave"));
        Input later = added(new Input.Command(MODEST, "later"));

        List<Input> all = all();

        assertThat(all.indexOf(goodbye)).isGreaterThanOrEqualTo(20);
        assertThat(all.indexOf(leave)).isGreaterThan(all.indexOf(goodbye));
        assertThat(all).contains(later);
    }

    @Test
    void aFrameThatCannotBeReadComesFirstAndIsLeftToWhoHandlesIt() {
        added(frame(GREEDY, LARGE));
        Input.Frame empty = added(new Input.Frame(PEER, new byte[0]));
        Input.Frame nonsense = added(new Input.Frame(PEER, new byte[] {1, 4, -1, -1, -1, -1}));

        assertThat(turn().subList(0, 2)).containsExactly(empty, nonsense);
    }

    @Test
    void aWordAboutTheClusterIsNoChannel() {
        BinWriter out = new BinWriter();
        ClusterWord word = new ClusterWord(7, ClusterWord.Standing.SETTLED, 0);
        new FrameHeader(1, 1, 0, 0, true, true, 30_000, word).write(out);

        assertThat(FrameHeader.firstChannel(out.toArray())).isEqualTo(-1);
        out.u8(GREEDY).u8(1).bytes(Slice.of(new byte[3]));
        assertThat(FrameHeader.firstChannel(out.toArray())).isEqualTo(GREEDY);
    }
}
