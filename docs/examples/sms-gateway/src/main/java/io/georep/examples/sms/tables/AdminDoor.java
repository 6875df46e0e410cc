package io.georep.examples.sms.tables;

import io.georep.examples.sms.Guesses;
import io.georep.examples.sms.RareLog;
import io.georep.examples.sms.SmsProperties;
import io.georep.funnel.MapUnavailableException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Lets who knows the password of the administrator do something at the management port, and tells what became of it. Thread-safe. */
@Component
public final class AdminDoor {
    /** A refusal with its status. */
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        public RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** Returns the status of HTTP. */
        public int status() {
            return status;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(AdminDoor.class);
    private static final Duration WITHIN = Duration.ofSeconds(15);
    private static final Duration STRANGERS_LOG = Duration.ofSeconds(10);
    private static final String BASIC = "Basic ";

    /** All guesses count as guesses at this one, whatever name they give. */
    private static final String ADMIN = "admin";

    private final SmsProperties.Admin admin;
    private final Guesses guesses = new Guesses(System::nanoTime);
    private final RareLog strangers = new RareLog(LOG, 1, STRANGERS_LOG, System::nanoTime);

    AdminDoor(SmsProperties properties) {
        this.admin = properties.admin();
    }

    /** Answers with what the operation returns or throws, if the administrator asks. */
    public WebEndpointResponse<Object> answer(Supplier<Object> operation) {
        try {
            requireAdmin();
            return new WebEndpointResponse<>(operation.get());
        } catch (RefusedException e) {
            return refused(e.status, e);
        } catch (IllegalArgumentException e) {
            return refused(400, e);
        } catch (IllegalStateException e) {
            return refused(409, e);
        } catch (MapUnavailableException e) {
            return refused(503, e);
        } catch (IndeterminateException e) {
            return refused(504, e);
        } catch (GeoRepException e) {
            return refused(503, e);
        }
    }

    /** Waits for what an operation of the administrator started. */
    public static <T> T await(CompletionStage<T> started) {
        return Waiting.forAnswer(started, WITHIN);
    }

    private static WebEndpointResponse<Object> refused(int status, Exception error) {
        return new WebEndpointResponse<>(
                Map.of("status", status, "message", String.valueOf(error.getMessage())), status);
    }

    /** The gateway has no Spring Security, so this is done here: no way leads around it. */
    private void requireAdmin() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            throw stranger();
        }
        requireAdmin(attributes.getRequest(), attributes.getResponse());
    }

    /**
     * Looks whether the administrator asks.
     *
     * @throws RefusedException if not; then the response asks for name and password
     */
    void requireAdmin(HttpServletRequest request, @Nullable HttpServletResponse response) {
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header != null && isAdmin(header, request.getRemoteAddr())) {
            return;
        }
        if (response != null) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"sms\", charset=\"UTF-8\"");
        }
        throw stranger();
    }

    private RefusedException stranger() {
        strangers.info("Somebody asked for what is the administrator's without the password");
        return new RefusedException(401, "name or password of the administrator is wrong");
    }

    String name() {
        return admin.name();
    }

    private boolean isAdmin(String header, String remote) {
        InetAddress address;
        try {
            address = InetAddress.getByName(remote);
        } catch (UnknownHostException e) {
            return false;
        }
        if (!guesses.allows(address, ADMIN)) {
            strangers.info("Somebody guesses the password of the administrator");
            throw new RefusedException(429, "too many wrong passwords: try again in a few seconds");
        }
        boolean right = isAdmin(header);
        guesses.tried(address, ADMIN, right);
        return right;
    }

    private boolean isAdmin(String header) {
        if (admin.password().isEmpty() || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return false;
        }
        try {
            byte[] given =
                    Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
            byte[] expected = (admin.name() + ":" + admin.password()).getBytes(StandardCharsets.UTF_8);
            // Over digests, so that the time does not tell how long the password is.
            return MessageDigest.isEqual(AccountRow.sha256(given), AccountRow.sha256(expected));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
