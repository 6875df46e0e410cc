package io.georep.netty.internal.security;

import io.georep.model.NodeId;
import io.georep.netty.internal.wire.DistrustException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Protects the bytes of connections, and knows what the other side of each has proved about itself. What cannot be proved
 * reaches the handlers of the connection as a {@link DistrustException}. Safe for several threads.
 */
public interface ChannelSecurity {
    /** Bytes travel as they are, and everybody is believed. */
    ChannelSecurity PLAIN = new ChannelSecurity() {};

    /** Which end of a connection this node is. */
    enum Side {
        DIALER,
        ACCEPTOR;

        Side other() {
            return this == DIALER ? ACCEPTOR : DIALER;
        }
    }

    /**
     * Puts what protects the bytes in front of everything else. Called while the pipeline of a connection is still empty. The
     * handlers that a dialer adds see the channel active only when what they write is protected.
     */
    default void protect(ChannelPipeline pipeline, Side side) {}

    /**
     * Returns why the other side may not use this name, or null if it may.
     *
     * @param name as whom it presents itself, or should; null: whether it may have any name of this cluster
     */
    default @Nullable String objection(Channel channel, @Nullable NodeId name) {
        return null;
    }

    /** Returns whether the other side has proved no more than that it may be a member: it may not decide over other nodes. */
    default boolean limits(Channel channel) {
        return false;
    }

    /** Returns whether this node may not decide over others, as they see it. */
    default boolean limited() {
        return false;
    }

    /** Returns why a connection that was good must end, or null if it need not. */
    default @Nullable String withdrawn(Channel channel) {
        return null;
    }

    /**
     * Begins to look for changes of the files and settings that it uses.
     *
     * @param timer says when to look
     * @param aside where it may block
     * @param changed called after each change, on any thread
     */
    default void watch(EventLoop timer, Executor aside, Runnable changed) {}

    /** Looks for no more changes. */
    default void close() {}
}
