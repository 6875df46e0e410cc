package io.georep.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.RecordEnvelope.RawHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The form in which entries carry records is frozen: entries of the last release must be readable. */
class RecordEnvelopeTest {
    private static final byte[] NOT_TEXT = {(byte) 0xc3, 0x28, 0, 7};

    @Test
    void theFormIsThatOfTheRelease() {
        RecordEnvelope envelope = new RecordEnvelope(
                "order-42".getBytes(UTF_8),
                "payload".getBytes(UTF_8),
                1_700_000_000_123L,
                List.of(
                        new RawHeader("tenant", "acmé".getBytes(UTF_8)),
                        new RawHeader("twice", "1".getBytes(UTF_8)),
                        new RawHeader("bytes, =", NOT_TEXT),
                        new RawHeader("twice", "2".getBytes(UTF_8)),
                        new RawHeader("nothing", null),
                        new RawHeader("connect.key", "not the key".getBytes(UTF_8))));

        Map<String, String> golden = new LinkedHashMap<>();
        golden.put("connect.key", "order-42");
        golden.put("connect.timestamp", "1700000000123");
        golden.put("tenant", "acmé");
        golden.put("connect.headers", "twice=MQ,bytes%2C+%3D=wygABw,twice=Mg,nothing,connect.key=bm90IHRoZSBrZXk");
        assertThat(envelope.entryHeaders()).containsExactlyEntriesOf(golden);
        assertThat(envelope.payload()).isEqualTo("payload".getBytes(UTF_8));
    }

    @Test
    void aKeyThatIsNoTextAndAMissingValueAreMarked() {
        Map<String, String> headers = new RecordEnvelope(NOT_TEXT, null, null, List.of()).entryHeaders();

        assertThat(headers)
                .containsExactly(Map.entry("connect.key.base64", "wygABw=="), Map.entry("connect.value", "null"));
        RecordEnvelope read = RecordEnvelope.read(new byte[0], headers);
        assertThat(read.key()).isEqualTo(NOT_TEXT);
        assertThat(read.value()).isNull();
    }

    @Test
    void anEntryThatNoSourceSentIsItsPayloadAndItsHeaders() {
        RecordEnvelope read = RecordEnvelope.read("hello".getBytes(UTF_8), Map.of("tenant", "acme"));

        assertThat(read.key()).isNull();
        assertThat(read.timestamp()).isNull();
        assertThat(read.value()).isEqualTo("hello".getBytes(UTF_8));
        assertThat(read.headers()).singleElement().satisfies(header -> {
            assertThat(header.name()).isEqualTo("tenant");
            assertThat(header.value()).isEqualTo("acme".getBytes(UTF_8));
        });
        assertThat(RecordEnvelope.read(new byte[0], Map.of()).value())
                .as("an empty payload is a value")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "connect.envelope,2,newer version",
        "connect.key.base64,***,not Base64",
        "connect.timestamp,yesterday,not a number",
        "connect.value,nil,is not 'null'",
        "connect.headers,a=***,not Base64",
        "connect.headers,%zz=MQ,as in URLs"
    })
    void whatMeansNothingIsRefusedByName(String name, String text, String complaint) {
        assertThatThrownBy(() -> RecordEnvelope.read(new byte[0], Map.of(name, text)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(complaint);
    }

    @Test
    void whateverIsWrittenIsReadAgain() {
        Random random = new Random(42);
        for (int round = 0; round < 500; round++) {
            List<RawHeader> headers = new ArrayList<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                headers.add(new RawHeader("h" + random.nextInt(4), bytes(random)));
            }
            RecordEnvelope written = new RecordEnvelope(
                    bytes(random), bytes(random), random.nextBoolean() ? null : random.nextLong(), headers);

            RecordEnvelope read = RecordEnvelope.read(written.payload(), written.entryHeaders());

            assertThat(read.key()).isEqualTo(written.key());
            assertThat(read.value()).isEqualTo(written.value());
            assertThat(read.timestamp()).isEqualTo(written.timestamp());
            for (String name : List.of("h0", "h1", "h2", "h3")) {
                assertThat(values(read, name)).isEqualTo(values(written, name));
            }
        }
    }

    private static List<String> values(RecordEnvelope envelope, String name) {
        return envelope.headers().stream()
                .filter(header -> header.name().equals(name))
                .map(header -> Arrays.toString(header.value()))
                .toList();
    }

    private static byte[] bytes(Random random) {
        if (random.nextInt(4) == 0) {
            return null;
        }
        byte[] bytes = new byte[random.nextInt(6)];
        random.nextBytes(bytes);
        return random.nextBoolean() ? bytes : Arrays.toString(bytes).getBytes(UTF_8);
    }
}
