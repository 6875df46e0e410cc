package io.georep.simulation;

import io.georep.model.NodeIdentity;
import java.util.function.Consumer;

/**
 * A link of a protocol's own choice. What is sent arrives in order as long as the way is open; the first message that finds
 * it closed, or the other process gone, breaks the link, as the network's settings say sooner or later.
 */
final class ChosenLink {
    private static final int GREETING_BYTES = 64;

    private final SimulatedNetwork network;
    private final SimulatedTransport from;
    private final int channel;
    private final Way way;
    private final Way back;
    private final String to;
    private SimulatedTransport acceptor;
    private Consumer<String> onEnd;
    private long lastArrival;
    private boolean broken;

    ChosenLink(SimulatedNetwork network, SimulatedTransport from, int channel, String to) {
        this.network = network;
        this.from = from;
        this.channel = channel;
        this.to = to;
        way = network.way(from.address(), to);
        back = network.way(to, from.address());
    }

    /** One attempt, which ends in one of the two. */
    void dial(Consumer<NodeIdentity> opened, Consumer<String> ended) {
        onEnd = ended;
        network.world().after(way.drawDelay(GREETING_BYTES), () -> greet(opened));
    }

    private void greet(Consumer<NodeIdentity> opened) {
        SimulatedTransport other = network.listening(to);
        if (!way.isOpen() || !back.isOpen() || other == null) {
            breakSoon("no answer");
            return;
        }
        String refusal = other.refusalOf(from.self());
        network.world().after(back.drawDelay(GREETING_BYTES), () -> {
            if (refusal == null) {
                acceptor = other;
                opened.accept(other.self());
            } else {
                onEnd.accept(refusal);
            }
        });
    }

    void send(byte[] frame) {
        if (acceptor != null && !broken) {
            from.threads.run(() -> leave(frame));
        }
    }

    private void leave(byte[] frame) {
        lastArrival = Math.max(lastArrival, network.world().now() + way.drawDelay(frame.length));
        network.world().at(lastArrival, () -> arrive(frame));
    }

    private void arrive(byte[] frame) {
        if (broken) {
            return;
        }
        if (!way.isOpen() || network.listening(to) != acceptor) {
            broken = true;
            breakSoon("broken");
            return;
        }
        network.world().trace().note(network.world().now(), "stranger", way, null, frame.length + " bytes", channel);
        acceptor.listener().strangerFrame(from.self(), channel, frame);
    }

    private void breakSoon(String reason) {
        long delay = 1 + network.random().nextLong(network.settings().noticeMaxNanos());
        network.world().after(delay, () -> onEnd.accept(reason));
    }
}
