package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.SmppBindType;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.examples.sms.smpp.OtherClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gateways die between a message and its receipt, and between the receipt and its client. */
final class ReceiptsAfterCrashTest {
    private static final int DELIVERED = 2;
    private static final int MESSAGES = 20;

    private static OtherClient bind(Sites sites, int site) throws Exception {
        return new OtherClient(sites.smppPort(site), SmppBindType.TRANSCEIVER, Sites.ACCOUNT, Sites.PASSWORD);
    }

    private static List<String> submit(Sites sites, int site) throws Exception {
        List<String> ids = new ArrayList<>();
        try (OtherClient client = bind(sites, site)) {
            for (int i = 0; i < MESSAGES; i++) {
                ids.add(client.submit("message " + i, 1));
            }
        }
        Await.until("all at the operator", () -> sites.received().size() == MESSAGES);
        Await.until("all awaited", () -> sites.gauge(site, "sms.receipts.awaited") >= MESSAGES);
        return ids;
    }

    private static void sendReceipts(Sites sites, String gateway) {
        for (OperatorSimulator.Received each : sites.received()) {
            assertThat(sites.operator().receipt(gateway, each, "DELIVRD", DELIVERED))
                    .isTrue();
        }
    }

    @Test
    void areNotLostWithTheGatewayThatKnowsTheirMessagesNorWithTheOneThatTookThem(@TempDir Path directory)
            throws Exception {
        try (Sites sites = Sites.start(3, directory)) {
            List<String> first = submit(sites, 0);

            sites.crash(0);
            sendReceipts(sites, "nyc");

            try (OtherClient client = bind(sites, 2)) {
                first.forEach(id -> client.await(id, "DELIVRD"));
            }
            sites.restart(0);
            sites.received().clear();
            List<String> second = submit(sites, 2);
            sendReceipts(sites, "nyc");

            sites.crash(1);

            try (OtherClient client = bind(sites, 0)) {
                second.forEach(id -> client.await(id, "DELIVRD"));
            }
        }
    }

    @Test
    void findTheirMessagesAfterARestartAndAreNotTakenWithoutACopy(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(2, directory, "georep.expected-away=1m")) {
            List<String> ids = submit(sites, 0);
            OperatorSimulator.Received first = sites.received().element();

            sites.shutDown(0);

            Await.until("no copies", () -> !sites.node(1).ready(1));
            assertThat(sites.operator().receipt("nyc", first, "DELIVRD", DELIVERED))
                    .as("without a copy it is not taken, and the operator sends it again")
                    .isFalse();
            sites.restart(0);
            Await.until("copies", () -> sites.node(1).ready(1));
            Await.until("all awaited again", () -> sites.gauge(0, "sms.receipts.awaited") == MESSAGES);
            sendReceipts(sites, "nyc");

            try (OtherClient client = bind(sites, 1)) {
                ids.forEach(id -> client.await(id, "DELIVRD"));
            }
        }
    }
}
