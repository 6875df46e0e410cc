package io.georep.bench.micro;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.local.EntryEnvelope;
import io.georep.protocol.membership.FrameHeader;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Bytes from values and values from bytes: the envelope of an entry, and frames full of entries. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private static final int IN_A_FRAME = 100;

    /** What travels with a payload. */
    public enum Entry {
        /** Nothing but the time. */
        PLAIN,
        /** Three headers and the producer's key. */
        WITH_HEADERS;

        EntryEnvelope envelope(Slice payload) {
            long acceptedAtMillis = 1_700_000_000_000L;
            return switch (this) {
                case PLAIN -> new EntryEnvelope(acceptedAtMillis, 0, 0, Map.of(), null, payload);
                case WITH_HEADERS -> {
                    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
                    Map<String, String> headers = Map.of("traceparent", trace, "tenant", "a", "n", "1");
                    yield new EntryEnvelope(acceptedAtMillis, 0, 0, headers, "order-4711", payload);
                }
            };
        }
    }

    /** What travels with the payload. */
    @Param
    public Entry entry = Entry.PLAIN;

    private final StreamId stream = new StreamId(NodeId.of("eu-amsterdam-1"), 7, 0);
    private final FrameHeader header = new FrameHeader(7, 123_456, 123_455, 250, true, true, 30_000);
    private final BinWriter scratch = new BinWriter(64 << 10);
    private EntryEnvelope envelope = Entry.PLAIN.envelope(Slice.EMPTY);
    private Slice encoded = Slice.EMPTY;
    private Slice frame = Slice.EMPTY;

    /** Makes the values, and requires that they survive their bytes. */
    @Setup
    public void prepare() {
        envelope = entry.envelope(Slice.of(BenchmarkPayload.bytes(300)));
        encoded = envelope.encode();
        frame = Slice.of(writeFrame());
        if (!EntryEnvelope.decode(encoded).equals(envelope)) {
            throw new IllegalStateException("the envelope does not survive its bytes");
        }
        if (readFrame(null) != IN_A_FRAME) {
            throw new IllegalStateException("the frame does not survive its bytes");
        }
    }

    /** Envelope and payload of 300 bytes to bytes. */
    @Benchmark
    public Slice encodeEntry() {
        return envelope.encode();
    }

    /** The same back. */
    @Benchmark
    public EntryEnvelope decodeEntry() {
        return EntryEnvelope.decode(encoded);
    }

    /** A header, the name of a stream and a hundred entries to bytes. */
    @Benchmark
    public byte[] writeFrame() {
        scratch.clear();
        header.write(scratch);
        scratch.stream(stream).varint(1_000_000).varint(IN_A_FRAME);
        for (int i = 0; i < IN_A_FRAME; i++) {
            scratch.bytes(encoded);
        }
        return scratch.toArray();
    }

    /** The same back. */
    @Benchmark
    public int readFrame(@Nullable Blackhole hole) {
        BinReader in = new BinReader(frame);
        FrameHeader read = FrameHeader.read(in);
        StreamId of = in.stream();
        long first = in.varint();
        int count = in.count(1, "entries");
        for (int i = 0; i < count; i++) {
            Slice bytes = in.bytes();
            if (hole != null) {
                hole.consume(bytes);
            }
        }
        return read.equals(header) && of.equals(stream) && first == 1_000_000 && !in.hasMore() ? count : 0;
    }
}
