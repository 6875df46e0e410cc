package io.georep.simulation;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.OutboxWords;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.StoreBatch;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What the outboxes of a cluster were told in each turn, and what they did about it, as text. Stands between a protocol and
 * its node; a run that nobody writes down knows nothing of it.
 */
final class Transcript {
    private static final Set<String> INPUTS = Set.of(
            "boot",
            "onMessage",
            "onPeerChanged",
            "onPeerReachable",
            "onStaleStore",
            "onCommand",
            "onTimer",
            "endOfTurn");

    private final LongSupplier worldNanos;
    private final int turnsMax;
    private final ArrayDeque<String> turns = new ArrayDeque<>();
    private final Map<NodeId, Page> open = new TreeMap<>();
    private final Map<String, List<Long>> boots = new TreeMap<>();
    private final Map<StreamId, String> names = new TreeMap<>();
    private final OutboxWords words = new OutboxWords(this::name);
    private long startNanos;

    /** The turn of a node. */
    private final class Page {
        final NodeId node;
        final List<String> inputs = new ArrayList<>();
        final List<String> effects = new ArrayList<>();
        boolean writes;

        Page(NodeId node) {
            this.node = node;
        }

        boolean isWorthTelling() {
            return !effects.isEmpty() || inputs.stream().anyMatch(input -> !input.equals("timer"));
        }

        String text() {
            StringBuilder text =
                    new StringBuilder("%s, %d ms%n".formatted(node, (worldNanos.getAsLong() - startNanos) / 1_000_000));
            inputs.forEach(input -> text.append("    ").append(input).append('\n'));
            effects.forEach(effect -> text.append("        ").append(effect).append('\n'));
            return text.toString().replace(System.lineSeparator(), "\n");
        }
    }

    /**
     * Writes nothing yet.
     *
     * @param turnsMax how many turns are kept, the last ones
     */
    Transcript(LongSupplier worldNanos, int turnsMax) {
        this.worldNanos = worldNanos;
        this.turnsMax = turnsMax;
    }

    /** Forgets what was written; time counts from now on. */
    void begin() {
        turns.clear();
        startNanos = worldNanos.getAsLong();
    }

    /** Writes what happens to the cluster between two turns: a line that begins with {@code #}. */
    void note(String what) {
        turns.add("# %d ms: %s\n".formatted((worldNanos.getAsLong() - startNanos) / 1_000_000, what));
    }

    /** What was written: one paragraph for each turn. */
    String text() {
        return String.join("\n", turns);
    }

    /** The last turns about the streams a message names, of all when it names none. */
    String lastAbout(String message, int turnsTold) {
        List<String> named = names.entrySet().stream()
                .filter(stream -> message.contains(stream.getKey().toString()))
                .map(stream -> stream.getValue() + " ")
                .toList();
        List<String> about = turns.stream()
                .filter(turn -> named.isEmpty() || named.stream().anyMatch(turn::contains))
                .toList();
        return String.join("\n", about.subList(Math.max(0, about.size() - turnsTold), about.size()));
    }

    /** A node, the number of its queue, and a stroke for each boot before. */
    private String name(StreamId stream) {
        return names.computeIfAbsent(stream, none -> {
            List<Long> known = boots.computeIfAbsent(stream.origin().value(), boot -> new ArrayList<>());
            if (!known.contains(stream.boot())) {
                known.add(stream.boot());
            }
            return stream.origin() + "/" + stream.lane() + "'".repeat(known.indexOf(stream.boot()));
        });
    }

