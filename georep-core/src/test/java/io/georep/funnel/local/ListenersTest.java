package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What listeners are told. */
class ListenersTest {
    private static FunnelEvent.Change change(Slice key, long commit) {
        return new FunnelEvent.Change(key, Slice.utf8("v"), 1, commit);
    }

    /** A faulty member may write such a key. */
    @Test
    void aKeyOfNoMapDoesNotHideTheOtherChanges() {
        Listeners listeners = new Listeners("a", count -> {});
        List<Long> told = new ArrayList<>();
        listeners.add("m", (change, isOn) -> told.add(change.commit()));
        Slice good = new MapKey("m").of(new byte[] {1});
        listeners.tell(List.of(
                change(good, 1),
                change(Slice.of(new byte[0]), 2),
                change(Slice.of(new byte[] {9, 'm'}), 3),
                change(good, 4)));
        assertThat(told).containsExactly(1L, 4L);
    }
}
