package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.OutboxView;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A machine with its node and its application, and what checks remember about them. */
final class Host {
    /** Marks in a batch of the store. */
    private record Mark(long batch, List<EntryId> ids) {}

    private final OutboxWing outbox;
    private final SimulatedNode node;
    private Application application;
    private final List<EntryId> marking = new ArrayList<>();
    private final List<Mark> marks = new ArrayList<>();
    private final List<Mark> notes = new ArrayList<>();

    boolean slow;
    boolean adoptionRefused;
    /** Whether its application takes no entries. */
    boolean idle;
    /** Whether its application gives every entry up: it becomes a dead letter. */
    boolean givesUp;
    /** What happens as soon as the consumer has accepted the next entry, null for nothing. */
    Runnable afterAccept;
    /** What happens as soon as its node has something to do for others, null for nothing. */
    Runnable onDuty;

    private final ReplayJudge replays = new ReplayJudge(this);

    /** When the store was last replaced by an empty or older one. */
    private long storeReplacedAt = -1;

    /** The boots that operators removed while they ran, and since when; boots count from 1. */
    private final Map<Integer, Long> removedAt = new HashMap<>();

    /** Since when the present process knows that it was removed. */
    private long toldAt = Long.MAX_VALUE;

    Host(OutboxWing outbox, SimulatedNode node) {
        this.outbox = outbox;
        this.node = node;
    }

    SimulatedNode node() {
        return node;
    }

    /** An operator is about to remove it although it runs: others may adopt at once, and it cannot know. */
    void removedWhileRunning() {
        removedAt.put(node.boots(), outbox.world().now());
    }

    /** Whether this was delivered here by a process that had been removed. */
    boolean removedBefore(History.Delivery delivery) {
        return delivery.at >= removedAt.getOrDefault(delivery.boot, Long.MAX_VALUE);
    }

    /** Whether its process knew already at this time that it was removed. */
    boolean knewOfRemoval(long at) {
        return at > toldAt;
    }

    NodeId id() {
        return node.id();
    }

    boolean isRunning() {
        return node.isRunning();
    }

    Application application() {
        return application;
    }

    MembershipProtocol membership() {
        return node.protocols().membership();
    }

    OutboxProtocol protocol() {
        return Machines.protocol(node, OutboxProtocol.class);
    }

    OutboxView view() {
        return protocol().inspect();
    }

    long storeReplacedAt() {
        return storeReplacedAt;
    }

    void command(OutboxCommand command) {
        node.command(OutboxProtocol.CHANNEL, command);
    }

    /** Does something in the application of the present process, if that still lives then. */
    void later(long nanos, Runnable action) {
        node.later(nanos, action);
    }

    void booting() {
        marking.clear();
        marks.clear();
        notes.clear();
        toldAt = Long.MAX_VALUE;
        application = new Application(outbox, this, node.boots(), outbox.world().random("app " + id() + node.boots()));
    }

    void started() {
        later(0, application::start);
    }

    void turning(List<Input> inputs) {
        for (Input input : inputs) {
            if (input instanceof Input.Command command && command.command() instanceof OutboxCommand.Forwarded done) {
                marking.addAll(done.ids());
            }
        }
    }

    void turned() {
        if (!marking.isEmpty()) {
            marks.add(new Mark(node.disk().submitted(), List.copyOf(marking)));
            marking.clear();
        }
        if (membership().selfRemoved()) {
            toldAt = Math.min(toldAt, outbox.world().now());
        }
        replays.turned();
        Runnable next = onDuty;
        if (next != null && (OutboxAudit.isOnDuty(view()) || membership().selfDrained())) {
            onDuty = null;
            next.run();
        }
    }

    void events(List<Object> events) {
        Application told = application;
        for (Object event : events) {
            if (event instanceof OutboxEvent.Deliver deliver) {
                notes.add(new Mark(
                        node.disk().submitted(),
                        deliver.entries().stream()
                                .map(OutboxEvent.Delivered::id)
                                .toList()));
            }
        }
        later(outbox.cluster().hopNanos(), () -> events.forEach(told::event));
    }

    /** The process is gone: of its batches so many are left. */
    void stopped(long survived) {
        for (Mark mark : marks) {
            if (mark.batch <= survived) {
                mark.ids.forEach(id -> Consumer.marked(outbox.history().entry(id).deliveries.stream()
                        .filter(delivery -> delivery.node.equals(id()) && delivery.boot == node.boots())
                        .toList()));
            }
        }
        for (Mark note : notes) {
            if (note.batch > survived) {
                note.ids.forEach(id -> outbox.history().entry(id).deliveries.stream()
                        .filter(delivery -> delivery.node.equals(id()) && delivery.boot == node.boots())
                        .forEach(delivery -> delivery.noteSurvived = false));
            }
        }
        for (History.Put put : outbox.history().puts()) {
            if (put.answer == History.Answer.OPEN && put.node.equals(id())) {
                put.answer = History.Answer.LOST;
            }
        }
        afterAccept = null;
    }

    /** The store was replaced by an empty or older one. */
    void storeReplaced() {
        storeReplacedAt = outbox.world().now();
    }

    /** This node's identity in the present process. */
    NodeIdentity identity() {
        return membership().self();
    }

    @Override
    public String toString() {
        return id().toString();
    }
}
