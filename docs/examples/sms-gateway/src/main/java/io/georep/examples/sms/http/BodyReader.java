package io.georep.examples.sms.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers the body of one request as it comes. The container calls it for one event at a time. */
final class BodyReader implements ReadListener, AsyncListener {
    /** A body beyond the limit is read up to this size and dropped: most clients read the answer only when they have sent all. */
    static final int READ_MAX = 1024 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(BodyReader.class);
    private static final int PIECE_BYTES = 4096;

    private final HttpDoor door;
    private final AsyncContext exchange;
    private final RequestWithBody request;
    private final int bytesMax;
    private final Runnable whole;
    private final Runnable over;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long read;
    private boolean ended;

    /**
     * Nothing is read yet.
     *
     * @param whole called when all of the body is there
     * @param over called when the request is answered
     */
    BodyReader(
            HttpDoor door,
            AsyncContext exchange,
            RequestWithBody request,
            int bytesMax,
            Runnable whole,
            Runnable over) {
        this.door = door;
        this.exchange = exchange;
        this.request = request;
        this.bytesMax = bytesMax;
        this.whole = whole;
        this.over = over;
    }

    @Override
    public void onDataAvailable() throws IOException {
        ServletInputStream in = request.getRequest().getInputStream();
        byte[] piece = new byte[PIECE_BYTES];
        while (!ended && in.isReady()) {
            int length = in.read(piece);
            if (length < 0) {
                return;
            }
            read += length;
            if (read <= bytesMax) {
                body.write(piece, 0, length);
            } else if (read > READ_MAX) {
                ended = true;
                door.refuseTooLong(exchange);
            }
        }
    }

    @Override
    public void onAllDataRead() throws IOException {
        if (ended) {
            return;
        }
        ended = true;
        if (read > bytesMax) {
            door.refuseTooLong(exchange);
        } else {
            request.body(body.toByteArray());
            whole.run();
            exchange.dispatch();
        }
    }

    @Override
    public void onTimeout(AsyncEvent event) throws IOException {
        if (!ended) {
            ended = true;
            door.refuseTooSlow(exchange);
        }
    }

    @Override
    public void onError(Throwable error) {
        LOG.debug("A client went away while it posted: {}", error.toString());
        if (ended) {
            return;
        }
        ended = true;
        if (error instanceof SocketTimeoutException) {
            // Tomcat's own timeout for a silent client may end first.
            try {
                door.refuseTooSlow(exchange);
                return;
            } catch (IOException e) {
                LOG.debug("A client that was too slow is gone: {}", e.toString());
            }
        }
        exchange.complete();
    }

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onComplete(AsyncEvent event) {
        over.run();
    }

    /**
     * Listens again: the wait for the answer is a new asynchronous phase, and the container drops listeners of the one before.
     */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
