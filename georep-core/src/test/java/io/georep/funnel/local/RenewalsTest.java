package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.RecordingLogger;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.event.Level;

/** The questions to the master of views. */
@Timeout(60)
class RenewalsTest {
    private static final NodeId SELF = NodeId.of("n1");
    private static final View VIEW = new View(1, List.of(SELF));

    private record Question(ViewMaster.Renewal renewal, long atNanos, CompletableFuture<ViewMaster.Grant> answer) {
        void grant(Duration lease) {
            answer.complete(new ViewMaster.Grant(VIEW, lease, true));
        }
    }

    private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
    private final AtomicInteger closed = new AtomicInteger();
    private final ScriptedNode node = new ScriptedNode();
    private final RecordingLogger log = new RecordingLogger();

    private final ViewMaster master = new ViewMaster() {
        @Override
        public CompletionStage<Grant> renew(Renewal renewal) {
            Question question = new Question(renewal, System.nanoTime(), new CompletableFuture<>());
            questions.add(question);
            return question.answer;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    };

    private Renewals renewals;

    @AfterEach
    void end() {
        renewals.close();
        assertThat(closed).hasValue(1);
    }

    private void start(Duration lease, double rateError) {
        renewals = new Renewals(node, FunnelSettings.defaults().lease(lease, rateError), master, "", log);
    }

    private void ask(long activeView, boolean now) {
        renewals.ask(new FunnelEvent.Ask(new ViewMaster.Renewal(SELF, 1, activeView, 0, List.of()), now));
    }

    private Question next() throws InterruptedException {
        Question question = questions.poll(30, TimeUnit.SECONDS);
        assertThat(question).as("a question").isNotNull();
        return question;
    }

    @Test
    void aGrantCountsFromTheQuestionOnBothClocks() throws Exception {
        start(Duration.ofSeconds(100), 0.1);
        assertThat(questions).isEmpty();
        long before = node.nanos();
        ask(0, false);
        Question question = next();
        long after = node.nanos();
        node.ahead.set(TimeUnit.SECONDS.toNanos(20));
        question.grant(Duration.ofSeconds(100));

        FunnelCommand.Granted granted = node.command(FunnelCommand.Granted.class);
        assertThat(granted.grant().view()).isEqualTo(VIEW);
        assertThat(granted.askedAtNanos()).isBetween(before, after);
        assertThat(granted.askedAtMillis()).isBetween(before / 1_000_000, after / 1_000_000);
        assertThat(granted.grant().lease()).isEqualTo(Duration.ofSeconds(100));
    }

    /** A master of the application may err; the thread of the node would end at it. */
    @Test
    void anAnswerThatSaysNothingCountsAsNone() throws Exception {
        start(Duration.ofSeconds(100), 0);
        ask(0, true);
        next().answer.complete(null);
        ask(1, true);
        next().grant(Duration.ofSeconds(100));

        assertThat(node.command(FunnelCommand.Granted.class).grant()).isNotNull();
    }

    @Test
    void isAskedThriceInALease() throws Exception {
        start(Duration.ofMillis(300), 0);
        ask(0, false);
        for (int i = 0; i < 3; i++) {
            Question question = next();
            question.grant(Duration.ofMillis(300));
            Question following = next();
            assertThat(following.atNanos - question.atNanos).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(95));
            following.grant(Duration.ofMillis(300));
        }
    }

    @Test
    void whatTheProtocolWantsToKnowNowIsAskedAtOnceButNeverTwoAtATime() throws Exception {
        start(Duration.ofHours(1), 0);
        ask(1, false);
        Question first = next();
        ask(2, true);
        ask(3, true);
        ask(4, false);
        first.grant(Duration.ofHours(1));
        Question second = next();
        assertThat(second.renewal.activeView()).as("the newest").isEqualTo(4);
        second.grant(Duration.ofHours(1));
        assertThat(node.command(FunnelCommand.Granted.class)).isNotNull();
        assertThat(node.command(FunnelCommand.Granted.class)).isNotNull();

        ask(5, true);
        assertThat(next().renewal.activeView()).isEqualTo(5);
        assertThat(questions).isEmpty();
    }

