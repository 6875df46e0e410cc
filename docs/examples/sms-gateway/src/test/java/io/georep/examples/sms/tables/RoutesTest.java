package io.georep.examples.sms.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.operator.Operators;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    private final Routes routes = new Routes(new SharedTable<>(
            "routes",
            null,
            Map.of("31", new RouteRow("second"), "3120", new RouteRow("third")),
            Duration.ofHours(1),
            System::nanoTime));

    /** Many SMPP clients write the sign; the HTTP door takes it away. */
    @ParameterizedTest
    @CsvSource({"31612345678, second", "+31612345678, second", "+31201234567, third", "+44201234567, "})
    void theLongestPrefixOfANumberCounts(String number, String operator) {
        assertThat(routes.operator(new Address(number, (byte) 1, (byte) 1)))
                .isEqualTo(operator == null ? Operators.FIRST : operator);
    }
}
