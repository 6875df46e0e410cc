package io.georep.netty.internal.security;

import io.georep.netty.internal.wire.DistrustException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Stands behind the TLS handler. It notes which certificate the other side has shown, puts TLS errors into words, and
 * keeps a dialer from saying anything before the other side has proved who it is.
 */
final class TlsGate extends ChannelInboundHandlerAdapter {
    /** The certificate that the other side has shown and proved to own. */
    static final AttributeKey<X509Certificate> SHOWN = AttributeKey.valueOf(TlsGate.class, "certificate");

    private final ChannelSecurity.Side side;
    private final SslHandler tls;

    TlsGate(ChannelSecurity.Side side, SslHandler tls) {
        this.side = side;
        this.tls = tls;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        // The acceptor's clock runs from here on; a dialer would say who it is.
        if (side == ChannelSecurity.Side.ACCEPTOR) {
            context.fireChannelActive();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent completed) {
            if (completed.isSuccess()) {
                note(context);
            } else if (!(completed.cause() instanceof ClosedChannelException)) {
                exceptionCaught(context, completed.cause());
            }
        }
        context.fireUserEventTriggered(event);
    }

    private void note(ChannelHandlerContext context) {
        try {
            if (tls.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate shown) {
                Attribute<X509Certificate> attribute = context.channel().attr(SHOWN);
                attribute.set(shown);
            }
        } catch (SSLPeerUnverifiedException e) {
            exceptionCaught(context, e);
            return;
        }
        if (side == ChannelSecurity.Side.DIALER) {
            context.fireChannelActive();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        SSLException tlsError = tlsError(cause);
        context.fireExceptionCaught(tlsError == null ? cause : new DistrustException(TlsProblem.inWords(tlsError)));
    }

    private static @Nullable SSLException tlsError(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SslHandshakeTimeoutException) {
                return null; // It has proved nothing yet, neither good nor bad.
            }
            if (cause instanceof SSLException found) {
                return found;
            }
        }
        return null;
    }
}
