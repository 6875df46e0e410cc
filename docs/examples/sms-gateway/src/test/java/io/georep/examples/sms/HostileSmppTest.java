package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.smpp.RawSmpp;
import io.georep.examples.sms.smpp.SubmitBody;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The SMPP door with strangers in front of it, and clients that use all of the protocol. */
final class HostileSmppTest {
    private static final int STRANGERS = 60;

    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        sites = Sites.start(
                2,
                directory,
                "sms.smpp.sessions-max=20",
                "sms.smpp.bind-timeout=10s",
                "BIND_ADDRESS=0.0.0.0",
                "MANAGEMENT_ADDRESS=127.0.0.2");
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    private static RawSmpp bound() throws IOException {
        return RawSmpp.bound(sites.smppPort(0), Sites.ACCOUNT, Sites.PASSWORD);
    }

    private static int status(Consumer<SubmitBody> change) throws IOException {
        SubmitBody body = new SubmitBody();
        change.accept(body);
        try (RawSmpp raw = bound()) {
            raw.send(SMPPConstant.CID_SUBMIT_SM, 2, body.bytes());
            RawSmpp.Header answer = raw.receive();
            assertThat(answer.command()).isEqualTo(SMPPConstant.CID_SUBMIT_SM_RESP);
            return answer.status();
        }
    }

    @Test
    void doorsAreWhereTheVariablesSay() {
        for (int port : List.of(sites.httpPort(0), sites.smppPort(0), sites.managementPort(0))) {
            assertThat(Sites.answers("127.0.0.2", port)).isTrue();
        }
        assertThat(Sites.answers("127.0.0.1", sites.managementPort(0))).isFalse();
    }

    @Test
    void letsClientsBindWhileStrangersConnectAndDoNot() throws Exception {
        List<AutoCloseable> open = new ArrayList<>();
        Logger logger = (Logger) LoggerFactory.getLogger("io.georep.examples.sms");
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        lines.start();
        try {
            for (int i = 0; i < STRANGERS; i++) {
                open.add(new RawSmpp(sites.smppPort(0)));
                if (i % 10 == 9) {
                    SmppClient client = sites.client(0);
                    open.add(client);
                    assertThat(client.submit("GeoRep", "+31201234567", "x")).isNotEmpty();
                }
            }
            assertThat(lines.list).hasSizeLessThan(STRANGERS / 3);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
            for (AutoCloseable each : open) {
                each.close();
            }
        }
    }

    @Test
    void answersASubmitBeforeTheBind() throws Exception {
        try (RawSmpp raw = new RawSmpp(sites.smppPort(0))) {
            raw.send(SMPPConstant.CID_SUBMIT_SM, 7, new SubmitBody().bytes());

            assertThat(raw.receive())
                    .isEqualTo(
                            new RawSmpp.Header(SMPPConstant.CID_SUBMIT_SM_RESP, SMPPConstant.STAT_ESME_RINVBNDSTS, 7));
        }
    }

    @Test
    void namesTheFieldThatIsWrong() throws Exception {
        assertThat(status(body -> {})).isZero();
        assertThat(status(body -> body.destination = "3".repeat(21))).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(status(body -> body.destination = "\u00e9".repeat(21))).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(status(body -> body.destination = "3120\n12:00 ERROR forged"))
                .isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(status(body -> body.destination = "3120\nforged")).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(status(body -> body.source = "3".repeat(21))).isEqualTo(SMPPConstant.STAT_ESME_RINVSRCADR);
        assertThat(status(body -> body.source = "x\ry")).isEqualTo(SMPPConstant.STAT_ESME_RINVSRCADR);
        assertThat(status(body -> body.serviceType = "toolong")).isEqualTo(SMPPConstant.STAT_ESME_RINVSERTYP);
        assertThat(status(body -> body.schedule = "tomorrow")).isEqualTo(SMPPConstant.STAT_ESME_RINVSCHED);
        assertThat(status(body -> body.validity = "991399000000000+")).isEqualTo(SMPPConstant.STAT_ESME_RINVEXPIRY);
        assertThat(status(body -> body.validity = "200101000000000+")).isEqualTo(SMPPConstant.STAT_ESME_RINVEXPIRY);
        assertThat(status(body -> body.replace = 1)).isEqualTo(SMPPConstant.STAT_ESME_RINVREPFLAG);
        assertThat(status(body -> body.tlv(0x1400, (byte) 1))).isEqualTo(0xc1);
        assertThat(status(body -> body.tlv(0x1500, new byte[2000]))).isEqualTo(0xc4);
    }

    @Test
    void saysThatAPayloadIsTooLongHoweverLongItIs() throws Exception {
        for (int length : List.of(1601, 32_767, 32_768, 40_000, 65_535)) {
            assertThat(status(body -> {
                        body.text = "";
                        body.tlv(0x0424, new byte[length]);
                    }))
                    .as("%d bytes", length)
                    .isEqualTo(SMPPConstant.STAT_ESME_RINVMSGLEN);
        }
    }

    @Test
    void carriesEveryDataCodingUnaltered() throws Exception {
        try (RawSmpp raw = bound()) {
            for (int coding = 0; coding < 256; coding++) {
                SubmitBody body = new SubmitBody();
                body.dataCoding = coding;
                body.text = "coding " + coding;
                raw.send(SMPPConstant.CID_SUBMIT_SM, coding + 2, body.bytes());
                assertThat(raw.receive().status()).isZero();
            }
        }
        for (int coding = 0; coding < 256; coding++) {
            byte expected = (byte) coding;
            byte[] content = ("coding " + coding).getBytes();
            Await.until(
                    "the operator to get data_coding " + coding,
                    () -> sites.messages().stream().anyMatch(each -> Arrays.equals(content, each.content())));
            assertThat(sites.messages().stream()
                            .filter(each -> Arrays.equals(content, each.content()))
                            .map(Sms::dataCoding))
                    .containsOnly(expected);
        }
    }

    @Test
    void carriesAddressesAsTheBytesTheyAre() throws Exception {
        assertThat(status(body -> {
                    body.source = "Caf\u00e9 \u00fcber";
                    body.text = "from a caf\u00e9";
                }))
                .isZero();

        Await.until(
                "the operator to get the address",
                () -> sites.messages().stream()
                        .anyMatch(each -> each.from().number().equals("Caf\u00e9 \u00fcber")));
    }
}
