package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.OutboxActivity;
import java.nio.file.Path;
import java.util.Map;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One account does not fill the disk for the others while the operator is away. */
final class BacklogTest {
    private static final String GOOD = "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}";

    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        sites = Sites.start(2, directory, "sms.accounts.other.password=pw-9999", "sms.accounts.client.rate=500");
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    @Test
    void anAccountWithTooManyMessagesThatWaitIsSlowedDownAndOthersAreNot() throws Exception {
        Backlog backlog = sites.bean(0, Backlog.class);
        Account client =
                new Accounts(Map.of("client", new SmsProperties.Account(Sites.PASSWORD, 1, 500))).find("client");
        sites.operator().throttle(true);
        for (int i = 0; i < 3; i++) {
            assertThat(sites.post(0, GOOD).statusCode()).isEqualTo(202);
        }
        assertThat(backlog.of("client")).isEqualTo(3);
        assertThat(sites.post(0, "{}").statusCode()).isEqualTo(400);
        while (backlog.add(client)) {
            // As if they waited as well.
        }

        assertThat(sites.post(0, GOOD).statusCode()).isEqualTo(429);
        assertThat(sites.post(0, "other", "pw-9999", GOOD).statusCode()).isEqualTo(202);
        assertThat(backlog.of("client")).isGreaterThanOrEqualTo(300_000);

        backlog.correct(10);
        assertThat(backlog.of("client")).isBetween(1L, 10L);
        assertThat(sites.post(0, GOOD).statusCode()).isEqualTo(202);
        sites.operator().throttle(false);
        Await.until("all to be forwarded", () -> sites.messages().size() == 5);
        backlog.correct(0);
        assertThat(backlog.of("client")).isZero();
    }

    /** All share the places of messages that are tried again: those to an operator that is away must leave some to the others. */
    @Test
    void inACrowdAnAccountHasAPartOfWhatIsLeft() {
        Backlog backlog = sites.bean(1, Backlog.class);
        Account many = new Accounts(Map.of("many", new SmsProperties.Account(Sites.PASSWORD, 1, 0))).find("many");
        Account few = new Accounts(Map.of("few", new SmsProperties.Account(Sites.PASSWORD, 1, 1))).find("few");
        for (long taken = 0; taken < Backlog.CROWD; taken++) {
            assertThat(backlog.add(many)).isTrue();
        }

        backlog.correct(Backlog.CROWD);
        assertThat(backlog.add(many)).isFalse();
        long some = 0;
        while (backlog.add(few)) {
            some++;
        }
        assertThat(some).as("a sixteenth of what is left with them").isEqualTo(Backlog.CROWD / 17);

        backlog.correct(2 * Backlog.CROWD);
        backlog.correct(Backlog.CROWD - 1);
        assertThat(backlog.add(many)).isTrue();
        backlog.correct(0);
    }

    /** How many wait in all is read only now and then. */
    @Test
    void manyAccountsThatSendAtOnceLeavePlaces() {
        Backlog backlog = sites.bean(1, Backlog.class);
        backlog.correct(Backlog.CROWD);
        int added = 0;
        for (int i = 0; i < 100; i++) {
            String name = "crowd" + i;
            Account account = new Accounts(Map.of(name, new SmsProperties.Account(Sites.PASSWORD, 1, 1))).find(name);
            for (int j = 0; j < 10_000 && backlog.add(account); j++) {
                added++;
            }
        }

        assertThat(added).isBetween(100_000, (int) Backlog.CROWD);
        backlog.correct(0);
    }

    @Test
    void whatIsForwardedRefusedOrTooLateWaitsNoLonger() throws Exception {
        Backlog backlog = sites.bean(1, Backlog.class);
        assertThat(sites.post(1, "other", "pw-9999", GOOD).statusCode()).isEqualTo(202);
        Await.until("it to be forwarded", () -> backlog.of("other") == 0);

        sites.operator().refuse(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(sites.post(1, "other", "pw-9999", GOOD).statusCode()).isEqualTo(202);
        Await.until(
                "a dead letter",
                () -> sites.node(1).statistics().of(OutboxActivity.class).deadLetters(SmsIntake.QUEUE) == 1);
        assertThat(backlog.of("other")).isZero();
        sites.operator().refuse(0);
    }
}
