package io.georep.spring.boot.actuate;

import io.georep.DeadLetters;
import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.Outbox;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The node for operators. Read-only unless {@code management.endpoint.georep.access=unrestricted}, because its writes
 * stop deliveries and delete entries.
 *
 * <ul>
 *   <li>read {@code /}: everything at a glance; {@code /peers}, {@code /outboxes}, {@code /adoptions}: a part of it;
 *       {@code /dead-letters/<queue>}: a page of dead letters;
 *       {@code /undecided/<queue>}: a page of entries whose transactions have not ended
 *   <li>write {@code /outboxes/<queue>} with action pause or resume; {@code /peers/<node>} with drain, undrain or remove;
 *       {@code /dead-letters/<queue>} with replay, of all or the given ids;
 *       {@code /undecided/<queue>} with commit or withdraw
 *   <li>delete {@code /dead-letters/<queue>}, all or the given ids
 * </ul>
 */
@Endpoint(id = "georep", defaultAccess = Access.READ_ONLY)
final class GeoRepEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(GeoRepEndpoint.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final int PAGE = 100;

    private final GeoRepNode node;
    private final Outboxes outboxes;
    private final OutboxListeners listeners;
    private final AdoptionLog adoptions;

    GeoRepEndpoint(GeoRepNode node, Outboxes outboxes, OutboxListeners listeners, AdoptionLog adoptions) {
        this.node = node;
        this.outboxes = outboxes;
        this.listeners = listeners;
        this.adoptions = adoptions;
    }

    /** Everything at a glance. */
    @ReadOperation
    EndpointReport.Overview georep() {
        boolean running = node.state() == NodeState.RUNNING;
        return new EndpointReport.Overview(
                EndpointReport.Node.of(node),
                running ? EndpointReport.Peer.all(node) : List.of(),
                running ? EndpointReport.Queue.all(node, outboxes, listeners) : Map.of(),
                adoptions.all());
    }

    /** One part of it; null, which is "not found", for any other word. */
    @ReadOperation
    @Nullable
    Object part(@Selector String part) {
        return switch (part) {
            case "node" -> EndpointReport.Node.of(node);
            case "peers" -> EndpointReport.Peer.all(node);
            case "outboxes" -> EndpointReport.Queue.all(node, outboxes, listeners);
            case "adoptions" -> adoptions.all();
            default -> null;
        };
    }

    /** A page of dead letters, or one outbox. */
    @ReadOperation
    @Nullable
    Object item(@Selector String part, @Selector String name, @Nullable String after, @Nullable Integer max) {
        if (part.equals("outboxes")) {
            return EndpointReport.Queue.all(node, outboxes, listeners).get(name);
        }
        Outbox<?> outbox = part.equals("dead-letters") || part.equals("undecided") ? outboxes.opened(name) : null;
        if (outbox == null) {
            return null;
        }
        int size = max == null ? PAGE : Math.max(1, Math.min(max, DeadLetters.PAGE_MAX));
        return part.equals("undecided") ? undecided(outbox, after, size) : page(outbox, after, size);
    }

    private static <T> List<EndpointReport.Undecided> undecided(Outbox<T> outbox, @Nullable String after, int size) {
        EntryId from = after == null ? null : id(after);
        return answer(outbox.undecided(from, size)).stream()
                .map(EndpointReport.Undecided::of)
                .toList();
    }

    private static <T> EndpointReport.LetterPage page(Outbox<T> outbox, @Nullable String after, int size) {
        EntryId from = after == null ? null : id(after);
        return EndpointReport.LetterPage.of(answer(outbox.deadLetters().list(from, size)));
    }

    /** Changes something; answers what was done, null when there is no such thing. */
    @WriteOperation
    @Nullable
    Map<String, Object> change(
            @Selector String part, @Selector String name, String action, @Nullable List<String> ids) {
        Map<String, Object> done = switch (part) {
            case "outboxes" -> changeOutbox(name, action);
            case "peers" -> changePeer(NodeId.of(name), action);
            case "dead-letters" -> changeLetters(name, action, ids);
            case "undecided" -> decide(name, action, ids);
            default -> null;
        };
        if (done != null) {
            LOG.info("Operator: {} of {} {}: {}", action, part, name, done);
        }
        return done;
    }

    private @Nullable Map<String, Object> changeOutbox(String name, String action) {
        Outbox<?> outbox = outboxes.opened(name);
        if (outbox == null) {
            return null;
        }
        switch (action) {
            case "pause" -> outbox.pause();
            case "resume" -> outbox.resume();
            default -> throw unknown(action, "pause or resume");
        }
        return Map.of("queue", name, "done", action);
    }

    private Map<String, Object> changePeer(NodeId peer, String action) {
        switch (action) {
            case "drain" -> node.drain(peer);
            case "undrain" -> node.undrain(peer);
            case "remove" -> node.remove(peer);
            default -> throw unknown(action, "drain, undrain or remove");
        }
        return Map.of("node", peer.value(), "done", action);
    }

    private @Nullable Map<String, Object> changeLetters(String name, String action, @Nullable List<String> ids) {
        Outbox<?> outbox = outboxes.opened(name);
        if (outbox == null) {
            return null;
        }
        if (!action.equals("replay")) {
            throw unknown(action, "replay; to remove dead letters use the delete operation");
        }
        DeadLetters<?> letters = outbox.deadLetters();
        long count = answer(ids == null || ids.isEmpty() ? letters.replayAll() : letters.replay(ids(ids)));
        return Map.of("queue", name, "replayed", count);
    }

    private @Nullable Map<String, Object> decide(String name, String action, @Nullable List<String> ids) {
        Outbox<?> outbox = outboxes.opened(name);
        if (outbox == null) {
            return null;
        }
        if (!action.equals("commit") && !action.equals("withdraw")) {
            throw unknown(action, "commit or withdraw");
        }
        if (ids == null || ids.isEmpty()) {
            String reason = "name the ids to decide on: undecided entries may belong to different transactions";
            throw new InvalidEndpointRequestException(reason, reason);
        }
        outbox.decide(ids(ids), action.equals("commit"));
        return Map.of("queue", name, "done", action);
    }

    /** Removes dead letters on all owners; answers how many, null when there is no such queue. */
    @DeleteOperation
    @Nullable
    Map<String, Object> delete(@Selector String part, @Selector String name, @Nullable List<String> ids) {
        Outbox<?> outbox = part.equals("dead-letters") ? outboxes.opened(name) : null;
        if (outbox == null) {
            return null;
        }
        DeadLetters<?> letters = outbox.deadLetters();
        long count = answer(ids == null || ids.isEmpty() ? letters.deleteAll() : letters.delete(ids(ids)));
        Map<String, Object> done = new TreeMap<>(Map.of("queue", name, "deleted", count));
        LOG.info("Operator: delete of dead letters: {}", done);
        return done;
    }

    private static List<EntryId> ids(List<String> texts) {
        return texts.stream().map(GeoRepEndpoint::id).toList();
    }

    private static EntryId id(String text) {
        try {
            return EntryId.parse(text);
        } catch (RuntimeException e) {
            throw new InvalidEndpointRequestException(
                    "'" + text + "' is not an entry id", "entry ids look like ams-1:3:0:42");
        }
    }

    private static InvalidEndpointRequestException unknown(String action, String allowed) {
        String reason = "action '" + action.toLowerCase(Locale.ROOT) + "' is not known, allowed is " + allowed;
        return new InvalidEndpointRequestException(reason, reason);
    }

    private static <V> V answer(CompletionStage<V> stage) {
        try {
            return stage.toCompletableFuture().get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the node", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the node refused: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("the node did not answer within " + ANSWER_WITHIN, e);
        }
    }
}
