package io.georep.spring;

import io.georep.model.GeoRepException;
import java.lang.reflect.Method;
import java.util.List;

/** The application uses the library in a way that cannot work. The failed start shows what to write instead. */
public final class MisuseException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    public MisuseException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /** Creates the exception for a mistake that another part found. If that part says what to write instead, that counts. */
    public MisuseException(String place, GeoRepException found, String remedy) {
        super(place + ": " + found.getMessage(), found);
        this.remedy = found instanceof MisuseException known ? known.remedy : remedy;
    }

    /** A method cannot be called with what a queue delivers, or as its settings say. */
    public MisuseException(Method method, String problem, String remedy) {
        this(method.toGenericString() + ": " + problem, remedy);
    }

    /** Throws what was found: nothing, the only mistake, or all of them as one exception, so that one start shows them all. */
    public static void throwIfAny(List<? extends GeoRepException> found) {
        if (found.size() == 1) {
            throw found.get(0);
        }
        if (!found.isEmpty()) {
            StringBuilder problem = new StringBuilder(found.size() + " mistakes:");
            StringBuilder remedy = new StringBuilder("In that order:");
            for (int i = 0; i < found.size(); i++) {
                String number = "\n  " + (i + 1) + ". ";
                problem.append(number).append(found.get(i).getMessage());
                if (found.get(i) instanceof MisuseException known) {
                    remedy.append(number).append(known.remedy);
                }
            }
            MisuseException all = new MisuseException(problem.toString(), remedy.toString());
            all.initCause(found.get(0));
            throw all;
        }
    }

    /** Returns what to write instead, in full sentences. */
    public String remedy() {
        return remedy;
    }
}
