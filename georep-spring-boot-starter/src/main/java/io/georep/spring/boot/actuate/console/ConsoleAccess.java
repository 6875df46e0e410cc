package io.georep.spring.boot.actuate.console;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who may see the console: who has logged in, and whoever sits at this machine. */
final class ConsoleAccess {
    private static final Pattern LOOPBACK = Pattern.compile("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}|(0:){7}1|::1");

    /** With the port that a URL may have. Other names may lead a browser here from any page that it shows. */
    private static final Pattern LOOPBACK_HOST = Pattern.compile(
            "(localhost|127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

    private static final List<String> OF_PROXIES = List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

    /** Tomcat sets it where it takes addresses from headers, and leaves no trace of the headers. */
    private static final String FORWARDED = "org.apache.tomcat.request.forwarded";

    private ConsoleAccess() {}

    /** Returns why this request is not answered; null if it is. */
    static @Nullable String refusal(HttpServletRequest request) {
        if (request.getUserPrincipal() != null) {
            return null;
        }
        HttpServletRequest received = received(request);
        if (received.getAttribute(FORWARDED) != null) {
            return "You have not logged in, and nobody can tell whether you sit at this machine, because the web server takes"
                    + " addresses from headers (server.forward-headers-strategy=native, the default in Kubernetes).\n\n"
                    + "Set server.forward-headers-strategy=none if you come through a tunnel, or add Spring Security, and let it ask"
                    + " for a password at /georep.\n";
        }
        boolean throughProxy = OF_PROXIES.stream().anyMatch(name -> received.getHeader(name) != null);
        if (isLocal(received.getRemoteAddr(), received.getHeader("Host")) && !throughProxy) {
            return null;
        }
        return "This page is only for the machine on which the node runs, because you have not logged in.\n\n"
                + "Either go through a tunnel (ssh -L 8080:localhost:8080 <the machine>, with the port of this page) and open"
                + " http://localhost:8080/georep/ in your browser.\n\n"
                + "Or add Spring Security (spring-boot-starter-security) to the application, and let it ask for a password at"
                + " /georep: the page 'The console' in the documentation of GeoRep says how.\n";
    }

    /** The request as it came, before a filter has put the address of a header in the place of the sender's. */
    private static HttpServletRequest received(HttpServletRequest request) {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        return inner instanceof HttpServletRequest http ? http : request;
    }

    static boolean isLocal(@Nullable String address, @Nullable String host) {
        return address != null
                && LOOPBACK.matcher(address).matches()
                && host != null
                && LOOPBACK_HOST.matcher(host).matches();
    }
}
