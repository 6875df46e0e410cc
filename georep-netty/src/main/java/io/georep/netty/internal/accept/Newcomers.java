package io.georep.netty.internal.accept;

import io.georep.netty.internal.security.AddressTurns;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Incoming connections that have not said yet who they are. Their number is bounded, also for one address. Above the
 * bound, one of them has to go, which is drawn by lot: among those that have not sent a byte, if they are at least
 * half. A node sends at once and needs a few round trips, so it gets through even while strangers behind its own
 * address connect all the time. If the oldest had to go instead, an attacker that connects fast enough could keep out every
 * node that is far away. Safe for several threads.
 */
public final class Newcomers {
    /** Most at one time: strangers cannot hold more memory and sockets. */
    static final int ALL_MAX = 1024;

    /** The most of one address, or of one network of IPv6 addresses (/64). A whole site may be behind it. */
    public static final int ADDRESS_MAX = 64;

    private final RandomGenerator random;
    private final Map<Channel, Newcomer> all = new HashMap<>();
    private final Crowd everybody = new Crowd();
    private final Map<Object, Crowd> byAddress = new HashMap<>();

    private static final class Newcomer {
        final Channel channel;

        /** The address that it counts for. */
        final Object address;

        boolean spoke;

        Newcomer(Channel channel, Object address) {
            this.channel = channel;
            this.address = address;
        }
    }

    /** Newcomers in no order. Those that have sent something are in a list of their own. */
    private static final class Crowd {
        private final List<Newcomer> silent = new ArrayList<>();
        private final List<Newcomer> heard = new ArrayList<>();

        private List<Newcomer> of(Newcomer newcomer) {
            return newcomer.spoke ? heard : silent;
        }

        int size() {
            return silent.size() + heard.size();
        }

        /**
         * Draws one of the silent connections if they are the majority. If they were drawn always, a peer whose first bytes
         * were lost would have to go each time.
         */
        Newcomer draw(RandomGenerator random) {
            int drawn = random.nextInt(2 * silent.size() >= size() ? silent.size() : size());
            return drawn < silent.size() ? silent.get(drawn) : heard.get(drawn - silent.size());
        }
    }

    /**
     * Nobody has come yet.
     *
     * @param random draws who has to go; used under this object's lock
     */
    public Newcomers(RandomGenerator random) {
        this.random = random;
    }

    /** Lets a connection in, and returns the one that has to go for it. */
    synchronized @Nullable Channel enter(Channel channel) {
        Newcomer newcomer = new Newcomer(channel, AddressTurns.address(channel.remoteAddress()));
        Crowd neighbours = byAddress.get(newcomer.address);
        Newcomer displaced = null;
        if (neighbours != null && neighbours.size() >= ADDRESS_MAX) {
            displaced = neighbours.draw(random);
        } else if (all.size() >= ALL_MAX) {
            displaced = everybody.draw(random);
        }
        if (displaced != null) {
            leave(displaced.channel);
        }
        all.put(channel, newcomer);
        add(newcomer);
        return displaced == null ? null : displaced.channel;
    }

    /** Notes that a connection has sent something, whatever it is. */
    synchronized void spoke(Channel channel) {
        Newcomer newcomer = all.get(channel);
        if (newcomer != null && !newcomer.spoke) {
            remove(newcomer);
            newcomer.spoke = true;
            add(newcomer);
        }
    }

    /** Forgets a connection that has said who it is, or is gone. */
    synchronized void leave(Channel channel) {
        Newcomer newcomer = all.remove(channel);
        if (newcomer != null) {
            remove(newcomer);
        }
    }

    private void add(Newcomer newcomer) {
        everybody.of(newcomer).add(newcomer);
        byAddress
                .computeIfAbsent(newcomer.address, key -> new Crowd())
                .of(newcomer)
                .add(newcomer);
    }

    private void remove(Newcomer newcomer) {
        everybody.of(newcomer).remove(newcomer);
        Crowd neighbours = byAddress.get(newcomer.address);
        if (neighbours != null) {
            neighbours.of(newcomer).remove(newcomer);
            if (neighbours.size() == 0) {
                byAddress.remove(newcomer.address);
            }
        }
    }

    synchronized int size() {
        return all.size();
    }
}
