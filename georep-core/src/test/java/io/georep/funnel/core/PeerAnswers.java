package io.georep.funnel.core;

import io.georep.funnel.ViewMaster.Grant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the peers of the master answered to one question that leaves no entry in their log. The leader's grant counts once more than half of
 * the peers have said, after the question was asked, that they are in the term in which it leads. A peer is in a later term before it votes in that, so nobody
 * was elected after that leader when the node asked. Not thread-safe.
 */
public final class PeerAnswers {
    private final int peers;
    private final List<Answer> answers = new ArrayList<>();
    private int silent;

    /**
     * What one peer answered.
     *
     * @param term the newest it knows
     * @param ledTerm the term in which it leads; -1 if it does not
     * @param grant null if it does not lead, or if the request has to go through the log
     */
    public record Answer(long term, long ledTerm, @Nullable Grant grant) {
        boolean leads() {
            return ledTerm >= 0;
        }
    }

    /** For that many peers. */
    public PeerAnswers(int peers) {
        this.peers = peers;
    }

    /** Takes the answer of one peer; null if it has none. Each peer answers once. */
    public void add(@Nullable Answer answer) {
        if (answer == null) {
            silent++;
        } else {
            answers.add(answer);
        }
    }

    /** Returns the grant that counts; null if there is none so far. */
    public @Nullable Grant grant() {
        for (Answer each : answers) {
            long same =
                    answers.stream().filter(other -> other.term == each.ledTerm).count();
            if (each.grant != null && each.leads() && same > peers / 2) {
                return each.grant;
            }
        }
        return null;
    }

    /** Whether it is of no use to wait for more: all have answered, or the newest leader wants an entry. */
    public boolean isOver() {
        long newest = answers.stream().mapToLong(Answer::term).max().orElse(0);
        return answers.size() + silent == peers
                || answers.stream().anyMatch(each -> each.leads() && each.ledTerm == newest && each.grant == null);
    }
}
