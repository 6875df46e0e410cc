package io.georep.spring.boot.web;

import io.georep.model.ClosedException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import java.net.URI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers a request whose send failed: what the client may do next is in the status. What the node says about itself stays
 * in the log. An application's own handlers come first.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ProblemAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);
    private static final String RETRY_AFTER_SECONDS = "1";

    @ExceptionHandler
    ResponseEntity<ProblemDetail> rejected(RejectedException error) {
        return switch (error.reason()) {
            case QUEUE_FULL ->
                answer(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "queue-full",
                        "Too much is waiting here. Nothing was stored. Send it again, more slowly.",
                        error);
            case PAYLOAD_TOO_LARGE ->
                answer(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "payload-too-large",
                        "This is larger than what is taken. Nothing was stored.",
                        error);
            case TOO_FEW_PEERS, STORE_FULL, STORE_STALLED, LEAVING ->
                answer(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "unavailable",
                        "This cannot be stored safely on this instance now. Nothing was stored. Try it again later, or at"
                                + " another instance.",
                        error);
        };
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> closed(ClosedException error) {
        return answer(
                HttpStatus.SERVICE_UNAVAILABLE,
                "unavailable",
                "This instance is stopping. Nothing was stored. Send it to another instance.",
                error);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> indeterminate(IndeterminateException error) {
        return answer(
                HttpStatus.GATEWAY_TIMEOUT,
                "indeterminate",
                "It is not known whether this took effect, and it still may. Doing it again risks doing it twice;"
                        + " not doing it again risks a loss.",
                error);
    }

    private static ResponseEntity<ProblemDetail> answer(
            HttpStatus status, String type, String detail, GeoRepException error) {
        LOG.debug("A request is answered with {}: {}", status, error.getMessage());
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setType(URI.create("urn:georep:" + type));
        ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
        if (status == HttpStatus.TOO_MANY_REQUESTS || status == HttpStatus.SERVICE_UNAVAILABLE) {
            response.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        return response.body(problem);
    }
}
