package io.georep.bench.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Counts the lines of a file that grows; each byte is read once. Used by one thread. */
final class LineCount {
    private final Path file;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    private long position;
    private long lines;

    LineCount(Path file) {
        this.file = file;
    }

    /** Lines that the file has now; those known so far if it cannot be read. */
    long count() {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(position);
            while (channel.read(buffer.clear()) > 0) {
                position += buffer.flip().remaining();
                while (buffer.hasRemaining()) {
                    lines += buffer.get() == '\n' ? 1 : 0;
                }
            }
        } catch (IOException e) {
            return lines;
        }
        return lines;
    }
}
