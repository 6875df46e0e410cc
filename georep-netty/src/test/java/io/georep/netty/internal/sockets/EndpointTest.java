package io.georep.netty.internal.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    @Test
    void readsNamesAndLiterals() {
        assertThat(Endpoint.parse("ams-1.example:7400")).isEqualTo(new Endpoint("ams-1.example", 7400));
        assertThat(Endpoint.parse("10.0.0.1:0")).isEqualTo(new Endpoint("10.0.0.1", 0));
        assertThat(Endpoint.parse("[::1]:7400")).isEqualTo(new Endpoint("::1", 7400));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ams-1.example:7400", "[::1]:65535"})
    void writesWhatItReads(String address) {
        assertThat(Endpoint.parse(address)).hasToString(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", ":7400", "host:", "host:x", "host:-1", "host:65536", "::1:7400", "[]:1"})
    void refusesAnythingElse(String address) {
        assertThatThrownBy(() -> Endpoint.parse(address))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'" + address + "'");
    }
}
