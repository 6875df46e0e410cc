package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.DialableHost.Card;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DialableHostTest {
    private static Card card(String name, String... addresses) {
        return card(name, true, addresses);
    }

    private static Card card(String name, boolean usable, String... addresses) {
        List<InetAddress> parsed = new ArrayList<>();
        for (String address : addresses) {
            try {
                parsed.add(InetAddress.getByName(address));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e);
            }
        }
        return new Card(name, usable, parsed);
    }

    @Test
    void whatIsNoWildcardIsTakenAsItIs() {
        assertThat(DialableHost.of("node-1.example")).isEqualTo("node-1.example");
        assertThat(DialableHost.of("[fd00::1]")).isEqualTo("[fd00::1]");
    }

    @Test
    void anIpv4AddressOthersReachIsPreferred() {
        assertThat(DialableHost.choose(List.of(
                        card("lo", false, "127.0.0.1"),
                        card("eth0", "fe80::1", "2001:db8::5", "169.254.1.1", "192.0.2.7"))))
                .isEqualTo("192.0.2.7");
    }

    @Test
    void aHostWithIpv6OnlyIsReachedThere() {
        assertThat(DialableHost.choose(
                        List.of(card("lo", false, "::1"), card("eth0", "fe80::1", "2001:db8:0:0:0:0:0:5"))))
                .isEqualTo("[2001:db8:0:0:0:0:0:5]");
    }

    @Test
    void aBridgeForContainersIsTheLastChoice() {
        Card docker = card("docker0", "172.17.0.1");
        Card compose = card("br-3f2a", "172.18.0.1");

        assertThat(DialableHost.choose(List.of(docker, compose, card("ens5", "10.0.0.4"))))
                .isEqualTo("10.0.0.4");
        assertThat(DialableHost.choose(List.of(docker, card("ens5", "2001:db8:0:0:0:0:0:5"))))
                .isEqualTo("[2001:db8:0:0:0:0:0:5]");
        assertThat(DialableHost.choose(List.of(docker))).isEqualTo("172.17.0.1");
    }

    @Test
    void aMachineWithoutANetworkServesItself() {
        assertThat(DialableHost.choose(List.of(card("lo", false, "127.0.0.1"), card("eth0", false, "10.0.0.4"))))
                .isEqualTo("127.0.0.1");
    }
}
