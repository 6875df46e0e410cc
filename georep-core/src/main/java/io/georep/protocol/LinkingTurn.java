package io.georep.protocol;

import io.georep.model.Slice;

/** A turn as a {@link LinkingProtocol} sees it. */
public interface LinkingTurn extends Turn {
    /** Longest message over a link of a protocol's own choice, in bytes: with its head it fits into one chunk. */
    int LINK_MESSAGE_BYTES_MAX = 64 * 1024 - 64;

    /**
     * Opens a link to whoever answers at this address, at the end of the turn, and counts as its use. It is tried once:
     * {@link LinkingProtocol#onLinkUp} or {@link LinkingProtocol#onLinkDown} is called in a later turn, or after the event
     * under way. Nothing happens when there is such a link, or one is being opened.
     *
     * @param address {@code host:port}
     */
    void openLink(String address);

    /** Closes a link, or gives up opening it, at the end of the turn, without a call back. */
    void closeLink(String address);

    /** Whether there is such a link, it is up, and its queue has room: what is sent now is not dropped for want of that. */
    boolean writable(String address);

    /**
     * Sends a message over a link at the end of the turn, and counts as its use. Messages over one link arrive in order; when
     * there is no such link, it is not up, or its queue is full, the message is dropped.
     *
     * @throws IllegalArgumentException when the body is longer than {@link #LINK_MESSAGE_BYTES_MAX}
     */
    void send(String address, int type, Slice body);

    /**
     * Sends a message over a link once this turn's batch is durable, under the same conditions. Messages that do not wait may
     * overtake it.
     *
     * @throws IllegalArgumentException when the body is longer than {@link #LINK_MESSAGE_BYTES_MAX}
     */
    void sendWhenDurable(String address, int type, Slice body);

    /** The turn a linking protocol was given, which is always of this type. */
    static LinkingTurn of(Turn given) {
        return (LinkingTurn) given;
    }
}
