package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A group that was fetched has writes that came otherwise meanwhile. */
class FetchedGroupTest {
    private static final View ABCD = view(1, "a", "b", "c", "d");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c", "d");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");
    private final FunnelNodes.Node d = nodes.node("d");
    private int toB = 6;
    private int toC = 4;
    private int made;

    private static boolean isRepair(int type) {
        return type == FunnelMessages.UPDATE || type == FunnelMessages.FETCH || type == FunnelMessages.GROUP;
    }

    private void put(String key, Slice value) {
        made++;
        a.write(FunnelCommand.Kind.PUT, key, new String(value.toArray()), null, Topology.STAR);
        nodes.run();
    }

    /** What was done when it came is not stored again: its removal may be forgotten before the rest is done. */
    @Test
    void aRemovedKeyDoesNotComeBackOutOfAGroupThatCameLate() {
        nodes.grant(ABCD);
        nodes.delivers = sent -> !isRepair(sent.type())
                && (nodes.sender != a
                        || sent.type() != FunnelMessages.DATA
                        || made <= (sent.to().equals(b.id) ? toB : sent.to().equals(c.id) ? toC : made));
        List<Slice> group = new ArrayList<>();
        Slice value = FunnelNodes.slice("v");
        for (String key : List.of("k", "x2", "x3", "x4", "x5", "x6", "x7")) {
            if (key.equals("x5")) {
                c.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.STAR); // its clock is 5
                toC = 5;
            }
            put(key, value);
            group.add(GroupCodec.content(
                            Write.PUT, FunnelNodes.key(key), value, null, 0, null, 0, null, new BinWriter(64))
                    .encoded());
        }
        assertThat(c.done()).containsExactly("REMOVE k null");
        assertThat(b.context().writes.size()).as("the sixth").isEqualTo(1);

        UncommittedGroup late = GroupCodec.group(1, a.id, 1, 1, group);
        Slice message = new BinWriter(64).varint(1).raw(late.encoded).toSlice();
        b.protocol.onMessage(b.peers.peer(d.id), FunnelMessages.GROUP, new BinReader(message), b.turn);
        nodes.run();
        assertThat(b.context().writes.size()).isEqualTo(2);
        d.put("z", "v");
        nodes.pass(Duration.ofSeconds(1), ABCD);
        d.put("z2", "v");
        nodes.pass(Duration.ofSeconds(3), ABCD);
        nodes.all
                .values()
                .forEach(node -> assertThat(node.context().tables.removals())
                        .as("removals that " + node.id + " knows")
                        .isZero());

        b.reboot();
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b", "c", "d"));
        nodes.pass(Duration.ofSeconds(1), view(2, "a", "b", "c", "d"));
        assertThat(b.get("k")).as("removed, and that was acknowledged").isEqualTo("none");
        assertThat(b.get("x7")).isEqualTo("v");
        nodes.assertSame("a", "b", "c", "d");
    }
}
