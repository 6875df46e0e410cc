package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.StoreException;
import io.georep.runtime.Input;
import io.georep.runtime.InputLanes;
import io.georep.runtime.InputListener;
import io.georep.runtime.NodeLoop;
import io.georep.spi.EntryStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * A machine: disk, clock and address stay, processes come and go. A process runs the production loop; its inputs queue
 * up and are taken in batches, as the driver's thread does.
 */
public final class SimulatedNode {
    /** One process. */
    private final class Process {
        final EntryStore store;
        final SimulatedTransport transport;
        final NodeLoop loop;
        final NodeSoftware.Protocols protocols;
        final InputLanes inputs = new InputLanes();
        boolean turnPlanned;
        boolean listening;
        long wakeAt = Long.MAX_VALUE;

        Process(RandomGenerator bootRandom) {
            store = disk.open();
            transport = network.transport(address);
            transport.hasWaiting = () -> !inputs.isEmpty();
            protocols = software.install(new NodeSoftware.Boot(id, address, site, seeds, transport, bootRandom));
            loop = protocols.loop(store, transport, clock, bootRandom, it -> observer.events(SimulatedNode.this, it));
        }

        void boot() {
            store.start(new InputListener(this::input));
            loop.boot();
            plan();
        }

        void listen() {
            listening = true;
            if (limited) {
                protocols.membership().limited();
            }
            InputListener heard = new InputListener(input -> transport.threads.run(() -> hear(input)));
            String bound = transport.start(protocols.membership().self(), heard);
            protocols.membership().bound(bound);
            observer.started(SimulatedNode.this);
        }

        void hear(Input input) {
            input(input instanceof Input.Frame frame ? hearing.apply(frame) : input);
        }

        void input(Input input) {
            if (process == this) {
                inputs.add(input);
                planTurn();
            }
        }

        void planTurn() {
            if (!turnPlanned && !paused) {
                turnPlanned = true;
                long wait = pace.turnMaxNanos() == 0 ? 0 : random.nextLong(pace.turnMaxNanos() + 1);
                world.after(wait, this::turn);
            }
        }

        void turn() {
            turnPlanned = false;
            if (process != this || paused) {
                return;
            }
            List<Input> batch = new ArrayList<>();
            long busy = inputs.takeAtMost(pace.batchMax(), batch) * pace.nanosPerByte();
            if (busy == 0) {
                turn(batch);
            } else {
                turnPlanned = true;
                world.after(busy, () -> turn(batch));
            }
        }

        void turn(List<Input> batch) {
            turnPlanned = false;
            if (process != this) {
                return;
            }
            world.trace().note(world.now(), "turn", id, null, batch.size() + " inputs", batch.size());
            observer.turning(SimulatedNode.this, batch);
            try {
                loop.turn(batch);
            } catch (StoreException e) {
                disk.givenUp(e);
                failure = e;
                crash();
                return;
            }
            observer.turned(SimulatedNode.this);
            if (process == this) {
                plan();
            }
        }

        /** Plans what comes next: the rest of the inputs, or the next timer. */
        void plan() {
            if (!listening && loop.isDurable()) {
                listen();
            }
            if (!inputs.isEmpty()) {
                planTurn();
                return;
            }
            long deadline = loop.nextDeadlineNanos();
            if (deadline == Long.MAX_VALUE) {
                return;
            }
            long at = world.now() + clock.untilNanos(deadline);
            if (at < wakeAt) {
                wakeAt = at;
                world.at(at, () -> wake(at));
            }
        }

        void wake(long planned) {
            if (process != this || wakeAt != planned) {
                return;
            }
            wakeAt = Long.MAX_VALUE;
            if (loop.nextDeadlineNanos() <= clock.nanos()) {
                planTurn();
            } else {
                plan();
            }
        }
    }

    private final World world;
    private final SimulatedNetwork network;
    private final NodeId id;
    private String address;
    private final String site;
    private List<String> seeds;
    private final NodeSoftware software;
    private final SimulatedDisk disk;
    private final NodeClock clock;
    private final RandomGenerator random;
    private final Pace pace;
    private NodeObserver observer = new NodeObserver() {};
    private UnaryOperator<Input.Frame> hearing = UnaryOperator.identity();
    private Process process;
    private StoreException failure;
    private boolean paused;
    private boolean limited;
    private int boots;
    private long resumedAt;

    /** What applications are about to do, held up while the process stands still. */
    private final ArrayDeque<Runnable> heldUp = new ArrayDeque<>();

    /**
     * A machine that is switched off.
     *
     * @param machine what differs from machine to machine
     * @param speed of its disk
     * @param driftPpm millionths by which its clock runs fast (or slow, when negative)
     */
    SimulatedNode(
            World world,
            SimulatedNetwork network,
            Machine machine,
            NodeSoftware software,
            SimulatedDisk.Speed speed,
            Pace pace,
            long driftPpm) {
        this.world = world;
        this.network = network;
        this.id = machine.id;
        this.address = machine.address;
        this.site = machine.site;
        this.seeds = machine.seeds;
        this.software = software;
        this.pace = pace;
        this.random = world.random("node " + address);
        this.disk = new SimulatedDisk(world, address, world.random("disk " + address), speed);
        this.clock = new NodeClock(world, world.random("clock " + address), driftPpm);
    }

