package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.flagons.FleetStatistics;
import io.georep.funnel.MapsStatistics;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.View;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.model.NodeId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.Delivery;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.QueueStatistics;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the endpoint answers, in types that stay the same when the core's change. */
public final class EndpointReport {
    private EndpointReport() {}

    /** Everything. */
    public record Overview(
            Node node,
            List<Peer> peers,
            Map<String, Queue> outboxes,
            List<AdoptionLog.Adopted> adoptions,
            List<Takeover> takeovers) {}

    /** The node itself. */
    public record Node(
            String id,
            String site,
            long incarnation,
            String address,
            String state,
            @Nullable String failure) {
        static Node of(GeoRepNode node) {
            Throwable failure = node.failure();
            return new Node(
                    node.identity().id().value(),
                    node.identity().site(),
                    node.identity().incarnation(),
                    node.identity().address(),
                    node.state().name(),
                    failure == null ? null : failure.toString());
        }
    }

    /**
     * This node's part in the replicated maps.
     *
     * @param reason why it does not serve; null if it does
     */
    record Maps(
            String role,
            @Nullable String reason,
            @Nullable Long view,
            List<String> members,
            @Nullable String tail,
            Duration leaseLeft,
            long keys,
            long bytes,
            long dirtyKeys,
            long uncommitted,
            long applied) {
        static Maps of(ReplicatedMaps maps) {
            MapsStatus status = maps.status();
            View view = status.view();
            Duration lease = maps.leaseLeft();
            boolean serves = status.role() == MapsStatus.Role.SERVING && !lease.isZero();
            MapsStatistics statistics = NodeAnswers.of(maps.readStatistics());
            return new Maps(
                    status.role().name(),
                    serves ? null : reason(status.role()),
                    view == null ? null : view.number(),
                    view == null ? List.of() : names(view),
                    view == null ? null : view.tail().value(),
                    lease,
                    statistics.keys(),
                    statistics.bytes(),
                    statistics.dirtyKeys(),
                    statistics.uncommitted(),
                    statistics.applied());
        }

        static List<String> names(View view) {
            return view.members().stream().map(NodeId::value).toList();
        }

        /** Returns why a node with this role does not serve. */
        static String reason(MapsStatus.Role role) {
            return switch (role) {
                case OUTSIDE -> "the node is no member of the replicated maps: reads and writes are refused here";
                case LEARNING -> "the node is getting the contents: reads and writes are refused here";
                case FLUSHING -> "the members have just changed and compare what they hold: writes wait";
                case SERVING ->
                    "the master of views does not answer, and the lease has ended: reads and writes are refused here";
            };
        }
    }

    /**
     * What this node knows of its ordered maps.
     *
     * @param reason why it does not serve; null if it does
     */
    record OrderedMapsReport(
            @Nullable String reason,
            long unanswered,
            long unexecuted,
            long keys,
            long bytes,
            long kept,
            List<OrderedGroup> groups) {
        /** So many operations are made up for in a moment. */
        private static final long BEHIND_MAX = 1_000;

        static OrderedMapsReport of(OrderedMapsStatistics read) {
            return new OrderedMapsReport(
                    reason(read),
                    read.unanswered(),
                    read.unexecuted(),
                    read.keys(),
                    read.bytes(),
                    read.kept(),
                    read.groups().stream().map(OrderedGroup::of).toList());
        }

        static @Nullable String reason(OrderedMapsStatistics read) {
            if (read.leftBehind()) {
                return "a group has gone on without operations that this node has executed, by an operator's order: it answers"
                        + " nothing until it is started with an empty directory";
            }
            for (OrderedMapsStatistics.Group each : read.groups()) {
                if (each.leader() == null) {
                    return "no leader of group " + each.number()
                            + " is in reach, or too few of its voters: reads fail, and writes are indeterminate. Voters: "
                            + each.voters();
                }
                if (each.behind() > BEHIND_MAX) {
                    return "this node lacks " + each.behind() + " operations of group " + each.number()
                            + ", and is catching up: reads and writes here wait for that";
                }
            }
            return read.kept() < read.keptMax()
                    ? null
                    : read.kept() + " bytes of logs and results wait to be forgotten, at most " + read.keptMax()
                            + " may: new writes are refused";
        }
    }

    /**
     * What this node knows of its fleet.
     *
     * @param reason why it does not answer for its keys, or, as a client, why it has nobody to ask; null if all is well
     */
    record FleetReport(@Nullable String reason, FleetStatistics statistics) {
        static FleetReport of(FleetStatistics read) {
            return new FleetReport(reason(read), read);
        }

        private static @Nullable String reason(FleetStatistics read) {
            if (read.client()) {
                return read.known() > 0
                        ? null
                        : "none of the nodes of the fleet that this client may ask can be reached: look at the network, at secret or"
                                + " certificate, and whether the nodes run";
            }
            if (read.clockOff()) {
                return "the clock of this node differs from those of the nodes that it hears: it takes no operations and answers"
                        + " nobody until the clock is set right, for example by NTP";
            }
            if (read.cutOff()) {
                return "this node has lost sight of most of the fleet, and may be on the small side of a split, or it misses"
                        + " too much, for lack of processor time or a good network: requests are unsure here. It knows "
                        + read.known() + " nodes, and of a million operations it missed "
                        + Math.round(read.holeRate() * 1e6);
            }
            if (read.complete()) {
                return null;
            }
            return read.known() + read.members() == 0
                    ? "this node has met no node of its fleet yet: neither seeds nor those that it knew before answer"
                    : "this node does not have all operations on the keys of its group yet, so others answer for them: it has"
                            + " joined, or its group has changed. It knows " + read.known()
                            + " nodes";
        }
    }

