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
 */
public record NodeIdentity(NodeId id, long incarnation, long generation, long nonce, String address, String site) {}
