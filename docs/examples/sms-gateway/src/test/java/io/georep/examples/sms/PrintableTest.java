package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PrintableTest {
    @Test
    void keepsWhatIsVisible() {
        assertThat(Printable.of("+31201234567 Grüße, 世界 😀")).isEqualTo("+31201234567 Grüße, 世界 😀");
    }

    @Test
    void showsWhatWouldForgeALineOrHideOne() {
        assertThat(Printable.of("a\nb\rc\u001b[2Jd\u0085e\u2028f\u202eg"))
                .isEqualTo("a\\u000ab\\u000dc\\u001b[2Jd\\u0085e\\u2028f\\u202eg");
    }
}
