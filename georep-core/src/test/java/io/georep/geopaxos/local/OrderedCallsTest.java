package io.georep.geopaxos.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.geopaxos.OperationNumber;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.protocol.local.NodeHandle;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What calls of ordered maps leave behind, and what their callers are told. */
class OrderedCallsTest {
    private final List<GeoCommand> commands = new ArrayList<>();
    private long nanos;
    private final OrderedCalls calls = new OrderedCalls(handle(), OrderedMapSettings.of("n1"));

    @SuppressWarnings("unchecked")
    private NodeHandle<GeoCommand> handle() {
        return (NodeHandle<GeoCommand>) Proxy.newProxyInstance(
                NodeHandle.class.getClassLoader(),
                new Class<?>[] {NodeHandle.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "nanos" -> nanos;
                    case "command" -> commands.add((GeoCommand) arguments[0]);
                    default -> true;
                });
    }

    private CompletableFuture<@Nullable Slice> written(int resultBytes) {
        CompletableFuture<@Nullable Slice> answer = calls.ask(Slice.utf8("put"), null, false);
        GeoCommand.Submit submit = (GeoCommand.Submit) commands.remove(commands.size() - 1);
        calls.answered(submit.token(), Slice.of(new byte[resultBytes]));
        return answer;
    }

    @Test
    void aRefusalSaysWhetherToAskAgain() {
        assertThat(error(GeoEvent.Reason.WAITING)).isEqualTo(RejectedException.Reason.QUEUE_FULL);
        assertThat(error(GeoEvent.Reason.OPEN)).isEqualTo(RejectedException.Reason.QUEUE_FULL);
        assertThat(error(GeoEvent.Reason.KEYS)).isEqualTo(RejectedException.Reason.PAYLOAD_TOO_LARGE);
        assertThat(error(GeoEvent.Reason.BYTES)).isEqualTo(RejectedException.Reason.PAYLOAD_TOO_LARGE);
        assertThat(LocalOrderedMaps.error("n1", new GeoEvent.Refused("t", GeoEvent.Reason.LIMITED, "why")))
                .isInstanceOf(OrderedMapUnavailableException.class)
                .hasMessageContaining("why");
    }

    private static RejectedException.Reason error(GeoEvent.Reason reason) {
        return ((RejectedException) LocalOrderedMaps.error("n1", new GeoEvent.Refused("t", reason, "why"))).reason();
    }

    @Test
    void whatWaitsIsBoundedInBytes() {
        Slice large = Slice.of(new byte[1 << 20]);
        CompletableFuture<@Nullable Slice> first = calls.ask(large, null, false);
        for (int i = 1; i < 64; i++) {
            calls.ask(large, null, true);
        }
        assertThatThrownBy(() -> calls.ask(Slice.utf8("x"), null, false))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectedException.Reason.QUEUE_FULL));
        calls.answered(commands.get(0).token(), Slice.EMPTY);
        assertThat(first).isCompleted();
        calls.ask(large, null, false);
    }

    /** Nobody repeats it, so nothing is kept of it anywhere. */
    @Test
    void aCallWithoutANumberHasNoClient() {
        calls.ask(Slice.utf8("put"), null, false);
        calls.upkeep(Slice.utf8("split"));
        calls.upkeep(Slice.utf8("split"));
        calls.ask(Slice.utf8("put"), new OperationNumber(7, 2, 1), false);
        assertThat(commands)
                .extracting(each -> ((GeoCommand.Submit) each).sequence())
                .containsExactly(0L, 0L, 2L);

        calls.answered(commands.get(1).token(), null);
        assertThat(calls.isUnderWay(Slice.utf8("split"))).isFalse();
    }
}
