package io.georep.geopaxos.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Registration;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What listeners of ordered maps are told, and what waits for them. */
class ChangeFeedTest {
    private static final Slice MAP = Slice.utf8("\1m");
    private static final Slice KEY = Slice.utf8("\1mk");

    private final ChangeFeed feed = new ChangeFeed("n1");
    private final List<String> told = new ArrayList<>();

    private Registration listen(String name) {
        return feed.add(MAP, new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value) {
                told.add(name + (value == null ? " -" : " " + value.length()));
                if (name.equals("throws")) {
                    throw new AssertionError("by design");
                }
            }

            @Override
            public void missed() {
                told.add(name + " missed");
            }
        });
    }

    private void change(int length) {
        feed.changed(KEY, Slice.of(new byte[length]));
    }

    private void tell() {
        feed.tell(Objects.requireNonNull(feed.take()));
    }

    @Test
    void aListenerThatThrowsKeepsNothingFromTheOthers() {
        change(1);
        assertThat(feed.take()).as("nobody listens").isNull();
        listen("throws");
        Registration second = listen("second");
        change(2);
        feed.changed(KEY, null);
        feed.changed(Slice.utf8("\2mk"), Slice.EMPTY);
        tell();
        assertThat(told).containsExactly("throws 2", "second 2", "throws -", "second -");
        change(3);
        second.close();
        tell();
        assertThat(told).last().isEqualTo("throws 3");
        assertThat(feed.take()).isNull();
    }

    @Test
    void aListenerThatAnotherOneEndsIsNotToldThatChange() {
        List<Registration> others = new ArrayList<>();
        feed.add(MAP, new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value) {
                others.forEach(Registration::close);
            }

            @Override
            public void missed() {}
        });
        others.add(listen("other"));
        change(1);
        tell();
        assertThat(told).isEmpty();
    }

    /** A listener that is slow is told once that it has missed something, and then of what follows. */
    @Test
    void whatWaitsIsBoundedAndTheRestIsToldToBeMissed() {
        listen("one");
        for (int i = 0; i < 3 * ChangeFeed.CHANGES_MAX; i++) {
            change(0);
        }
        Object taken = Objects.requireNonNull(feed.take());
        change(7);
        assertThat(feed.take()).as("until the notice is told").isNull();
        feed.tell(taken);
        assertThat(told).hasSize(ChangeFeed.CHANGES_MAX + 1).endsWith("one 0", "one missed");
        change(8);
        tell();
        assertThat(told).last().isEqualTo("one 8");
    }

    @Test
    void whatWaitsIsBoundedInBytes() {
        listen("one");
        for (int i = 0; i < 17; i++) {
            change(1 << 20);
        }
        tell();
        assertThat(told).hasSize(17).endsWith("one 1048576", "one missed");
        change(1 << 20);
        tell();
        assertThat(told).hasSize(18).last().isEqualTo("one 1048576");
    }

    /** All changes of a turn may be told before the notice of a later one: it tells of what came after them. */
    @Test
    void aStateThatWasLoadedIsMissed() {
        listen("one");
        change(1);
        feed.reloaded();
        change(2);
        tell();
        assertThat(told).containsExactly("one 1", "one missed");
        feed.close();
        change(3);
        feed.reloaded();
        assertThat(feed.take()).isNull();
    }

    @Test
    void aChangeThatWaitsDoesNotKeepTheOperationItCameIn() {
        List<Slice> seen = new ArrayList<>();
        feed.add(MAP, new ChangeFeed.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice value) {
                seen.add(key);
                seen.add(Objects.requireNonNull(value));
            }

            @Override
            public void missed() {}
        });
        byte[] operation = new byte[1000];
        operation[0] = 1;
        operation[1] = 'm';
        feed.changed(new Slice(operation, 0, 3), new Slice(operation, 3, 4));
        tell();
        assertThat(seen).extracting(each -> each.array().length).containsExactly(3, 4);
        assertThat(seen.get(0)).isEqualTo(new Slice(operation, 0, 3));
    }
}
