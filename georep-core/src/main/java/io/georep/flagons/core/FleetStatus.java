package io.georep.flagons.core;

/**
 * How a node of a fleet is.
 *
 * @param self the node with its group
 * @param known how many nodes it knows for passing on
 * @param members how many other members its group has
 * @param isComplete whether it has all operations on the keys of its group, so that it answers
 * @param operations how many operations it keeps
 * @param holes how many events came too late for their place, since the node started
 * @param refused how many events and messages were refused
 * @param repaired how many operations came by comparison only
 * @param nodes how many nodes the fleet seems to have; 0 if not known
 * @param isCutOff whether it has lost sight of most of the fleet, or misses too much of it, so that what it answers is not sure
 * @param isClockOff whether its clock differs from those of the others, so that it takes and answers nothing
 * @param holeRate the share of the events of late that it heard too late or missed
 * @param stableMillis how old events of late were when they were delivered
 */
public record FleetStatus(
        Contact self,
        int known,
        int members,
        boolean isComplete,
        int operations,
        long holes,
        long refused,
        long repaired,
        int nodes,
        boolean isCutOff,
        boolean isClockOff,
        double holeRate,
        long stableMillis) {}
