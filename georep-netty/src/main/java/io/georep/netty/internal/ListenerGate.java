package io.georep.netty.internal;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stands before the listener: nothing passes once it is shut, and what the listener throws does not hurt the links. */
final class ListenerGate implements Transport.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerGate.class);

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
        try {
            call.run();
        } catch (RuntimeException e) {
            LOG.error("the transport's listener threw, which it must not; the event is lost", e);
        }
    }

    @Override
    public void linkUp(NodeIdentity peer) {
        pass(() -> listener.linkUp(peer));
    }

    @Override
    public void linkDown(NodeId peer, String reason) {
        pass(() -> listener.linkDown(peer, reason));
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame) {
        pass(() -> listener.frame(from, frame));
    }

    @Override
    public void lifeSign(NodeIdentity from) {
        pass(() -> listener.lifeSign(from));
    }

    @Override
    public void writable(NodeId peer, boolean writable) {
        pass(() -> listener.writable(peer, writable));
    }

    @Override
    public void refused(String address, String reason) {
        pass(() -> listener.refused(address, reason));
    }
}
