package io.georep.flagons.core;

import io.georep.model.Slice;

/** Pages, for tests of those who read them. */
public final class FleetPages {
    private FleetPages() {}

    /** Returns the bytes of a page. */
    public static Slice write(Page page) {
        return page.write();
    }
}
