package io.georep.netty.internal.security;

import io.georep.codec.TextBound;
import io.netty.handler.ssl.NotSslRecordException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says for people why there is no TLS with the other side, and what to do about it. */
final class TlsProblem {
    private static final int LENGTH_MAX = 200;

    private TlsProblem() {}

    /** Returns cause and remedy. The libraries' own words come last, without what could forge a line of the log. */
    static String inWords(SSLException error) {
        if (error instanceof NotSslRecordException) {
            return "it sent bytes that are not TLS, and here nothing else is taken: use the same security settings on both"
                    + " sides, and keep strangers off this port";
        }
        String known = knownCause(error);
        if (known != null) {
            return known;
        }
        String message = printable(String.valueOf(error.getMessage()));
        String words = message.toLowerCase(Locale.ROOT).replace('_', ' ');
        if (words.contains("alert")) {
            return "it does not accept this node's certificate or TLS settings, its log may tell why (" + message + ")";
        }
        if (words.contains("empty client certificate chain") || words.contains("did not return a certificate")) {
            return "it has shown no certificate, and every node needs one (" + message + ")";
        }
        if (words.contains("protocol")) {
            return "it does not speak TLS 1.3 (" + message + ")";
        }
        return "there is no TLS with it (" + message + ")";
    }

    private static @Nullable String knownCause(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "its certificate has expired: renew it (" + printable(String.valueOf(cause.getMessage())) + ")";
            }
            if (cause instanceof CertificateNotYetValidException) {
                return "its certificate is not valid yet: check the clocks of both machines ("
                        + printable(String.valueOf(cause.getMessage())) + ")";
            }
            if (cause instanceof CertPathBuilderException) {
                return "its certificate is from an authority that this node does not trust: use certificates of one"
                        + " authority, or add the other one to what is trusted";
            }
        }
        return null;
    }

    /** Returns at most some 200 characters of a text, those that do not print as question marks. */
    static String printable(String text) {
        String start = text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX) + "…";
        return TextBound.printable(start);
    }
}
