package io.georep.model;

/**
 * Who is at the other end of a link: fixed for one boot of a node.
 *
 * @param id the node's name
 * @param incarnation raised durably at every boot, at least 1; not the number in entry ids, see {@link StreamId}
 * @param generation random number drawn when the data directory was created
 * @param nonce random number drawn at boot; tells two processes with the same id apart
 * @param address {@code host:port} on which the node accepts links
 * @param site what fails together with this node: data centre or region
 * @param channels what it hosts, and in which versions
 */
public record NodeIdentity(
        NodeId id, long incarnation, long generation, long nonce, String address, String site, Channels channels) {
    /** A node that announces no channels. */
    public NodeIdentity(NodeId id, long incarnation, long generation, long nonce, String address, String site) {
        this(id, incarnation, generation, nonce, address, site, Channels.UNANNOUNCED);
    }

    /** The same under another address. */
    public NodeIdentity withAddress(String other) {
        return new NodeIdentity(id, incarnation, generation, nonce, other, site, channels);
    }

    /** The same as another boot. */
    public NodeIdentity withIncarnation(long other) {
        return new NodeIdentity(id, other, generation, nonce, address, site, channels);
    }

    /** The same with other channels. */
    public NodeIdentity withChannels(Channels other) {
        return new NodeIdentity(id, incarnation, generation, nonce, address, site, other);
    }
}
