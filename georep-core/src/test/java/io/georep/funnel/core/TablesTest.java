package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;
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
        cell.set(new Version(1, number), number, NodeId.of("a"), Slice.utf8("v"), 0);
        tables.changed(cell, before);
        tables.check();
        return cell;
    }

    private static ClientRecord record(String client, long number) {
        return ClientRecord.of(client, number, true, null, new Version(1, number));
    }

    /** Returns the clients that are forgotten for it. */
    private List<String> operation(String client, long number) {
        return tables.put(record(client, number)).stream()
                .map(forgotten -> forgotten.client)
                .toList();
    }

    private static List<String> clientsOnDisk(FunnelNodes.Node node) {
        List<String> clients = new ArrayList<>();
        node.turn.disk().scanNow(FunnelLayout.first('O'), FunnelLayout.behind('O'), (place, content) -> {
            clients.add(FunnelLayout.client(place));
            return true;
        });
        return clients;
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
            assertThat(operation("client" + number, number)).isEmpty();
        }
        assertThat(operation("late", 5)).containsExactly("late");
        assertThat(operation("client11", 21)).isEmpty();
        assertThat(operation("client22", 22)).containsExactly("client12");
    }

    /** Whether a transfer brings it late, or more of them are remembered before a restart than after it. */
    @Test
    void aClientThatIsForgottenIsNotInTheStore() {
        FunnelNodes.Node node = new FunnelNodes(FunnelSettings.defaults().clientsMax(2), "a", "b").node("a");
        Commits commits = new Commits(node.context());
        for (long number : new long[] {3, 4, 2}) {
            commits.takeClient(record("client" + number, number), node.turn);
        }
        node.turn.completeStore();
        assertThat(clientsOnDisk(node)).containsExactly("client3", "client4");

        for (long number = 5; number <= 9; number++) {
            ClientRecord more = record("client" + number, number);
            node.turn.store().put(more.storeKey(), Slice.of(more.record()));
        }
        node.turn.completeStore();
        node.reboot();
        assertThat(node.context().tables.client("client7")).isNull();
        assertThat(node.context().tables.client("client8")).isNotNull();
        node.turn.completeStore();
        assertThat(clientsOnDisk(node)).containsExactly("client8", "client9");
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

    /** Else a turn would take as long as there are removals. */
    @Test
    void aTurnForgetsSoManyRemovalsAtMost() {
        int removals = 2 * Removals.FORGET_MAX + 1;
        for (int number = 1; number <= removals; number++) {
            Cell cell = tables.cell(Slice.utf8("k" + number));
            cell.set(new Version(1, number), number, NodeId.of("a"), null, 0);
            tables.changed(cell, 0);
        }
        Version all = new Version(2, 0);
        assertThat(tables.forgetRemovals(all, Long.MAX_VALUE, cell -> cell.commit <= 3))
                .hasSize(Removals.FORGET_MAX - 3);
        assertThat(tables.forgetRemovals(all, Long.MAX_VALUE, cell -> false)).hasSize(Removals.FORGET_MAX);
        assertThat(tables.forgetRemovals(all, Long.MAX_VALUE, cell -> false)).hasSize(4);
        assertThat(tables.hasRemoval(all)).isFalse();
    }

    /** Another one may be waited for now, which has less. */
    @Test
    void whatWasKeptIsForgottenUpToTheVersionOnly() {
        for (int number = 1; number <= 3; number++) {
            Cell cell = tables.cell(Slice.utf8("k" + number));
            cell.set(new Version(1, number), number, NodeId.of("a"), null, 0);
            tables.changed(cell, 0);
        }
        assertThat(tables.forgetRemovals(new Version(1, 3), Long.MAX_VALUE, cell -> true))
                .isEmpty();
        assertThat(tables.forgetRemovals(new Version(1, 1), Long.MAX_VALUE, cell -> false))
                .hasSize(1);
        assertThat(tables.removals()).isEqualTo(2);
    }
}
