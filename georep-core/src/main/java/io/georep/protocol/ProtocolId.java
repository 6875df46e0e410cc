package io.georep.protocol;

/**
 * What a node announces about a protocol that it hosts. Two nodes host the same protocol if number and name are the
 * same. If two names have one number, the nodes send each other nothing under it.
 *
 * @param channel the number, which is in the envelope of its messages and the first byte of all its keys: 64 to 254.
 *     It is the same on all nodes for ever. The library uses the lower ones: 1 membership, 2 outbox, 3 key spaces, 4
 *     replicated maps, 5 GeoPaxos+, 6 DataFlagons
 * @param name for log lines, statistics and the handshake: 1 to 32 letters, digits, '.', '_' and '-'
 * @param version the version of its messages, 1 to 255. Raise it when messages are added or changed. A version speaks
 *     all lower ones too, because {@link Peer#version} may be lower. 0 for a part of the node that sends and takes no
 *     messages
 */
public record ProtocolId(int channel, String name, int version) {}
