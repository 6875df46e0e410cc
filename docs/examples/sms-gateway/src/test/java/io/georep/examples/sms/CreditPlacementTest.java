package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.tables.AdminDoor;
import io.georep.geopaxos.OrderedMaps;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalNetwork;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three gateways that are far from each other, and accounts that send from one of them each. All accounts begin where it is farthest: at
 * {@code sgp}. {@code -Dcredit.plot=FILE} draws it.
 */
@Tag("soak") // it waits until keys have moved, which a busy machine takes its time for
final class CreditPlacementTest {
    private static final String ADMIN = "a-long-password";
    private static final List<String> SITES = List.of("ams", "nyc", "sgp");

    /** Accounts of each site; one of them sends. Keys that are neighbours move together. */
    private static final int ACCOUNTS = 100;

    private static final int CLIENTS = 6;
    private static final int WARM_UP_PAYMENTS = 150;
    private static final int PLOTTED_SECONDS = 41;

    private static final int MILLIS_AMS_NYC = 90;
    private static final int MILLIS_NYC_SGP = 230;
    private static final Map<Set<String>, Duration> ROUND_TRIPS = Map.of(
            Set.of("ams-1", "nyc-1"), Duration.ofMillis(MILLIS_AMS_NYC),
            Set.of("ams-1", "sgp-1"), Duration.ofMillis(160),
            Set.of("nyc-1", "sgp-1"), Duration.ofMillis(MILLIS_NYC_SGP));

    /** The first one has the accounts in the beginning. */
    private static final List<String> GROUPS = List.of("sgp-1,ams-1,nyc-1", "ams-1,nyc-1,sgp-1", "nyc-1,ams-1,sgp-1");

    private static final int GROUP_OF_NYC = 2;

    private final DistantSites network = new DistantSites(new LocalNetwork().transports(), ROUND_TRIPS);
    private final AtomicBoolean over = new AtomicBoolean();
    private final ExecutorService threads = Executors.newFixedThreadPool(24);
    private Sites sites;

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        if (sites != null) {
            sites.close();
        }
        network.close();
        threads.shutdownNow();
    }

    @Test
    void accountsMoveToTheSiteTheySendFrom() throws Exception {
        List<String> properties = new ArrayList<>(List.of(
                "spring.profiles.active={site},credit",
                "sms.admin.password=" + ADMIN,
                "georep.protocol.put-timeout=5s",
                "georep.protocol.suspect-after=10s",
                "georep.ordered-maps.placement=" + (System.getProperty("credit.plot") == null ? "1s" : "20s")));
        for (int group = 0; group < GROUPS.size(); group++) {
            properties.add("georep.ordered-maps.groups[" + group + "]=" + GROUPS.get(group));
        }
        SITES.forEach(site -> {
            properties.add("sms.accounts." + sender(site) + ".password=pw-1");
            properties.add("sms.accounts." + sender(site) + ".prepaid=true");
        });
        sites = Sites.start(
                3,
                directory,
                (index, context) -> context.registerBean(TransportFactory.class, () -> network),
                properties.toArray(String[]::new));
        all(SITES.stream()
                .flatMap(site -> IntStream.range(0, ACCOUNTS)
                        .mapToObj(number -> CompletableFuture.runAsync(
                                () -> Await.until("the top-up", () -> isToppedUp(account(site, number))), threads))));

        List<CompletableFuture<Void>> clients = IntStream.range(0, SITES.size() * CLIENTS)
                .mapToObj(client -> CompletableFuture.runAsync(() -> send(client % SITES.size()), threads))
                .toList();
        try {
            String plot = System.getProperty("credit.plot");
            if (plot != null) {
                Await.until("warmed up gateways", () -> paid(1).count() > WARM_UP_PAYMENTS);
                Files.writeString(Path.of(plot), CreditPlot.svg(SITES, sampled()));
                return;
            }
            // Led from sgp: a payment at nyc goes there and back, and nyc need not wait for the round that the leader
            // waits for.
            Await.until("payments at nyc", () -> nextPaid(1) < MILLIS_NYC_SGP + MILLIS_AMS_NYC - 1);
            // Led from nyc: it goes to ams and back.
            Await.until("accounts to be led from nyc", this::hasNycAccounts);
            Await.until("payments at nyc without the way to sgp", () -> nextPaid(1) < MILLIS_NYC_SGP - 1);
        } finally {
            over.set(true);
        }
        all(clients.stream());
    }

    private static void all(Stream<CompletableFuture<Void>> tasks) throws Exception {
        CompletableFuture.allOf(tasks.toArray(CompletableFuture[]::new)).get(Await.SECONDS_MAX, TimeUnit.SECONDS);
    }

    private boolean hasNycAccounts() {
        return AdminDoor.await(sites.bean(1, OrderedMaps.class).readStatistics())
                        .groups()
                        .get(GROUP_OF_NYC)
                        .leaves()
                > 0;
    }

    /** Looks each second how long payments took in it. */
    private List<double[]> sampled() {
        List<double[]> samples = new ArrayList<>();
        long[] counts = new long[SITES.size()];
        double[] millis = new double[SITES.size()];
        long begun = System.nanoTime();
        for (int second = 0; second < PLOTTED_SECONDS; second++) {
            long end = begun + TimeUnit.SECONDS.toNanos(second + 1L);
            Await.until("the next second", () -> System.nanoTime() - end >= 0);
            double[] sample = new double[SITES.size()];
            for (int site = 0; site < sample.length; site++) {
                Timer timer = paid(site);
                sample[site] = (timer.totalTime(TimeUnit.MILLISECONDS) - millis[site]) / (timer.count() - counts[site]);
                counts[site] = timer.count();
                millis[site] = timer.totalTime(TimeUnit.MILLISECONDS);
            }
            samples.add(sample);
        }
        return samples.subList(1, samples.size()); // the first one has what was before
    }

    private Timer paid(int site) {
        return sites.bean(site, MeterRegistry.class).get("sms.credit.paid").timer();
    }

    /** Returns how long the next payments took in the mean, in milliseconds. */
    private double nextPaid(int site) {
        Timer timer = paid(site);
        long count = timer.count();
        double millis = timer.totalTime(TimeUnit.MILLISECONDS);
        Await.until("payments", () -> timer.count() >= count + 2 * CLIENTS);
        return (timer.totalTime(TimeUnit.MILLISECONDS) - millis) / (timer.count() - count);
    }

    private static String account(String site, int number) {
        return site + "-" + (100 + number);
    }

    private static String sender(String site) {
        return account(site, ACCOUNTS / 2);
    }

    private boolean isToppedUp(String account) {
        try {
            int status = sites.manage(
                            0,
                            "POST",
                            "/actuator/credit/" + account,
                            "admin",
                            ADMIN,
                            "{\"parts\":100000,\"toppedUp\":0}")
                    .statusCode();
            return status == 200 || status == 409;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(int site) {
        while (!over.get()) {
            try {
                String json = "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}";
                assertThat(sites.post(site, sender(SITES.get(site)), "pw-1", json)
                                .statusCode())
                        .isEqualTo(202);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
