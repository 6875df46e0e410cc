package io.georep.funnel.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects the keys for which readers are to see something else after this turn. The mirror is changed at the end of the turn,
 * before any frame of the turn leaves. Until then readers see the state before the turn.
 */
final class Shown {
    private final Mirror mirror;

    /** Keys of which readers may see something else, each once. */
    private final List<Cell> changed = new ArrayList<>();

    Shown(Mirror mirror) {
        this.mirror = mirror;
    }

    /** A key got a commit or a write, or lost one. */
    void changed(Cell cell) {
        if (!cell.isToShow) {
            cell.isToShow = true;
            changed.add(cell);
        }
    }

    /** Shows what there is now, to be read in this lease. */
    void endOfTurn(ReadLease lease) {
        if (lease == ReadLease.NONE) {
            mirror.readable(lease);
        }
        for (Cell cell : changed) {
            cell.isToShow = false;
            cell.place = cell.isDirty()
                    ? mirror.dirty(cell.key, cell.place)
                    : mirror.clean(cell.key, cell.place, cell.value);
        }
        changed.clear();
        mirror.readable(lease);
    }
}
