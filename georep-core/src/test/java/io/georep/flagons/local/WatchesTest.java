package io.georep.flagons.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.core.Contact;
import io.georep.flagons.core.Event;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetOperation;
import io.georep.flagons.core.FleetPages;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.flagons.core.Page;
import io.georep.flagons.core.RequestId;
import io.georep.model.Registration;
import io.georep.model.Slice;
import io.georep.runtime.IdleHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What listeners are told, and what is read for them. */
class WatchesTest {
    private static final Contact NODE = new Contact(1, "a:1", 0, 0);

    private final List<String> told = new ArrayList<>();
    private final List<CompletableFuture<Outcome>> reads = new ArrayList<>();
    private final List<Slice> questions = new ArrayList<>();
    private final List<CompletableFuture<Outcome>> pages = new ArrayList<>();
    private long nanos;
    private final Watches watches = new Watches(
            new IdleHandle<FleetCommand>("n") {
                @Override
                public long nanos() {
                    return nanos;
                }
            },
            (key, after) -> {
                CompletableFuture<Outcome> read = new CompletableFuture<>();
                reads.add(read);
                return read;
            },
            question -> {
                CompletableFuture<Outcome> page = new CompletableFuture<>();
                questions.add(question);
                pages.add(page);
                return page;
            });

    WatchesTest() {
        watches.hears(true);
    }

