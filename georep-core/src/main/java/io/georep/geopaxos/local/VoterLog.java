package io.georep.geopaxos.local;

import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.logging.SafeLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells people, in the log, of nodes and voters that are not what they should be. */
final class VoterLog {
    private static final Logger LOG = LoggerFactory.getLogger(LocalOrderedMaps.class);

    private VoterLog() {}

    static void tell(String node, GeoEvent event) {
        if (event instanceof GeoEvent.OtherGroups other) {
            SafeLog.log(
                    LOG,
                    "Node {}: node {} has other groups or replicas of ordered maps: they take nothing of each other",
                    node,
                    other.node());
        } else if (event instanceof GeoEvent.StoresLost lost) {
            LOG.error(
                    "Node {}: nobody can lead group {} of ordered maps any more, because its voters {} have lost their"
                            + " stores{}. An operator can let it go on from the copy of another node (restore-group). To begin with"
                            + " empty maps, stop all nodes that have them, and empty their directories",
                    node,
                    lost.group(),
                    lost.voters(),
                    lost.elder() == null ? "" : ", and node " + lost.elder() + " has the maps of before");
        } else if (event instanceof GeoEvent.OtherLog other) {
            LOG.error(
                    "Node {}: node {} has keys of group {} of ordered maps from before this group began anew with empty"
                            + " stores, or after: they take nothing of each other. Empty the directory of the one whose"
                            + " maps are not wanted",
                    node,
                    other.node(),
                    other.group());
        } else if (event instanceof GeoEvent.OtherSettings) {
            LOG.info(
                    "Node {}: the settings of ordered maps name other nodes than when this node began with them: what is"
                            + " stored counts",
                    node);
        } else if (event instanceof GeoEvent.Unnamed) {
            LOG.info(
                    "Node {} holds no ordered maps, because neither the settings name it nor has an operator added it: the"
                            + " nearest node that holds them makes its calls",
                    node);
        } else if (event instanceof GeoEvent.SameSite same) {
            LOG.warn(
                    "Node {}: {} and {} vote in the same group of ordered maps, and are both in site {}: name voters in"
                            + " different sites",
                    node,
                    same.voter(),
                    same.other(),
                    same.site());
        } else if (event instanceof GeoEvent.LimitedVoter voter) {
            LOG.error(
                    "Node {}: {} is to vote for ordered maps, and its certificate is a limited one, so it never does: give it"
                            + " a full one, or its votes to another node",
                    node,
                    voter.voter());
        } else if (event instanceof GeoEvent.ForgetfulVoter voter) {
            LOG.error(
                    "Node {}: {} is to vote for ordered maps, and its durability is MEMORY, so it gets no vote: start it with"
                            + " a data directory and the durability OS or FSYNC, or give its votes to another node",
                    node,
                    voter.voter());
        } else {
            tellOfLeft(node, event);
        }
    }

    /** A node that a group has left behind. */
    private static void tellOfLeft(String node, GeoEvent event) {
        if (event instanceof GeoEvent.LeftBehind left) {
            LOG.error(
                    "Node {}: group {} of ordered maps has gone on by an operator's order from another node's copy, as node {}"
                            + " says, and without operations up to place {} that this node has executed: it takes nothing of"
                            + " this group any more. Stop it, keep a copy of its directory if those operations matter, and"
                            + " start it with an empty one",
                    node,
                    left.group(),
                    left.node(),
                    left.executed());
        } else if (event instanceof GeoEvent.LeftFull left) {
            LOG.error(
                    "Node {}: it stores what group {} of ordered maps decides and cannot execute that, because another group"
                            + " has gone on without it; there is no room for more, so it has no vote any more. Stop it, and start"
                            + " it with an empty directory",
                    node,
                    left.group());
        } else if (event instanceof GeoEvent.LeftUntold untold) {
            LOG.error(
                    "Node {}: node {} cannot lead group {} of ordered maps without operations that this node has forgotten"
                            + " and cannot give, because another group has gone on without it. Start another voter of the"
                            + " group; if there is none with its store, stop this node and restore the group (restore-group)",
                    node,
                    untold.node(),
                    untold.group());
        }
    }
}
