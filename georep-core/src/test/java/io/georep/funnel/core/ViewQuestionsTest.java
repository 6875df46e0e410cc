package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.keepers.MasterMessages;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.keepers.ViewPolicy;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a peer can make a keeper of views, or a node that asks, do and keep. */
class ViewQuestionsTest {
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c").keptBy("a");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");

    private static void comes(FunnelNodes.Node to, FunnelNodes.Node from, int type, Slice body) {
        to.protocol.onMessage(to.peers.peer(from.id), type, new BinReader(body), to.turn);
    }

    private static Renewal renewal(NodeId node, List<NodeId> unreachable) {
        return new Renewal(node, 1L << 40, 0, 0, unreachable);
    }

    /** Or a peer could say that another one has left, and it would be taken out while it reads under its lease. */
    @Test
    void nobodyAsksInTheNameOfAnother() {
        Slice farewell = MasterMessages.ask(1, renewal(b.id, List.of()).farewell());
        assertThatThrownBy(() -> comes(a, c, MasterMessages.ASK, farewell))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("c asks the keepers of views in the name of b");
        comes(a, b, MasterMessages.ASK, farewell);
    }

    @Test
    void onlyKeepersGrantLeases() {
        Grant grant = new Grant(new View(1L << 50, List.of(b.id)), Duration.ofDays(1), true);
        comes(b, c, MasterMessages.GRANT, MasterMessages.grant(1, grant));
        comes(b, c, MasterMessages.RESTORED, MasterMessages.restored(1, new Restoration(null, Map.of(), "no")));
        assertThat(b.turn.events(FunnelEvent.Answered.class)).isEmpty();
        assertThat(b.turn.events(FunnelEvent.Restored.class)).isEmpty();

        comes(b, a, MasterMessages.GRANT, MasterMessages.grant(1, grant));
        assertThat(b.turn.events(FunnelEvent.Answered.class)).hasSize(1);
    }

    /** It decides nothing over others; what an order would do it may know. */
    @Test
    void aLimitedNodeOrdersNothing() {
        a.peers.peer(c.id).limited = true;
        comes(a, c, MasterMessages.ORDER, MasterMessages.order(1, false));
        nodes.run();
        assertThat(c.turn.events(FunnelEvent.Restored.class))
                .singleElement()
                .satisfies(told -> assertThat(told.restoration().refusal()).contains("c has a limited certificate"));
    }

    /** It may lead, and then its order would be one over the others. */
    @Test
    void aLimitedKeeperOrdersNothingEither() {
        a.peers.selfIsLimited();
        a.protocol.onCommand(new FunnelCommand.OrderRestore(1, false), a.turn);
        assertThat(a.turn.events(FunnelEvent.Restored.class))
                .singleElement()
                .satisfies(told -> assertThat(told.restoration().refusal()).contains("a has a limited certificate"));
    }

    /** It would go into the log, and there be longer than a message between keepers may be. */
    @Test
    void aQuestionNamesMembersOnlyAndEachOnce() {
        List<NodeId> twice = List.of(c.id, c.id);
        List<NodeId> many = IntStream.rangeClosed(0, ViewLedger.MEMBERS_MAX)
                .mapToObj(number -> NodeId.of("n" + number))
                .toList();
        for (List<NodeId> unreachable : List.of(twice, many, Collections.nCopies(100_000, c.id))) {
            assertThatThrownBy(() -> comes(a, b, MasterMessages.ASK, MasterMessages.ask(1, renewal(b.id, unreachable))))
                    .isInstanceOf(MalformedException.class)
                    .hasMessageContaining("cannot reach");
        }
        comes(a, b, MasterMessages.ASK, MasterMessages.ask(1, renewal(b.id, many.subList(1, many.size()))));
    }

    /** The seats are in the stores, and other names in the settings would split the group. A node that was a keeper is asked too. */
    @Test
    void anotherListOfKeepersIsRefusedAtTheStart() {
        FunnelNodes three = new FunnelNodes("a", "b", "c").keptBy("a", "b", "c");
        for (int step = 0; step < 100; step++) {
            three.all.values().forEach(node -> {
                node.turn.advance(Duration.ofMillis(100));
                node.protocol.onTimer(node.turn);
            });
            three.run();
        }
        assertThat(three.all.values()).anyMatch(node -> FunnelAudit.leads(node.protocol));

        assertThatThrownBy(() -> three.keptBy("a", "b", "d"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("[a, b, d]")
                .hasMessageContaining("[a, b, c]")
                .hasMessageContaining("same name");
        assertThatThrownBy(() -> three.keptBy("d", "e", "f")).isInstanceOf(ConfigurationException.class);
        three.keptBy("c", "a", "b");
    }

    /** An order to restore goes on from the newest view that anybody knows. */
    @Test
    void aViewThatNobodyGetsToIsRefused() {
        long most = FunnelBounds.VIEW.max() - ViewPolicy.UNHEARD_VIEWS;
        for (long view : List.of(Long.MAX_VALUE - 1, most + 1)) {
            Renewal far = new Renewal(b.id, 1L << 40, view, 0, List.of());
            assertThatThrownBy(() -> comes(a, b, MasterMessages.ASK, MasterMessages.ask(1, far)))
                    .isInstanceOf(MalformedException.class);
        }
        Renewal last = new Renewal(b.id, 1L << 40, most, 0, List.of());
        comes(a, b, MasterMessages.ASK, MasterMessages.ask(1, last));
    }

    /** A keeper that does not lead gets all questions too, and answers none. */
    @Test
    void questionsThatNobodyAnswersAreForgotten() {
        FunnelNodes three = new FunnelNodes("a", "b", "c").keptBy("a", "b", "c");
        FunnelNodes.Node keeper = three.node("a");
        for (int number = 0; number < 1_000; number++) {
            NodeId pod = NodeId.of("pod-" + number);
            keeper.protocol.onMessage(
                    keeper.peers.peer(pod),
                    MasterMessages.ASK,
                    new BinReader(MasterMessages.ask(1, renewal(pod, List.of()))),
                    keeper.turn);
            keeper.turn.advance(Duration.ofMillis(100));
        }
        assertThat(FunnelAudit.questions(keeper.protocol)).isLessThan(30);
    }

    /** While seats change, or the log is full. Whoever gave the order would take the view for made. */
    @Test
    void anOrderThatDoesNotGetIntoTheLogIsNotSaidToBeCarriedOut() {
        Renewal content = new Renewal(a.id, 1L << 40, 5, 0, List.of());
        for (int step = 0; step < 100; step++) {
            a.turn.advance(Duration.ofMillis(100));
            a.protocol.onCommand(new FunnelCommand.AskKeepers(step + 1, content), a.turn);
            a.protocol.onTimer(a.turn);
            nodes.run();
        }
        a.protocol.onCommand(new FunnelCommand.OrderRestore(1, true), a.turn);
        assertThat(a.turn.events(FunnelEvent.Restored.class))
                .singleElement()
                .satisfies(told -> assertThat(told.restoration().view()).isNotNull());
        for (int number = 0; number < 5_000; number++) {
            NodeId pod = NodeId.of("pod-" + number);
            a.protocol.onMessage(
                    a.peers.peer(pod),
                    MasterMessages.ASK,
                    new BinReader(MasterMessages.ask(1, renewal(pod, List.of()))),
                    a.turn);
        }
        a.protocol.endOfTurn(a.turn);
        a.turn.forget();

        a.protocol.onCommand(new FunnelCommand.OrderRestore(2, false), a.turn);

        assertThat(a.turn.events(FunnelEvent.Restored.class)).isEmpty();
    }
}
