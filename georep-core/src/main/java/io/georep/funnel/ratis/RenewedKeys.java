package io.georep.funnel.ratis;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Keys that may be others for the next connection. A name that is given out has a number before it, so that a handshake gets key
 * and certificate of one reading. A peer's wishes for authorities do not count: this node has one certificate. Thread-safe.
 */
final class RenewedKeys extends X509ExtendedKeyManager {
    private final Supplier<X509ExtendedKeyManager> source;
    private X509ExtendedKeyManager newest;
    private X509ExtendedKeyManager before;
    private long number;

    RenewedKeys(Supplier<X509ExtendedKeyManager> source) {
        this.source = source;
        newest = source.get();
        before = newest;
    }

    private synchronized @Nullable String choose(Function<X509ExtendedKeyManager, @Nullable String> choice) {
        X509ExtendedKeyManager read = source.get();
        if (read != newest) {
            before = newest;
            newest = read;
            number++;
        }
        String alias = choice.apply(newest);
        return alias == null ? null : number + " " + alias;
    }

    private synchronized <T> @Nullable T of(String name, FromAlias<T> from) {
        int space = name.indexOf(' ');
        long reading = Long.parseLong(name.substring(0, space));
        String alias = name.substring(space + 1);
        if (reading == number) {
            return from.get(newest, alias);
        }
        return reading == number - 1 ? from.get(before, alias) : null;
    }

    /** What there is under an alias. */
    @FunctionalInterface
    private interface FromAlias<T> {
        @Nullable
        T get(X509ExtendedKeyManager keys, String alias);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
        return choose(keys -> keys.chooseEngineClientAlias(types, null, engine));
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
        return choose(keys -> keys.chooseEngineServerAlias(type, null, engine));
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
        return choose(keys -> keys.chooseClientAlias(types, null, socket));
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
        return choose(keys -> keys.chooseServerAlias(type, null, socket));
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
        return aliases(choose(keys -> keys.chooseClientAlias(new String[] {type}, null, null)));
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
        return aliases(choose(keys -> keys.chooseServerAlias(type, null, null)));
    }

    private static String @Nullable [] aliases(@Nullable String one) {
        return one == null ? null : new String[] {one};
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String name) {
        return of(name, X509ExtendedKeyManager::getCertificateChain);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String name) {
        return of(name, X509ExtendedKeyManager::getPrivateKey);
    }
}
