package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of one turn in as few frames as possible, none too large to let urgent ones pass (gap G23). */
class FrameAssemblerTest {
    private static final FrameHeader HEADER = new FrameHeader(1, 2, 3, 4, true, true, 30_000);

    private final FrameAssembler assembler = new FrameAssembler(new HandMadePeers.HandMadePeer(NodeId.of("b")));
    private final List<byte[]> frames = new ArrayList<>();
    private final List<Boolean> urgencies = new ArrayList<>();
    private final List<Integer> lanes = new ArrayList<>();

    private void flush() {
        assembler.flush(new BinWriter(), () -> HEADER, (frame, urgent, lane) -> {
            frames.add(frame);
            urgencies.add(urgent);
            lanes.add(lane);
        });
    }

    private void add(int type, int bytes, boolean urgent) {
        add(2, type, bytes, urgent);
    }

    private void add(int channel, int type, int bytes, boolean urgent) {
        assembler.add(new FrameAssembler.Message(channel, type, Slice.of(new byte[bytes])), urgent);
    }

    /** The types of the messages in a frame. */
    private static List<Integer> types(byte[] frame) {
        BinReader in = new BinReader(Slice.of(frame));
        FrameHeader.read(in);
        List<Integer> types = new ArrayList<>();
        while (in.hasMore()) {
            in.u8();
            types.add(in.u8());
            in.bytes();
        }
        return types;
    }

    @Test
    void manyMessagesShareFramesThatStayBelowTheLimit() {
        for (int type = 1; type <= 5; type++) {
            add(type, FrameAssembler.FRAME_BYTES / 2 - 100, false);
        }

        flush();

        assertThat(frames.stream().map(FrameAssemblerTest::types))
                .containsExactly(List.of(1, 2), List.of(3, 4), List.of(5));
        assertThat(frames).allMatch(frame -> frame.length <= 64 * 1024);
        assertThat(assembler.isEmpty()).isTrue();
    }

    @Test
    void aMessageAboveTheLimitHasAFrameOfItsOwn() {
        add(1, 10, false);
        add(2, 2 * FrameAssembler.FRAME_BYTES, false);
        add(3, 10, false);

        flush();

        assertThat(frames.stream().map(FrameAssemblerTest::types)).containsExactly(List.of(1), List.of(2), List.of(3));
    }

    @Test
    void urgentMessagesGoFirstInAFrameOfTheirOwn() {
        add(1, 10, false);
        add(2, 10, true);

        flush();

        assertThat(frames.stream().map(FrameAssemblerTest::types)).containsExactly(List.of(2), List.of(1));
        assertThat(urgencies).containsExactly(true, false);
    }

    @Test
    void eachProtocolHasFramesInItsOwnLaneAndTheMembershipComesLast() {
        add(MembershipProtocol.CHANNEL, 1, 10, false);
        add(2, 2, 10, false);
        add(9, 3, 10, false);
        add(2, 4, 10, false);
        add(MembershipProtocol.CHANNEL, 5, 10, true);
        add(2, 6, 10, true);

        flush();

        assertThat(frames.stream().map(FrameAssemblerTest::types))
                .containsExactly(List.of(5, 6), List.of(2, 4), List.of(3), List.of(1));
        assertThat(lanes.subList(1, 4)).containsExactly(2, 9, Transport.IN_ORDER);
        assertThat(assembler.isEmpty()).isTrue();
    }
}
