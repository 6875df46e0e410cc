package io.georep.examples.sms.talk;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.protocol.local.NodeHandle;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What waits before the application thread, whatever another gateway sends. */
final class TalkProtocolTest {
    private static final int QUESTION = 1;
    private static final int ANSWER = 2;
    private static final int MANY = 10_000;

    private final List<Object> events = new ArrayList<>();
    private final Peer eager = peer("eager");
    private final Peer other = peer("other");
    private final Turn turn = proxy(Turn.class, (method, arguments) -> {
        if (method.equals("notify")) {
            events.add(arguments[0]);
        }
        return null;
    });
    private final TalkProtocol protocol =
            new TalkProtocol(proxy(Peers.class, (method, arguments) -> method.equals("all") ? List.of(eager) : eager));
    private final LocalTalk talk = new LocalTalk(node());

    private interface Call {
        Object of(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.of(method.getName(), arguments)));
    }

    private static Peer peer(String name) {
        Map<String, Object> answers = Map.of(
                "id", new NodeId(name), "state", PeerState.ACTIVE, "linked", true, "writable", true, "version", 1);
        return proxy(Peer.class, (method, arguments) -> answers.getOrDefault(method, false));
    }

    @SuppressWarnings("unchecked")
    private NodeHandle<TalkProtocol.Command> node() {
        return proxy(NodeHandle.class, (method, arguments) -> {
            protocol.onCommand((TalkProtocol.Command) arguments[0], turn);
            return true;
        });
    }

    private void send(Peer from, int type, int count) {
        for (int i = 0; i < count; i++) {
            Slice body = new BinWriter().i64(1).bytes(Slice.of(new byte[1])).toSlice();
            protocol.onMessage(from, type, new BinReader(body), turn);
        }
    }

    private void applicationThread() {
        List<Object> some = List.copyOf(events);
        events.clear();
        some.forEach(each -> talk.event((TalkProtocol.Event) each));
    }

    @Test
    void onlySoManyQuestionsOfAGatewayWait() {
        talk.answerer((from, question) -> CompletableFuture.failedFuture(new IllegalStateException("an odd question")));
        for (int i = 0; i < 2; i++) {
            send(eager, QUESTION, MANY);
            assertThat(events).hasSize(1000);
            send(other, QUESTION, 1);
            assertThat(events).hasSize(1001);

            applicationThread();
        }
    }

    @Test
    void aGatewayWhoseNameWasForgottenBeginsAnew() {
        send(eager, QUESTION, MANY);
        events.clear();

        protocol.onPeerForgotten(eager.id());

        send(eager, QUESTION, 1);
        assertThat(events).hasSize(1);
    }

    @Test
    void anAnswerThatWasNotAskedForDoesNotWait() {
        send(eager, ANSWER, MANY);
        assertThat(events).isEmpty();

        var unused = talk.ask(null, new byte[1], Duration.ofHours(1), answer -> false);
        send(eager, ANSWER, MANY);

        assertThat(events).hasSize(2).last().isInstanceOf(TalkProtocol.Answered.class);
    }
}
