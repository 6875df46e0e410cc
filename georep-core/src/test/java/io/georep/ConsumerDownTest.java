package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.ForwardOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A consumer that is down for several back-offs: a node with default settings and a small heap survives it. */
@Timeout(300)
class ConsumerDownTest {
    private static final int HEAP_MIB = 96;
    private static final int FAILURES = 2;
    private static final int SMALL_ENTRIES = 30_000;

    /** As the pages say. */
    private static final int FAILED_ENTRY_BYTES = 190;

    private static final long PARKED_BYTES = new ForwardOptions().values().parkedBytesMax();
    private static final long OTHER_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    /** What the process printed: a word and its numbers per line. */
    private final List<String[]> lines = new ArrayList<>();

    private void run(int entries, int bytes) throws Exception {
        try (ChildJvm child = new ChildJvm(
                HEAP_MIB,
                ConsumerDownNode.class,
                directory.toString(),
                String.valueOf(entries),
                String.valueOf(bytes),
                String.valueOf(FAILURES))) {
            for (String line = child.line(); line != null; line = child.line()) {
                lines.add(line.split(" "));
            }
        }
        int sent = entries / 4 + entries;
        assertThat(said("forwarded")).containsExactly("forwarded", String.valueOf(sent), "of", String.valueOf(sent));
        assertThat(said("ended")).hasSize(1);
    }

    private String[] said(String word) {
        return lines.stream()
                .filter(line -> line[0].equals(word))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the process ended before it said \"" + word + "\""));
    }

    private long number(String word, int index) {
        return Long.parseLong(said(word)[index]);
    }

    /** Together they are larger than the heap. */
    @Test
    void largeEntriesWaitOnDisk() throws Exception {
        run(400, 300_000);
    }

    /** They were sent together, so they are stored in groups; each retry needs a few bytes of one. */
    @Test
    void smallEntriesLeaveTheRestOfTheirGroupsOnDiskAndAreReadTogether() throws Exception {
        run(SMALL_ENTRIES, 100);

        assertThat(number("down", 1))
                .as("processor time of a call that fails, compared with one that forwards")
                .isLessThan(4 * number("up", 1));
        assertThat(number("down", 2)).as("reads of the store per 1000 calls").isLessThan(60);
        assertThat(number("heap", 1))
                .as("live heap while all of them wait")
                .isLessThan((long) SMALL_ENTRIES * FAILED_ENTRY_BYTES + PARKED_BYTES + OTHER_BYTES);
    }
}
