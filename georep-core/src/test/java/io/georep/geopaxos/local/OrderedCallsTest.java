package io.georep.geopaxos.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    private List<GeoCommand> prunes() {
        return commands.stream()
                .filter(each -> each instanceof GeoCommand.Prune)
                .toList();
    }

    @Test
    void whatEarlierRunsLeftIsForgottenAfterTheFirstWrite() {
        written(1);
        assertThat(commands).hasSize(1).first().isInstanceOf(GeoCommand.Begin.class);
        calls.foundEarlier();
        written(1);
        assertThat(prunes()).hasSize(1);
        written(1);
        assertThat(prunes()).as("one is under way").hasSize(1);
        calls.answered(prunes().get(0).token(), Slice.EMPTY);
        written(1);
        assertThat(prunes()).hasSize(1);
    }

    /** A group has no leader just now: nothing else may ask for long. */
    @Test
    void whatEarlierRunsLeftIsAskedToBeForgottenAgainSoonAfterARefusal() {
        calls.foundEarlier();
        written(1);
        calls.refused(prunes().get(0).token(), new OrderedMapUnavailableException("unled"));
        written(1);
        assertThat(prunes()).as("not at once").hasSize(1);
        nanos += 5_000_000_000L;
        written(1);
        assertThat(prunes()).hasSize(2);
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
        calls.answered(commands.get(1).token(), Slice.EMPTY);
        assertThat(first).isCompleted();
        calls.ask(large, null, false);
    }

    /** One call that has no answer, because a group of it is dead, would keep the results of all that follow on all nodes. */
    @Test
    void aCallWithoutAnswerKeepsABoundedNumberOfResults() {
        calls.ask(Slice.utf8("stuck"), null, false);
        GeoCommand.Submit stuck = submits().get(0);
        for (int i = 0; i < OwnClients.PINNED_MAX; i++) {
            written(1);
        }
        assertThat(submits()).containsExactly(stuck);
        calls.ask(Slice.utf8("next"), null, false);
        GeoCommand.Submit next = submits().get(1);
        assertThat(next.client()).isNotEqualTo(stuck.client());
        assertThat(next.acked()).isEqualTo(next.sequence() - 1);
        assertThat(commands)
                .filteredOn(each -> each instanceof GeoCommand.Begin)
                .extracting(each -> ((GeoCommand.Begin) each).client())
                .containsExactly(stuck.client(), next.client());

        calls.answered(stuck.token(), Slice.EMPTY);
        GeoCommand.Submit last = submits().get(2);
        assertThat(last.client()).as("says that nobody needs its results").isEqualTo(stuck.client());
        assertThat(last.acked()).isEqualTo(last.sequence() - 1).isGreaterThanOrEqualTo(OwnClients.PINNED_MAX);
        calls.answered(last.token(), Slice.EMPTY);
        assertThat(submits()).hasSize(3);
    }

    private List<GeoCommand.Submit> submits() {
        return commands.stream()
                .filter(GeoCommand.Submit.class::isInstance)
                .map(GeoCommand.Submit.class::cast)
                .toList();
    }
}
