package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.StreamId;
import java.nio.charset.StandardCharsets;

/** What the name of a queue may be, wherever it comes from, and how many there may be. */
public final class QueueNames {
    /** Longest name, in bytes of UTF-8. */
    public static final int BYTES_MAX = 255;

    /** Most queues one node sends to in one boot: each is a lane of its streams. */
    public static final int QUEUES_MAX = StreamId.LANE_MAX + 1;

    private static final int UTF8_BYTES_PER_CHAR_MAX = 3;

    private QueueNames() {}

    /** Returns whether a name has 1 to {@link #BYTES_MAX} bytes. */
    public static boolean fits(String name) {
        return !name.isEmpty()
                && (name.length() <= BYTES_MAX / UTF8_BYTES_PER_CHAR_MAX
                        || name.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX);
    }

    /**
     * Reads a name that a peer sent.
     *
     * @throws MalformedException when no node could open a queue of that name
     */
    public static String read(BinReader in) {
        String name = in.text();
        if (!fits(name)) {
            throw new MalformedException("a queue name of " + name.getBytes(StandardCharsets.UTF_8).length
                    + " bytes, allowed are 1 to " + BYTES_MAX);
        }
        return name;
    }
}
