package io.georep.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

public class NewcomersTest {
    private final Newcomers newcomers =
            new Newcomers(RandomGeneratorFactory.of("L64X128MixRandom").create(1));

    public static Channel from(String address) {
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                try {
                    return new InetSocketAddress(InetAddress.getByName(address), 1);
                } catch (UnknownHostException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    private List<Channel> enter(int count, String address) {
        List<Channel> entered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Channel channel = from(address);
            assertThat(newcomers.enter(channel)).isNull();
            entered.add(channel);
        }
        return entered;
    }

    @Test
    void oneOfAFullAddressGoesAndNobodyElse() {
        enter(1, "192.0.2.1");
        List<Channel> crowd = enter(Newcomers.ADDRESS_MAX, "192.0.2.2");

        assertThat(newcomers.enter(from("192.0.2.2"))).isIn(crowd);
        assertThat(newcomers.enter(from("192.0.2.3"))).isNull();
        assertThat(newcomers.size()).isEqualTo(Newcomers.ADDRESS_MAX + 2);
    }

    @Test
    void oneOfAllGoesIfThereAreTooMany() {
        List<Channel> all = new ArrayList<>();
        for (int address = 0; all.size() < Newcomers.ALL_MAX; address++) {
            all.addAll(enter(Newcomers.ADDRESS_MAX, "198.51.100." + address));
        }

        assertThat(newcomers.enter(from("192.0.2.1"))).isIn(all);
        assertThat(newcomers.enter(from("192.0.2.2"))).isNotNull();
        assertThat(newcomers.size()).isEqualTo(Newcomers.ALL_MAX);
    }

    @Test
    void whoLeavesMakesRoom() {
        List<Channel> crowd = enter(Newcomers.ADDRESS_MAX, "192.0.2.2");
        newcomers.leave(crowd.get(3));
        newcomers.leave(crowd.get(3));

        enter(1, "192.0.2.2");

        assertThat(newcomers.enter(from("192.0.2.2"))).isIn(crowd);
    }

    /** Bare connections cost nothing, and there may be any number a second. */
    @Test
    void whoSentSomethingStaysWhileOthersAreSilent() {
        Channel peer = from("192.0.2.2");
        newcomers.enter(peer);
        newcomers.spoke(peer);

        for (int i = 0; i < 10_000; i++) {
            assertThat(newcomers.enter(from("192.0.2.2"))).isNotSameAs(peer);
        }
    }

    /** A peer 100 ms away, and strangers behind its own address who send something 250 times a second. */
    @Test
    void strangersWhoSendSomethingDoNotKeepAPeerOutForGood() {
        int through = 0;
        for (int attempt = 0; attempt < 100; attempt++) {
            Channel peer = from("192.0.2.2");
            newcomers.enter(peer);
            newcomers.spoke(peer);
            boolean displaced = false;
            for (int i = 0; i < 50; i++) {
                Channel stranger = from("192.0.2.2");
                displaced |= newcomers.enter(stranger) == peer;
                newcomers.spoke(stranger);
            }
            newcomers.leave(peer);
            through += displaced ? 0 : 1;
        }
        assertThat(through).as("attempts of 100").isGreaterThan(20);
    }

    @Test
    void addressesOfOneNetworkOfIpv6CountTogether() {
        for (int i = 0; i < Newcomers.ADDRESS_MAX; i++) {
            enter(1, "2001:db8:0:1::" + i);
        }

        assertThat(newcomers.enter(from("2001:db8:0:2::1"))).isNull();
        assertThat(newcomers.enter(from("2001:db8:0:1:ffff::1"))).isNotNull();
    }
}
