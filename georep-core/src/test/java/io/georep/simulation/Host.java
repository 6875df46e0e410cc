package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxCommand;
import io.georep.outbox.core.OutboxEvent;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.OutboxView;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.Input;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A machine with its node and its application, and what checks remember about them. */
final class Host implements NodeObserver {
    /**
     * A process said it would be away.
     *
     * @param incarnation of that process
     * @param saidAt when
     * @param awayNanos for how long; 0 for good
     */
    record Absence(long incarnation, long saidAt, long awayNanos) {}

    /** Marks in a batch of the store. */
    private record Mark(long batch, List<EntryId> ids) {}

    private final SimulatedCluster cluster;
    private final Invariants invariants;
    private final ProtocolConfig config;
    private SimulatedNode node;
    private Application application;

    /** What the application is about to do, held up while the process stands still. */
    private final ArrayDeque<Runnable> heldUp = new ArrayDeque<>();

    private final List<EntryId> marking = new ArrayList<>();
    private final List<Mark> marks = new ArrayList<>();
    private final List<Mark> notes = new ArrayList<>();

    boolean dead;
    boolean leaving;
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

    private final List<Absence> absences = new ArrayList<>();
    private long resumedAt;

    private final ReplayJudge replays = new ReplayJudge(this);

    /** When the store was last replaced by an empty or older one. */
    private long storeReplacedAt = -1;

    /** The boot an operator took for dead while it ran, and since when; boots count from 1. */
    private int removedBoot;

    private long removedAt;

    Host(SimulatedCluster cluster, Invariants invariants, ProtocolConfig config) {
        this.cluster = cluster;
        this.invariants = invariants;
        this.config = config;
    }

    void node(SimulatedNode machine) {
        node = machine;
        machine.observer(this);
    }

    SimulatedNode node() {
        return node;
    }

    /** An operator is about to remove it although it runs: others may adopt at once, and it cannot know. */
    void removedWhileRunning() {
        removedBoot = node.boots();
        removedAt = cluster.world().now();
    }

    /** Whether this was delivered here by a process that had been removed. */
    boolean removedBefore(History.Delivery delivery) {
        return delivery.boot == removedBoot && delivery.at >= removedAt;
    }

    /** Its process says GOODBYE. */
    void leave(Duration away) {
        leaving = true;
        absences.add(new Absence(identity().incarnation(), cluster.world().now(), away.toNanos()));
        application.quiesce();
        node.command(MembershipProtocol.CHANNEL, new MembershipCommand.Leave(away));
    }

    /** What its processes said about being away. */
    List<Absence> absences() {
        return absences;
    }

    /** When it last went on after standing still. */
    long resumedAt() {
        return resumedAt;
    }

    /** Settings of its node. */
    ProtocolConfig config() {
        return config;
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

    OutboxProtocol outbox() {
        return Machines.protocol(node, OutboxProtocol.class);
    }

    OutboxView view() {
        return outbox().inspect();
    }

    long storeReplacedAt() {
        return storeReplacedAt;
    }

    void command(OutboxCommand command) {
        node.command(OutboxProtocol.CHANNEL, command);
    }

    /** Does something in the application of the present process, if that still lives then. */
    void later(long nanos, Runnable action) {
        int boot = node.boots();
        cluster.world().after(nanos, () -> {
            if (node.isRunning() && node.boots() == boot) {
                if (node.isPaused()) {
                    heldUp.add(action);
                } else {
                    action.run();
                }
            }
        });
    }

    void resume() {
        resumedAt = cluster.world().now();
        node.resume();
        for (Runnable next = heldUp.poll(); next != null; next = heldUp.poll()) {
            later(0, next);
        }
    }

    @Override
    public void booting(SimulatedNode machine) {
        marking.clear();
        marks.clear();
        notes.clear();
        heldUp.clear();
        leaving = false;
        invariants.booting(this);
        cluster.wings().forEach(wing -> wing.booting(machine));
        application = new Application(
                cluster, this, machine.boots(), cluster.world().random("app " + id() + machine.boots()));
    }

    @Override
    public void started(SimulatedNode machine) {
        later(0, application::start);
        cluster.wings().forEach(wing -> wing.started(machine));
    }

    @Override
    public void turning(SimulatedNode machine, List<Input> inputs) {
        for (Input input : inputs) {
            if (input instanceof Input.Command command && command.command() instanceof OutboxCommand.Forwarded done) {
                marking.addAll(done.ids());
            }
        }
        invariants.turning(this, inputs);
        cluster.wings().forEach(wing -> wing.turning(machine, inputs));
    }

    @Override
    public void turned(SimulatedNode machine) {
        if (!marking.isEmpty()) {
            marks.add(new Mark(machine.disk().submitted(), List.copyOf(marking)));
            marking.clear();
        }
        invariants.turned(this);
        replays.turned();
        cluster.wings().forEach(wing -> wing.turned(machine));
        Runnable next = onDuty;
        if (next != null && (OutboxAudit.isOnDuty(view()) || membership().selfDrained())) {
            onDuty = null;
            next.run();
        }
    }

    @Override
    public void events(SimulatedNode machine, List<Object> events) {
        cluster.wings().forEach(wing -> wing.events(machine, events));
        Application told = application;
        for (Object event : events) {
            invariants.event(this, event);
            cluster.tallies().event(this, event);
            if (event instanceof OutboxEvent.Deliver deliver) {
                notes.add(new Mark(
                        machine.disk().submitted(),
                        deliver.entries().stream()
                                .map(OutboxEvent.Delivered::id)
                                .toList()));
            }
            if (event instanceof MembershipEvent.Left) {
                later(50 * World.MILLIS, this::stop);
            }
        }
        later(cluster.hopNanos(), () -> events.forEach(told::event));
    }

    private void stop() {
        if (leaving) {
            node.stop();
        }
    }

    @Override
    public void closed(SimulatedNode machine) {
        cluster.wings().forEach(wing -> wing.closed(machine));
    }

    @Override
    public void stopped(SimulatedNode machine) {
        long survived = machine.disk().survived();
        invariants.stopped(this, survived);
        cluster.wings().forEach(wing -> wing.stopped(machine));
        for (Mark mark : marks) {
            if (mark.batch <= survived) {
                mark.ids.forEach(id -> Consumer.marked(cluster.history().entry(id).deliveries.stream()
                        .filter(delivery -> delivery.node.equals(id()) && delivery.boot == machine.boots())
                        .toList()));
            }
        }
        for (Mark note : notes) {
            if (note.batch > survived) {
                note.ids.forEach(id -> cluster.history().entry(id).deliveries.stream()
                        .filter(delivery -> delivery.node.equals(id()) && delivery.boot == machine.boots())
                        .forEach(delivery -> delivery.noteSurvived = false));
            }
        }
        for (History.Put put : cluster.history().puts()) {
            if (put.answer == History.Answer.OPEN && put.node.equals(id())) {
                put.answer = History.Answer.LOST;
            }
        }
        afterAccept = null;
        if (cluster.isHealed() && !dead) {
            // A disk may be given up in the moment it is mended.
            cluster.world().after(World.SECONDS, () -> {
                if (!node.isRunning()) {
                    node.start();
                }
            });
        }
    }

    /** The store was replaced by an empty or older one. */
    void storeReplaced() {
        storeReplacedAt = cluster.world().now();
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
