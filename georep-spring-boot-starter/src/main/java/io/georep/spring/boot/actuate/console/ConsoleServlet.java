package io.georep.spring.boot.actuate.console;

import io.georep.spring.boot.actuate.EndpointRefusal;
import io.georep.spring.boot.actuate.NodeOperator;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** The console over HTTP: its files, what is known as JSON, and what changes as server-sent events; and it takes orders. */
final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** Everything comes from this servlet, nothing is written as HTML, and no other page may show this one. */
    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Permissions-Policy", "camera=(), geolocation=(), microphone=()");

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain;charset=UTF-8";

    /** Entries that a page gets at once. */
    private static final int ENTRIES = 50;

    /** Then the browser comes again, and shows anew that it may. */
    private static final Duration STREAM_MAX = Duration.ofMinutes(10);

    private final transient Supplier<ConsoleFeed> feed;
    private final transient Supplier<ConsoleOrders> orders;
    private final transient Supplier<NodeOperator> operator;
    private final transient ConsoleFiles files = new ConsoleFiles();

    ConsoleServlet(Supplier<ConsoleFeed> feed, Supplier<ConsoleOrders> orders, Supplier<NodeOperator> operator) {
        this.feed = feed;
        this.orders = orders;
        this.operator = operator;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        HEADERS.forEach(response::setHeader);
        response.setHeader("Cache-Control", "no-store");
        String refusal = ConsoleAccess.refusal(request);
        if (refusal == null) {
            super.service(request, response);
        } else {
            answer(response, HttpServletResponse.SC_FORBIDDEN, TEXT, refusal);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        if (path == null) {
            // The names of files in the page begin at its directory.
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader("Location", request.getServletPath().substring(1) + "/");
            return;
        }
        switch (path) {
            case "/state" -> state(response);
            case "/history" -> history(request, response);
            case "/dead-letters", "/undecided" -> entries(path.substring(1), request, response);
            case "/events" -> events(request, response);
            default -> file(path, request, response);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        boolean shows = "/payload".equals(request.getPathInfo());
        if (!shows && !"/orders".equals(request.getPathInfo())) {
            super.doPost(request, response);
            return;
        }
        ConsoleOrders to = orders.get();
        ConsoleOrders.Outcome outcome = to.refusal(request);
        if (outcome == null) {
            byte[] body = request.getInputStream().readNBytes(ConsoleOrders.BYTES_MAX);
            outcome = shows ? to.show(body, request.getUserPrincipal()) : to.obey(body, request.getUserPrincipal());
        }
        boolean done = outcome.status() == HttpServletResponse.SC_OK;
        answer(response, outcome.status(), done ? JSON : TEXT, outcome.text());
    }

    private void state(HttpServletResponse response) throws IOException {
        ConsoleState state = feed.get().current();
        if (state == null) {
            answer(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    TEXT,
                    "The node has not answered yet: ask again.\n");
        } else {
            answer(response, HttpServletResponse.SC_OK, JSON, state.json());
        }
    }

    private void history(HttpServletRequest request, HttpServletResponse response) throws IOException {
        History.Plot plot = feed.get().history().plot(request.getParameter("queue"));
        if (plot == null) {
            answer(
                    response,
                    HttpServletResponse.SC_NOT_FOUND,
                    TEXT,
                    "The figures of this queue are not kept: only those of the first " + History.QUEUES_MAX
                            + " are.\n");
        } else {
            answer(response, HttpServletResponse.SC_OK, JSON, JacksonText.of(plot));
        }
    }

    /** A page of what is set aside, without payloads. */
    private void entries(String part, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isOfAnotherSite(request)) {
            answer(response, HttpServletResponse.SC_FORBIDDEN, TEXT, "Entries are for this page only.\n");
            return;
        }
        String queue = request.getParameter("queue");
        try {
            Object page = operator.get().item(part, queue == null ? "" : queue, request.getParameter("after"), ENTRIES);
            answer(response, HttpServletResponse.SC_OK, JSON, JacksonText.of(page));
        } catch (EndpointRefusal e) {
            answer(response, e.status(), TEXT, e.getMessage() + "\n");
        }
    }

    private static boolean isOfAnotherSite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        return site != null && !site.equals("same-origin") && !site.equals("none");
    }

    private void events(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isOfAnotherSite(request)) {
            answer(response, HttpServletResponse.SC_FORBIDDEN, TEXT, "Updates are for this page only.\n");
            return;
        }
        if (feed.get().current() == null || !request.isAsyncSupported()) {
            answer(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    TEXT,
                    "The node has not answered yet: ask again.\n");
            return;
        }
        response.setContentType("text/event-stream;charset=UTF-8");
        // Proxies that collect what they pass on would hold every update back.
        response.setHeader("X-Accel-Buffering", "no");
        ServletOutputStream out = response.getOutputStream();
        AsyncContext context = request.startAsync(request, response);
        context.setTimeout(STREAM_MAX.toMillis());
        if (!feed.get().open(context, out)) {
            answer(
                    response,
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    TEXT,
                    ConsoleFeed.PAGES_MAX + " pages are open at this node already: close one, or ask another node.\n");
            context.complete();
        }
    }

    private void file(String path, HttpServletRequest request, HttpServletResponse response) throws IOException {
        ConsoleFiles.Served file = files.at(path);
        if (file == null) {
            answer(response, HttpServletResponse.SC_NOT_FOUND, TEXT, "There is no such page.\n");
            return;
        }
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", file.tag());
        if (file.tag().equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        answer(response, file.type(), file.bytes());
    }

    private static void answer(HttpServletResponse response, int status, String type, String text) throws IOException {
        response.setStatus(status);
        answer(response, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpServletResponse response, String type, byte[] bytes) throws IOException {
        response.setContentType(type);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
