package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** Which requests of an application are tried again, and what is told of changes that turn out otherwise. */
class OwnRequestsTest {
    private final OwnRequests requests = new OwnRequests(500, 4000);

    private OwnRequests.Waiting ask(long number, FleetConsistency consistency, long deadline, long now) {
        FleetOperation put =
                new FleetOperation(new RequestId(1, number), FleetOperation.Kind.PUT, Slice.utf8("k"), Slice.utf8("v"));
        OwnRequests.Waiting request = OwnRequests.Waiting.from(
                new FleetCommand.Submit(put, consistency, OrderKey.FIRST, 1, deadline, "token " + number), now);
        requests.add(request);
        requests.plan(request, now, true);
        return request;
    }

    private static Outcome outcome(Outcome.Status status) {
        return new Outcome(status, new OrderKey(5, 5), null, OrderKey.FIRST);
    }

    @Test
    void areTriedAgainUntilTheyAreAnsweredOrTheirTimeIsOver() {
        OwnRequests.Waiting errand = ask(1, FleetConsistency.ANY, 1200, 0);
        OwnRequests.Waiting ordered = ask(2, FleetConsistency.ORDERED, 10_000, 0);

        assertThat(requests.due(499)).isEmpty();
        assertThat(requests.due(500)).containsExactly(errand);
        requests.plan(errand, 500, true);
        assertThat(requests.due(1000)).containsExactly(errand);
        requests.plan(errand, 1000, true);
        assertThat(requests.due(1199)).isEmpty();
        assertThat(requests.due(1200)).as("to be ended").containsExactly(errand);
        assertThat(requests.due(4000)).containsExactly(ordered);
        assertThat(requests.answered(ordered.id(), outcome(Outcome.Status.APPLIED)))
                .isEqualTo("token 2");
        assertThat(requests.answered(ordered.id(), outcome(Outcome.Status.APPLIED)))
                .isNull();
        assertThat(requests.due(100_000)).isEmpty();
    }

    @Test
    void whatCouldNotLeaveIsTriedAgainSoon() {
        OwnRequests.Waiting ordered = ask(2, FleetConsistency.ORDERED, 10_000, 0);
        requests.plan(ordered, 0, false);

        assertThat(requests.due(500)).containsExactly(ordered);
    }

    @Test
    void whatIsPlannedLaterTakesThePlaceOfWhatWasBefore() {
        OwnRequests.Waiting ordered = ask(2, FleetConsistency.ORDERED, 10_000, 0);
        for (int i = 1; i <= 5; i++) {
            requests.plan(ordered, 100 * i, true);
        }

        assertThat(requests.due(4_499)).isEmpty();
        assertThat(requests.due(100_000)).as("once").containsExactly(ordered);
    }

    @Test
    void anotherOutcomeOfAChangeIsToldOnce() {
        OwnRequests.Waiting request = ask(1, FleetConsistency.ORDERED, 10_000, 0);
        requests.answered(request.id(), outcome(Outcome.Status.APPLIED));

        assertThat(requests.overturned(request.id(), outcome(Outcome.Status.APPLIED)))
                .isNull();
        assertThat(requests.overturned(request.id(), outcome(Outcome.Status.NOT_APPLIED)))
                .isNotNull()
                .extracting(FleetEvent.Overturned::key)
                .isEqualTo(Slice.utf8("k"));
        assertThat(requests.overturned(request.id(), outcome(Outcome.Status.NOT_APPLIED)))
                .isNull();
        assertThat(requests.overturned(new RequestId(1, 9), outcome(Outcome.Status.APPLIED)))
                .isNull();
    }
}
