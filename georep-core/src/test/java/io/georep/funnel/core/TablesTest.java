package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of what was committed, and places in it. */
class TablesTest {
    private final Tables tables = new Tables(10);

    private Cell commit(String key, long number) {
        Cell cell = tables.cell(Slice.utf8(key));
        long before = cell.bytes();
        tables.changing(cell);
        FunnelLayout.set(cell, 1, number, number, NodeId.of("a"), Slice.utf8("v"), 0);
        tables.changed(cell, before);
        tables.check();
        return cell;
    }

    private ClientRecord operation(String client, long number) {
        return tables.put(FunnelLayout.client(client, number, true, null, new Version(1, number)));
    }

    private static List<Long> from(Tables.Cursor cursor) {
        List<Long> commits = new ArrayList<>();
        for (Item item = cursor.next; item != null; item = item.next) {
            commits.add(item.commit);
        }
        return commits;
    }

    @Test
    void whatIsNewerThanAVersionIsFoundFromBothEnds() {
        assertThat(from(tables.after(Version.NONE))).isEmpty();
        List<Long> expected = new ArrayList<>();
        for (long number = 2; number <= 12; number += 2) {
            commit("k" + number, number);
            expected.add(number);
        }
        for (long from = 0; from <= 13; from++) {
            long after = from;
            assertThat(from(tables.after(new Version(1, from))))
                    .as("after " + from)
                    .isEqualTo(expected.stream().filter(each -> each > after).toList());
        }
        commit("k2", 13);
        assertThat(from(tables.after(Version.NONE))).containsExactly(4L, 6L, 8L, 10L, 12L, 13L);
        commit("k13", 14);
        assertThat(tables.newest()).isEqualTo(new Version(1, 14));
    }

    /** All members forget the same one, or they would decide differently about a repetition. A transfer may bring an older one late. */
    @Test
    void theClientWithTheOldestCommitIsForgottenWhateverCameFirst() {
        for (long number = 11; number <= 20; number++) {
            assertThat(operation("client" + number, number)).isNull();
        }
        assertThat(operation("late", 5).client).isEqualTo("late");
        assertThat(operation("client11", 21)).isNull();
        assertThat(operation("client22", 22).client).isEqualTo("client12");
    }

    /** A transfer to this node brings what another one that asks this node has passed already: it gets that too. */
    @Test
    void aPlaceGoesBackToWhatComesBeforeIt() {
        commit("k1", 1);
        commit("k2", 2);
        commit("k5", 5);
        Cell last = commit("k6", 6);
        Tables.Cursor cursor = tables.after(new Version(1, 2));
        Tables.Cursor atTheEnd = tables.after(new Version(1, 6));
        cursor.next = last;
        commit("k4", 4);

        assertThat(from(cursor)).containsExactly(4L, 5L, 6L);
        assertThat(from(atTheEnd)).containsExactly(4L, 5L, 6L);
        commit("k7", 7);
        assertThat(from(cursor)).containsExactly(4L, 5L, 6L, 7L);
        commit("k4", 8);
        assertThat(from(cursor)).as("its place is taken by the next one").containsExactly(5L, 6L, 7L, 8L);
    }
}
