package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import io.georep.spring.Connectors.State;
import io.georep.spring.Connectors.Status;
import io.georep.spring.Connectors.Task;
import io.georep.spring.connect.ConnectorOrders.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.kafka.connect.connector.Connector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connector and its thread. It starts the connector and its tasks, starts them again after a failure, and ends them when it is
 * told to. Thread-safe.
 */
final class HostedConnector implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedConnector.class);
    private static final long LEASE_CHECK_MILLIS = 500;
    private static final long ORDERS_WITHIN_MILLIS = 5_000;

    /** How often a connector that asks for other tasks all the time gets them. */
    private static final long RECONFIGURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConnectorSettings settings;
    private final ConnectorOrders orders;
    private final ConnectorKind kind;
    private final PluginCalls calls;
    private final LongAdder failed = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private Target target = Target.RUNNING;
    private boolean closed = true;
    private long changes;
    private boolean restart;
    private boolean reconfigure;
    private long reconfiguredAtNanos = System.nanoTime() - RECONFIGURE_NANOS;
    private @Nullable Exception raised;
    private PluginRequests requests = new PluginRequests();
    private @Nullable Thread thread;

    private volatile State state = State.STOPPED;
    private volatile @Nullable String problem;
    private volatile @Nullable TaskGroup group;

    HostedConnector(ConnectorSettings settings, ConnectorKind kind, ConnectorOrders orders) {
        this.settings = settings;
        this.orders = orders;
        this.kind = kind;
        this.calls = new PluginCalls("Connector " + settings.name(), settings.callWarnMillis());
    }

    ConnectorKind kind() {
        return kind;
    }

    ConnectorSettings settings() {
        return settings;
    }

    /** Starts the connector. If it has not ended yet, it goes on with the same thread. */
    void begin() {
        lock.lock();
        try {
            closed = false;
            if (thread != null) {
                return;
            }
            Thread next = new Thread(this, "georep-connect-" + settings.name());
            next.setDaemon(true);
            next.setContextClassLoader(kind.connectorClass().getClassLoader());
            next.start();
            thread = next;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connector; does not wait. */
    void close() {
        change(() -> closed = true);
    }

    /** Returns, after {@link #close}, whether it has ended within this time. */
    boolean awaitEnd(long millis) {
        Thread running;
        lock.lock();
        try {
            running = thread;
        } finally {
            lock.unlock();
        }
        if (running == null) {
            return true;
        }
        try {
            running.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !running.isAlive();
    }

    void restart() {
        change(() -> restart = true);
    }

    /** Takes the order of an operator, for all nodes. */
    void order(Target wanted) {
        orders.give(wanted);
        change(() -> target = wanted);
    }

    private void follow(@Nullable Target ordered) {
        if (ordered != null) {
            change(() -> target = ordered);
        }
    }

    private void change(Runnable what) {
        lock.lock();
        try {
            what.run();
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Status status() {
        List<Task> tasks = new ArrayList<>();
        TaskGroup current = group;
        if (current != null) {
            int id = 0;
            for (TaskRunner task : current.tasks()) {
                tasks.add(new Task(id++, task.state(), task.problem(), task.pending()));
            }
        }
        String call = calls.problem();
        return new Status(
                settings.name(),
                kind.isSink() ? "sink" : "source",
                kind.connectorClass().getName(),
                state,
                call == null ? problem : call,
                List.copyOf(tasks),
                kind.isSink() ? settings.topics().stream().sorted().toList() : List.of(),
                failed.sum());
    }

    @Override
    public void run() {
        do {
            try {
                untilClosed();
                kind.ended();
            } catch (Throwable e) {
                // No memory for words about it, perhaps. No other thread starts this connector.
                if (state != State.FAILED) {
                    failed.increment(); // else it was counted, and the words about it failed
                }
                problem = TaskRunner.UNTOLD;
                calls.end(); // a mark that a plugin left would end the pause at once
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
            state = State.STOPPED;
        } while (!hasEnded());
    }

    private void untilClosed() {
        int failures = 0;
        follow(orders.first(ORDERS_WITHIN_MILLIS));
        while (!locked(() -> closed)) {
            long begun = System.nanoTime();
            try {
                oneLife();
                failures = 0;
            } catch (Throwable e) {
                calls.end();
                failures = System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(10) ? 1 : failures + 1;
                waitAfter(e, failures);
            }
        }
    }

    /** Returns whether it has ended; false if it was started again meanwhile. */
    private boolean hasEnded() {
        lock.lock();
        try {
            thread = closed ? null : thread;
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean locked(BooleanSupplier question) {
        lock.lock();
        try {
            return question.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private void waitAfter(Throwable error, int failures) {
        failed.increment();
        long delay = settings.restartDelayMillis(failures - 1);
        state = State.FAILED;
        problem = ErrorKind.of(error) + ": the connector is started again in at most " + delay + " ms";
        SafeLog.log(LOG, "Connector {} failed; it is started again in {} ms", settings.name(), delay, error);
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(delay);
            while (left > 0 && !closed && !restart && target != Target.STOPPED) {
                long part = Math.min(left, TimeUnit.MILLISECONDS.toNanos(LEASE_CHECK_MILLIS));
                left -= part - Math.max(0, changed.awaitNanos(part));
                follow(orders.take());
            }
            restart = false;
        } catch (InterruptedException e) {
            LOG.debug("Connector {} is started again early: a plugin interrupted the pause", settings.name(), e);
        } finally {
            lock.unlock();
        }
    }

    /** Runs the connector from a start to the next stop, restart or failure. */
    private void oneLife() throws Exception {
        if (!awaitTurn()) {
            return;
        }
        state = State.RESTARTING;
        try (HostMetrics metrics = new HostMetrics(Map.of("connector", settings.name()))) {
            calls.begin("start");
            Connector connector = Plugins.create(kind.connectorClass());
            Map<String, String> all = settings.originals();
            connector.initialize(kind.context(requests, metrics));
            ConfigCheck.passed(calls.during("validate", () -> connector.validate(new HashMap<>(all))));
            try {
                calls.during("start", () -> {
                    connector.start(new HashMap<>(all));
                    return true;
                });
                runTasks(connector);
            } finally {
                calls.begin("stop");
                Quietly.run("stopping connector " + settings.name(), connector::stop);
                calls.end();
            }
        }
    }

    /** Waits until the connector must run here; returns false if it has ended meanwhile. */
    private boolean awaitTurn() throws Exception {
        while (true) {
            lock.lockInterruptibly();
            try {
                while (!closed && target == Target.STOPPED) {
                    state = State.STOPPED;
                    problem = null;
                    awaitChange(LEASE_CHECK_MILLIS);
                    follow(orders.take());
                }
                if (closed) {
                    return false;
                }
                restart = false;
                raised = null;
                reconfigure = false;
                requests = new PluginRequests();
            } finally {
                lock.unlock();
            }
            if (kind.mayRunHere()) {
                return true;
            }
            problem = kind.waitsFor();
            state = State.UNASSIGNED;
            waitMillis(LEASE_CHECK_MILLIS);
            follow(orders.take());
        }
    }

    private void waitMillis(long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!closed) {
                awaitChange(millis);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a new order, stop or request. The caller has the lock. */
    private void awaitChange(long millis) throws InterruptedException {
        long before = changes;
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        while (changes == before && left > 0) {
            left = changed.awaitNanos(left);
        }
    }

    private void runTasks(Connector connector) throws Exception {
        for (boolean again = true; again; ) {
            state = State.RESTARTING; // so that the tasks are told, whatever is ordered while they start
            List<Map<String, String>> tasks = taskSettings(connector);
            TaskGroup running = kind.group(connector.taskClass(), failed);
            group = running;
            try {
                running.start(tasks, locked(() -> target == Target.PAUSED));
                problem = tasks.isEmpty() && kind.isSink() ? "the connector has no tasks: nothing is forwarded" : null;
                again = follow(connector, running, tasks);
            } finally {
                calls.begin("stop of its tasks");
                running.stop();
                calls.end();
                group = null;
            }
        }
    }

    private List<Map<String, String>> taskSettings(Connector connector) {
        List<Map<String, String>> given = calls.during("taskConfigs", () -> connector.taskConfigs(settings.tasksMax()));
        return settings.ofTasks(given, connector.taskClass(), kind.isSink());
    }

    /** Does what is asked while the tasks run; returns true if they must be started with other settings. */
    private boolean follow(Connector connector, TaskGroup running, List<Map<String, String>> tasks) throws Exception {
        while (true) {
            follow(orders.take());
            boolean paused;
            boolean asked;
            lock.lockInterruptibly();
            try {
                if (closed || restart || target == Target.STOPPED) {
                    return false;
                }
                if (raised != null) {
                    throw raised;
                }
                paused = target == Target.PAUSED;
                asked = reconfigure && System.nanoTime() - reconfiguredAtNanos >= RECONFIGURE_NANOS;
                if (asked) {
                    reconfigure = false;
                    reconfiguredAtNanos = System.nanoTime();
                }
            } finally {
                lock.unlock();
            }
            if (asked && !taskSettings(connector).equals(tasks)) {
                LOG.info("Connector {} gets other tasks", settings.name());
                return true;
            }
            State now = paused ? State.PAUSED : State.RUNNING;
            if (state != now) {
                running.tasks().forEach(task -> task.pause(paused));
                state = now;
                LOG.info("Connector {} is {}", settings.name(), now);
            }
            if (!kind.mayRunHere()) {
                LOG.info("Connector {} runs on another node from now on", settings.name());
                return false;
            }
            lock.lockInterruptibly();
            try {
                if (!closed && !restart && raised == null && target == (paused ? Target.PAUSED : Target.RUNNING)) {
                    awaitChange(LEASE_CHECK_MILLIS);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** What the connector itself asks for in one of its lives, on any thread. Its threads may outlive it. */
    final class PluginRequests {
        void reconfigure() {
            lock.lock();
            try {
                reconfigure |= requests == this; // it need not wake the thread, which looks again soon
            } finally {
                lock.unlock();
            }
        }

        void raise(Exception error) {
            change(() -> raised = requests == this ? error : raised);
        }
    }
}
