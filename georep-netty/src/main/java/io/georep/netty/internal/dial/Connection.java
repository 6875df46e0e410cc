package io.georep.netty.internal.dial;

import io.georep.model.NodeIdentity;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An outgoing connection whose handshake is done. */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class Connection {
    private final Channel channel;
    private final ChunkWriter writer;
    private final NodeIdentity peer;
    private final AtomicReference<@Nullable String> closeReason = new AtomicReference<>();

    /** Who dials again when this ends; changes when a target takes over a seed's connection. Control loop only. */
    private Dialer owner;

    Connection(Channel channel, ChunkWriter writer, NodeIdentity peer, Dialer owner) {
        this.channel = channel;
        this.writer = writer;
        this.peer = peer;
        this.owner = owner;
    }

    ChunkWriter writer() {
        return writer;
    }

    NodeIdentity peer() {
        return peer;
    }

    Dialer owner() {
        return owner;
    }

    void owner(Dialer newOwner) {
        owner = newOwner;
    }

    /** Returns where its other end is; null when the channel is closed already, or has no such address. */
    @Nullable
    InetSocketAddress remoteAddress() {
        return channel.remoteAddress() instanceof InetSocketAddress address ? address : null;
    }

    Channel channel() {
        return channel;
    }

    ChannelFuture whenClosed() {
        return channel.closeFuture();
    }

    /** Calls back on its event loop when its queue passes a mark. */
    void onMarks(ChunkWriter.Marks marks) {
        channel.eventLoop().execute(() -> writer.marks(marks));
    }

    /** Closes it; the first reason given is the one that is told. */
    void close(String reason) {
        closeReason.compareAndSet(null, reason);
        channel.close();
    }

    /** Closes it when everything queued is sent. */
    void finish(String reason) {
        closeReason.compareAndSet(null, reason);
        channel.eventLoop().execute(writer::finish);
    }

    String closeReason() {
        String reason = closeReason.get();
        return reason == null ? "the peer closed the connection or the network broke it" : reason;
    }
}
