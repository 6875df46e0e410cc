package io.georep.spring.boot.actuate.console;

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

    private ConsoleAccess() {}

    /** Returns why this request is not answered; null if it is. */
    static @Nullable String refusal(HttpServletRequest request) {
        if (request.getUserPrincipal() != null) {
            return null;
        }
        boolean throughProxy = OF_PROXIES.stream().anyMatch(name -> request.getHeader(name) != null);
        if (isLocal(request.getRemoteAddr(), request.getHeader("Host")) && !throughProxy) {
            return null;
        }
        return "This page is only for the machine on which the node runs, because you have not logged in.\n\n"
                + "Either go through a tunnel (ssh -L 8080:localhost:8080 <the machine>, with the port of this page) and open"
                + " http://localhost:8080/georep/ in your browser.\n\n"
                + "Or add Spring Security (spring-boot-starter-security) to the application, and let it ask for a password at"
                + " /georep: the page 'The console' in the documentation of GeoRep says how.\n";
    }

    static boolean isLocal(@Nullable String address, @Nullable String host) {
        return address != null
                && LOOPBACK.matcher(address).matches()
                && host != null
                && LOOPBACK_HOST.matcher(host).matches();
    }
}
