package io.georep.bench.maps;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one process did, one line for the call and one for the answer. The line of a call is written before the
 * call is made, so it survives a kill of the process. Times are of the machine's monotonic clock, which is the same in all
 * processes. Thread-safe.
 *
 * <pre>
 * B number KIND key value expected nanos      a call; - for null
 * E number nanos applied seen                 its answer
 * X number nanos reason                       it is known to have had no effect
 * U number nanos reason                       it may have had one, or may still
 * </pre>
 */
final class HistoryFile implements AutoCloseable {
    private static final String NULL = "-";

    private final FileChannel channel;
    private final AtomicLong numbers = new AtomicLong();

    HistoryFile(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static String text(@Nullable String value) {
        return value == null ? NULL : value;
    }

    private static @Nullable String value(String text) {
        return text.equals(NULL) ? null : text;
    }

    /** Returns the number of the call. */
    long call(Kind kind, String key, @Nullable String value, @Nullable String expected) throws IOException {
        long number = numbers.incrementAndGet();
        write("B " + number + ' ' + kind + ' ' + key + ' ' + text(value) + ' ' + text(expected) + ' '
                + System.nanoTime());
        return number;
    }

    void answer(long call, boolean applied, @Nullable String seen) throws IOException {
        long now = System.nanoTime();
        write("E " + call + ' ' + now + ' ' + applied + ' ' + text(seen));
    }

    void withoutEffect(long call, String reason) throws IOException {
        write("X " + call + ' ' + System.nanoTime() + ' ' + reason);
    }

    void unknown(long call, String reason) throws IOException {
        write("U " + call + ' ' + System.nanoTime() + ' ' + reason);
    }

    private synchronized void write(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** What became of a call. */
    record Call(Operation operation, String fate, long endedNanos) {}

    /** Reads a file; what a kill left of its last line does not count. */
    static List<Call> read(Path file) throws IOException {
        String all = Files.readString(file, StandardCharsets.US_ASCII);
        Map<Long, String[]> begun = new HashMap<>();
        List<Call> calls = new ArrayList<>();
        String who = file.getFileName().toString();
        for (String line : all.substring(0, all.lastIndexOf('\n') + 1).lines().toList()) {
            String[] part = line.split(" ");
            long number = Long.parseLong(part[1]);
            if (part[0].equals("B")) {
                begun.put(number, part);
                continue;
            }
            String[] begin = begun.remove(number);
            long ended = Long.parseLong(part[2]);
            boolean answered = part[0].equals("E");
            boolean applied = answered && Boolean.parseBoolean(part[3]);
            Operation operation = operation(
                    begin,
                    answered ? ended : Operation.NEVER,
                    applied,
                    answered ? value(part[4]) : null,
                    who + '#' + number);
            calls.add(new Call(operation, answered ? "ok" : part[0] + ":" + part[3], ended));
        }
        begun.forEach((number, begin) -> calls.add(
                new Call(operation(begin, Operation.NEVER, false, null, who + '#' + number), "cut", Operation.NEVER)));
        return calls;
    }

    private static Operation operation(String[] begin, long ended, boolean applied, @Nullable String seen, String who) {
        return new Operation(
                begin[3],
                Kind.valueOf(begin[2]),
                value(begin[4]),
                value(begin[5]),
                Long.parseLong(begin[6]),
                ended,
                applied,
                seen,
                who);
    }
}
