package io.georep.examples.sms.http;

import io.georep.examples.sms.Refusal;
import io.georep.model.GeoRepException;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors as problem details (RFC 9457). */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    private static final String RETRY_SECONDS = "1";

    @ExceptionHandler
    ProblemDetail invalid(InvalidMessageException error) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, text(error));
        problem.setType(URI.create("urn:sms-gateway:invalid"));
        return problem;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(GeoRepException error) {
        Refusal refusal = Refusal.of(error);
        ProblemDetail problem = problem(refusal, text(error));
        ResponseEntity.BodyBuilder response = ResponseEntity.status(refusal.httpStatus());
        if (refusal == Refusal.SLOW_DOWN || refusal == Refusal.UNAVAILABLE) {
            response.header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
        }
        return response.body(problem);
    }

    private static ProblemDetail problem(Refusal refusal, String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.valueOf(refusal.httpStatus()), detail);
        problem.setType(URI.create(
                "urn:sms-gateway:" + refusal.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        return problem;
    }

    /** Tomcat waits no longer for the outcome. Spring would answer 503, as if nothing was stored. */
    @Override
    protected @Nullable ResponseEntity<Object> handleAsyncRequestTimeoutException(
            AsyncRequestTimeoutException error, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail problem =
                problem(Refusal.UNKNOWN_OUTCOME, "no outcome in time: the message may still be forwarded");
        return handleExceptionInternal(error, problem, headers, HttpStatusCode.valueOf(problem.getStatus()), request);
    }

    /** Answers nothing if a client that was too slow has its answer already. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception error, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        HttpServletResponse response = request instanceof ServletWebRequest web ? web.getResponse() : null;
        return response != null && response.isCommitted()
                ? null
                : super.handleExceptionInternal(error, body, headers, status, request);
    }

    private static String text(Exception error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }
}
