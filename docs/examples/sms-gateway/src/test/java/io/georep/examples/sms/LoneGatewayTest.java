package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.demo.SmppClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that reaches no other site. */
final class LoneGatewayTest {
    @Test
    void refusesAtBothDoorsSoThatClientsTryAnotherGateway(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(1, directory);
                SmppClient client = sites.client(0)) {
            NegativeResponseException refusal = catchThrowableOfType(
                    NegativeResponseException.class, () -> client.submit("GeoRep", "+31201234567", "x"));
            HttpResponse<String> response =
                    sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}");

            assertThat(refusal.getCommandStatus()).isEqualTo(SMPPConstant.STAT_ESME_RSYSERR);
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("retry-after")).hasValue("1");
            assertThat(response.body()).contains("urn:sms-gateway:unavailable");
            assertThat(sites.texts()).isEmpty();
        }
    }
}