    /**
     * What differs from machine to machine.
     *
     * @param id name of the node on it
     * @param address where it listens
     * @param site what it fails together with
     * @param seeds addresses its process greets
     */
    record Machine(NodeId id, String address, String site, List<String> seeds) {}

    /** Who is told what happens here. */
    void observer(NodeObserver told) {
        observer = told;
    }

    /** Has it hear something else in place of each frame. */
    void hearing(UnaryOperator<Input.Frame> other) {
        hearing = other;
    }

    /** Name of the node on this machine. */
    public NodeId id() {
        return id;
    }

    /** Where it listens. */
    public String address() {
        return address;
    }

    /** Its processes greet these addresses from the next boot on. */
    public void seeds(String... addresses) {
        seeds = List.of(addresses);
    }

    /** Its processes listen on another address from now on; none runs. */
    void move(String other) {
        if (process != null) {
            throw new IllegalStateException(id + " runs");
        }
        address = other;
    }

    /** Its certificate is a limited one. */
    void limit() {
        limited = true;
    }

    /** Its disk. */
    public SimulatedDisk disk() {
        return disk;
    }

    /** Its clocks. */
    public NodeClock clock() {
        return clock;
    }

    /** How many processes were started here. */
    public int boots() {
        return boots;
    }

    /** What ended the last process that gave its store up, null when none did. */
    StoreException failure() {
        return failure;
    }

    /** Whether a process runs, even if paused. */
    public boolean isRunning() {
        return process != null;
    }

    /** Whether the process is stopped by SIGSTOP. */
    public boolean isPaused() {
        return paused;
    }

    /** Whether the process runs and listens. */
    public boolean isListening() {
        return process != null && process.listening;
    }

    /** The protocols of the running process. */
    public NodeSoftware.Protocols protocols() {
        if (process == null) {
            throw new IllegalStateException(id + " does not run");
        }
        return process.protocols;
    }

    /** Starts a process. */
    public void start() {
        if (process != null) {
            throw new IllegalStateException(id + " runs already");
        }
        boots++;
        heldUp.clear();
        note("boot");
        clock.reboot();
        observer.booting(this);
        process = new Process(new SplittableRandom(random.nextLong()));
        try {
            process.boot();
        } catch (StoreException e) {
            crash();
            throw e;
        }
    }

    /** Kills the process: batches no sync covers and frames on the way may be lost. */
    public void crash() {
        note("crash");
        end(false);
        disk.crash();
        observer.stopped(this);
    }

    /** Stops the process in an orderly way, after which everything it wrote is on disk. */
    public void stop() {
        note("stop");
        Process stopping = process;
        end(true);
        stopping.store.close();
        observer.closed(this);
        observer.stopped(this);
    }

    private void end(boolean orderly) {
        Process ending = process;
        if (ending == null) {
            throw new IllegalStateException(id + " does not run");
        }
        process = null;
        paused = false;
        if (orderly) {
            ending.transport.close();
        } else {
            network.kill(address);
        }
    }

    /** Stops the loop's thread; inputs pile up. */
    public void pause() {
        note("pause");
        paused = true;
    }

    /** The threads that read and write for the process that runs. */
    IoThreads threads() {
        return process.transport.threads;
    }

    /**
     * Suspends the machine: nothing runs, and its monotonic clock stands still.
     *
     * @param wallToo whether its wall clock does as well, as when a hypervisor stops it
     */
    public void suspend(boolean wallToo) {
        pause();
        clock.suspend(wallToo);
    }

    /** Lets the loop's thread go on, and the clocks. */
    public void resume() {
        note("resume");
        clock.wake();
        paused = false;
        resumedAt = world.now();
        if (process != null) {
            process.planTurn();
        }
        for (Runnable next = heldUp.poll(); next != null; next = heldUp.poll()) {
            later(0, next);
        }
    }

    /** Does something in the application of the present process, if that still lives then. */
    public void later(long nanos, Runnable action) {
        int boot = boots;
        world.after(nanos, () -> {
            if (process != null && boots == boot) {
                if (paused) {
                    heldUp.add(action);
                } else {
                    action.run();
                }
            }
        });
    }

    /** When it last went on after standing still. */
    long resumedAt() {
        return resumedAt;
    }

    /** Gives a command of the application to one of the protocols; lost when no process runs. */
    public void command(int channel, Object command) {
        if (process != null && (!limited || LimitedNodes.mayOrder(id, command))) {
            process.input(new Input.Command(channel, command));
        }
    }

    private void note(String what) {
        world.trace().note(world.now(), what, id, null, null, boots);
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
