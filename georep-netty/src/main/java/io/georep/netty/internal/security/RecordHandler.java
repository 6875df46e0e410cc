package io.georep.netty.internal.security;

import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.DistrustException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * Turns what is written to a link into records and back, once both sides have proved the secret. A record is
 *
 * <pre>
 * u32 length of the rest | sealed bytes | 16 bytes that prove them
 * </pre>
 *
 * What is written at once, usually many chunks, is sealed at once. No byte of a record is passed on before all of the
 * record has proved genuine.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class RecordHandler extends ChannelDuplexHandler {
    static final int HEADER_BYTES = 4;

    /** Most bytes sealed in one record: two full chunks, which is the most that {@code ChunkWriter} writes at once. */
    static final int PLAIN_MAX = 2 * (ChunkFormat.HEADER_BYTES + ChunkFormat.BODY_MAX);

    /** A buffer for each event loop, for the record that it seals or opens. */
    private static final FastThreadLocal<byte[]> RECORD = new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
            return new byte[PLAIN_MAX + RecordCipher.TAG_BYTES];
        }
    };

    private final RecordCipher sealing;
    private final RecordCipher opening;

    /** The part that has come of the header of a record, or of a record whose header has come. */
    private int header;

    private int headerBytes;
    private @Nullable ByteBuf partial;
    private boolean failed;

    RecordHandler(RecordCipher sealing, RecordCipher opening) {
        this.sealing = sealing;
        this.opening = opening;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        ByteBuf plain = (ByteBuf) message;
        ByteBuf out = null;
        try {
            int records = (plain.readableBytes() + PLAIN_MAX - 1) / PLAIN_MAX;
            int overhead = records * (HEADER_BYTES + RecordCipher.TAG_BYTES);
            out = context.alloc().directBuffer(plain.readableBytes() + overhead);
            while (plain.isReadable()) {
                seal(plain, Math.min(PLAIN_MAX, plain.readableBytes()), out);
            }
            context.write(out, promise);
            out = null;
        } finally {
            plain.release();
            if (out != null) {
                out.release();
            }
        }
    }

    private void seal(ByteBuf plain, int count, ByteBuf out) {
        int length = count + RecordCipher.TAG_BYTES;
        byte[] record = RECORD.get();
        plain.readBytes(record, 0, count);
        sealing.next(record, count, record, 0);
        out.writeInt(length);
        out.writeBytes(record, 0, length);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (!failed && in.isReadable()) {
                read(context, in);
            }
        } catch (DistrustException e) {
            failed = true;
            context.fireExceptionCaught(e);
            context.close();
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext context, ByteBuf in) {
        while (headerBytes < HEADER_BYTES) {
            if (!in.isReadable()) {
                return;
            }
            header = header << Byte.SIZE | in.readUnsignedByte();
            headerBytes++;
        }
        int length = header;
        if (length <= RecordCipher.TAG_BYTES || length > PLAIN_MAX + RecordCipher.TAG_BYTES) {
            throw new DistrustException("record " + opening.number() + " says that it has "
                    + Integer.toUnsignedString(length) + " bytes, allowed are " + (RecordCipher.TAG_BYTES + 1) + " to "
                    + (PLAIN_MAX + RecordCipher.TAG_BYTES));
        }
        ByteBuf whole = partial;
        if (whole == null && in.readableBytes() >= length) {
            open(context, in, length);
            return;
        }
        if (whole == null) {
            whole = context.alloc().buffer(length);
            partial = whole;
        }
        whole.writeBytes(in, Math.min(in.readableBytes(), length - whole.writerIndex()));
        if (whole.writerIndex() == length) {
            partial = null;
            try {
                open(context, whole, length);
            } finally {
                whole.release();
            }
        }
    }

    private void open(ChannelHandlerContext context, ByteBuf sealed, int length) {
        headerBytes = 0;
        int count = length - RecordCipher.TAG_BYTES;
        byte[] record = RECORD.get();
        sealed.readBytes(record, 0, length);
        ByteBuf plain = context.alloc().heapBuffer(count);
        try {
            opening.next(record, length, plain.array(), plain.arrayOffset());
            plain.writerIndex(count);
            context.fireChannelRead(plain.retain());
        } finally {
            plain.release();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        ByteBuf rest = partial;
        partial = null;
        if (rest != null) {
            rest.release();
        }
    }
}
