package io.georep.simulation;

import io.georep.funnel.View;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.ViewMaster.Restoration;
import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.keepers.ViewPolicy;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The keepers of views, as they are: the master of a simulation that decides for itself, on the nodes and their stores and links. */
final class KeptMaster extends FunnelMaster {
    private final FunnelWing wing;
    private final ViewGroup group;
    private final ViewPolicy policy;
    private final Map<Long, Consumer<Grant>> asked = new HashMap<>();
    private final Map<NodeId, Long> newest = new HashMap<>();
    private ViewLedger ledger = new ViewLedger();
    private Restoration restored;
    private long numbers;
    private String trouble = "";

    KeptMaster(FunnelWing wing, ViewGroup group, long leaseNanos) {
        this.wing = wing;
        this.group = group;
        policy = new ViewPolicy(group.founders(), leaseNanos, 0);
    }

    private Stream<SimulatedNode> keeperNodes() {
        return wing.nodes().stream().filter(node -> group.keepers().contains(node.id()) && node.isListening());
    }

    private Stream<FunnelProtocol> keepers() {
        return keeperNodes().map(FunnelWing::protocol);
    }

    @Override
    void ask(Renewal renewal, Consumer<Grant> answer) {
        SimulatedNode node = wing.nodes().stream()
                .filter(each -> each.id().equals(renewal.node()) && each.isRunning())
                .findFirst()
                .orElse(null);
        long number = ++numbers;
        asked.put(number, answer);
        if (node != null) {
            asked.remove(newest.put(node.id(), number));
            node.command(FunnelProtocol.CHANNEL, new FunnelCommand.AskKeepers(number, renewal));
        } else {
            keeperNodes()
                    .forEach(each ->
                            each.command(FunnelProtocol.CHANNEL, new FunnelCommand.AskKeepers(number, renewal)));
        }
    }

    @Override
    void event(SimulatedNode node, FunnelEvent event) {
        if (event instanceof FunnelEvent.Answered answered) {
            Consumer<Grant> waiting = asked.remove(answered.number());
            if (waiting != null) {
                waiting.accept(answered.grant());
            }
        } else if (event instanceof FunnelEvent.Restored told) {
            restored = told.restoration();
        } else if (event instanceof FunnelEvent.Trouble told) {
            trouble = told.text();
        } else if (event instanceof FunnelEvent.Status told && told.status().view() != null) {
            View view = told.status().view();
            View before = views.putIfAbsent(view.number(), view);
            if (before != null && !before.equals(view)) {
                throw new AssertionError("view " + before + " was told as " + view);
            }
        }
    }

    /** Of the keeper that knows most. */
    @Override
    ViewLedger ledger() {
        keepers()
                .max(java.util.Comparator.comparingLong(FunnelAudit::decided))
                .ifPresent(each -> ledger = FunnelAudit.ledger(each));
        return ledger;
    }

    /** Gives the order, and returns the answer to the one before. */
    @Override
    Restoration restore(boolean dryRun) {
        Restoration last = restored;
        restored = null;
        wing.nodes().stream()
                .filter(SimulatedNode::isListening)
                .findFirst()
                .ifPresent(each ->
                        each.command(FunnelProtocol.CHANNEL, new FunnelCommand.OrderRestore(++numbers, dryRun)));
        return last == null ? new Restoration(null, Map.of(), "no answer yet") : last;
    }

    @Override
    String trouble() {
        return policy.trouble(ledger());
    }

    @Override
    String waitsFor() {
        return trouble.isEmpty() ? null : trouble;
    }

    @Override
    boolean isSure(NodeId node) {
        return true;
    }

    /** One store at a time, and none before all keepers know whose seats they are. */
    @Override
    boolean mayLose(SimulatedNode node) {
        List<NodeId> keepers = group.keepers();
        if (!keepers.contains(node.id())) {
            return true;
        }
        long living = wing.living().stream()
                .filter(each -> each != node && keepers.contains(each.id()))
                .count();
        boolean isEnough = keepers.size() > 1 && living > keepers.size() / 2;
        List<FunnelProtocol> running = keepers().toList();
        return isEnough && running.size() == keepers.size() && FunnelAudit.isWhole(running);
    }

    @Override
    int entries() {
        return (int) keepers().mapToLong(FunnelAudit::decided).max().orElse(0);
    }

    @Override
    void loseDirectories() {
        throw new UnsupportedOperationException();
    }
}
