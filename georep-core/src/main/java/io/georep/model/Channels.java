package io.georep.model;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The channels that a node hosts, each with the name and the version of the protocol on it. A node announces them when a link is
 * opened. A protocol of some version speaks all lower versions too, so two nodes speak the lower of their two versions.
 * Immutable.
 */
public final class Channels {
    /** How many channels a node can announce. That many fit into a handshake beside the longest names. */
    public static final int ANNOUNCED_MAX = 64;

    /** The highest version of a protocol; the lowest is 1. */
    public static final int VERSION_MAX = 255;

    /** The highest number of a channel; the lowest is 1. */
    public static final int CHANNEL_MAX = 255;

    /** No channel at all, for a node that was never met. */
    public static final Channels NONE = new Channels(new byte[0], new String[0]);

    /** Versions by channel, 0 for none, without zeros at the end. */
    private final byte[] versions;

    /** Names by channel, empty for none. */
    private final String[] names;

    private Channels(byte[] versions, String[] names) {
        this.versions = versions;
        this.names = names;
    }

    /**
     * Creates channels with these versions, and without names.
     *
     * @throws IllegalArgumentException if a channel or a version is not between 1 and 255
     */
    public static Channels of(Map<Integer, Integer> versions) {
        TreeMap<Integer, Integer> sorted = new TreeMap<>(versions);
        byte[] byChannel = new byte[sorted.isEmpty() ? 0 : Math.max(0, sorted.lastKey()) + 1];
        sorted.forEach((channel, version) -> {
            if (channel < 1 || channel > CHANNEL_MAX || version < 1 || version > VERSION_MAX) {
                throw new IllegalArgumentException(
                        "channel " + channel + " in version " + version + ": both must be from 1 to " + CHANNEL_MAX);
            }
            byChannel[channel] = (byte) (int) version;
        });
        String[] noNames = new String[byChannel.length];
        Arrays.fill(noNames, "");
        return new Channels(byChannel, noNames);
    }

    /** Returns these channels with these names, by channel. */
    public Channels named(Map<Integer, String> given) {
        String[] byChannel = names.clone();
        Arrays.setAll(byChannel, channel -> given.getOrDefault(channel, ""));
        return new Channels(versions, byChannel);
    }

    /** Returns the version of the protocol on this channel; 0 if there is none. */
    public int version(int channel) {
        return channel < versions.length ? versions[channel] & 0xff : 0;
    }

    /** Returns the name of the protocol on this channel; empty if there is none. */
    public String name(int channel) {
        return channel < names.length ? names[channel] : "";
    }

    /** Returns whether another node hosts a protocol of another name on this channel. */
    public boolean differs(int channel, Channels other) {
        return version(channel) != 0
                && other.version(channel) != 0
                && !name(channel).equals(other.name(channel));
    }

    /** Returns these channels without those on which another node hosts a protocol of another name. */
    public Channels sharedWith(Channels other) {
        byte[] shared = versions.clone();
        for (int channel = 1; channel < shared.length; channel++) {
            if (differs(channel, other)) {
                shared[channel] = 0;
            }
        }
        return new Channels(shared, names);
    }

    /** Returns all versions, by channel, in the order of the channels. */
    public Map<Integer, Integer> versions() {
        TreeMap<Integer, Integer> all = new TreeMap<>();
        for (int channel = 1; channel < versions.length; channel++) {
            if (versions[channel] != 0) {
                all.put(channel, version(channel));
            }
        }
        return all;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Channels channels
                && Arrays.equals(versions, channels.versions)
                && Arrays.equals(names, channels.names);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(versions);
    }

    /** For example {@code {1=1, 2=2 outbox}}. */
    @Override
    public String toString() {
        return versions().entrySet().stream()
                .map(each -> (each + " " + name(each.getKey())).strip())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
