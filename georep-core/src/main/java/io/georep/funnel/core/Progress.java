package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;

/** How far this node is: which commits are in its tables, which of them are durable, and which removals it has forgotten. */
final class Progress {
    private Version applied = Version.NONE;
    private Version durable = Version.NONE;
    private Version horizon = Version.NONE;
    private Version wiped = Version.NONE;

    /** All commits up to this one are in the tables. */
    Version applied() {
        return applied;
    }

    /** The applied version that is certainly durable. */
    Version durable() {
        return durable;
    }

    /** The newest removal that is forgotten here, or where this node took everything from. */
    Version horizon() {
        return horizon;
    }

    /** The horizon of the node from which this one took everything anew. */
    Version wiped() {
        return wiped;
    }

    /** The tables were read, and this is the newest commit in them. All that was read is durable. */
    void boot(Version newest) {
        applied = newest;
        durable = newest;
    }

    /** What this node stored of itself says more than the tables do: after a transfer that was cut off, they have gaps. */
    void boot(FunnelLayout.Self self) {
        boot(self.partial() || applied.isBefore(self.applied()) ? self.applied() : applied);
        horizon = self.horizon();
        wiped = self.wiped();
    }

    /** A view begins: all members have the same, and count its commits from 1. */
    void beginView(long view) {
        applied = new Version(view, 0);
    }

    /** That a view began is durable; commits of it may have become so before. */
    void beganDurably(long view) {
        durable = durable.view() == view ? durable : new Version(view, 0);
    }

    /** Applies the next commit of the view. */
    void commit(Version next) {
        applied = next;
    }

    void durableUpTo(Version version) {
        durable = later(durable, version);
    }

    /** All that is applied is as durable as it gets: nobody waits for the store. */
    void durableAsApplied() {
        durable = applied;
    }

    /** All commits up to this one have come from another member. */
    void takenUpTo(Version version) {
        applied = later(applied, version);
    }

    /** Removals up to this one are forgotten here. */
    void forgetUpTo(Version version) {
        horizon = later(horizon, version);
    }

    /** All that was here is dropped; a node takes everything from another one, which has forgotten removals up to this one. */
    void beginAnew(Version forgotten) {
        applied = Version.NONE;
        durable = Version.NONE;
        horizon = forgotten;
        wiped = forgotten;
    }

    /** Once everything has come anew, the next sender must not take parts that another node sent meanwhile for its own. */
    void endAnew() {
        wiped = applied.isBefore(wiped) ? wiped : Version.NONE;
    }

    private static Version later(Version one, Version other) {
        return one.isBefore(other) ? other : one;
    }

    @Override
    public String toString() {
        return "applied " + applied + ", durably " + durable + ", removals forgotten up to " + horizon;
    }
}
