package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.membership.ClusterWord;
import io.georep.protocol.membership.FrameHeader;
import java.util.ArrayList;
import java.util.List;

/** Bytes of headers of frames, and of the messages in a frame. */
class FrameGoldenTest extends GoldenFormats {
    private static final int FORMAT = 1;

    @Override
    protected String file() {
        return "frame";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        formats.add(header("header, first of all", new FrameHeader(1, 1, 0, 0, false, true, 30_000)));
        formats.add(header("header, hears", new FrameHeader(300, 70_000, 69_999, 1_500, true, true, 30_000)));
        formats.add(header("header, takes no copies", new FrameHeader(300, 70_000, 69_999, 0, false, false, 30_000)));
        for (ClusterWord.Standing standing : ClusterWord.Standing.values()) {
            ClusterWord word = new ClusterWord(0x0102030405060708L, standing, -2);
            formats.add(header("header, cluster " + standing, new FrameHeader(2, 3, 4, 5, true, false, 30_000, word)));
        }
        formats.add(messages());
        return formats;
    }

    private static Format header(String name, FrameHeader value) {
        BinWriter out = new BinWriter();
        value.write(out);
        return format(name, FORMAT, out.toSlice(), value, FrameHeader::read);
    }

    /** A frame as it leaves, with two messages. */
    private static Format messages() {
        FrameHeader header = new FrameHeader(1, 2, 3, 4, true, true, 30_000);
        FrameAssembler assembler = new FrameAssembler(new HandMadePeers.HandMadePeer(NodeId.of("b")));
        assembler.add(new FrameAssembler.Message(254, 4, Slice.EMPTY), false);
        assembler.add(new FrameAssembler.Message(254, 255, Slice.utf8("x".repeat(200))), false);
        List<Slice> frames = new ArrayList<>();
        assembler.flush(new BinWriter(), () -> header, (frame, urgent, lane) -> frames.add(Slice.of(frame)));
        String value = header + " [254/4: , 254/255: " + "x".repeat(200) + "]";
        return format("frame with two messages", FORMAT, frames.get(0), value, FrameGoldenTest::describe);
    }

    private static String describe(BinReader in) {
        FrameHeader header = FrameHeader.read(in);
        List<String> messages = new ArrayList<>();
        while (in.hasMore()) {
            messages.add(in.u8() + "/" + in.u8() + ": " + in.text());
        }
        return header + " " + messages;
    }
}
