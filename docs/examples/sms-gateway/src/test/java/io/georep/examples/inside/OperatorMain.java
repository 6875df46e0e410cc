package io.georep.examples.inside;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.georep.examples.sms.simulator.OperatorSimulator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The operator simulator in a container, with a port to ask what it got and to make it throttle. It writes a message down
 * before it answers the submit.
 */
public final class OperatorMain {
    private static final int SMPP_PORT = 2776;
    private static final int CONTROL_PORT = 8080;

    /** One line for each message: entry id, space, text. */
    private final List<String> arrived = new ArrayList<>();

    private OperatorMain() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws IOException {
        OperatorMain main = new OperatorMain();
        OperatorSimulator operator = OperatorSimulator.open(
                "0.0.0.0", SMPP_PORT, List.of("gateway"), System.getenv("SMS_OPERATOR_PASSWORD"), main::arrived);
        HttpServer control = HttpServer.create(new InetSocketAddress(CONTROL_PORT), 0);
        control.createContext("/arrived/", exchange -> answer(exchange, main.since(last(exchange))));
        control.createContext("/throttle/", exchange -> {
            operator.throttle(last(exchange).equals("on"));
            answer(exchange, "");
        });
        control.createContext("/sessions/", exchange -> answer(exchange, Integer.toString(operator.sessions())));
        control.start();
    }

    private synchronized void arrived(OperatorSimulator.Received received) {
        arrived.add(received.entryId() + " " + received.sms().text());
    }

    private synchronized String since(String first) {
        int from = Math.min(Integer.parseInt(first), arrived.size());
        return String.join("\n", arrived.subList(from, arrived.size()));
    }

    private static String last(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
