package io.georep.examples.sms.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.simulator.OperatorSimulator;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways as processes with a prepaid account. They die, and more, while clients send and an operator refuses. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("servers")
final class CreditKillIT {
    private static final String ADMIN = "a-long-password";
    private static final int CLIENTS = 6;
    private static final int REFUSED = 0x0b; // ESME_RINVDSTADR

    /** Until a charge that nobody has answered is done or withdrawn: its time, {@code check-after}, and some more. */
    private static final long SETTLED_NANOS = 8_000_000_000L;

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    private record Purse(long toppedUp, long free, long reserved, long spent) {}

    private final Set<String> arrived = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger tooMuch = new AtomicInteger();
    private List<GatewayProcess> gateways = List.of();

    @TempDir
    Path directory;

    private interface Trial {
        void run(OperatorSimulator operator) throws Exception;
    }

    private void withGateways(IntUnaryOperator dialled, Trial trial) throws Exception {
        try (OperatorSimulator operator = OperatorSimulator.open(
                "localhost", 0, List.of("gateway"), GatewayProcess.PASSWORD, each -> arrived.add(each.entryId()))) {
            gateways = GatewayProcess.start(
                    List.of("ams", "nyc", "sgp"),
                    dialled,
                    operator.port(),
                    directory,
                    "sms.accounts.client.prepaid=true",
                    "sms.admin.password=" + ADMIN,
                    "sms.credit.check-after=3s",
                    "georep.ordered-maps.groups[0]=ams-1,nyc-1,sgp-1",
                    "georep.ordered-maps.lease=1s",
                    "georep.ordered-maps.timeout=2s");
            try {
                gateways.forEach(each -> Await.until(each.site() + " to start", each::ready));
                trial.run(operator);
            } finally {
                gateways.forEach(GatewayProcess::kill);
            }
        }
    }

    @Test
    void nothingIsPaidTwiceOrLostWhileGatewaysAreKilled() throws Exception {
        withGateways(IntUnaryOperator.identity(), this::kills);
    }

    /** Of those that the chaos profile has: kill -9, SIGSTOP, cut links, an emptied directory. */
    @Test
    void nothingIsPaidTwiceOrLostWhateverHappensToGateways() throws Exception {
        int turns = Integer.getInteger("credit.turns", GatewayAccidents.KINDS);
        long seed = Long.getLong("credit.seed", new Random().nextInt(Integer.MAX_VALUE));
        System.out.println("Credit: to repeat the draws: -Dcredit.turns=" + turns + " -Dcredit.seed=" + seed);
        try (GatewayAccidents accidents = new GatewayAccidents(directory, new Random(seed))) {
            withGateways(accidents::dialled, operator -> happen(operator, accidents, turns));
        }
    }

    private void happen(OperatorSimulator operator, GatewayAccidents accidents, int turns) throws Exception {
        long paid = topUp(gateways.get(0), 0, 50);
        for (int turn = 0; turn < turns; turn++) {
            int kind = turn % GatewayAccidents.KINDS;
            boolean isRefused = (turn + turn / GatewayAccidents.KINDS) % 2 == 1;
            operator.refuse(isRefused ? REFUSED : 0);
            Payer payer = new Payer(paid);
            int before = answered.get();
            send(isRefused ? refused : acknowledged, payer, () -> {
                awaitAnswers(20);
                accidents.happen(kind, gateways);
                awaitAnswers(20);
            });
            paid = payer.paid;
            awaitSettled();
            System.out.println("Credit: " + (answered.get() - before) + " answers, " + purse(gateways.get(0)));
        }
        Purse last = awaitNothingReserved(gateways.get(0));
        System.out.println(
                "Credit: " + acknowledged.size() + " acknowledged and " + arrived.size() + " arrived, " + refused.size()
                        + " acknowledged and refused by the operator, " + tooMuch + " times too little; " + last);
        assertThat(arrived).containsAll(acknowledged).doesNotContainAnyElementsOf(refused);
        assertThat(last.spent).isEqualTo(arrived.size());
        assertThat(last.toppedUp).isEqualTo(paid);
        assertThat(acknowledged).isNotEmpty();
    }

    /** Tops up a little, at one gateway after the other, and looks whether all is right. */
    private final class Payer {
        private long paid;
        private int turn;

        Payer(long paid) {
            this.paid = paid;
        }

        void pay() {
            paid = topUp(gateways.get(turn++ % gateways.size()), paid, 10);
            LockSupport.parkNanos(500_000_000);
        }
    }

