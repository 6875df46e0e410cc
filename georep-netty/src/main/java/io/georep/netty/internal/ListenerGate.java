package io.georep.netty.internal;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;

/**
 * Stands before the listener and lets nothing pass once it is shut. The caller deals with what the listener throws.
 */
final class ListenerGate implements Transport.Listener {
    private final Transport.Listener listener;
    private volatile boolean shut;

    ListenerGate(Transport.Listener listener) {
        this.listener = listener;
    }

    void shut() {
        shut = true;
    }

    private void pass(Runnable call) {
        if (shut) {
            return;
        }
        call.run();
    }

    @Override
    public void linkUp(NodeIdentity peer) {
        pass(() -> listener.linkUp(peer));
    }

    @Override
    public void seedReached(String seed) {
        pass(() -> listener.seedReached(seed));
    }

    @Override
    public void linkDown(NodeId peer, String reason) {
        pass(() -> listener.linkDown(peer, reason));
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame, boolean urgent) {
        pass(() -> listener.frame(from, frame, urgent));
    }

    @Override
    public void lifeSign(NodeIdentity from) {
        pass(() -> listener.lifeSign(from));
    }

    @Override
    public void writable(NodeId peer, int lane, boolean writable) {
        pass(() -> listener.writable(peer, lane, writable));
    }

    @Override
    public void refused(String address, String reason) {
        pass(() -> listener.refused(address, reason));
    }

    @Override
    public void linkOpened(long link, NodeIdentity process) {
        pass(() -> listener.linkOpened(link, process));
    }

    @Override
    public void linkEnded(long link, String reason) {
        pass(() -> listener.linkEnded(link, reason));
    }

    @Override
    public void linkWritable(long link, boolean writable) {
        pass(() -> listener.linkWritable(link, writable));
    }

    @Override
    public void cameRound(long stamp) {
        pass(() -> listener.cameRound(stamp));
    }

    @Override
    public void strangerFrame(NodeIdentity from, int channel, byte[] frame) {
        pass(() -> listener.strangerFrame(from, channel, frame));
    }
}
