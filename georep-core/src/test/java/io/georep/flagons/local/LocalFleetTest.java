package io.georep.flagons.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetOverturned;
import io.georep.flagons.FleetPlace;
import io.georep.flagons.FleetResult;
import io.georep.flagons.FleetSession;
import io.georep.flagons.FleetUnavailableException;
import io.georep.flagons.FleetWriters;
import io.georep.flagons.core.FleetCommand;
import io.georep.flagons.core.FleetEvent;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.model.ConfigurationException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.runtime.IdleHandle;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What calls become, and what callers are told. */
class LocalFleetTest {
    private long nanos;

    private final LocalFleet fleet = new LocalFleet(
            new IdleHandle<>("n") {
                @Override
                public long nanos() {
                    return nanos;
                }
            },
            false,
            FleetWriters.ANYBODY);
    private final FleetMap<String, String> map = fleet.map("m", PayloadCodec.string(), PayloadCodec.string());

    private FleetCommand.Submit asked() {
        FleetCommand.Calls calls =
                (FleetCommand.Calls) Objects.requireNonNull(fleet.source().gather());
        return (FleetCommand.Submit) calls.calls().get(0);
    }

    private FleetCommand.Submit answer(Outcome.Status status, long place, String value) {
        FleetCommand.Submit asked = asked();
        OrderKey key = place == 0 ? OrderKey.FIRST : new OrderKey(place, 1);
        Slice bytes = value == null ? null : Slice.utf8(value);
        fleet.event(new FleetEvent.Answered(asked.token(), new Outcome(status, key, bytes, OrderKey.FIRST)));
        return asked;
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().getNow(null);
    }

    private static Throwable error(CompletionStage<?> stage) {
        try {
            get(stage);
        } catch (CompletionException e) {
            return e.getCause();
        }
        throw new AssertionError("no error");
    }

    @Test
    void aGetThatNobodyAnswersIsUnsureAndHasNoValue() {
        CompletionStage<FleetResult<String>> found = map.get("k", FleetOptions.ORDERED.quorum(3));
        FleetCommand.Submit asked = answer(Outcome.Status.UNSURE, 0, null);

        FleetResult<String> result = get(found);
        assertThat(result.isSure()).isFalse();
        assertThatThrownBy(result::value).hasMessageContaining("not known");
        assertThat(asked.quorum()).isEqualTo(3);
        assertThat(asked.consistency()).isEqualTo(FleetConsistency.ORDERED);
    }

    @Test
    void aChangeWithoutAnOutcomeMayBeRepeatedUnderItsRequest() {
        UUID request = new UUID(3, 4);
        FleetOptions options = FleetOptions.ANY.request(request).within(Duration.ofSeconds(2));
        CompletionStage<FleetResult<String>> put = map.put("k", "v", options);
        FleetCommand.Submit first = answer(Outcome.Status.UNSURE, 0, null);
        map.put("k", "v", options);

        assertThat(error(put))
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining(request.toString())
                .hasMessageContaining("PT2S");
        assertThat(asked().operation()).isEqualTo(first.operation());
    }

    @Test
    void aNodeThatTakesNothingSaysWhyAndWhatToDo() {
        CompletionStage<FleetResult<String>> removed = map.remove("k");
        fleet.event(new FleetEvent.Refused(asked().token(), "its clock differs"));

        assertThat(error(removed))
                .isInstanceOf(FleetUnavailableException.class)
                .hasMessageContaining("n takes no operation")
                .hasMessageContaining("its clock differs");
    }

