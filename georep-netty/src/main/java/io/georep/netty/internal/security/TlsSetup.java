package io.georep.netty.internal.security;

import io.georep.model.ConfigurationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Everything a user has said about TLS, and the transports that go by it. Thread-safe. */
public final class TlsSetup {
    private final TlsSource source;
    private final @Nullable String dnsPattern;
    private final @Nullable String limitedPattern;
    private final @Nullable Path revoked;
    private final long checkNanos;
    private final boolean openSsl;
    private final List<TlsSecurity> users = new CopyOnWriteArrayList<>();

    /**
     * Creates a setup that nothing uses yet.
     *
     * @param source key, certificates and trust
     * @param dnsPattern see {@link NameRule#of}
     * @param limitedPattern see {@link NameRule#of}
     * @param revoked file with serial numbers; null: none
     * @param checkNanos time between two looks at the files; 0: never
     * @param openSsl whether OpenSSL may be used
     */
    public TlsSetup(
            TlsSource source,
            @Nullable String dnsPattern,
            @Nullable String limitedPattern,
            @Nullable Path revoked,
            long checkNanos,
            boolean openSsl) {
        this.source = source;
        this.dnsPattern = dnsPattern;
        this.limitedPattern = limitedPattern;
        this.revoked = revoked;
        this.checkNanos = checkNanos;
        this.openSsl = openSsl;
    }

    TlsSource source() {
        return source;
    }

    /** Returns the rule for the names of nodes of this cluster. */
    NameRule names(String cluster) {
        return NameRule.of(cluster, dnsPattern, limitedPattern);
    }

    @Nullable
    Path revoked() {
        return revoked;
    }

    /** Returns the time between two looks at the files; 0: never. */
    long checkNanos() {
        return checkNanos;
    }

    boolean openSsl() {
        return openSsl;
    }

    /** Returns all files whose content counts. */
    List<Path> files() {
        List<Path> files = new ArrayList<>(source.files());
        if (revoked != null) {
            files.add(revoked);
        }
        return files;
    }

    void enter(TlsSecurity user) {
        users.add(user);
    }

    void leave(TlsSecurity user) {
        users.remove(user);
    }

    /**
     * Reads everything anew, for all transports that go by it.
     *
     * @throws ConfigurationException if what is there now cannot be used; then what was read before stays in force
     */
    public void reload() {
        List<String> problems = new ArrayList<>();
        for (TlsSecurity user : users) {
            try {
                user.reload();
            } catch (ConfigurationException e) {
                problems.addAll(e.faults());
            }
        }
        if (!problems.isEmpty()) {
            throw ConfigurationException.of(problems);
        }
    }

    /** Returns why the latest change of the files is not in force; null: everything is. */
    public @Nullable String problem() {
        for (TlsSecurity user : users) {
            String problem = user.problem();
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }
}
