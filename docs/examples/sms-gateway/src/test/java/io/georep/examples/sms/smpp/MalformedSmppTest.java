package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.demo.SmppClient;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;

/** What no client should send is answered, or ends its session. */
final class MalformedSmppTest extends SubmitsWait {
    private static final int GENERIC_NACK = 0x80000000;

    @Test
    void refusesCommandsItDoesNotServeAndKeepsTheSession() throws Exception {
        try (RawSmpp raw = RawSmpp.bound(listener.port())) {
            for (int command : List.of(SMPPConstant.CID_QUERY_SM, SMPPConstant.CID_DATA_SM, 0x12345)) {
                raw.send(command, 8, new byte[] {1, 2, 3});

                assertThat(raw.receive())
                        .isEqualTo(new RawSmpp.Header(GENERIC_NACK, SMPPConstant.STAT_ESME_RINVCMDID, 8));
            }
            raw.send(SMPPConstant.CID_ENQUIRE_LINK, 9, new byte[0]);
            assertThat(raw.receive().command()).isEqualTo(SMPPConstant.CID_ENQUIRE_LINK_RESP);
        }
    }

    @Test
    void refusesLengthsThatNoPduHas() throws Exception {
        for (int length : new int[] {0, 15, SubmitReader.LENGTH_MAX + 1, Integer.MAX_VALUE, -1}) {
            try (RawSmpp raw = RawSmpp.bound(listener.port())) {
                raw.sendHeader(length, SMPPConstant.CID_SUBMIT_SM, 3);

                assertThat(raw.receive().status()).as("length %d", length).isEqualTo(SMPPConstant.STAT_ESME_RINVCMDLEN);
            }
        }
    }

    @Test
    void answersBodiesThatEndTooEarly() throws Exception {
        byte[] body = RawSmpp.submitBody();
        try (RawSmpp raw = RawSmpp.bound(listener.port())) {
            for (int length = 0; length < body.length; length++) {
                raw.send(SMPPConstant.CID_SUBMIT_SM, 100 + length, Arrays.copyOf(body, length));

                RawSmpp.Header answer = raw.receive();
                assertThat(answer.sequence()).isEqualTo(100 + length);
                assertThat(answer.status())
                        .as("%d of %d bytes", length, body.length)
                        .isNotZero();
            }
            assertThat(waiting).isEmpty();
        }
    }

    @Test
    void answersOrEndsWhateverRandomBytesSay() throws Exception {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(3);
        RawSmpp raw = RawSmpp.bound(listener.port());
        for (int i = 0; i < 500; i++) {
            byte[] body = RawSmpp.submitBody();
            for (int change = random.nextInt(1, 6); change > 0; change--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt();
            }
            raw.send(SMPPConstant.CID_SUBMIT_SM, i, body);
            int sequence = i;
            CompletableFuture<String> taken = takenOrAnswered(raw);
            if (taken != null) {
                taken.complete("id");
            }
            assertThat(raw.receive().sequence()).isEqualTo(sequence);
        }
        raw.close();
        try (SmppClient client = SmppClient.bind(listener.port(), "client", "secret", PATIENCE)) {
            assertThat(client.bound()).isTrue();
        }
    }

    /** The outcome to complete, or null when the listener answers by itself. */
    private CompletableFuture<String> takenOrAnswered(RawSmpp raw) {
        Await.until("a submit or an answer", () -> !waiting.isEmpty() || raw.answered());
        return waiting.poll();
    }
}
