package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.outbox.StoredEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages of entries for operators are bounded in bytes: the payloads of one are in memory together. */
@Timeout(120)
class EntryPagesTest extends SoloNode {
    private static final int PAGE_BYTES = 4 << 20;
    private static final int LARGE = 256 << 10;
    private static final int ENTRIES = 40;

    private static String payload(int number) {
        return number + "x".repeat(LARGE);
    }

    private static List<String> payloads() {
        return IntStream.range(0, ENTRIES).mapToObj(EntryPagesTest::payload).toList();
    }

    private static <R> void await(List<? extends CompletionStage<R>> stages) throws Exception {
        for (CompletionStage<R> stage : stages) {
            get(stage);
        }
    }

    @Test
    void pagesOfDeadLettersEndWithTheOneThatReachesFourMebibytes() throws Exception {
        outbox.forward(
                delivery -> {
                    throw new IllegalArgumentException("no such number");
                },
                options -> options.retry(Retry.none()));
        await(outbox.sendAll(payloads()));
        awaitDeadLettered(ENTRIES);

        List<String> read = new ArrayList<>();
        DeadLetters.Page<String> page = get(outbox.deadLetters().list(null, DeadLetters.PAGE_MAX));
        int pages = 1;
        while (page.more()) {
            assertThat(bytes(page.letters().stream().map(DeadLetter::payload).toList()))
                    .isBetween(PAGE_BYTES, PAGE_BYTES + LARGE + 2);
            page.letters().forEach(letter -> read.add(letter.payload()));
            EntryId last = page.letters().get(page.letters().size() - 1).id();
            page = get(outbox.deadLetters().list(last, DeadLetters.PAGE_MAX));
            pages++;
        }
        page.letters().forEach(letter -> read.add(letter.payload()));

        assertThat(read).isEqualTo(payloads());
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void pagesOfUndecidedEntriesDoSoToo() throws Exception {
        List<CompletionStage<EntryId>> prepared = new ArrayList<>();
        payloads().forEach(payload -> prepared.add(outbox.prepare(payload, SendOptions.defaults())));
        await(prepared);

        List<String> read = new ArrayList<>();
        EntryId last = null;
        List<Delivery<String>> page = get(outbox.undecided(last, DeadLetters.PAGE_MAX));
        while (!page.isEmpty()) {
            List<String> payloads = page.stream().map(Delivery::payload).toList();
            assertThat(bytes(payloads)).isLessThanOrEqualTo(PAGE_BYTES + LARGE + 2);
            read.addAll(payloads);
            last = page.get(page.size() - 1).id();
            page = get(outbox.undecided(last, DeadLetters.PAGE_MAX));
        }

        assertThat(read).isEqualTo(payloads());
    }

    /** The first entries of their streams too, which have no id before them. */
    @Test
    void oneEntryIsReadAsItIsStored() throws Exception {
        outbox.forward(
                delivery -> {
                    throw new IllegalArgumentException("no such number");
                },
                options -> options.retry(Retry.none()));
        EntryId dead = get(outbox.send("dead", SendOptions.defaults().headers(Map.of("kind", "<b>"))));
        EntryId second = get(outbox.send("second"));
        awaitDeadLettered(2);
        EntryId prepared = get(outbox.prepare("prepared", SendOptions.defaults().producerKey("order 7")));

        StoredEntry first = get(outbox.setAside(dead)).orElseThrow();
        assertThat(first.id()).isEqualTo(dead);
        assertThat(text(first)).isEqualTo("dead");
        assertThat(first.headers()).isEqualTo(Map.of("kind", "<b>"));
        assertThat(first).hasToString("StoredEntry[" + dead + ", 4 bytes]");
        assertThat(get(outbox.setAside(second)).map(EntryPagesTest::text)).hasValue("second");
        assertThat(get(outbox.setAside(prepared)).map(StoredEntry::producerKey)).hasValue("order 7");
        assertThat(get(outbox.setAside(prepared)).map(EntryPagesTest::text)).hasValue("prepared");
        assertThat(get(outbox.setAside(new EntryId(dead.stream(), 100)))).isEmpty();
        get(outbox.deadLetters().delete(List.of(dead)));
        assertThat(get(outbox.setAside(dead))).isEmpty();
    }

    private static String text(StoredEntry entry) {
        return new String(entry.payload().toArray(), StandardCharsets.UTF_8);
    }

    private static int bytes(List<String> payloads) {
        return payloads.stream().mapToInt(String::length).sum();
    }
}
