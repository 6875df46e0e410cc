package io.georep.comparison;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A server of etcd, asked through its gateway for JSON. */
final class ChurnedEtcd extends Churned {
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");
    private static final Duration WITHIN = Duration.ofSeconds(6);
    private static final Duration FORGET_WITHIN = Duration.ofSeconds(40);
    private static final long LOOK_MILLIS = 100;

    private final HttpClient http;
    private final String address;

    private ChurnedEtcd(Process process, HttpClient http, String address) {
        super(process);
        this.http = http;
        this.address = address;
        tryUntilReady();
    }

    /** Makes servers, and tells the others of who is gone and who is new, as their operator must. */
    static final class Servers implements Maker {
        private final HttpClient http = HttpClient.newHttpClient();
        private final Path binary;
        private final String prefix;
        private final int places;
        private final Path directory;
        private final boolean[] hasRun;
        private int lives;

        Servers(Path binary, String prefix, int places, Path directory) {
            this.binary = binary;
            this.prefix = prefix;
            this.places = places;
            this.directory = directory;
            hasRun = new boolean[places];
        }

        private String peer(int place) {
            return "http://" + prefix + (place + 1) + ":2380";
        }

        @Override
        public Churned start(int place) throws IOException {
            String client = prefix + (place + 1) + ":2379";
            String all = IntStream.range(0, places)
                    .mapToObj(each -> "n" + each + "=" + peer(each))
                    .collect(Collectors.joining(","));
            List<String> command = List.of(
                    binary.toString(),
                    "--name=n" + place,
                    "--data-dir=" + directory.resolve("etcd-" + lives++),
                    "--initial-cluster=" + all,
                    "--initial-cluster-state=" + (hasRun[place] ? "existing" : "new"),
                    "--initial-advertise-peer-urls=" + peer(place),
                    "--listen-peer-urls=" + peer(place),
                    "--advertise-client-urls=http://" + client,
                    "--listen-client-urls=http://" + client,
                    "--logger=zap",
                    "--log-level=error");
            hasRun[place] = true;
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("n" + place + ".log").toFile()))
                    .start();
            return new ChurnedEtcd(process, http, client);
        }

        /** Others are asked until one does it: without a leader, or soon after another change, they refuse. */
        @Override
        public void forget(int place) throws IOException, InterruptedException {
            long until = System.nanoTime() + FORGET_WITHIN.toNanos();
            for (int other = 0; System.nanoTime() < until; other = (other + 1) % places) {
                try {
                    if (other != place && forget(place, prefix + (other + 1) + ":2379")) {
                        return;
                    }
                } catch (CompletionException e) {
                    TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                }
            }
            throw new IOException("nobody takes n" + place + " out");
        }

        private boolean forget(int place, String asked) {
            String members = ask(http, asked, "/v3/cluster/member/list", "{}").join();
            Matcher id = Pattern.compile(
                            "\"ID\":\"(\\d+)\"[^{}]*\"peerURLs\":\\[\"" + Pattern.quote(peer(place)) + "\"")
                    .matcher(members);
            if (id.find()) {
                ask(http, asked, "/v3/cluster/member/remove", "{\"ID\":\"" + id.group(1) + "\"}")
                        .join();
            }
            ask(http, asked, "/v3/cluster/member/add", "{\"peerURLs\":[\"" + peer(place) + "\"]}")
                    .join();
            return true;
        }
    }

    private void tryUntilReady() {
        get("nothing").whenComplete((value, error) -> {
            if (error == null) {
                ready.complete(null);
            } else if (process.isAlive()) {
                CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(this::tryUntilReady);
            } else {
                ready.completeExceptionally(error);
            }
        });
    }

    private static CompletableFuture<String> ask(HttpClient http, String address, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .timeout(WITHIN)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(answer -> {
            if (answer.statusCode() != 200) {
                throw new CompletionException(new IOException(answer.body()));
            }
            return answer.body();
        });
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    CompletableFuture<@Nullable String> get(String key) {
        return ask(http, address, "/v3/kv/range", "{\"key\":\"" + base64(key) + "\"}")
                .thenApply(found -> {
                    Matcher value = VALUE.matcher(found);
                    return value.find()
                            ? new String(Base64.getDecoder().decode(value.group(1)), StandardCharsets.UTF_8)
                            : null;
                });
    }

    @Override
    CompletableFuture<?> put(String key, String value) {
        return ask(
                http, address, "/v3/kv/put", "{\"key\":\"" + base64(key) + "\",\"value\":\"" + base64(value) + "\"}");
    }
}
