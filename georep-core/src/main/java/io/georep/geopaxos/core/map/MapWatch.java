package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** Is told what is executed. */
public interface MapWatch {
    /** Looks at nothing. */
    MapWatch NONE = new MapWatch() {
        @Override
        public void changed(Slice key, @Nullable Slice value) {}

        @Override
        public void reloaded() {}
    };

    /** The value of a key is another one now; null if it is gone. */
    void changed(Slice key, @Nullable Slice value);

    /** Another state has taken the place of the present one. */
    void reloaded();
}
