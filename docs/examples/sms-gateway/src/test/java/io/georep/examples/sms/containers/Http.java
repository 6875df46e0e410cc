package io.georep.examples.sms.containers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Requests with bounded waits. */
final class Http {
    static {
        // In seconds: a gateway that is gone leaves connections behind, and the next one may have its address.
        System.setProperty("jdk.httpclient.keepalive.timeout", "1");
    }

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private Http() {}

    static HttpResponse<String> get(String uri) throws IOException {
        return send(HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofSeconds(5)));
    }

    static HttpResponse<String> post(String uri, String json, String authorization) throws IOException {
        return send(HttpRequest.newBuilder(URI.create(uri))
                .timeout(Duration.ofSeconds(5))
                .header("Content-Type", "application/json")
                .header("Authorization", authorization)
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