    /** The same protocol, written down from now on. */
    HostedProtocol<?> of(NodeId node, HostedProtocol<?> protocol) {
        return protocol.channel() == OutboxProtocol.CHANNEL
                ? proxy(HostedProtocol.class, (self, method, arguments) -> protocol(node, protocol, method, arguments))
                : protocol;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Object protocol(NodeId node, HostedProtocol<?> protocol, Method method, Object[] arguments)
            throws Throwable {
        if (!INPUTS.contains(method.getName())) {
            return call(protocol, method, arguments);
        }
        Page page = open.computeIfAbsent(node, Page::new);
        int last = arguments.length - 1;
        Turn turn = (Turn) arguments[last];
        arguments[last] = recording(page, turn);
        if (!method.getName().equals("endOfTurn")) {
            page.inputs.add(input(method.getName(), arguments));
        }
        boolean ends = method.getName().equals("endOfTurn") || method.getName().equals("boot");
        try {
            return call(protocol, method, arguments);
        } finally {
            if (ends) {
                end(page, turn);
            }
        }
    }

    private void end(Page page, Turn turn) {
        open.remove(page.node);
        if (page.writes) {
            StoreBatch batch = turn.store();
            batch.ops().stream()
                    .filter(op -> op.key()[0] == OutboxProtocol.CHANNEL)
                    .forEach(op -> page.effects.add("store: " + words.change(op)));
        }
        if (page.isWorthTelling()) {
            turns.add(page.text());
            if (turns.size() > turnsMax) {
                turns.remove();
            }
        }
    }

    private String input(String method, Object[] arguments) {
        return switch (method) {
            case "onMessage" -> {
                BinReader body = (BinReader) arguments[2];
                Slice bytes = body.raw(body.remaining());
                arguments[2] = new BinReader(bytes);
                yield ((Peer) arguments[0]).id() + " says " + words.message((int) arguments[1], bytes);
            }
            case "onPeerChanged" -> changed((Peer) arguments[0], (PeerState) arguments[1]);
            case "onPeerReachable" -> ((Peer) arguments[0]).id() + " can be reached";
            case "onStaleStore" -> "peers know a later life of this node than its store does";
            case "onCommand" -> words.of(arguments[0]);
            case "onTimer" -> "timer";
            default -> method;
        };
    }

    private static String changed(Peer peer, PeerState before) {
        String marks = (peer.drained() ? ", drained" : "") + (peer.removed() ? ", removed" : "");
        return peer.id() + " is " + peer.state() + " after " + before + marks;
    }

    private Turn recording(Page page, Turn turn) {
        return proxy(Turn.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "store" -> page.writes = true;
                case "send" -> page.effects.add(sent(arguments));
                case "sendWhenDurable" -> page.effects.add("when durable, " + sent(arguments));
                case "sendWhenWritten" -> page.effects.add("when written, " + sent(arguments));
                case "notify" -> told(page, "", arguments[0]);
                case "notifyWhenDurable" -> told(page, "when durable, ", arguments[0]);
                case "whenDurable" -> arguments[0] = later(page, "durable", arguments[0]);
                case "whenWritten" -> arguments[0] = later(page, "written", arguments[0]);
                case "read" -> {
                    page.effects.add("read");
                    Turn.Scanned answer = (Turn.Scanned) arguments[arguments.length - 1];
                    arguments[arguments.length - 1] = (Turn.Scanned) (pairs, more, next) ->
                            goOn(page.node, "read " + pairs.size(), next, told -> answer.run(pairs, more, told));
                }
                default -> {}
            }
            return call(turn, method, arguments);
        });
    }

    private Turn.Later later(Page page, String when, Object action) {
        page.effects.add("when " + when + ", go on");
        Turn.Later later = (Turn.Later) action;
        return next -> goOn(page.node, when, next, later::run);
    }

    private void goOn(NodeId node, String why, Turn turn, Turn.Later later) {
        Page page = open.computeIfAbsent(node, Page::new);
        page.inputs.add(why);
        later.run(recording(page, turn));
    }

    private String sent(Object[] arguments) {
        return "to " + ((Peer) arguments[0]).id() + ": " + words.message((int) arguments[1], (Slice) arguments[2]);
    }

    private void told(Page page, String when, Object event) {
        if (!(event instanceof OutboxEvent.Statistics)) {
            page.effects.add(when + "tell: " + words.of(event));
        }
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
