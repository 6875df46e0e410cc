package io.georep.examples.host;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.spring.Outboxes;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.server.ResponseStatusException;

/** {@code POST /entries/<outbox>}: the body becomes an entry. */
@RestController
class EntryDoor {
    private final Outboxes outboxes;
    private final DoorProperties properties;

    EntryDoor(Outboxes outboxes, DoorProperties properties) {
        this.outboxes = outboxes;
        this.properties = properties;
    }

    /** Answers with the id of the entry when f+1 nodes have it on disk; no thread waits meanwhile. */
    @PostMapping("/entries/{outbox}")
    CompletionStage<ResponseEntity<String>> post(@PathVariable String outbox, HttpServletRequest request)
            throws IOException {
        if (!properties.outboxes().contains(outbox)) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND, "no such outbox at this door: name it in door.outboxes");
        }
        int max = (int) properties.payloadMax().toBytes();
        byte[] payload = request.getInputStream().readNBytes(max + 1);
        if (payload.length > max) {
            throw new ResponseStatusException(
                    HttpStatus.CONTENT_TOO_LARGE, "the body has more than " + max + " bytes (door.payload-max)");
        }
        return outboxes.outbox(outbox, byte[].class).send(payload).thenApply(EntryDoor::stored);
    }

    /** A text, whatever the client accepts: that it accepts something else would be found when the entry is stored. */
    private static ResponseEntity<String> stored(EntryId id) {
        return ResponseEntity.status(HttpStatus.CREATED)
                .contentType(MediaType.TEXT_PLAIN)
                .body(id.toString());
    }

    /** Nothing was stored: the same request may be sent again, here or to another node. */
    @ExceptionHandler
    ProblemDetail rejected(RejectedException error) {
        return ProblemDetail.forStatusAndDetail(
                switch (error.reason()) {
                    case QUEUE_FULL -> HttpStatus.TOO_MANY_REQUESTS;
                    case PAYLOAD_TOO_LARGE -> HttpStatus.CONTENT_TOO_LARGE;
                    case TOO_FEW_PEERS, STORE_FULL, STORE_STALLED, LEAVING -> HttpStatus.SERVICE_UNAVAILABLE;
                },
                error.getMessage());
    }

    /** The node is leaving. */
    @ExceptionHandler
    ProblemDetail closed(ClosedException error) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, error.getMessage());
    }

    /** The entry may be forwarded all the same: a client that sends it again risks a second delivery. */
    @ExceptionHandler
    ProblemDetail indeterminate(IndeterminateException error) {
        return unknown(String.valueOf(error.getMessage()));
    }

    /** The request timed out before the send had an outcome. Spring would answer 503, which says that nothing was stored. */
    @ExceptionHandler
    ProblemDetail late(AsyncRequestTimeoutException error) {
        return unknown("no outcome in time: the entry may still be forwarded");
    }

    private static ProblemDetail unknown(String detail) {
        return ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(504), detail);
    }
}
