package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.model.EntryId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client that takes no receipts holds up nobody else. */
final class WaitingReceiptsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final WaitingReceipts waiting = new WaitingReceipts(3, 32);

    private static EntryId id(int number) {
        return EntryId.parse("n1:1:0:" + number);
    }

    private static Route route(String account) {
        Address address = Address.parse("+31201234567");
        return new Route(account, Route.SMPP, "1", address, address, (byte) 1, 0, 0);
    }

    @Test
    void oneAccountHasOnlySoManyAttemptsAtATime() {
        for (int i = 0; i < 8; i++) {
            assertThat(waiting.begin("slow", 0)).isTrue();
        }

        assertThat(waiting.begin("slow", 0)).isFalse();
        assertThat(waiting.begin("other", 0)).isTrue();
        waiting.end("slow", Delivered.TAKEN, 0, 0);
        assertThat(waiting.begin("slow", 0)).isTrue();
    }

    /** The receipts of a client that is far away come faster than eight at a time can be given to it. */
    @Test
    void moreCallsAreMoreForEachAccount() {
        WaitingReceipts more = new WaitingReceipts(3, 100);
        for (int i = 0; i < 25; i++) {
            assertThat(more.begin("far", 0)).isTrue();
        }

        assertThat(more.begin("far", 0)).isFalse();
        assertThat(new WaitingReceipts(3, 1).begin("far", 0)).isTrue();
    }

    /** It was held to a quarter while nobody else wanted any. */
    @Test
    void aQuickAccountHasHalfWhileTheOtherHalfIsFree() {
        for (String each : List.of("quick", "second")) {
            assertThat(waiting.begin(each, 0)).isTrue();
            waiting.end(each, Delivered.TAKEN, 0, SECOND / 100);
        }
        for (int i = 0; i < 16; i++) {
            assertThat(waiting.begin("quick", 0)).isTrue();
        }

        assertThat(waiting.begin("quick", 0)).isFalse();
        for (int i = 0; i < 8; i++) {
            assertThat(waiting.begin("second", 0)).isTrue();
        }
        assertThat(waiting.begin("second", 0)).as("half is taken").isFalse();
        assertThat(waiting.begin("new", 0)).isTrue();
    }

    /** They take theirs, each after almost the time that it may take. */
    @Test
    void aFewSlowAccountsDoNotHaveAllCalls() {
        int busy = 0;
        for (int i = 0; i < 80; i++) {
            busy += waiting.begin("slow" + i % 10, 0) ? 1 : 0;
        }
        assertThat(busy).isLessThanOrEqualTo(16 + 10);

        assertThat(waiting.begin("other", 0)).isTrue();
        assertThat(waiting.begin("other", 0)).isFalse();
        for (int i = 0; i < busy; i++) {
            waiting.end("slow" + i % 10, Delivered.TAKEN, 0, 0);
        }
        assertThat(waiting.begin("other", 0)).isTrue();
    }

    /** They had one call at a time while two others were slow, and what was refused for that was dropped in the end. */
    @Test
    void slowAccountsTakeNothingFromQuickOnes() throws Exception {
        long now = System.nanoTime();
        assertThat(waiting.begin("fast", now)).isTrue();
        waiting.end("fast", Delivered.TAKEN, now, now + SECOND / 100);
        long begun = now - 5 * SECOND;
        for (int i = 0; i < 16; i++) {
            assertThat(waiting.begin("slow" + i % 2, begun)).isTrue();
        }
        for (int i = 0; i < 16; i++) {
            waiting.end("slow" + i % 2, Delivered.TAKEN, begun, begun + 49 * SECOND / 10);
            assertThat(waiting.begin("slow" + i % 2, now)).isTrue();
        }

        for (int i = 0; i < 8; i++) {
            assertThat(waiting.begin("fast", now)).isTrue();
        }
        assertThat(waiting.begin("fast", now)).isFalse();

        assertThat(waiting.begin("new", now)).isTrue();
        assertThat(waiting.attempt("new", id(0), () -> Delivered.TAKEN)).isEqualTo(Delivered.LATER);
        for (int i = 0; i < 10; i++) {
            assertThat(waiting.room(route("new"), id(i))).as("none is too many").isTrue();
        }
        waiting.end("new", Delivered.TAKEN, now, now);
        assertThat(waiting.attempt("new", id(0), () -> Delivered.TAKEN)).isEqualTo(Delivered.TAKEN);
    }

    /** Each would have eight calls again, for as long as it likes. */
    @Test
    void aQuickAnswerNowAndThenMakesASlowAccountNotQuick() {
        for (int i = 0; i < 50; i++) {
            String account = "slow" + i % 5;
            assertThat(waiting.begin(account, 0)).isTrue();
            waiting.end(account, Delivered.TAKEN, 0, i < 40 ? 2 * SECOND : SECOND / 100);
        }

        int busy = 0;
        for (int i = 0; i < 40; i++) {
            busy += waiting.begin("slow" + i % 5, 0) ? 1 : 0;
        }

        assertThat(busy).isLessThanOrEqualTo(16 + 5);
    }

    /** It would wait in a pause, and those that came meanwhile would count as receipts that their client does not take. */
    @Test
    void whatSaysNothingAboutTheAccountPausesItNot() throws Exception {
        for (int i = 0; i < 9; i++) {
            assertThatExceptionOfType(ReceiptWaitsException.class)
                    .isThrownBy(() -> waiting.attempt("one", id(0), () -> {
                        throw new ReceiptWaitsException("busy");
                    }));
        }

        assertThat(waiting.attempt("one", id(0), () -> Delivered.TAKEN)).isEqualTo(Delivered.TAKEN);
    }

    @Test
    void pausesGetLongerUntilTheClientTakesOne() {
        assertThat(waiting.begin("away", 0)).isTrue();
        waiting.end("away", Delivered.LATER, 0, 0);
        assertThat(waiting.begin("away", SECOND / 20)).isFalse();
        assertThat(waiting.begin("other", SECOND / 20)).isTrue();
        assertThat(waiting.begin("away", SECOND / 10)).isTrue();
        waiting.end("away", Delivered.LATER, SECOND / 10, SECOND / 10);
        assertThat(waiting.begin("away", SECOND / 4)).isFalse();
        assertThat(waiting.begin("away", SECOND / 2)).isTrue();
        waiting.end("away", Delivered.TAKEN, SECOND / 2, SECOND / 2);
        assertThat(waiting.begin("away", SECOND / 2)).isTrue();
    }

    /** The threads are for all accounts, and each attempt may take as long as a client may take for its answer. */
    @Test
    void whoDidNotAnswerGetsOneAttemptAtATime() {
        assertThat(waiting.begin("silent", 0)).isTrue();
        waiting.end("silent", Delivered.LATER, 0, 0);

        assertThat(waiting.begin("silent", SECOND)).isTrue();
        assertThat(waiting.begin("silent", SECOND)).isFalse();
        waiting.end("silent", Delivered.TAKEN, SECOND, SECOND);

        for (int i = 0; i < 8; i++) {
            assertThat(waiting.begin("silent", SECOND)).isTrue();
        }
    }

    @Test
    void onlySoManyReceiptsOfAnAccountWait() {
        for (int i = 0; i < 3; i++) {
            assertThat(waiting.room("away", id(i))).isTrue();
        }

        assertThat(waiting.room("away", id(3))).isFalse();
        assertThat(waiting.room("away", id(2))).as("it waits already").isTrue();
        assertThat(waiting.room("other", id(4))).isTrue();
        waiting.ended(id(0));
        assertThat(waiting.room("away", id(3))).isTrue();
        assertThat(waiting.size()).isEqualTo(4);
    }

    /** What waits of all of them would be as much as the queue lets wait, and then no receipt would go to anybody. */
    @Test
    void manyAccountsThatAreAwayLeaveRoomForOthers() {
        WaitingReceipts many = new WaitingReceipts(10_000, 32);
        int number = 0;
        for (int account = 0; account < 100; account++) {
            boolean room = true;
            for (int i = 0; i < 10_000 && room; i++) {
                room = many.room("away" + account, id(number++));
            }
        }

        assertThat(many.size()).isGreaterThan(300_000).isLessThan(500_000);
        for (int i = 0; i < 100; i++) {
            assertThat(many.room("other", id(number++))).isTrue();
        }
    }

    /** It takes all it can be given, and what came faster was dropped. */
    @Test
    void receiptsThatWaitOnlyForACallAreNotTooMany() throws Exception {
        assertThat(waiting.attempt("busy", id(0), () -> Delivered.TAKEN)).isEqualTo(Delivered.TAKEN);
        for (int i = 0; i < 16; i++) {
            assertThat(waiting.begin("busy", 0)).isTrue();
        }
        assertThat(waiting.attempt("busy", id(0), () -> Delivered.TAKEN)).isEqualTo(Delivered.LATER);
        int number = 0;
        while (number < 1_000_000 && waiting.room(route("busy"), id(number))) {
            number++;
        }

        assertThat(number)
                .as("many, but the queue goes on")
                .isGreaterThan(100_000)
                .isLessThan(250_000);
        for (int i = 0; i < 3; i++) {
            assertThat(waiting.room("away", id(number++))).isTrue();
        }
    }

    /** It would take days to give them to it, and the others would have hardly any. */
    @Test
    void aSlowAccountThatTakesItsReceiptsHasAPartAndNotHalf() {
        long begun = -2 * SECOND;
        assertThat(waiting.begin("slow", begun)).isTrue();
        waiting.end("slow", Delivered.TAKEN, begun, 0);
        int number = 0;
        while (number < 250_000 && waiting.room(route("slow"), id(number))) {
            number++;
        }

        assertThat(number).isBetween(20_000, 40_000);
    }

    @Test
    void anAccountThatDidNotTakeTheLastOneIsNotOnlyBusy() {
        assertThat(waiting.begin("away", 0)).isTrue();
        waiting.end("away", Delivered.LATER, 0, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(waiting.room(route("away"), id(i))).isTrue();
        }

        assertThat(waiting.room(route("away"), id(3))).isFalse();
        assertThat(waiting.begin("away", SECOND)).isTrue();
        assertThat(waiting.room(route("away"), id(3)))
                .as("the pause is over, but it has taken none")
                .isFalse();
        waiting.end("away", Delivered.TAKEN, SECOND, SECOND);
        assertThat(waiting.room(route("away"), id(3))).isTrue();
    }

    @Test
    void whatFinishedElsewhereMakesRoom() {
        for (int i = 0; i < 3; i++) {
            assertThat(waiting.room("away", id(i), 0)).isTrue();
        }
        waiting.room("away", id(0), 301 * SECOND);

        assertThat(waiting.room("away", id(3), 299 * SECOND)).isFalse();
        assertThat(waiting.room("away", id(3), 302 * SECOND))
                .as("looked at a moment ago")
                .isFalse();
        assertThat(waiting.room("away", id(3), 310 * SECOND)).isTrue();
        assertThat(waiting.size())
                .as("the first was tried again, the others were not")
                .isEqualTo(2);
    }

    /** Else three quick ones, or three that answer late, would hold all calls at once. */
    @Test
    void aQuarterOfTheCallsIsForAccountsThatHaveNone() {
        WaitingReceipts many = new WaitingReceipts(10, 32);
        for (String account : List.of("a", "b", "c")) {
            for (int i = 0; i < 32; i++) {
                many.begin(account, 0);
            }
        }

        for (int i = 0; i < 8; i++) {
            assertThat(many.begin("other" + i, 0)).isTrue();
        }
    }
}