    private void kills(OperatorSimulator operator) throws Exception {
        long paid = 0;
        for (GatewayProcess victim : gateways) {
            GatewayProcess other = gateways.get(gateways.indexOf(victim) == 0 ? 1 : 0);
            paid = topUp(other, paid, 150);
            send(acknowledged, () -> {
                awaitAnswers(50);
                victim.kill();
                awaitAnswers(50);
                victim.restart();
                Await.until(victim.site() + " to be back", victim::ready);
                // So much that the account runs dry.
                int before = tooMuch.get();
                Await.until("the credit to be too small", () -> tooMuch.get() > before + CLIENTS);
            });
            awaitNothingReserved(other);
            operator.refuse(REFUSED);
            paid = topUp(other, paid, 40);
            send(refused, () -> {
                awaitAnswers(30);
                other.kill();
                awaitAnswers(30);
                other.restart();
                Await.until(other.site() + " to be back", other::ready);
            });
            awaitNothingReserved(other);
            operator.refuse(0);
        }
        Purse last = awaitNothingReserved(gateways.get(2));
        assertThat(arrived).containsAll(acknowledged).doesNotContainAnyElementsOf(refused);
        assertThat(last.spent).isEqualTo(arrived.size());
        assertThat(last.toppedUp).isEqualTo(paid);
        assertThat(acknowledged).hasSizeGreaterThan(100);
        assertThat(refused).isNotEmpty();
    }

    private interface Accident {
        void happen() throws Exception;
    }

    private void send(Set<String> taken, Accident accident) throws Exception {
        send(taken, null, accident);
    }

    /** Sends as long as the accident takes. */
    private void send(Set<String> taken, @Nullable Payer payer, Accident accident) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> clients = new ArrayList<>();
            Set<Integer> going = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                going.add(client);
                clients.add(threads.submit(() -> {
                    HttpClient http = HttpClient.newHttpClient();
                    for (int turn = client; going.contains(client); turn++) {
                        post(http, gateways.get(turn % gateways.size()), taken);
                    }
                }));
            }
            if (payer != null) {
                going.add(CLIENTS);
                clients.add(threads.submit(() -> {
                    while (going.contains(CLIENTS)) {
                        payer.pay();
                    }
                }));
            }
            try {
                accident.happen();
            } finally {
                going.clear();
            }
            for (Future<?> each : clients) {
                each.get(Await.SECONDS_MAX, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void post(HttpClient http, GatewayProcess gateway, Set<String> taken) {
        HttpRequest request = request(gateway.httpPort(), "/messages", "client:" + GatewayProcess.PASSWORD)
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}"))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 202) {
                Matcher id = ID.matcher(response.body());
                assertThat(id.find()).isTrue();
                taken.add(id.group(1));
                answered.incrementAndGet();
                return;
            }
            if (response.statusCode() == 402) {
                tooMuch.incrementAndGet();
                answered.incrementAndGet();
            }
        } catch (IOException e) {
            // It was killed, or is not up again.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LockSupport.parkNanos(20_000_000); // as a client that was refused would
    }

    private void awaitAnswers(int more) {
        int before = answered.get();
        Await.until(more + " answers", () -> answered.get() >= before + more);
    }

    private static HttpRequest.Builder request(int port, String path, String credentials) {
        String basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .header("authorization", "Basic " + basic)
                .header("content-type", "application/json");
    }

    private static long topUp(GatewayProcess gateway, long before, long parts) {
        Await.until("the top-up", Await.SECONDS_MAX, 100, () -> {
            // Repeated as long as it is not clear whether it was done: it is done once.
            String json = "{\"parts\":" + parts + ",\"toppedUp\":" + before + "}";
            send(gateway, HttpRequest.BodyPublishers.ofString(json), "POST");
            Purse purse = purse(gateway);
            return purse != null && purse.toppedUp == before + parts;
        });
        return before + parts;
    }

    /** Each look that is answered must be right in itself. */
    private static Purse purse(GatewayProcess gateway) {
        String body = send(gateway, HttpRequest.BodyPublishers.noBody(), "GET");
        if (!body.contains("\"toppedUp\"")) {
            return null;
        }
        Purse purse = new Purse(
                number(body, "toppedUp"), number(body, "free"), number(body, "reserved"), number(body, "spent"));
        assertThat(purse.free).isNotNegative();
        assertThat(purse.free + purse.reserved + purse.spent).isEqualTo(purse.toppedUp);
        return purse;
    }

    /** All that clients have sent has ended, and nothing of it can come any more. */
    private void awaitSettled() {
        long[] since = {System.nanoTime()};
        Await.until("all to be settled", Await.SECONDS_MAX, 100, () -> {
            Purse purse = purse(gateways.get(0));
            if (purse == null || purse.reserved != 0) {
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] > SETTLED_NANOS;
        });
    }

    private static Purse awaitNothingReserved(GatewayProcess gateway) {
        Purse[] last = new Purse[1];
        Await.until("all messages to have ended", Await.SECONDS_MAX, 100, () -> {
            last[0] = purse(gateway);
            return last[0] != null && last[0].reserved == 0;
        });
        return last[0];
    }

    private static String send(GatewayProcess gateway, HttpRequest.BodyPublisher body, String method) {
        HttpRequest request = request(gateway.managementPort(), "/actuator/credit/client", "admin:" + ADMIN)
                .method(method, body)
                .build();
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":(-?\\d+)").matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