    @Test
    void anAnswerThatComesTooLateIsNotUsed() throws Exception {
        start(Duration.ofMillis(200), 0);
        ask(0, false);
        Question late = next();
        Question following = next();
        late.grant(Duration.ofMillis(111));
        following.grant(Duration.ofMillis(200));

        assertThat(node.command(FunnelCommand.Granted.class).grant().lease()).isEqualTo(Duration.ofMillis(200));
        next();
    }

    @Test
    void aSilentMasterIsToldOnceAndOnceWhenItAnswersAgain() throws Exception {
        start(Duration.ofSeconds(100), 0);
        for (int question = 0; question < 5; question++) {
            ask(question, true);
            Question asked = next();
            if (question < 3) {
                asked.answer.completeExceptionally(new IllegalStateException("no leader"));
            } else {
                asked.grant(Duration.ofSeconds(100));
            }
        }
        ask(5, true);
        next();

        renewals.close(); // and its thread has ended
        assertThat(log.lines()).extracting(RecordingLogger.Line::level).containsExactly(Level.WARN, Level.INFO);
        assertThat(log.lines().get(0).text()).contains("n1").contains("no leader");
    }

    @Test
    void nothingIsAskedAfterTheEnd() throws Exception {
        start(Duration.ofMillis(100), 0);
        ask(0, false);
        Question open = next();
        renewals.close();
        open.grant(Duration.ofMillis(100));
        ask(1, true);

        assertThat(node.commands).isEmpty();
        assertThat(questions).isEmpty();
    }

    @Test
    void aNodeThatStopsInOrderSaysFarewellAndWaitsForIt() throws Exception {
        start(Duration.ofSeconds(100), 0);
        ask(3, true);
        Question first = next();
        first.grant(Duration.ofSeconds(100));

        assertThat(node.command(FunnelCommand.Granted.class)).isNotNull();
        CompletableFuture<Void> farewell = renewals.farewell();
        assertThat(node.command(FunnelCommand.Leave.class)).isNotNull();
        renewals.ask(new FunnelEvent.Ask(first.renewal().farewell(), true));
        Question last = next();

        assertThat(last.renewal().left()).isTrue();
        assertThat(farewell).isNotDone();
        last.grant(Duration.ZERO);
        farewell.get(30, TimeUnit.SECONDS);
    }

    /** A question of before is not waited for. */
    @Test
    void aFarewellIsSaidAtOnce() throws Exception {
        start(Duration.ofSeconds(100), 0);
        ask(3, true);
        Question open = next();
        CompletableFuture<Void> farewell = renewals.farewell();
        renewals.ask(new FunnelEvent.Ask(open.renewal().farewell(), true));
        next().grant(Duration.ZERO);
        farewell.get(30, TimeUnit.SECONDS);
    }

    /** The master does not know from it that the node leaves. */
    @Test
    void anAnswerToTheQuestionBeforeIsNoneToTheFarewell() throws Exception {
        start(Duration.ofSeconds(100), 0);
        ask(3, true);
        Question open = next();
        CompletableFuture<Void> farewell = renewals.farewell();
        renewals.ask(new FunnelEvent.Ask(open.renewal().farewell(), true));
        open.grant(Duration.ofSeconds(100));

        Question last = next();
        assertThat(last.renewal().left()).isTrue();
        assertThat(farewell).isNotDone();
        last.grant(Duration.ZERO);
        farewell.get(30, TimeUnit.SECONDS);
    }

    /** The question would have another number each time, and no answer in time for it. */
    @Test
    void aFarewellThatIsRepeatedIsNotAskedAnew() throws Exception {
        start(Duration.ofSeconds(100), 0);
        ask(3, true);
        Question open = next();
        CompletableFuture<Void> farewell = renewals.farewell();
        renewals.ask(new FunnelEvent.Ask(open.renewal().farewell(), true));
        Question last = next();
        renewals.ask(new FunnelEvent.Ask(open.renewal().farewell(), true));
        assertThat(questions.poll(100, TimeUnit.MILLISECONDS)).isNull();

        last.grant(Duration.ZERO);
        farewell.get(30, TimeUnit.SECONDS);
    }
}
