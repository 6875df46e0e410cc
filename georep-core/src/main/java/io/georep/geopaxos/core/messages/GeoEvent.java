package io.georep.geopaxos.core.messages;

import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.geopaxos.OrderedMapsRestoration;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the protocol tells the local side. */
public sealed interface GeoEvent {
    /**
     * A request took effect, once.
     *
     * @param result null if it is not known any more, or if this node had the call made by one that is gone: then it may have taken effect, or may still
     */
    record Answered(Object token, @Nullable Slice result) implements GeoEvent {}

    /**
     * A request had no effect, and will have none.
     *
     * @param why for people
     */
    record Refused(Object token, Reason reason, String why) implements GeoEvent {}

    /** Why a request is refused. Asking again helps if it is {@link #OPEN}, {@link #WAITING}, {@link #KEPT} or {@link #UNLED}. */
    enum Reason {
        /** The certificate of this node is a limited one. */
        LIMITED("the certificate of this node is a limited one: it orders nothing"),
        /** Too many requests of this node are not answered. */
        OPEN("too many requests are not answered"),
        /** Too many operations wait to be executed, and this one would wait as well. */
        WAITING("too many operations wait for groups that do not answer"),
        /** Too much waits to be forgotten, which some group without a leader keeps from it. */
        KEPT(
                "too much waits to be forgotten (meter ordered.maps.kept): a group of ordered maps has no leader, or a node"
                        + " takes the state of this one"),
        /** A group that it needs does not answer, and everything else would wait with it. */
        UNLED("a group of its keys has no leader now"),
        /** The operation is too long. */
        BYTES("the operation is too long"),
        /** It uses too many keys or objects. */
        KEYS("too many keys or objects"),
        /** It names groups that do not exist. */
        GROUPS("there are no such groups"),
        /** The service does not take it. */
        INVALID("no operation of the service"),
        /** Some node does not have the procedure that it needs. */
        LACKING("some node does not have what it needs"),
        /** The service has no room for it. */
        FULL("the service is full"),
        /** The nodes are to be others than those for which the change was meant. */
        OUTDATED("another change of the nodes came first: look at their layout, and ask again"),
        /** It is not known here what became of it. */
        UNDECIDED(
                "it is not known here whether the change was made, or still will be, because the first group of ordered"
                        + " maps has no leader, or others came after it: look at the layout of the nodes, and ask again"),
        /** A read would change something. */
        WRITES("a read that would change something"),
        /** A group has gone on without what this node has executed. */
        LEFT_BEHIND("a group of ordered maps has gone on, by an operator's order, without what this node has executed"),
        /** This node has no part, and neither has any that is in reach. */
        NO_PART("it has no part in ordered maps, and no node that has is in reach");

        public final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    /** What the service tells of what was executed. Comes before the answers of operations that are executed later. */
    record News(Object news) implements GeoEvent {}

    /** A node is set to other groups than this one, so they take nothing of each other. Told once in a boot. */
    record OtherGroups(NodeId node) implements GeoEvent {}

    /**
     * Nobody can lead a group any more. Told again when more stores are lost.
     *
     * @param voters have lost their stores
     * @param elder has the maps of before, if all voters with which the group began have empty stores; null otherwise
     */
    record StoresLost(
            int group, List<NodeId> voters, @Nullable NodeId elder) implements GeoEvent {
        /** Copies the list. */
        public StoresLost {
            voters = List.copyOf(voters);
        }
    }

    /** A node has a log of a group that was founded at another time: they take nothing of each other. Told once in a boot. */
    record OtherLog(int group, NodeId node) implements GeoEvent {}

    /**
     * A group has gone on from the copy of another node, by an operator's order, and without operations that this node has executed: it takes
     * nothing of that group any more. Told once in a boot.
     *
     * @param node told so
     * @param executed place of the last operation of this node
     */
    record LeftBehind(int group, NodeId node, long executed) implements GeoEvent {}

    /** Answer to {@link GeoCommand.Restore} that only asks. */
    record Restored(Object token, OrderedMapsRestoration restoration) implements GeoEvent {}

    /** The settings name other nodes than when this node began: what is stored counts. */
    record OtherSettings() implements GeoEvent {}

    /** The settings do not name this node: it takes part once an operator has added it. */
    record Unnamed() implements GeoEvent {}

    /** Answer to {@link GeoCommand.Change}. */
    record Layout(Object token, OrderedMapsLayout layout) implements GeoEvent {}

    /** Two voters of a group are in the same site, so that one site may take the majority with it. Told once in a boot. */
    record SameSite(NodeId voter, NodeId other, String site) implements GeoEvent {}

    /** A voter has a limited certificate: nobody takes its word, so it never votes. Told once in a boot. */
    record LimitedVoter(NodeId voter) implements GeoEvent {}

    /** The store of a voter forgets at a restart, so it gets no vote. Told once in a boot. */
    record ForgetfulVoter(NodeId voter) implements GeoEvent {}

    /** Answer to {@link GeoCommand.ReadPlacement}. */
    record Placed(Object token, OrderedMapsPlacement placement) implements GeoEvent {}

    /** Answer to {@link GeoCommand.ReadStatistics}. */
    record Statistics(Object token, OrderedMapsStatistics statistics) implements GeoEvent {}
}
