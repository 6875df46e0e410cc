package io.georep.spring.boot.actuate.console;

import io.georep.model.Slice;
import io.georep.outbox.StoredEntry;
import io.georep.spring.boot.actuate.EndpointRefusal;
import io.georep.spring.boot.actuate.NodeOperator;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a page may order: a part of what the endpoint can do, where the endpoint may do it. Each order is logged with who gave it. */
final class ConsoleOrders {
    /** Pages of other sites cannot send it without being asked first whether they may, and nobody says that they may. */
    static final String HEADER = "X-GeoRep-Console";

    static final int BYTES_MAX = 16 * 1024;

    /** The most of a payload that a page gets. */
    static final int SHOWN_MAX = 64 * 1024;

    private static final int FORBIDDEN = 403;
    private static final int BAD_REQUEST = 400;
    private static final int MEDIA_TYPE = 415;
    private static final int CONFLICT = 409;

    private static final Map<String, Set<String>> ALLOWED = Map.of(
            "outboxes", Set.of("pause", "resume"),
            "dead-letters", Set.of("replay", "delete"),
            "undecided", Set.of("commit", "withdraw"),
            "peers", Set.of("drain", "undrain", "remove"),
            "connectors", Set.of("pause", "resume", "restart", "stop"));

    private static final List<String> ALL = List.of("*");

    /**
     * What a page sends.
     *
     * @param entries how many dead letters the operator has agreed to lose; only to delete all of them
     * @param ids which dead letters or undecided entries; null for all dead letters
     */
    record Order(
            @Nullable String part,
            @Nullable String name,
            @Nullable String action,
            @Nullable Long entries,
            @Nullable List<String> ids) {}

    /**
     * An entry as it is stored, for a person to look at.
     *
     * @param size bytes of the payload
     * @param shown the first of them
     */
    record Payload(
            String id,
            Instant enqueuedAt,
            Map<String, String> headers,
            @Nullable String producerKey,
            int size,
            byte[] shown) {
        static Payload of(StoredEntry entry) {
            Slice all = entry.payload();
            Slice shown = new Slice(all.array(), all.offset(), Math.min(all.length(), SHOWN_MAX));
            return new Payload(
                    entry.id().toString(),
                    entry.enqueuedAt(),
                    entry.headers(),
                    entry.producerKey(),
                    all.length(),
                    shown.toArray());
        }
    }

    /** What it is told. */
    record Outcome(int status, String text) {}

    private final NodeOperator operator;
    private final Timeline timeline;
    private final boolean allowed;

    ConsoleOrders(NodeOperator operator, Timeline timeline, boolean allowed) {
        this.operator = operator;
        this.timeline = timeline;
        this.allowed = allowed;
    }

    boolean allowed() {
        return allowed;
    }

    /** Returns why this request gives no orders, whatever is in it; null if it may. */
    @Nullable
    Outcome refusal(HttpServletRequest request) {
        if (!allowed) {
            return new Outcome(
                    FORBIDDEN,
                    "This page only shows. With management.endpoint.georep.access=unrestricted it also gives orders.");
        }
        String type = request.getContentType();
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
            return new Outcome(MEDIA_TYPE, "Orders are JSON.");
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (request.getHeader(HEADER) == null
                || (site != null && !site.equals("same-origin"))
                || !sameHost(request.getHeader("Origin"), request.getHeader("Host"))) {
            return new Outcome(FORBIDDEN, "Orders are taken from this page only, not from pages of other sites.");
        }
        return null;
    }

    private static boolean sameHost(@Nullable String origin, @Nullable String host) {
        if (origin == null) {
            return true; // Not a browser, or one that has said the same by other headers.
        }
        try {
            return host != null && host.equalsIgnoreCase(URI.create(origin).getRawAuthority());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Does what is ordered; what cannot be done is told. */
    Outcome obey(byte[] body, @Nullable Principal who) {
        Order order = JacksonText.order(body);
        String part = order == null ? null : order.part();
        String name = order == null ? null : order.name();
        String action = order == null ? null : order.action();
        Long entries = order == null ? null : order.entries();
        List<String> ids = order == null ? null : order.ids();
        if (part == null
                || name == null
                || action == null
                || !ALLOWED.getOrDefault(part, Set.of()).contains(action)
                || (ids != null && ids.stream().anyMatch(id -> id == null || ALL.contains(id.strip())))) {
            return new Outcome(
                    BAD_REQUEST, "This is no order that the page gives: see 'The console' in the documentation.");
        }
        String by = by(who);
        try {
            Outcome unseen = action.equals("delete") && ids == null ? unseen(name, entries) : null;
            if (unseen != null) {
                return unseen;
            }
            Map<String, Object> done = action.equals("delete")
                    ? operator.delete(part, name, ids == null ? ALL : ids, by)
                    : operator.change(part, name, action, ids == null && part.equals("dead-letters") ? ALL : ids, by);
            timeline.add("ordered", name, action + " " + part + " by " + by + ": " + done, Instant.now());
            return new Outcome(200, JacksonText.of(done));
        } catch (EndpointRefusal e) {
            return new Outcome(e.status(), String.valueOf(e.getMessage()));
        }
    }

    /** Shows the payload of one entry that is set aside. */
    Outcome show(byte[] body, @Nullable Principal who) {
        Order order = JacksonText.order(body);
        String queue = order == null ? null : order.name();
        List<String> ids = order == null ? null : order.ids();
        if (queue == null || ids == null || ids.size() != 1 || ids.get(0) == null) {
            return new Outcome(BAD_REQUEST, "Who wants to see a payload names the queue and one entry.");
        }
        String by = by(who);
        try {
            Payload payload = Payload.of(operator.setAside(queue, ids.get(0), by));
            timeline.add("ordered", queue, "show payload of " + payload.id() + " by " + by, Instant.now());
            return new Outcome(200, JacksonText.of(payload));
        } catch (EndpointRefusal e) {
            return new Outcome(e.status(), String.valueOf(e.getMessage()));
        }
    }

    private static String by(@Nullable Principal who) {
        return who == null ? "somebody at this machine" : "operator " + printable(who.getName());
    }

    /** Returns why dead letters are not deleted that came after the operator was asked about the others; null if there are none. */
    private @Nullable Outcome unseen(String queue, @Nullable Long agreed) {
        if (agreed == null) {
            return new Outcome(BAD_REQUEST, "Who deletes dead letters says how many: the order has no 'entries'.");
        }
        long there = operator.queue(queue).deadLetters();
        if (there > agreed) {
            return new Outcome(
                    CONFLICT,
                    "There are " + there + " dead letters now, not " + agreed
                            + ": look at them again. None was deleted.");
        }
        return null;
    }

    private static String printable(@Nullable String name) {
        return String.valueOf(name).replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]", "?");
    }
}
