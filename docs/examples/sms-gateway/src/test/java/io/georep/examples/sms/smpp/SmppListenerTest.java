package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.demo.SmppClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.Test;

final class SmppListenerTest extends SubmitsWait {
    private SmppClient client() throws IOException {
        return SmppClient.bind(listener.port(), "client", "secret", PATIENCE);
    }

    private Future<String> submit(SmppClient client) {
        return threads.submit(() -> client.submit("GeoRep", "+31201234567", "x"));
    }

    @Test
    void answersWhenTheOutcomeIsKnownInWhateverOrder() throws Exception {
        try (SmppClient client = client()) {
            Future<String> first = submit(client);
            Await.until("the first submit", () -> waiting.size() == 1);
            Future<String> second = submit(client);
            Await.until("the second submit", () -> waiting.size() == 2);
            List<CompletableFuture<String>> outcomes = List.copyOf(waiting);

            outcomes.get(1).complete("id-2");
            assertThat(second.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("id-2");
            assertThat(first).isNotDone();
            outcomes.get(0).complete("id-1");
            assertThat(first.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("id-1");
        }
    }

    @Test
    void answersWithTheStatusOfTheRefusal() throws Exception {
        try (SmppClient client = client()) {
            assertThat(statusOf(client, new SmppStatusException(SMPPConstant.STAT_ESME_RMSGQFUL, "full")))
                    .isEqualTo(SMPPConstant.STAT_ESME_RMSGQFUL);
            assertThat(statusOf(client, new IllegalStateException("bug"))).isEqualTo(SMPPConstant.STAT_ESME_RSYSERR);
        }
    }

    private int statusOf(SmppClient client, RuntimeException error) {
        Future<?> failure = threads.submit(() -> {
            Await.until("a submit", () -> !waiting.isEmpty());
            waiting.remove().completeExceptionally(error);
        });
        NegativeResponseException refusal = catchThrowableOfType(
                NegativeResponseException.class, () -> client.submit("GeoRep", "+31201234567", "x"));
        assertThat(failure).succeedsWithin(PATIENCE);
        return refusal.getCommandStatus();
    }

    @Test
    void throttlesBeyondTheWindow() throws Exception {
        try (SmppClient client = client()) {
            List<Future<String>> submits = new ArrayList<>();
            for (int i = 0; i < WINDOW; i++) {
                submits.add(submit(client));
            }
            Await.until("the window to fill", () -> waiting.size() == WINDOW);

            NegativeResponseException refusal = catchThrowableOfType(
                    NegativeResponseException.class, () -> client.submit("GeoRep", "+31201234567", "x"));

            assertThat(refusal.getCommandStatus()).isEqualTo(SMPPConstant.STAT_ESME_RTHROTTLED);
            waiting.forEach(outcome -> outcome.complete("id"));
            for (Future<String> submit : submits) {
                assertThat(submit.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("id");
            }
        }
    }

    /** It would cost the CPU of others. */
    @Test
    void aClientThatDoesNotHeedThrottlingIsReadSlowly() throws Exception {
        int refusals = 50;
        try (RawSmpp raw = RawSmpp.bound(listener.port())) {
            raw.send(SMPPConstant.CID_SUBMIT_SM, 2, RawSmpp.submitBody(), WINDOW);
            Await.until("the window to fill", () -> waiting.size() == WINDOW);
            long begin = System.nanoTime();

            raw.send(SMPPConstant.CID_SUBMIT_SM, 3, RawSmpp.submitBody(), refusals);

            for (int i = 0; i < refusals; i++) {
                assertThat(raw.receive().status()).isEqualTo(SMPPConstant.STAT_ESME_RTHROTTLED);
            }
            assertThat(System.nanoTime() - begin).isGreaterThan((refusals - 1) * SubmitSession.PACE_NANOS);
        }
    }

    @Test
    void answersSubmitsUnderWayBeforeItCloses() throws Exception {
        try (SmppClient client = client()) {
            Future<String> submit = submit(client);
            Await.until("the submit", () -> waiting.size() == 1);

            Future<?> closing = threads.submit(() -> listener.close(PATIENCE));
            assertThatIOException().isThrownBy(this::connectUntilRefused);
            assertThat(closing).isNotDone();
            waiting.remove().complete("id");

            assertThat(submit.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo("id");
            assertThat(closing).succeedsWithin(PATIENCE);
        }
    }

    private void connectUntilRefused() throws IOException {
        while (true) {
            new Socket("localhost", listener.port()).close();
        }
    }

    /** Which of the two is wrong is not told. */
    @Test
    void refusesWrongCredentials() {
        assertThatIOException()
                .isThrownBy(() -> SmppClient.bind(listener.port(), "nobody", "secret", PATIENCE))
                .withMessageContaining("0000000e");
        assertThatIOException()
                .isThrownBy(() -> SmppClient.bind(listener.port(), "client", "wrong", PATIENCE))
                .withMessageContaining("0000000e");
        Await.until("the sessions to end", () -> listener.sessions() == 0);
    }

    @Test
    void slowsDownWhoGuessesPasswordsAndNotWhoHasTheRightOne() throws Exception {
        try (SmppClient client = client()) {
            int status = 0;
            int guesses = 0;
            while (status != SMPPConstant.STAT_ESME_RTHROTTLED) {
                status = statusOfBind("guess-" + guesses % 10);
                guesses++;
                assertThat(guesses).isLessThan(200);
            }
            assertThat(client.bound()).isTrue();
        }
        try (SmppClient again = client()) {
            assertThat(again.bound()).isTrue();
        }
    }

    private int statusOfBind(String name) throws IOException {
        try (RawSmpp raw = new RawSmpp(listener.port())) {
            raw.send(SMPPConstant.CID_BIND_TRANSMITTER, 1, bind(name));
            return raw.receive().status();
        }
    }

    private static byte[] bind(String name) {
        return (name + "\0secret\0\0" + "4\0\0\0").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** jSMPP has no answer to a second bind: its threads die of it, with a stack trace each. */
    @Test
    void endsAConnectionThatBindsTwice() throws Exception {
        AtomicInteger dead = new AtomicInteger();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> dead.incrementAndGet());
        try {
            for (int i = 0; i < 20; i++) {
                try (RawSmpp raw = new RawSmpp(listener.port())) {
                    raw.send(SMPPConstant.CID_BIND_TRANSMITTER, 1, bind("client"), 3);
                    assertThatIOException()
                            .isThrownBy(() -> {
                                while (true) {
                                    raw.receive();
                                }
                            })
                            .isNotInstanceOf(SocketTimeoutException.class);
                }
            }
            Await.until("all to be forgotten", () -> listener.sessions() == 0);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(dead).hasValue(0);
        try (SmppClient client = client()) {
            assertThat(client.bound()).isTrue();
        }
    }

    @Test
    void takesNoSubmitAfterTheUnbind() throws Exception {
        // A connection whose client has unbound and sends nothing ends with the silence.
        SmppListener.Settings brief = new SmppListener.Settings(
                "localhost", 0, "gateway", 5, 8, 4, WINDOW, PATIENCE, Duration.ofSeconds(1), PATIENCE);
        Accounts accounts = new Accounts(Map.of("client", new SmsProperties.Account("secret", 5, 0)));
        try (SmppListener door = SmppListener.open(brief, accounts, this::submitted, threads);
                RawSmpp raw = RawSmpp.bound(door.port())) {
            raw.sendBoth(SMPPConstant.CID_UNBIND, SMPPConstant.CID_SUBMIT_SM, RawSmpp.submitBody());
            assertThatIOException().isThrownBy(() -> {
                while (true) {
                    raw.receive();
                }
            });
            Await.until("the end of the session", () -> door.sessions() == 0);
        }
        assertThat(waiting).isEmpty();
    }

    /** It goes on sending, so it is not silent; but each answer would hold up a thread, and its receipts others. */
    @Test
    void endsASessionThatReadsNothing() throws Exception {
        SmppListener.Settings impatient = new SmppListener.Settings(
                "localhost", 0, "gateway", 5, 8, 4, WINDOW, PATIENCE, Duration.ofSeconds(1), PATIENCE);
        Accounts accounts = new Accounts(Map.of("client", new SmsProperties.Account("secret", 5, 0)));
        String longId = "i".repeat(64);
        try (SmppListener door = SmppListener.open(
                        impatient, accounts, (account, sms) -> CompletableFuture.completedFuture(longId), threads);
                RawSmpp raw = RawSmpp.boundWithLittleRoom(door.port())) {
            Future<?> sending = threads.submit(() -> {
                while (true) {
                    raw.send(SMPPConstant.CID_SUBMIT_SM, 2, RawSmpp.submitBody(), 100);
                }
            });

            assertThat(sending).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IOException.class);
            Await.until("the session to end", () -> door.sessions() == 0);
        }
    }

    /** Without a descriptor for the next connection, each attempt to accept it fails at once. */
    @Test
    void pausesWhenItCannotAccept() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch several = new CountDownLatch(3);
        long begin = System.nanoTime();
        try (ServerSocket full = new ServerSocket() {
                    @Override
                    public Socket accept() throws IOException {
                        attempts.incrementAndGet();
                        several.countDown();
                        throw new SocketException("Too many open files");
                    }
                };
                SmppListener starved =
                        SmppListener.open(SETTINGS, new Accounts(Map.of()), (account, sms) -> null, threads, full)) {
            assertThat(several.await(Await.SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
            int made = attempts.get();
            long tenths = (System.nanoTime() - begin) / 100_000_000;
            assertThat(tenths).as("two pauses of 200 ms").isGreaterThanOrEqualTo(3);
            assertThat(made).isLessThanOrEqualTo((int) tenths + 3);
            assertThat(starved.sessions()).isZero();
        }
    }

    /** Each connection would leave a thread behind, when there are none to spare. */
    @Test
    void aConnectionThatGetsNoThreadLeavesNone() throws Exception {
        Set<Thread> before = enquirers();
        AtomicBoolean accepting = new AtomicBoolean();
        Executor one = task -> {
            if (accepting.getAndSet(true)) {
                throw new RejectedExecutionException("no thread");
            }
            threads.execute(task);
        };
        try (SmppListener door = SmppListener.open(SETTINGS, new Accounts(Map.of()), (account, sms) -> null, one);
                Socket client = new Socket("localhost", door.port())) {
            client.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(client.getInputStream().read()).isEqualTo(-1);

            Await.until("its thread to end", () -> before.containsAll(enquirers()));
        }
    }

    /** Threads of jSMPP, one for each session. */
    private static Set<Thread> enquirers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("EnquireLinkSender"))
                .collect(Collectors.toSet());
    }

    @Test
    void refusesMoreSessionsThanAllowed() throws Exception {
        List<SmppClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(client());
        }

        assertThatIOException().isThrownBy(this::client).withMessageContaining("0000000d");

        clients.forEach(SmppClient::close);
        Await.until("the sessions to end", () -> listener.sessions() == 0);
    }

    @Test
    void refusesMoreSessionsThanTheAccountMayHave() throws Exception {
        try (SmppClient small = SmppClient.bind(listener.port(), "small", "secret", PATIENCE)) {
            assertThat(small.bound()).isTrue();
            assertThatIOException()
                    .isThrownBy(() -> SmppClient.bind(listener.port(), "small", "secret", PATIENCE))
                    .withMessageContaining("0000000d");
            try (SmppClient other = client()) {
                assertThat(other.bound()).isTrue();
            }
        }
    }

    @Test
    void endsConnectionsThatDoNotBindWhenThereAreTooMany() throws Exception {
        try (RawSmpp first = new RawSmpp(listener.port())) {
            List<RawSmpp> others = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                others.add(new RawSmpp(listener.port()));
            }

            Await.until("one of them to be forgotten", () -> listener.sessions() == 4);
            for (RawSmpp other : others) {
                other.close();
            }
        }
        Await.until("all to be forgotten", () -> listener.sessions() == 0);
    }

    @Test
    void answersEnquireLink() throws Exception {
        try (RawSmpp raw = RawSmpp.bound(listener.port())) {
            raw.send(SMPPConstant.CID_ENQUIRE_LINK, 7, new byte[0]);

            assertThat(raw.receive()).isEqualTo(new RawSmpp.Header(SMPPConstant.CID_ENQUIRE_LINK_RESP, 0, 7));
        }
    }
}
