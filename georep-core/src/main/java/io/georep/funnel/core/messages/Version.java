package io.georep.funnel.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;

/**
 * Place of a commit in the order of all commits.
 *
 * @param view number of the view it was made in
 * @param commit its number in that view, from 1; 0 for the state in which the view began
 */
public record Version(long view, long commit) implements Comparable<Version> {
    /** Before all commits. */
    public static final Version NONE = new Version(0, 0);

    public static int compare(long view, long commit, long otherView, long otherCommit) {
        int byView = Long.compare(view, otherView);
        return byView != 0 ? byView : Long.compare(commit, otherCommit);
    }

    @Override
    public int compareTo(Version other) {
        return compare(view, commit, other.view, other.commit);
    }

    public boolean isBefore(Version other) {
        return compareTo(other) < 0;
    }

    public void write(BinWriter out) {
        out.varint(view).varint(commit);
    }

    public static Version read(BinReader in) {
        return new Version(FunnelBounds.VIEW.read(in), FunnelBounds.COMMIT.read(in));
    }
}
