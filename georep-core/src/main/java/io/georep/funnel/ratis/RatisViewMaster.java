package io.georep.funnel.ratis;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.TransportException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master of views that 3 or 5 of the nodes keep with Apache Ratis (Raft). Views change while a majority of these peers run and reach
 * each other; without one, everybody serves until its lease ends. Give it to the node by {@link #over}:
 *
 * <pre>{@code
 * builder.replicatedMaps(settings, RatisViewMaster.over(RatisSettings.of(
 *         "ams-1=ams-1.example.net:7400", "nyc-1=nyc-1.example.net:7400", "sgp-1=sgp-1.example.net:7400")
 *         .tls(RatisTls.pem(key, certificates, authority, "prod"))));
 * }</pre>
 */
public final class RatisViewMaster implements ViewMaster {
    private static final Logger LOG = LoggerFactory.getLogger(RatisViewMaster.class);
    private static final long CLOSE_SECONDS = 15;
    private static final int PAUSES_PER_LEASE = 40;

    private final RatisPlace place;
    private final ExecutorService asker;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final Object parts = new Object();

    // Guarded by parts, but opened by the asker only.
    private @Nullable RatisReplica replica;
    private @Nullable RaftClient client;
    private boolean closed;

    // Of the asker.
    private @Nullable RuntimeException replicaProblem;
    private long openAgainAt;
    private boolean unanswered;

    private volatile long deadline;

    private RatisViewMaster(RatisPlace place) {
        this.place = place;
        this.asker =
                Executors.newSingleThreadExecutor(task -> RatisReplica.thread(task, place.node() + "-views-client"));
    }

    /**
     * Returns what makes the master of a node. It throws a {@link ConfigurationException} if the settings are not valid for that
     * node, or if nothing would protect connections that leave the machine.
     */
    public static Factory over(RatisSettings settings) {
        return over(settings, RatisPlace.SNAPSHOT_EVERY);
    }

    static Factory over(RatisSettings settings, long snapshotEvery) {
        return place -> new RatisViewMaster(new RatisPlace(settings, place, snapshotEvery));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The first call opens what this node needs. Fails with {@link TransportException} if no majority of the peers answers within
     * half a lease, with the reason why this node's own replica does not run as its cause, if there is one.
     */
    @Override
    public CompletionStage<Grant> renew(Renewal renewal) {
        return renewal.left() ? submit(() -> leave(renewal)) : onlyOne(() -> ask(renewal));
    }

    /** Asks, unless a question is still open. */
    CompletableFuture<Grant> onlyOne(Callable<Grant> question) {
        CompletableFuture<Grant> answer = new CompletableFuture<>();
        if (!asking.compareAndSet(false, true)) {
            answer.completeExceptionally(new TransportException(
                    "the master of views has not answered the last question yet", new IOException("busy")));
            return answer;
        }
        try {
            asker.execute(() -> {
                try {
                    Grant grant = question.call();
                    asking.set(false);
                    answer.complete(grant);
                } catch (Throwable e) { // also an error: the next question must not wait for this one
                    asking.set(false);
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new ClosedException("the master of views is closed"));
        }
        return answer;
    }

    private Grant ask(Renewal renewal) throws IOException {
        openReplica();
        RaftClient asked = openClient();
        deadline = System.nanoTime() + place.patienceNanos();
        Grant grant;
        try {
            grant = ask(renewal, asked);
        } catch (IOException | RuntimeException e) {
            throw noAnswer(e);
        }
        if (unanswered) {
            unanswered = false;
            LOG.info("{}: the master of views answers again", place.node());
        }
        checkMemory(renewal, grant.view());
        return grant;
    }

    /** Asks again and again: the peers may just be electing. */
    private Grant ask(Renewal renewal, RaftClient asked) throws IOException {
        IOException last = new IOException("the peers do not agree who leads");
        while (System.nanoTime() - deadline < 0) {
            try {
                Grant grant = new PeerQuestion(asked, place, machine()).ask(renewal, deadline);
                if (grant != null) {
                    return grant;
                }
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                last = e;
            }
            try {
                pauseTime().sleep();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw last;
            }
        }
        throw last;
    }

    /** The others go on without this node first, while its replica may lead; then another one leads. */
    private Grant leave(Renewal farewell) throws IOException {
        RaftClient asked = openClient();
        deadline = System.nanoTime() + place.patienceNanos();
        Grant last = ask(farewell, asked);
        RatisReplica own = running();
        if (own != null) {
            own.handOver(place.patienceNanos() / 2);
        }
        return last;
    }

    @Override
    public CompletionStage<Restoration> restore(boolean dryRun) {
        return submit(() -> orderRestore(dryRun));
    }

    /** Behind the question that is open. */
    private <T> CompletableFuture<T> submit(Callable<T> order) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            asker.execute(() -> {
                try {
                    answer.complete(order.call());
                } catch (Throwable e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new ClosedException("the master of views is closed"));
        }
        return answer;
    }

    private Restoration orderRestore(boolean dryRun) {
        RaftClient asked = openClient();
        deadline = System.nanoTime() + place.patienceNanos();
        Message order = Message.valueOf(ViewStateMachine.bytes(MasterWire.restore()));
        try {
            Restoration plan = MasterWire.readRestoration(ViewStateMachine.slice(
                    asked.io().sendReadOnly(order).getMessage().getContent()));
            if (!dryRun && plan.view() != null) {
                asked.io().send(order);
            }
            return plan;
        } catch (IOException | RuntimeException e) {
            throw noAnswer(e);
        }
    }

    /** A master that knows less than its nodes has lost its storage, and would give them an empty map. */
    static void checkMemory(Renewal renewal, @Nullable View view) {
        long known = view == null ? 0 : view.number();
        if (known < renewal.activeView()) {
            throw new IllegalStateException(
                    "the master of views knows views up to " + known + ", but this node was in view "
                            + renewal.activeView()
                            + ": the master's directories were lost, or are those of another cluster. Bring them back,"
                            + " or order that the view is restored from the stores of the nodes (restoreView)");
        }
    }

    private TransportException noAnswer(Exception e) {
        String message = "no answer from the master of views within "
                + TimeUnit.NANOSECONDS.toMillis(place.patienceNanos()) + " ms: "
                + (place.peers().size() / 2 + 1) + " of "
                + place.peers().size() + " peers must run and reach each other (" + place.whereTheyAre() + "): "
                + (replicaProblem == null ? e.getMessage() : "here, " + replicaProblem.getMessage());
        if (!unanswered) {
            unanswered = true;
            LOG.warn("{}: {}", place.node(), message);
        }
        TransportException failure = new TransportException(message, replicaProblem == null ? e : replicaProblem);
        if (replicaProblem != null) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    /** A node whose replica does not open can still ask the others, so that is no reason to give up. */
    private void openReplica() {
        RatisReplica running = running();
        if (!place.isPeer() || (running != null && running.isAlive()) || System.nanoTime() - openAgainAt < 0) {
            return;
        }
        openAgainAt = System.nanoTime() + place.leaseNanos();
        if (running != null) {
            LOG.error("{}: the replica of the master of views has stopped; it is opened again", place.node());
            running.close();
            drop();
        }
        try {
            keep(new RatisReplica(place));
            replicaProblem = null;
        } catch (IOException e) {
            tell(new TransportException(
                    "the master of views cannot use " + place.directory() + ": " + e.getMessage()
                            + ". Check that it can be written",
                    e));
        } catch (ConfigurationException | TransportException e) {
            tell(e);
        }
    }

    private void tell(RuntimeException problem) {
        RuntimeException before = replicaProblem;
        if (before == null || !String.valueOf(before.getMessage()).equals(problem.getMessage())) {
            LOG.error("{}: {}", place.node(), problem.getMessage());
        }
        replicaProblem = problem;
    }

    private void drop() {
        synchronized (parts) {
            replica = null;
        }
    }

    /**
     * Keeps a replica until this is closed.
     *
     * @throws ClosedException if it is, while the replica was being opened: nobody else would close it
     */
    void keep(RatisReplica opened) {
        synchronized (parts) {
            if (!closed) {
                replica = opened;
                return;
            }
        }
        opened.close();
        throw new ClosedException("the master of views is closed");
    }

    private @Nullable RatisReplica running() {
        synchronized (parts) {
            return replica;
        }
    }

    private RaftClient openClient() {
        synchronized (parts) {
            if (closed) {
                throw new ClosedException("the master of views is closed");
            }
            if (client == null) {
                client = RaftClient.newBuilder()
                        .setRaftGroup(place.group())
                        .setProperties(place.clientProperties())
                        .setParameters(place.parameters())
                        .setRetryPolicy(event -> pause())
                        .build();
            }
            return client;
        }
    }

    /** How long to wait before a question is repeated: the peers may just be electing. */
    private RetryPolicy.Action pause() {
        TimeDuration pause = pauseTime();
        return System.nanoTime() - deadline < 0 ? () -> pause : RetryPolicy.NO_RETRY_ACTION;
    }

    private TimeDuration pauseTime() {
        return TimeDuration.valueOf(
                Math.max(1, TimeUnit.NANOSECONDS.toMillis(place.leaseNanos()) / PAUSES_PER_LEASE),
                TimeUnit.MILLISECONDS);
    }

    /** Whether this node's replica leads. */
    boolean isLeader() {
        RatisReplica running = running();
        return running != null && running.isLeader();
    }

    /** The state of this node's replica; null while it does not run. */
    @Nullable
    ViewStateMachine machine() {
        RatisReplica running = running();
        return running == null ? null : running.machine();
    }

    /** Closes the connections and this node's replica. Waits at most about 15 s. */
    @Override
    public void close() {
        asker.shutdownNow();
        Thread closer = RatisReplica.thread(this::closeParts, place.node() + "-views-close");
        closer.start();
        try {
            closer.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closer.isAlive()) {
            LOG.warn(
                    "{}: the master of views is not closed after {} s; what is left ends with the process",
                    place.node(),
                    CLOSE_SECONDS);
        }
    }

    private void closeParts() {
        awaitAsker();
        RaftClient ofClient;
        RatisReplica ofReplica;
        synchronized (parts) {
            closed = true;
            ofClient = client;
            ofReplica = replica;
        }
        try {
            if (ofClient != null) {
                ofClient.close();
            }
        } catch (IOException e) {
            LOG.debug("Closing the client of the master", e);
        }
        if (ofReplica != null) {
            ofReplica.close();
        }
    }

    private void awaitAsker() {
        try {
            if (!asker.awaitTermination(CLOSE_SECONDS / 2, TimeUnit.SECONDS)) {
                LOG.debug("{}: a question to the master does not end", place.node());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