    private Registration watch(String prefix, boolean isExact) {
        return watches.add(Slice.utf8(prefix), isExact, new Watch.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value, OrderKey version, boolean corrected) {
                told.add(text(key) + "=" + (value == null ? "" : text(value)) + " at " + version.time()
                        + (corrected ? " corrected" : ""));
            }

            @Override
            public void missed() {
                told.add("missed");
            }

            @Override
            public void listed(boolean all) {
                told.add(all ? "all" : "not all");
            }
        });
    }

    private static String text(Slice slice) {
        return new String(slice.toArray());
    }

    private static OrderKey at(long place) {
        return new OrderKey(place, 1);
    }

    private static Event event(long request, long place, FleetOperation.Kind kind, @Nullable String value) {
        return new Event(
                at(place),
                NODE,
                new FleetOperation(
                        new RequestId(9, request), kind, Slice.utf8("k1"), value == null ? null : Slice.utf8(value)));
    }

    private void pass(Event event) {
        if (watches.test(event)) {
            watches.passed(event);
        }
    }

    private void answer(int read, String value, long version) {
        reads.get(read).complete(new Outcome(Outcome.Status.FOUND, at(100), Slice.utf8(value), at(version)));
    }

    @Test
    void changesInTheirOrderAreToldWithoutAskingAnybody() {
        watch("k", false);
        pass(event(1, 10, FleetOperation.Kind.PUT, "a"));
        pass(event(1, 10, FleetOperation.Kind.PUT, "a")); // as what a member keeps
        pass(event(2, 11, FleetOperation.Kind.REMOVE, null));

        assertThat(told).containsExactly("k1=a at 10", "k1= at 11");
        assertThat(reads).isEmpty();
    }

    @Test
    void whatOnlyTheGroupKnowsIsRead() {
        watch("k1", true);
        answer(0, "old", 5);
        pass(event(1, 10, FleetOperation.Kind.PUT_IF_ABSENT, "mine"));
        answer(1, "old", 5); // it was not applied, so there is nothing to tell
        pass(event(2, 20, FleetOperation.Kind.PUT, "b"));
        pass(event(2, 30, FleetOperation.Kind.PUT, "b")); // the same request again
        answer(2, "b", 20);

        assertThat(told).containsExactly("k1=old at 5", "k1=b at 20");
        assertThat(reads).hasSize(3);
    }

    @Test
    void whatComesTooLateIsToldAsACorrection() {
        watch("k", false);
        pass(event(1, 10, FleetOperation.Kind.PUT, "a"));
        pass(event(2, 7, FleetOperation.Kind.PUT_IF_ABSENT, "earlier"));
        answer(0, "a", 10);

        assertThat(told).containsExactly("k1=a at 10", "k1=a at 10 corrected");
    }

    @Test
    void aReadThatIsOlderThanWhatWasToldMeanwhileIsNotTold() {
        watch("k1", true);
        pass(event(1, 200, FleetOperation.Kind.PUT, "new"));
        answer(0, "old", 5);

        assertThat(told).containsExactly("k1=new at 200");
    }

    @Test
    void theValueThatAKeyHasIsToldFirstAndChangesThatItIncludesAreNotToldAgain() {
        watch("k1", true);
        answer(0, "b", 11); // of a member that is ahead of this node
        pass(event(1, 10, FleetOperation.Kind.PUT, "a"));
        answer(1, "b", 11);
        pass(event(2, 11, FleetOperation.Kind.PUT, "b"));
        pass(event(3, 12, FleetOperation.Kind.PUT, "c"));

        assertThat(told).containsExactly("k1=b at 11", "k1=c at 12");
        assertThat(reads)
                .as("one for what may have come too late for the member")
                .hasSize(2);
    }

    @Test
    void aChangeThatTheFirstReadHasMissedIsTold() {
        watch("k1", true);
        answer(0, "a", 5);
        pass(event(1, 10, FleetOperation.Kind.PUT, "b"));
        pass(event(2, 7, FleetOperation.Kind.PUT_IF_ABSENT, "late")); // another read, and nothing new
        answer(1, "b", 10);

        assertThat(told).containsExactly("k1=a at 5", "k1=b at 10");
    }

    @Test
    void aKeyWithoutAValueIsToldAsSuch() {
        watch("k1", true);
        reads.get(0).complete(new Outcome(Outcome.Status.FOUND, at(100), null, OrderKey.FIRST));
        pass(event(1, 110, FleetOperation.Kind.PUT, "a"));

        assertThat(told).containsExactly("k1= at " + Long.MIN_VALUE, "k1=a at 110");
    }

    @Test
    void aReadWithoutAnAnswerIsRepeated() {
        watch("k1", true);
        reads.get(0).complete(new Outcome(Outcome.Status.UNSURE, OrderKey.FIRST, null, OrderKey.FIRST));
        watches.time(0);
        answer(1, "a", 5);

        assertThat(told).containsExactly("k1=a at 5");
    }

    @Test
    void keysThatNothingWasHeardOfAreReadNowAndThen() {
        watch("k1", true);
        answer(0, "a", 5);
        watches.time(1_000_000_000L);
        assertThat(reads).hasSize(1);
        watches.time(31_000_000_000L);
        answer(1, "b", 8);

        assertThat(told).containsExactly("k1=a at 5", "k1=b at 8");
    }

    @Test
    void tooManyChangesAreLeftOutAndThatIsTold() {
        watch("k", false);
        int passed = 0;
        while (watches.test(event(passed, 10 + passed, FleetOperation.Kind.PUT, "a"))) {
            passed++;
        }
        watches.time(0);

        assertThat(passed).isEqualTo(10_000);
        assertThat(told).containsExactly("missed");
    }

    private static Outcome page(boolean isLast, long next, Page.Entry... entries) {
        Slice bytes = FleetPages.write(new Page(List.of(entries), isLast, next, Slice.EMPTY));
        return new Outcome(Outcome.Status.FOUND, at(100), bytes, OrderKey.FIRST);
    }

    private static Page.Entry entry(String key, String value, long version) {
        return new Page.Entry(Slice.utf8(key), Slice.utf8(value), at(version));
    }

    @Test
    void whatKeysOfAPrefixHaveIsToldPageByPage() {
        watch("k", false);
        assertThat(questions).as("parts, asked at once").hasSize(16);
        assertThat(questions.get(1)).isEqualTo(Page.question(1L << 60, Slice.EMPTY, (1L << 61) - 1, Slice.utf8("k")));
        pages.get(1).complete(page(false, (1L << 60) + 5, entry("k1", "a", 5), entry("other", "x", 5)));
        assertThat(questions.get(16))
                .isEqualTo(Page.question((1L << 60) + 5, Slice.EMPTY, (1L << 61) - 1, Slice.utf8("k")));
        pages.get(16).complete(page(true, 0, entry("k2", "b", 6)));
        for (int i = 0; i < 16; i++) {
            assertThat(told).doesNotContain("all");
            pages.get(i).complete(page(true, 0));
        }

        assertThat(told).containsExactly("k1=a at 5", "k2=b at 6", "all");
        pass(event(1, 101, FleetOperation.Kind.PUT, "c"));
        assertThat(told).endsWith("k1=c at 101");
    }

    @Test
    void aPageThatIsOlderThanWhatWasToldMeanwhileIsNotTold() {
        watch("k", false);
        pass(event(1, 200, FleetOperation.Kind.PUT, "new"));
        pages.get(0).complete(page(true, 0, entry("k1", "old", 5)));

        assertThat(told).containsExactly("k1=new at 200");
    }

    /** Also if what comes is no page, or one that leads nowhere. */
    @Test
    void aGroupThatDoesNotAnswerIsToldAndAskedAgain() {
        watch("k", false);
        pages.get(3).complete(new Outcome(Outcome.Status.UNSURE, OrderKey.FIRST, null, OrderKey.FIRST));
        pages.get(4).completeExceptionally(new IllegalStateException("refused"));
        pages.get(5).complete(new Outcome(Outcome.Status.FOUND, at(100), Slice.utf8("no page"), OrderKey.FIRST));
        pages.get(6).complete(page(false, 6L << 60));
        pages.get(7).complete(page(false, 0));
        assertThat(told).containsExactly("not all");
        for (int i = 0; i < 16; i++) {
            pages.get(i).complete(page(true, 0));
        }
        assertThat(questions).hasSize(16);

        watches.time(0);
        assertThat(questions.subList(16, 21)).isEqualTo(questions.subList(3, 8));
        for (int i = 16; i < 21; i++) {
            pages.get(i).complete(page(true, 0));
        }
        assertThat(told).containsExactly("not all", "all");
    }

    private void completePages(int from, Page.Entry... entries) {
        pages.get(from).complete(page(true, 0, entries));
        for (int i = from + 1; i < from + 16; i++) {
            pages.get(i).complete(page(true, 0));
        }
    }

    /** As one that joins. What passed by was in no page yet. */
    @Test
    void aNodeThatMayMissChangesListsAgainWhenItHearsOfAll() {
        watches.hears(false);
        watch("k", false);
        completePages(0, entry("k1", "a", 5));
        assertThat(told).containsExactly("k1=a at 5", "not all");
        watches.hears(true);
        assertThat(questions.subList(16, 32)).isEqualTo(questions.subList(0, 16));
        completePages(16, entry("k1", "a", 5), entry("k2", "b", 6));

        assertThat(told).containsExactly("k1=a at 5", "not all", "k2=b at 6", "all");
        assertThat(reads).isEmpty();
    }

    /** As one that was cut off. What of that is in no page was removed meanwhile. */
    @Test
    void andWhatItWasToldBeforeIsReadIfItIsInNoPage() {
        watch("k", false);
        completePages(0, entry("k1", "a", 5), entry("k2", "b", 6));
        nanos++;
        watches.hears(false);
        watches.hears(false);
        watches.hears(true);
        completePages(16, entry("k2", "b", 6));
        assertThat(told).containsExactly("k1=a at 5", "k2=b at 6", "all", "not all");
        assertThat(reads).hasSize(1);
        reads.get(0).complete(new Outcome(Outcome.Status.FOUND, at(100), null, at(7)));
        assertThat(told).endsWith("not all", "k1= at 7", "all");

        nanos += 10_000_000_000L;
        watches.hears(false);
        watches.hears(true);
        completePages(32, entry("k2", "b", 6));
        assertThat(told).endsWith("not all", "all");
        assertThat(reads).as("what is known to be gone is not read again").hasSize(1);
    }

    /** All groups are asked each time, so a node that hears of all, and does not, and does again, would keep them busy. */
    @Test
    void aPrefixIsListedAgainAtOnceAndThenOnceInTenSeconds() {
        watch("k", false);
        completePages(0, entry("k1", "a", 5));
        for (int i = 0; i < 5; i++) {
            nanos += 100_000_000L;
            watches.hears(false);
            watches.hears(true);
            watches.time(nanos);
        }
        assertThat(questions).as("at once, the first time").hasSize(32);
        completePages(16, entry("k1", "a", 5));
        assertThat(told).as("changes passed by since").containsExactly("k1=a at 5", "all", "not all");

        watches.time(nanos + 9_000_000_000L);
        assertThat(questions).hasSize(32);
        nanos += 10_000_000_000L;
        watches.time(nanos);
        assertThat(questions).hasSize(48);
        completePages(32, entry("k1", "b", 6));
        assertThat(told).endsWith("not all", "k1=b at 6", "all");
        watches.time(nanos + 60_000_000_000L);
        assertThat(questions).as("nothing has passed by").hasSize(48);
    }

    /** Otherwise a listing that is half done would be told as whole. */
    @Test
    void pagesOfAnEarlierListingDoNotCount() {
        watches.hears(false);
        watch("k", false);
        watches.hears(true);
        completePages(0, entry("k1", "a", 5));
        assertThat(told).isEmpty();
        completePages(16, entry("k1", "a", 5));

        assertThat(told).containsExactly("k1=a at 5", "all");
    }

    @Test
    void manyListenersAskForFewPagesAtOnce() {
        for (int i = 0; i < 10; i++) {
            watch("k", false);
        }
        assertThat(pages).hasSize(16);
        for (int i = 0; i < 160; i++) {
            pages.get(i).complete(page(true, 0));
        }
        assertThat(pages).hasSize(160);
        assertThat(told).hasSize(10).containsOnly("all");
    }

    @Test
    void whoHasEndedIsNotCalled() {
        watch("k", false).close();
        pass(event(1, 10, FleetOperation.Kind.PUT, "a"));
        watch("k1", true).close();
        answer(0, "a", 5);

        assertThat(told).isEmpty();
    }

    @Test
    void otherKeysAreNobodysBusiness() {
        watch("k", true);
        watch("x", false);

        assertThat(watches.test(event(1, 10, FleetOperation.Kind.PUT, "a"))).isFalse();
    }
}
