package io.georep.protocol;

import io.georep.model.Slice;

/** A turn as a {@link LinkingProtocol} sees it. */
public interface LinkingTurn extends Turn {
    /** The longest message over a link of a protocol's own choice, in bytes. With its head it fits into one chunk. */
    int LINK_MESSAGE_BYTES_MAX = 64 * 1024 - 64;

    /**
     * Opens a link to the process at this address, at the end of the turn. The node tries once. It then calls {@link
     * LinkingProtocol#onLinkUp} or {@link LinkingProtocol#onLinkDown}, in a later turn or after the event under way.
     * If there is such a link, or one is being opened, this only counts as a use of it.
     *
     * @param address {@code host:port}
     */
    void openLink(String address);

    /** Closes a link, or gives up opening it, at the end of the turn. No method is called for it. */
    void closeLink(String address);

    /** Returns whether there is such a link, it is up, and its queue has room for a message. */
    boolean writable(String address);

    /**
     * Sends a message over a link at the end of the turn. This counts as a use of the link. Messages over one link
     * arrive in order. The message is dropped if there is no such link, if it is not up, or if its queue is full.
     *
     * @throws IllegalArgumentException if the body is longer than {@link #LINK_MESSAGE_BYTES_MAX}
     */
    void send(String address, int type, Slice body);

    /**
     * Sends a message over a link once this turn's batch is durable, under the same conditions. Messages that do not
     * wait may overtake it.
     *
     * @throws IllegalArgumentException if the body is longer than {@link #LINK_MESSAGE_BYTES_MAX}
     */
    void sendWhenDurable(String address, int type, Slice body);

    /**
     * Returns up to when this node has heard everything, by {@link #now}: what had arrived at its machine by then was given to the
     * protocols, and what they had sent by then has left, as far as links took it. It moves on when the threads of the transport have come
     * round after {@link #goRound}. So it stays behind while they, or this node itself, have no time.
     */
    default long heardNanos() {
        return now();
    }

    /** Asks, at the end of the turn, for {@link #heardNanos} to move on to this turn; a later turn sees it. */
    default void goRound() {}

    /** Returns the turn that a linking protocol was given, which always has this type. */
    static LinkingTurn of(Turn given) {
        return (LinkingTurn) given;
    }
}
