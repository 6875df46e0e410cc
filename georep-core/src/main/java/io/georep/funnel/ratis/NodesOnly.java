package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts certificates of the authorities that are those of nodes; host names prove nothing, as nodes may move. */
final class NodesOnly extends X509ExtendedTrustManager {
    private final Supplier<X509ExtendedTrustManager> authorities;
    private final Predicate<X509Certificate> isNode;

    NodesOnly(Supplier<X509ExtendedTrustManager> authorities, Predicate<X509Certificate> isNode) {
        this.authorities = authorities;
        this.isNode = isNode;
    }

    private void checkNode(X509Certificate[] chain) throws CertificateException {
        boolean known;
        try {
            known = isNode.test(chain[0]);
        } catch (ConfigurationException e) {
            throw new CertificateException("nobody can tell whether the certificate is still good", e);
        }
        if (!known) {
            throw new CertificateException(
                    "not the certificate of a node of this cluster; its names are " + RatisTls.names(chain[0]));
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        authorities.get().checkClientTrusted(chain, type);
        checkNode(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        authorities.get().checkServerTrusted(chain, type);
        checkNode(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.get().getAcceptedIssuers();
    }
}
