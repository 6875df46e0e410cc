package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.SmppBindType;
import io.georep.examples.sms.smpp.OtherClient;
import io.georep.examples.sms.smpp.OtherOperator;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients and operator of an implementation of SMPP that shares no code with ours. */
final class OtherOperatorTest {
    @Test
    void takesMessagesAndSendsReceiptsInItsOwnWay(@TempDir Path directory) throws Exception {
        try (OtherOperator operator = new OtherOperator();
                Sites sites = Sites.start(2, directory, "sms.operator.port=" + operator.port());
                OtherClient client =
                        new OtherClient(sites.smppPort(0), SmppBindType.TRANSCEIVER, Sites.ACCOUNT, Sites.PASSWORD)) {
            Await.until("both gateways at the operator", () -> operator.sessions() == 2);

            String id = client.submit("Caf\u00e9", 1);

            Await.until("the operator to get it", () -> operator.taken().size() == 1);
            OtherOperator.Taken taken = operator.taken().element();
            assertThat(taken.submit().getShortMessage()).isEqualTo("Caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(
                            taken.submit().getOptionalParameter((short) 0x1400).getValue(), StandardCharsets.US_ASCII))
                    .isEqualTo(id);
            assertThat(taken.id()).startsWith("ABCDEF");
            // Over either session: one of them is not of the gateway that sent the message.
            for (int session = 0; session < 2; session++) {
                assertThat(operator.receipt(session, taken, session == 0 ? "ENROUTE" : "DELIVRD"))
                        .isZero();
            }
            assertThat(client.await(id, "DELIVRD").text())
                    .isEqualTo("id:" + id + " sub:1 dlvrd:1 submit date:261122120000 done date:261122120130"
                            + " stat:DELIVRD err:0000000 text:");
        }
    }
}
