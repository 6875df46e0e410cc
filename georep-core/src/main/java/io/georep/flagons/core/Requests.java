package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The requests of this node's clients that wait for an answer. */
final class Requests {
    private static final class Waiting {
        final long deadline;
        final int quorum;
        final Map<String, Outcome> answers = new LinkedHashMap<>();

        Waiting(long deadline, int quorum) {
            this.deadline = deadline;
            this.quorum = quorum;
        }
    }

    private final Outlet out;
    private final Map<RequestId, Waiting> waiting = new LinkedHashMap<>();

    Requests(Outlet out) {
        this.out = out;
    }

    void add(RequestId request, long deadline, int quorum) {
        waiting.put(request, new Waiting(deadline, quorum));
    }

    /**
     * Takes the answer of a member. The request is done when enough members give the same one. That one node has not begun it
     * says nothing of the others.
     */
    void answered(RequestId request, String member, Outcome outcome) {
        Waiting its = waiting.get(request);
        if (its == null || outcome.status() == Outcome.Status.REFUSED) {
            return;
        }
        its.answers.put(member, outcome);
        long equal = its.answers.values().stream().filter(outcome::equals).count();
        if (equal >= its.quorum) {
            waiting.remove(request);
            out.answered(request, outcome);
        }
    }

    /** Ends what waits for too long. */
    void expire(long now) {
        List<RequestId> over = new ArrayList<>();
        waiting.forEach((request, its) -> {
            if (now >= its.deadline) {
                over.add(request);
            }
        });
        for (RequestId request : over) {
            waiting.remove(request);
            out.answered(request, Outcome.unsure());
        }
    }

    int size() {
        return waiting.size();
    }
}
