package io.georep.netty.internal.accept;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;

/** Tells the frames of a link that a protocol of another process chose, apart from those of peers. */
final class StrangersFrames implements Transport.Listener {
    private final Transport.Listener listener;
    private final int channel;

    StrangersFrames(Transport.Listener listener, int channel) {
        this.listener = listener;
        this.channel = channel;
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame, boolean urgent) {
        listener.strangerFrame(from, channel, frame);
    }

    /** Does nothing: this is no life sign of a peer. */
    @Override
    public void lifeSign(NodeIdentity from) {}

    @Override
    public void linkUp(NodeIdentity peer) {}

    @Override
    public void linkDown(NodeId peer, String reason) {}

    @Override
    public void writable(NodeId peer, int lane, boolean writable) {}

    @Override
    public void refused(String address, String reason) {}
}
