package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class GuessesTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
    private final Guesses guesses = new Guesses(now::get);

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tries wrong passwords as fast as it goes; returns how many were looked at. */
    private int guess(int count, String address, String account) {
        int looked = 0;
        for (int i = 0; i < count; i++) {
            if (guesses.allows(address(address), account)) {
                guesses.tried(address(address), account, false);
                looked++;
            }
        }
        return looked;
    }

    @Test
    void anAddressIsSlowedWhateverAccountsItTries() {
        int looked = 0;
        for (int i = 0; i < 1000; i++) {
            looked += guess(2, "192.0.2.1", "account-" + i);
        }
        assertThat(looked).as("one for each account").isEqualTo(1000 + Guesses.AT_ONCE / 2);

        now.addAndGet(TimeUnit.SECONDS.toNanos(5));
        looked = 0;
        for (int i = 0; i < 1000; i++) {
            looked += guess(2, "192.0.2.1", "account-" + i);
        }
        assertThat(looked).isEqualTo(5);
        assertThat(guess(1, "192.0.2.2", "account-0")).isEqualTo(1);

        now.addAndGet(TimeUnit.SECONDS.toNanos(55));
        guess(1000, "192.0.2.1", "another");
        assertThat(guess(10, "192.0.2.1", "account-999")).isEqualTo(1);
    }

    /** A proxy stands before the gateway, which has just started. One of those behind it guesses. */
    @Test
    void whoseFirstPasswordIsRightIsNotLockedOutByANeighbour() {
        guess(1000, "192.0.2.1", "guessed");
        guess(1000, "192.0.2.1", "");

        assertThat(guesses.allows(address("192.0.2.1"), "shop")).isTrue();
        guesses.tried(address("192.0.2.1"), "shop", true);
        assertThat(guess(1000, "192.0.2.1", "shop")).isEqualTo(Guesses.AT_ONCE);
    }

    @Test
    void anAccountIsSlowedWhateverAddressesTryIt() {
        int looked = 0;
        for (int i = 0; i < 1000; i++) {
            looked += guess(1, "192.0." + i / 250 + "." + i % 250, "shop");
        }
        assertThat(looked).isEqualTo(Guesses.ADDRESSES * Guesses.AT_ONCE);

        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(guess(10, "192.0.9.1", "shop") + guess(10, "192.0.9.2", "shop"))
                .isEqualTo(Guesses.ADDRESSES);
    }

    /** It knows the name of an account, and nothing else. The gateway has just started, and remembers nobody. */
    @Test
    void oneAddressDoesNotLockAnAccountOut() {
        for (int second = 0; second < 100; second++) {
            guess(1000, "192.0.2.1", "shop");
            assertThat(guesses.allows(address("198.51.100.7"), "shop")).isTrue();
            now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Test
    void aNetworkOfIpv6IsOneAddress() {
        int looked = 0;
        for (int i = 0; i < 200; i++) {
            looked += guess(2, "2001:db8:0:1::" + i, "account-" + i);
        }
        assertThat(looked).isEqualTo(200 + Guesses.AT_ONCE / 2);
    }

    /** Or whoever guesses would lock the account's owner out. */
    @Test
    void whoseClientWasThereBeforeIsNotLockedOut() {
        guesses.tried(address("198.51.100.7"), "shop", true);
        for (int i = 0; i < 1000; i++) {
            guess(1, "192.0." + i / 250 + "." + i % 250, "shop");
        }
        assertThat(guesses.allows(address("192.0.9.250"), "shop")).isFalse();
        assertThat(guesses.allows(address("198.51.100.7"), "shop")).isTrue();

        assertThat(guess(1000, "198.51.100.7", "shop"))
                .as("nor is it free to guess")
                .isEqualTo(Guesses.AT_ONCE);
    }
}
