package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.key;
import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Durability;
import io.georep.spi.StoreBatch;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What waits to be stored is stored as a whole, so the store always holds a beginning of the commits. */
class LateWritesTest {
    private static final View ABC = view(1, "a", "b", "c");
    private static final String[] KEYS = {"k", "l", "m", "n"};
    private final FunnelNodes nodes = new FunnelNodes(FunnelSettings.defaults(), Durability.MEMORY, "a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");

    @Test
    void storeHoldsABeginningOfTheCommits() {
        nodes.grant(ABC);
        a.put("k", "1");
        nodes.run();
        assertBeginning();
        b.retry(FunnelCommand.Kind.PUT, "l", "2", "client", 1, "operation");
        nodes.run();
        assertBeginning();

        c.put("m", "3");
        nodes.run();
        nodes.cutOff("b");
        nodes.mend("b");
        b.protocol.onStaleStore(true, b.turn); // writes what is known of itself
        nodes.turn(b);
        assertBeginning();
        b.reboot();
        nodes.grant(view(2, "a", "b", "c"));
        assertBeginning();
        assertThat(b.get("m")).isEqualTo("3");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void whatIsSaidWithAForgottenRemovalIsInTheStore() {
        nodes.grant(ABC);
        a.put("k", "1");
        nodes.run();
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        nodes.pass(Duration.ofSeconds(1), ABC);
        a.put("l", "2");
        nodes.run();

        assertThat(b.context().tables.removals()).isZero();
        assertBeginning();
    }

    @Test
    void commitsOfAnotherMemberAreWrittenBehindThoseThatWait() {
        nodes.grant(ABC);
        a.put("k", "1");
        nodes.run();
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.COMMIT || !sent.to().equals(b.id);
        a.put("l", "2");
        nodes.run();
        a.put("m", "3");
        nodes.run();
        AtomicReference<Boolean> cameAsPage = new AtomicReference<>(false);
        nodes.delivers = sent -> {
            if (sent.type() == FunnelMessages.PAGE && sent.to().equals(b.id)) {
                cameAsPage.set(true);
            }
            return true;
        };
        a.put("n", "4");
        nodes.run();

        assertThat(cameAsPage.get()).isTrue();
        assertBeginning();
        nodes.assertSame("a", "b", "c");
    }

    /** Whatever is not newer than the newest commit that the store knows of is in it. */
    private void assertBeginning() {
        for (FunnelNodes.Node node : nodes.all.values()) {
            Tables disk = new Tables(1000);
            Version newest = disk.boot(node.turn.disk(), new StoreBatch(), cell -> {});
            AtomicReference<Version> said = new AtomicReference<>(newest);
            node.turn.disk().scanNow(FunnelLayout.SELF, FunnelLayout.behind('V'), (place, content) -> {
                Version applied = FunnelLayout.Self.decode(content).applied();
                said.set(newest.isBefore(applied) ? applied : newest);
                return true;
            });
            for (String name : KEYS) {
                Cell cell = node.context().tables.find(key(name));
                if (cell != null && cell.view > 0 && !cell.isNewerThan(said.get())) {
                    assertThat(disk.find(key(name)))
                            .as(name + " on disk of " + node.id + ", which knows of " + said.get())
                            .isNotNull()
                            .satisfies(found -> assertThat(found.commit).isEqualTo(cell.commit));
                }
            }
        }
    }

    static Tables onDisk(FunnelNodes.Node node) {
        Tables tables = new Tables(1000);
        tables.boot(node.turn.disk(), new StoreBatch(), cell -> {});
        return tables;
    }

    static int groupsOnDisk(FunnelNodes.Node node) {
        int[] groups = {0};
        node.turn.disk().scanNow(FunnelLayout.first('D'), FunnelLayout.behind('D'), (place, content) -> {
            groups[0]++;
            return true;
        });
        return groups[0];
    }
}