    @Test
    void whatIsTooLongIsRejectedAtTheDoor() {
        assertThat(error(map.put("k".repeat(257), "v")))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("257 bytes, at most 256");
        assertThat(error(map.put("k", "v".repeat(8193))))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("8193 bytes, at most 8192");
        assertThat(map.put("k".repeat(256), "v".repeat(8192)).toCompletableFuture())
                .isNotDone();
        assertThatThrownBy(() -> fleet.map("", PayloadCodec.string(), PayloadCodec.string()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("0 bytes, allowed are 1 to 64");
        assertThatThrownBy(() -> FleetOptions.ORDERED.quorum(7)).hasMessageContaining("allowed are 1 to 6");
        assertThatThrownBy(() -> FleetOptions.ORDERED.within(Duration.ZERO))
                .hasMessageContaining("allowed are PT0.001S");
        assertThatThrownBy(() -> map.get("k", FleetOptions.ANY.quorum(2)))
                .hasMessageContaining("answered by one member");
        assertThatThrownBy(() -> FleetMapSettings.member()).hasMessageContaining("name host:port of a few nodes");
        assertThatThrownBy(() -> FleetSession.of("no")).hasMessageContaining("pass on what mark()");
    }

    @Test
    void aSessionGoesOnAtAnotherNode() {
        FleetSession session = new FleetSession();
        CompletionStage<FleetResult<String>> put = map.put("k", "v", FleetOptions.ORDERED.in(session));
        answer(Outcome.Status.APPLIED, 70, null);
        FleetSession moved = FleetSession.of(session.mark());
        map.get("k", FleetOptions.CONVERGING.in(moved));

        assertThat(get(put).place()).isEqualTo(new FleetPlace(70, 1));
        assertThat(asked().after()).isEqualTo(new OrderKey(70, 1));
        assertThat(FleetSession.of(new FleetSession().mark()).seen()).isEqualTo(FleetPlace.NONE);
        assertThat(new FleetSession().mark()).hasSizeLessThanOrEqualTo(33);
    }

    @Test
    void aGetAtOnceThatWouldGoBackIsAskedAgainBehindWhatTheSessionHasSeen() {
        FleetSession session = new FleetSession();
        session.saw(new FleetPlace(70, 1));
        CompletionStage<FleetResult<String>> found = map.get("k", FleetOptions.ANY.in(session));
        answer(Outcome.Status.FOUND, 60, "old");
        assertThat(found.toCompletableFuture()).isNotDone();
        FleetCommand.Submit again = answer(Outcome.Status.FOUND, 80, "new");

        assertThat(again.consistency()).isEqualTo(FleetConsistency.CONVERGING);
        assertThat(again.after()).isEqualTo(new OrderKey(70, 1));
        assertThat(get(found).value()).isEqualTo("new");
        assertThat(session.seen()).isEqualTo(new FleetPlace(80, 1));
    }

    @Test
    void norDoesAGetGoBackThatIsAnsweredWhenItsTimeIsOver() {
        FleetSession session = new FleetSession();
        session.saw(new FleetPlace(70, 1));
        CompletionStage<FleetResult<String>> found = map.get("k", FleetOptions.ANY.in(session));
        nanos = FleetOptions.ANY.deadline().toNanos();
        answer(Outcome.Status.FOUND, 60, "old");
        answer(Outcome.Status.UNSURE, 0, null);

        assertThat(get(found).isSure()).isFalse();
    }

    @Test
    void whoHasWrittenIsToldThatItTurnedOutOtherwise() {
        List<FleetOverturned<String, String>> told = new ArrayList<>();
        map.onOverturned(told::add);
        fleet.map("other", PayloadCodec.string(), PayloadCodec.string()).onOverturned(other -> told.add(null));
        map.putIfAbsent("k", "mine", FleetOptions.ORDERED.request(new UUID(3, 4)));
        FleetCommand.Submit asked = answer(Outcome.Status.APPLIED, 70, null);
        fleet.event(new FleetEvent.Overturned(
                asked.operation().request(),
                asked.operation().key(),
                new Outcome(
                        Outcome.Status.NOT_APPLIED, new OrderKey(70, 1), Slice.utf8("theirs"), new OrderKey(69, 2))));

        assertThat(told).hasSize(1);
        assertThat(told.get(0).key()).isEqualTo("k");
        assertThat(told.get(0).request()).isEqualTo(new UUID(3, 4));
        assertThat(told.get(0).result().isApplied()).isFalse();
        assertThat(told.get(0).result().value()).isEqualTo("theirs");
    }
}
