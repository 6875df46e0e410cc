package io.georep.examples.sms.talk;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.protocol.local.NodeHandle;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who is waited for, and for how long. */
final class LocalTalkTest {
    private static final NodeId GOOD = new NodeId("good");
    private static final NodeId MUTE = new NodeId("mute");
    private static final Duration LONG = Duration.ofHours(1);
    private static final byte[] ANSWER = {1};

    private final LocalTalk talk = new LocalTalk(node());
    private boolean goodAnswers;
    private long number;

    /** A node that asks at once. */
    @SuppressWarnings("unchecked")
    private NodeHandle<TalkProtocol.Command> node() {
        return (NodeHandle<TalkProtocol.Command>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {NodeHandle.class}, (proxy, method, arguments) -> {
                    asked(((TalkProtocol.Ask) arguments[0]).number());
                    return true;
                });
    }

    private void asked(long question) {
        number = question;
        talk.event(new TalkProtocol.Asked(number, Set.of(GOOD, MUTE), Set.of()));
        if (goodAnswers) {
            talk.event(new TalkProtocol.Answered(GOOD, number, ANSWER));
        }
    }

    private CompletableFuture<GatewayTalk.Answers> ask(Duration atMost) {
        return talk.ask(null, new byte[0], atMost, answer -> answer[0] > 1).toCompletableFuture();
    }

    /** Each receipt asks, and would wait for it. */
    @Test
    void whoAnsweredNothingInTimeIsNotWaitedForAgain() {
        goodAnswers = true;
        assertThat(ask(Duration.ofMillis(1)).join().silent()).containsExactly(MUTE);

        CompletableFuture<GatewayTalk.Answers> second = ask(LONG);

        assertThat(second)
                .isCompletedWithValueMatching(answers -> answers.silent().equals(Set.of(MUTE)));
        talk.event(new TalkProtocol.Answered(MUTE, number, ANSWER));
        CompletableFuture<GatewayTalk.Answers> third = ask(LONG);
        assertThat(third).as("it answers, if late").isNotDone();
        talk.event(new TalkProtocol.Answered(MUTE, number, ANSWER));
        assertThat(third)
                .isCompletedWithValueMatching(answers -> answers.silent().isEmpty());
    }

    /** It would be waited for at each question, and be too late each time. */
    @Test
    void whoAnswersTooLateIsNotWaitedFor() {
        goodAnswers = true;
        assertThat(ask(Duration.ofMillis(1)).join().silent()).containsExactly(MUTE);

        talk.event(new TalkProtocol.Answered(MUTE, number, ANSWER));

        assertThat(ask(LONG)).isDone();
        talk.event(new TalkProtocol.Answered(MUTE, 1_000_000, ANSWER));
        assertThat(ask(LONG)).as("nobody asked this").isDone();
    }

    /** Else a client of the cluster could say what becomes of messages it knows nothing of. */
    @Test
    void whoWasNotAskedIsNotHeard() {
        CompletableFuture<GatewayTalk.Answers> asked = ask(LONG);

        talk.event(new TalkProtocol.Answered(new NodeId("stranger"), number, new byte[] {2}));

        assertThat(asked).isNotDone();
        talk.event(new TalkProtocol.Answered(GOOD, number, ANSWER));
        talk.event(new TalkProtocol.Answered(MUTE, number, ANSWER));
        assertThat(asked)
                .isCompletedWithValueMatching(
                        answers -> answers.answers().keySet().equals(Set.of(GOOD, MUTE)));
    }

    @Test
    void whoeverAnswersWhatWasSoughtIsTheLast() {
        CompletableFuture<GatewayTalk.Answers> asked = ask(LONG);

        talk.event(new TalkProtocol.Answered(GOOD, number, new byte[] {2}));

        assertThat(asked)
                .isCompletedWithValueMatching(answers -> answers.silent().equals(Set.of(MUTE)));
        CompletableFuture<GatewayTalk.Answers> next = ask(LONG);
        talk.event(new TalkProtocol.Answered(GOOD, number, ANSWER));
        assertThat(next).as("the other had no time to answer").isNotDone();
    }
}
