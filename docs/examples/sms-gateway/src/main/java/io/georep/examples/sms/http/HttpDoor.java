package io.georep.examples.sms.http;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.TooManyGuessesException;
import io.georep.funnel.MapUnavailableException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lets a request in when its account is known and its body is there: whole, not too long, and in time. No thread waits for
 * the body, so clients that post slowly cost a connection each and nothing else.
 */
final class HttpDoor implements Filter {
    /** Attribute of a request with its {@link Account}. */
    static final String ACCOUNT = "io.georep.examples.sms.account";

    private static final String BASIC = "Basic ";

    private final Accounts accounts;
    private final SmsProperties.Http properties;
    private final JsonMapper mapper;
    private final Connections connections;

    HttpDoor(Accounts accounts, SmsProperties.Http properties, JsonMapper mapper, Connections connections) {
        this.connections = connections;
        this.accounts = accounts;
        this.properties = properties;
        this.mapper = mapper;
    }

    @Override
    public void doFilter(ServletRequest servletRequest, ServletResponse servletResponse, FilterChain chain)
            throws IOException {
        HttpServletRequest request = (HttpServletRequest) servletRequest;
        InetAddress address = InetAddress.getByName(request.getRemoteAddr());
        InetSocketAddress client = new InetSocketAddress(address, request.getRemotePort());
        connections.heard(client);
        RequestWithBody withBody = new RequestWithBody(request);
        AsyncContext exchange = request.startAsync(withBody, servletResponse);
        exchange.setTimeout(properties.bodyWithin().toMillis());
        Account account;
        try {
            account = account(request.getHeader(HttpHeaders.AUTHORIZATION), address);
        } catch (TooManyGuessesException e) {
            refuse(exchange, HttpStatus.TOO_MANY_REQUESTS, "too-many-guesses", String.valueOf(e.getMessage()));
            return;
        } catch (MapUnavailableException e) {
            refuse(exchange, HttpStatus.SERVICE_UNAVAILABLE, "unavailable", String.valueOf(e.getMessage()));
            return;
        }
        if (account == null) {
            refuse(exchange, HttpStatus.UNAUTHORIZED, "unknown-account", "name or password of the account is wrong");
        } else if (request.getContentLengthLong() > BodyReader.READ_MAX) {
            refuseTooLong(exchange);
        } else {
            request.setAttribute(ACCOUNT, account);
            BodyReader reader = new BodyReader(
                    this,
                    exchange,
                    withBody,
                    properties.bodyBytesMax(),
                    () -> connections.whole(client),
                    () -> connections.answered(client));
            exchange.addListener(reader);
            request.getInputStream().setReadListener(reader);
        }
    }

    /** The account of an Authorization header (RFC 7617), or null. */
    private @Nullable Account account(@Nullable String header, InetAddress address) {
        if (header == null || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return null;
        }
        try {
            String credentials = new String(
                    Base64.getDecoder().decode(header.substring(BASIC.length()).strip()), StandardCharsets.UTF_8);
            int colon = credentials.indexOf(':');
            return colon < 0
                    ? null
                    : accounts.authenticate(credentials.substring(0, colon), credentials.substring(colon + 1), address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    void refuseTooLong(AsyncContext exchange) throws IOException {
        refuse(
                exchange,
                HttpStatus.CONTENT_TOO_LARGE,
                "too-long",
                "a body may have " + properties.bodyBytesMax() + " bytes (sms.http.body-bytes-max)");
    }

    void refuseTooSlow(AsyncContext exchange) throws IOException {
        refuse(
                exchange,
                HttpStatus.REQUEST_TIMEOUT,
                "too-slow",
                "a body must be there within " + properties.bodyWithin().toMillis() + " ms (sms.http.body-within)");
    }

    /** Answers and ends the connection without waiting for what the client still sends. */
    private void refuse(AsyncContext exchange, HttpStatus status, String type, String detail) throws IOException {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setType(URI.create("urn:sms-gateway:" + type));
        byte[] body = mapper.writeValueAsBytes(problem);
        HttpServletResponse response = (HttpServletResponse) exchange.getResponse();
        response.setStatus(status.value());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(body.length);
        response.setHeader(HttpHeaders.CONNECTION, "close");
        if (status == HttpStatus.UNAUTHORIZED) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"messages\", charset=\"UTF-8\"");
        }
        response.getOutputStream().write(body);
        exchange.complete();
    }
}
