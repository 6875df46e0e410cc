package io.georep.spi;

import io.georep.logging.SafeLog;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a selection policy of the application so that its mistakes cannot stop the node. A policy that throws chooses nobody;
 * peers that it was not given are left out of its result. Its first, second, fourth, eighth failure and so on are logged.
 */
public final class GuardedSelection implements PeerSelection {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedSelection.class);

    private final PeerSelection selection;
    private final Failures failures = new Failures("a PeerSelection failed, so that it chose nobody");

    private GuardedSelection(PeerSelection selection) {
        this.selection = selection;
    }

    /** Returns the policy, guarded. */
    public static PeerSelection of(PeerSelection selection) {
        return new GuardedSelection(selection);
    }

    /** Returns the condition, guarded: it counts as false when it throws. */
    public static Predicate<Candidate> of(Predicate<Candidate> condition) {
        Failures failures = new Failures("a condition on peers failed, so that nobody fulfils it");
        return candidate -> {
            try {
                return condition.test(candidate);
            } catch (Throwable e) {
                failures.add(e);
                return false;
            }
        };
    }

    @Override
    public List<Candidate> order(List<Candidate> candidates, String ownSite, int count, RandomGenerator random) {
        Map<NodeId, Candidate> given = new HashMap<>();
        candidates.forEach(candidate -> given.put(candidate.id(), candidate));
        try {
            List<Candidate> ordered = new ArrayList<>();
            for (Candidate named : selection.order(candidates, ownSite, count, random)) {
                Candidate candidate = given.remove(named.id());
                if (candidate != null) {
                    ordered.add(candidate);
                }
            }
            return ordered;
        } catch (Throwable e) {
            failures.add(e);
            return List.of();
        }
    }

    private static final class Failures {
        private final String what;
        private long count;

        Failures(String what) {
            this.what = what;
        }

        void add(Throwable error) {
            count++;
            if (Long.bitCount(count) == 1) {
                SafeLog.log(LOG, "For the {}. time {}", count, what, error);
            }
        }
    }
}
