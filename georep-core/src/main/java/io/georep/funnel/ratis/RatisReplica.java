package io.georep.funnel.ratis;

import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.ViewPolicy;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One replica of the master: Ratis, the state machine, and the timer that proposes changes while it leads. */
final class RatisReplica implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RatisReplica.class);

    /** Times per lease at which the leader looks whether a view has to change. */
    private static final int LOOKS_PER_LEASE = 10;

    private final RaftServer server;
    private final RaftGroup group;
    private final ViewStateMachine machine;
    private final ClientId self = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicBoolean lookDue = new AtomicBoolean();
    private final ScheduledExecutorService timer;

    private long proposedAt;
    private @Nullable String trouble;
    private List<NodeId> awaited = List.of();

    private final long patienceNanos;

    /** All fields are set. */
    private volatile boolean opened;

    /**
     * Opens the log and the port.
     *
     * @throws ConfigurationException if the directory is that of another group or is used by another process
     * @throws TransportException if the port is taken
     */
    RatisReplica(RatisPlace place) throws IOException {
        group = place.group();
        patienceNanos = place.leaseNanos();
        Files.createDirectories(place.directory());
        checkDirectory(place);
        checkPort(place.listen());
        timer = Executors.newSingleThreadScheduledExecutor(task -> thread(task, place.node() + "-views-timer"));
        machine = new ViewStateMachine(
                new ViewPolicy(place.founders(), place.leaseNanos(), place.membersMin()),
                self,
                place.leaseNanos(),
                place.rateError(),
                System::nanoTime,
                new Seated());
        RaftServer starting = null;
        try {
            starting = RaftServer.newBuilder()
                    .setServerId(RaftPeerId.valueOf(place.node().value()))
                    .setGroup(group)
                    .setStateMachine(machine)
                    .setOption(RaftStorage.StartupOption.RECOVER)
                    .setProperties(place.serverProperties())
                    .setParameters(place.parameters())
                    .setThreadGroup(new ThreadGroup(place.node() + "-views"))
                    .build();
            starting.start();
            checkPeers(starting, place);
        } catch (IOException | RuntimeException e) {
            timer.shutdownNow();
            closeQuietly(starting);
            throw explained(e, place);
        }
        server = starting;
        opened = true;
        long every = Math.max(1, place.leaseNanos() / LOOKS_PER_LEASE);
        var unused = timer.scheduleWithFixedDelay(this::look, every, every, TimeUnit.NANOSECONDS);
    }

    static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, "georep-" + name);
        thread.setDaemon(true);
        return thread;
    }

    /** Ratis would open the log of its group beside the other one, and serve both. */
    private static void checkDirectory(RatisPlace place) throws IOException {
        String own = place.group().getGroupId().getUuid().toString();
        try (Stream<Path> files = Files.list(place.directory())) {
            List<Path> others = files.filter(Files::isDirectory)
                    .filter(each -> !each.getFileName().toString().equals(own))
                    .toList();
            if (!others.isEmpty()) {
                throw new ConfigurationException("directory " + place.directory()
                        + " of the master of views belongs to another group: it contains " + others
                        + ", and group '" + place.groupName() + "' would be in " + own
                        + ". Set the group it was made for, or another directory");
            }
        }
    }

    /** Ratis ends the JVM if it cannot bind. */
    private static void checkPort(Address listen) throws IOException {
        try (ServerSocket tried = new ServerSocket()) {
            tried.setReuseAddress(true);
            tried.bind(new InetSocketAddress(InetAddress.getByName(listen.host()), listen.port()));
        } catch (IOException e) {
            throw portTaken(listen, e);
        }
    }

    private static TransportException portTaken(Address listen, Throwable cause) {
        return new TransportException(
                "the master of views cannot listen on " + listen + ": " + cause.getMessage()
                        + ". Stop what uses the port, or set another port offset, other peers or an address to listen on",
                cause);
    }

    private static RuntimeException explained(Exception e, RatisPlace place) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ExitUtils.ExitException) {
                return portTaken(place.listen(), cause);
            }
            if (cause instanceof ConfigurationException known) {
                return known;
            }
            if (cause instanceof java.nio.channels.OverlappingFileLockException
                    || String.valueOf(cause.getMessage()).contains("in_use.lock")) {
                return new ConfigurationException(
                        "directory " + place.directory()
                                + " of the master of views is used by another process: stop that, or"
                                + " set another directory",
                        e);
            }
        }
        return new TransportException(
                "the master of views cannot be started from " + place.directory() + ": " + e.getMessage()
                        + ". The log of this node says more",
                e);
    }

    /** The log says who the peers are, and the settings cannot change that. */
    private static void checkPeers(RaftServer server, RatisPlace place) throws IOException {
        Set<String> stored = server.getDivision(place.group().getGroupId()).getRaftConf().getAllPeers().stream()
                .map(peer -> peer.getId().toString())
                .collect(Collectors.toSet());
        Set<String> wanted = place.group().getPeers().stream()
                .map(peer -> peer.getId().toString())
                .collect(Collectors.toSet());
        if (!stored.equals(wanted)) {
            throw new ConfigurationException("the master of views in " + place.directory() + " has the peers " + stored
                    + ", but the settings say " + wanted + ": set the same ones; a new list does not move it");
        }
    }

    /** What the state machine wants to know of the server, also before that is there: the log is read at the start. */
    private final class Seated implements ViewStateMachine.Seat {
        @Override
        public boolean isLeaderReady() {
            return opened && isLeader();
        }

        @Override
        public long term() {
            try {
                return opened ? server.getDivision(group.getGroupId()).getInfo().getCurrentTerm() : -1;
            } catch (IOException e) {
                return -1;
            }
        }

        @Override
        public void lookSoon() {
            if (opened && lookDue.compareAndSet(false, true)) {
                onTimer(() -> {
                    lookDue.set(false);
                    look();
                });
            }
        }
    }

    private void onTimer(Runnable task) {
        try {
            timer.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("The master of views is closing", e);
        }
    }

    /** On the timer's thread. */
    private void look() {
        try {
            if (!isLeader()) {
                return;
            }
            tellTrouble();
            LedgerEntry.Change change = machine.next();
            if (change != null && (proposedAt == 0 || System.nanoTime() - proposedAt > patienceNanos)) {
                propose(change);
            }
        } catch (Throwable e) { // also an error: what the timer throws ends it, and no view would ever change again
            LOG.warn("The master of views could not look at its views", e);
        }
    }

    private void tellTrouble() {
        String now = machine.trouble();
        if (now != null && !now.equals(trouble)) {
            LOG.error("No view of the replicated maps can serve: {}", now);
        }
        trouble = now;
        List<NodeId> waitsFor = machine.awaited();
        if (!waitsFor.isEmpty() && !waitsFor.equals(awaited)) {
            LOG.info(
                    "The first view of the replicated maps waits for {}: these founders do not ask. Start them, and check"
                            + " that they reach the peers of the master",
                    waitsFor);
        }
        awaited = waitsFor;
    }

    private void propose(LedgerEntry.Change change) throws IOException {
        proposedAt = Math.max(1, System.nanoTime());
        LOG.info("Proposes view {} with {}", change.expectedView() + 1, change.members());
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(self)
                .setServerId(server.getId())
                .setGroupId(group.getGroupId())
                .setCallId(calls.incrementAndGet())
                .setMessage(Message.valueOf(ViewStateMachine.bytes(change.encode())))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        var unused = server.submitClientRequestAsync(request)
                .whenComplete((reply, failure) -> onTimer(() -> proposedAt = 0));
    }

    /** Whether Ratis still works; it gives up for good if its log cannot be written, for example. */
    boolean isAlive() {
        try {
            return server.getLifeCycleState().isRunning()
                    && server.getDivision(group.getGroupId()).getInfo().isAlive();
        } catch (IOException e) {
            return false;
        }
    }

    boolean isLeader() {
        try {
            return server.getDivision(group.getGroupId()).getInfo().isLeaderReady();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * If this replica leads, lets the views get along without its node and then another replica lead, so that nobody has to miss it first.
     *
     * @param atMostNanos for each of the two
     */
    void handOver(long atMostNanos) {
        try {
            if (!isLeader()) {
                return;
            }
            machine.awaitViewWithout(NodeId.of(server.getId().toString()), atMostNanos);
            for (RaftPeerId next : followers()) {
                TransferLeadershipRequest order = new TransferLeadershipRequest(
                        self,
                        server.getId(),
                        group.getGroupId(),
                        calls.incrementAndGet(),
                        next,
                        TimeUnit.NANOSECONDS.toMillis(atMostNanos));
                if (server.transferLeadership(order).isSuccess()) {
                    return;
                }
            }
        } catch (IOException e) {
            LOG.info("The leadership of the master of views could not be handed over: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those that answered last come first. */
    private List<RaftPeerId> followers() throws IOException {
        return server
                .getDivision(group.getGroupId())
                .getInfo()
                .getRoleInfoProto()
                .getLeaderInfo()
                .getFollowerInfoList()
                .stream()
                .sorted(Comparator.comparingLong(ServerRpcProto::getLastRpcElapsedTimeMs))
                .map(each -> RaftPeerId.valueOf(each.getId().getId()))
                .toList();
    }

    ViewStateMachine machine() {
        return machine;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        closeQuietly(server);
    }

    private static void closeQuietly(@Nullable RaftServer server) {
        if (server != null) {
            try {
                server.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("The master of views could not be closed in order", e);
            }
        }
    }
}