    /** A group of the ordered maps. */
    record OrderedGroup(
            int number,
            List<String> voters,
            boolean changing,
            @Nullable String leader,
            boolean leads,
            long decided,
            long behind) {
        static OrderedGroup of(OrderedMapsStatistics.Group group) {
            NodeId leader = group.leader();
            return new OrderedGroup(
                    group.number(),
                    group.voters().stream().map(NodeId::value).toList(),
                    group.changing(),
                    leader == null ? null : leader.value(),
                    group.leads(),
                    group.decided(),
                    group.behind());
        }
    }

    /** Another node. */
    public record Peer(
            String id,
            String site,
            String state,
            Duration since,
            long incarnation,
            @Nullable Duration rtt,
            @Nullable Duration rttMin,
            boolean linked,
            boolean selectable,
            boolean drained,
            boolean foreign,
            @Nullable Duration clockAhead,
            boolean clockOff) {
        static List<Peer> all(GeoRepNode node) {
            return node.peers().stream().map(Peer::of).toList();
        }

        private static Peer of(PeerStatus peer) {
            return new Peer(
                    peer.id().value(),
                    peer.site(),
                    peer.state().name(),
                    peer.since(),
                    peer.incarnation(),
                    peer.rtt(),
                    peer.rttMin(),
                    peer.linked(),
                    peer.selectable(),
                    peer.drained(),
                    peer.foreign(),
                    peer.clockAhead(),
                    peer.clockOff());
        }
    }

    /** One queue; its listener is null when the application has none. */
    public record Queue(
            int f,
            long backlog,
            long deadLetters,
            long undecided,
            @Nullable Listener listener,
            @Nullable QueueStatistics statistics) {
        static Map<String, Queue> all(OutboxActivity all, Outboxes outboxes, OutboxListeners listeners) {
            Map<String, Listener> byQueue = new HashMap<>();
            for (OutboxListeners.Container each : listeners.all()) {
                byQueue.putIfAbsent(each.queue(), new Listener(each.id(), each.running(), each.paused()));
            }
            Set<String> names = new TreeSet<>(outboxes.names());
            names.removeIf(name -> outboxes.opened(name) == null);
            names.addAll(all.unopened());
            Map<String, Queue> queues = new TreeMap<>();
            for (String name : names) {
                queues.put(
                        name,
                        new Queue(
                                outboxes.f(name),
                                all.backlog(name),
                                all.deadLetters(name),
                                all.undecided(name),
                                byQueue.get(name),
                                all.queues().get(name)));
            }
            return queues;
        }
    }

    /** Entries of a queue whose holder changed, and how many of them are not over yet. */
    public record Takeover(
            String queue, String from, String to, long entries, long left, Duration age, Duration lasted) {
        /** Returns those that a node knows, the last one last. */
        public static List<Takeover> all(OutboxActivity activity) {
            return activity.protocol().takeovers().stream()
                    .map(each -> new Takeover(
                            each.queue(),
                            each.from().value(),
                            each.to().value(),
                            each.entries(),
                            each.left(),
                            each.age(),
                            each.lasted()))
                    .toList();
        }
    }

    /** The listener of a queue. */
    public record Listener(String id, boolean running, boolean paused) {}

    /** An entry whose transaction has not ended. */
    record Undecided(
            String id,
            Instant preparedAt,
            boolean adopted,
            @Nullable String producerKey) {
        static Undecided of(Delivery<?> entry) {
            return new Undecided(entry.id().toString(), entry.enqueuedAt(), entry.adopted(), entry.producerKey());
        }
    }

    /** A page of dead letters; payloads stay out, because they may be secret. */
    record LetterPage(List<Letter> letters, boolean more) {}

    /**
     * A dead letter.
     *
     * @param reason kind of the error; its message may quote the payload, and is for the log and the API
     */
    record Letter(String id, int attempts, String reason, Instant at) {
        /** A connector's reason: the stage with its class, then the error's class, then perhaps its message. */
        private static final Pattern OF_CONNECTOR = Pattern.compile(
                "[\\w.]+\\.RecordDeadLetterException: (\\w+ failed in [^:\\s]+: [^:;\\s]+).*", Pattern.DOTALL);

        static Letter of(DeadLetter<?> letter) {
            return new Letter(letter.id().toString(), letter.attempts(), kind(letter.reason()), letter.at());
        }

        private static String kind(String reason) {
            Matcher connector = OF_CONNECTOR.matcher(reason);
            if (connector.matches()) {
                return connector.group(1);
            }
            int message = reason.indexOf(": ");
            return message < 0 ? reason : reason.substring(0, message);
        }
    }
}
