package io.georep.model;

/**
 * Who a node is. It is fixed for one boot of the node.
 *
 * @param id name of the node
 * @param incarnation a number, at least 1, that the node raises durably at every boot. It is not the boot number in entry ids;
 *     see {@link StreamId}
 * @param generation random number that was drawn when the data directory was created
 * @param nonce random number that is drawn at boot. It distinguishes two processes with the same id
 * @param address {@code host:port} at which other nodes reach this one
 * @param site the place that fails as a whole: a data centre or a region
 * @param channels the protocols that the node hosts, and their versions
 * @param limited whether the certificate of the node lets it be a member and no more: it may not decide over other nodes
 */
public record NodeIdentity(
        NodeId id,
        long incarnation,
        long generation,
        long nonce,
        String address,
        String site,
        Channels channels,
        boolean limited) {
    /** Creates the identity of a node that is not limited. */
    public NodeIdentity(
            NodeId id, long incarnation, long generation, long nonce, String address, String site, Channels channels) {
        this(id, incarnation, generation, nonce, address, site, channels, false);
    }

    /** Creates the identity of a node that hosts nothing. */
    public NodeIdentity(NodeId id, long incarnation, long generation, long nonce, String address, String site) {
        this(id, incarnation, generation, nonce, address, site, Channels.NONE);
    }

    /** Returns this identity with another address. */
    public NodeIdentity withAddress(String other) {
        return new NodeIdentity(id, incarnation, generation, nonce, other, site, channels, limited);
    }

    /** Returns this identity with another incarnation. */
    public NodeIdentity withIncarnation(long other) {
        return new NodeIdentity(id, other, generation, nonce, address, site, channels, limited);
    }

    /** Returns this identity with other channels. */
    public NodeIdentity withChannels(Channels other) {
        return new NodeIdentity(id, incarnation, generation, nonce, address, site, other, limited);
    }

    /** Returns this identity, limited or not. */
    public NodeIdentity withLimited(boolean other) {
        return other == limited
                ? this
                : new NodeIdentity(id, incarnation, generation, nonce, address, site, channels, other);
    }
}
