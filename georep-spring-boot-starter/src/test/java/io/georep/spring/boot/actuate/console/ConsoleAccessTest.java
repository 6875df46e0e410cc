package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Who may see the console. */
class ConsoleAccessTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, localhost:8080, true",
        "127.0.0.1, LOCALHOST, true",
        "127.0.0.1, 127.0.0.1:8080, true",
        "0:0:0:0:0:0:0:1, [::1]:8080, true",
        "::1, localhost, true",
        "10.0.0.7, localhost:8080, false",
        "127.0.0.1, evil.example, false",
        "127.0.0.1, localhost.evil.example, false",
        "127.0.0.1, 127.0.0.1.evil.example:80, false",
        "127.0.0.1, , false",
        "2001:db8::1, [::1], false",
        "fe80::1, localhost, false"
    })
    void whoHasNotLoggedInSitsAtThisMachine(String address, String host, boolean local) {
        assertThat(ConsoleAccess.isLocal(address, host)).isEqualTo(local);
    }

    @Test
    void whoHasLoggedInMaySitAnywhere() {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/georep/");
        request.setRemoteAddr("10.0.0.7");
        request.addHeader("Host", "node-1.example.com");
        request.addHeader("X-Forwarded-For", "203.0.113.7");
        assertThat(ConsoleAccess.refusal(request)).contains("localhost:8080");

        request.setUserPrincipal(() -> "operator");
        assertThat(ConsoleAccess.refusal(request)).isNull();
    }
}
