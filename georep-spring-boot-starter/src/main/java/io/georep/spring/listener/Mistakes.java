package io.georep.spring.listener;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;
import java.util.List;

/** Several errors of the application's configuration that were found together, so that one start shows them all. */
final class Mistakes extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    private Mistakes(String problem, String remedy, GeoRepException first) {
        super(problem, first);
        this.remedy = remedy;
    }

    /** Throws what was found: nothing, the only mistake, or all of them as one exception. */
    static void throwIfAny(List<? extends GeoRepException> found) {
        if (found.size() == 1) {
            throw found.get(0);
        }
        if (!found.isEmpty()) {
            StringBuilder problem = new StringBuilder(found.size() + " mistakes:");
            StringBuilder remedy = new StringBuilder();
            for (int i = 0; i < found.size(); i++) {
                String number = "\n  " + (i + 1) + ". ";
                problem.append(number).append(found.get(i).getMessage());
                if (found.get(i) instanceof Remedy known) {
                    remedy.append(number).append(known.remedy());
                }
            }
            throw new Mistakes(problem.toString(), "In that order:" + remedy, found.get(0));
        }
    }

    @Override
    public String remedy() {
        return remedy;
    }
}
