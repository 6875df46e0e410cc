package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.demo.SmppClient;
import io.georep.model.NodeId;
import io.georep.spi.StoreFactory;
import io.georep.spi.TransportFactory;
import io.georep.testing.LocalNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients are told, by SMPP and by HTTP, when a gateway cannot take their message for a real reason. */
final class RefusedAtBothDoorsTest {
    private static final NodeId AMS = NodeId.of("ams-1");
    private static final NodeId NYC = NodeId.of("nyc-1");

    /** Silence is not to be noticed: these tests are about what happens before. */
    private static final List<String> PATIENT =
            List.of("georep.protocol.suspect-after=10m", "georep.protocol.terminate-after=10m");

    private final LocalNetwork network = new LocalNetwork();
    private final StoreWithSwitch store = new StoreWithSwitch();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    Path directory;

    private Sites sites;
    private SmppClient client;

    @AfterEach
    void stop() {
        network.heal();
        client.close();
        sites.close();
        threads.shutdownNow();
    }

    private void start(String... properties) throws IOException {
        List<String> all = new ArrayList<>(PATIENT);
        all.addAll(List.of(properties));
        sites = Sites.start(
                2,
                directory,
                (index, context) -> {
                    context.registerBean(TransportFactory.class, network::transports);
                    if (index == 0) {
                        context.registerBean(StoreFactory.class, store::factory);
                    }
                },
                all.toArray(new String[0]));
        client = sites.client(0);
    }

    private String submit() throws NegativeResponseException, IOException {
        return client.submit("GeoRep", "+31201234567", "x");
    }

    private HttpResponse<String> post() throws Exception {
        return sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}");
    }

    private int refusedSubmit() {
        return catchThrowableOfType(NegativeResponseException.class, this::submit)
                .getCommandStatus();
    }

    private void assertRefusedPost(int status, String type, boolean retry) throws Exception {
        HttpResponse<String> response = post();
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(response.headers().firstValue("retry-after").isPresent()).isEqualTo(retry);
        assertThat(response.body()).contains("urn:sms-gateway:" + type);
    }

    private void assertTakesMessages() throws Exception {
        assertThat(submit()).startsWith("ams-1:");
        assertThat(post().statusCode()).isEqualTo(202);
    }

    /** A submit of whose copy the gateway hears only when {@link #reconnect}ed. */
    private Future<String> submitUnconfirmed() {
        network.cutOneWay(NYC, AMS);
        Future<String> waiting = threads.submit(this::submit);
        Await.until("the send to wait for its copy", () -> sites.gauge(0, "georep.pending.sends") == 1);
        return waiting;
    }

    /** Breaks the other direction as well and repairs both: what is open is then settled anew. */
    private void reconnect() {
        network.cutOneWay(AMS, NYC);
        network.heal();
    }

    @Test
    void askForMorePatienceWhileTooMuchIsPending() throws Exception {
        start("georep.protocol.pending-puts-max=1", "georep.protocol.put-timeout=5m");
        Future<String> waiting = submitUnconfirmed();

        assertThat(refusedSubmit()).isEqualTo(SMPPConstant.STAT_ESME_RTHROTTLED);
        assertRefusedPost(429, "slow-down", true);

        reconnect();
        assertThat(waiting.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).startsWith("ams-1:");
        assertTakesMessages();
    }

    @Test
    void sendToAnotherGatewayWhileTheDiskIsFull() throws Exception {
        start();
        store.full(true);
        Await.until("the node to know", () -> refused() == SMPPConstant.STAT_ESME_RSYSERR);
        assertRefusedPost(503, "unavailable", true);
        assertThat(post().body()).contains("no space left");

        store.full(false);
        Await.until("the node to know", () -> refused() == 0);
        assertTakesMessages();
    }

    /** Status of a submit, 0 when it was taken. */
    private int refused() {
        try {
            submit();
            return 0;
        } catch (NegativeResponseException e) {
            return e.getCommandStatus();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void sendToAnotherGatewayWhileThisOneIsDrained() throws Exception {
        start();
        sites.node(0).drain(AMS);
        Await.until("the node to refuse", () -> refused() == SMPPConstant.STAT_ESME_RSYSERR);
        assertRefusedPost(503, "unavailable", true);
        assertThat(post().body()).contains("leaving or drained");

        sites.node(0).undrain(AMS);
        Await.until("the node to take messages", () -> refused() == 0);
        assertTakesMessages();
    }

    @Test
    void answerWhatWasTakenAndRefuseTheRestWhileTheGatewayStops() throws Exception {
        start("georep.protocol.pending-puts-max=1", "georep.protocol.put-timeout=5m");
        Future<String> taken = submitUnconfirmed();

        Future<?> stopping = threads.submit(() -> sites.shutDown(0));
        Await.until("the gateway to refuse", () -> refused() == SMPPConstant.STAT_ESME_RSYSERR);
        assertThat(taken).isNotDone();
        reconnect();

        assertThat(taken.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).startsWith("ams-1:");
        stopping.get(Await.SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Test
    void sayThatNobodyKnowsWhenTheAnswerOfTheOtherSiteIsLost() throws Exception {
        start("georep.protocol.put-timeout=1s");
        network.cutOneWay(NYC, AMS);

        assertThat(refusedSubmit()).isEqualTo(SMPPConstant.STAT_ESME_RSYSERR);
        assertRefusedPost(504, "unknown-outcome", false);

        assertThat(sites.timed(0, "sms.taken", "outcome", "unknown_outcome")).isEqualTo(2);
    }

    /** 503 would say that nothing was stored, and the client would send it to another gateway. */
    @Test
    void sayThatNobodyKnowsWhenTheServerLosesPatience() throws Exception {
        start("georep.protocol.put-timeout=5m", "spring.mvc.async.request-timeout=1s");
        network.cutOneWay(NYC, AMS);

        assertRefusedPost(504, "unknown-outcome", false);

        reconnect();
        Await.until("the message to be stored", () -> sites.timed(0, "sms.taken", "outcome", "stored") == 1);
    }
}
