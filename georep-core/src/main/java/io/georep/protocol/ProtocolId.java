package io.georep.protocol;

/**
 * What a node announces of a protocol that it hosts. Two nodes host the same protocol if number and name are the same; under
 * one number with two names, neither is sent anything of the other.
 *
 * @param channel its number, in the envelope of its messages and as first byte of all its keys: 64 to 254, the same on all
 *     nodes for ever. Lower ones are the library's: 1 membership, 2 outbox, 3 key spaces, 4 replicated maps
 * @param name for log lines, statistics and the handshake: 1 to 32 letters, digits, '.', '_' and '-'
 * @param version of its messages, 1 to 255: raised when messages are added or changed. A version speaks all lower ones too,
 *     for {@link Peer#version} may be lower. 0 for a part of the node that sends and takes none
 */
public record ProtocolId(int channel, String name, int version) {}
