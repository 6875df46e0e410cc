package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many keys at one position, which may be made on purpose. */
class KeyTreeTest {
    private static final long POSITION = 0x7000_0000_0000_0008L;

    private final KeyTree tree = new KeyTree();

    private void add(String key, long position) {
        FleetOperation put = new FleetOperation(
                new RequestId(1, 1), FleetOperation.Kind.PUT, Slice.utf8(key), Slice.EMPTY, null, position);
        KeyHistory history = tree.make(put);
        history.add(new Event(new OrderKey(1, 1), Contact.at(1, "a:1"), put));
        tree.count(put.key(), history, 1, 1, 1);
    }

    private List<String> from(long position, String after, int count) {
        List<String> found = new ArrayList<>();
        tree.inOrder(position, Slice.utf8(after), (key, at) -> {
            found.add(key + "@" + (at - POSITION));
            return found.size() < count;
        });
        return found;
    }

    @Test
    void areGoneThroughInOrderFromAnyOfThem() {
        for (int i = 29; i >= 10; i--) {
            add("k" + i, POSITION);
            add("n" + i, POSITION + 1);
        }
        add("later", POSITION + 9);
        add("earlier", POSITION - 9);

        List<String> expected = new ArrayList<>();
        for (int i = 10; i < 30; i++) {
            expected.add(Slice.utf8("k" + i) + "@0");
        }
        for (int i = 10; i < 30; i++) {
            expected.add(Slice.utf8("n" + i) + "@1");
        }
        expected.add(Slice.utf8("later") + "@9");
        assertThat(from(POSITION, "", 100)).isEqualTo(expected);
        assertThat(from(POSITION, "k15", 100)).isEqualTo(expected.subList(6, 41));
        assertThat(from(POSITION, "k28", 3)).isEqualTo(expected.subList(19, 22));
        assertThat(from(POSITION + 1, "n10", 2)).isEqualTo(expected.subList(21, 23));
        assertThat(from(POSITION + 2, "", 9)).isEqualTo(expected.subList(40, 41));
    }
}
