package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a state that is not in pieces: how far each log was processed, and what the log of the first group has said.
 *
 * <pre>
 * head = varint slot of each founded group | group state of each | [layout | (varint slot | group state) of each other group]
 * group state = varint slot | varint clock | known ids
 * </pre>
 *
 * @param forgotten up to which slots all nodes forget
 * @param groupStates of all groups
 * @param layout {@link Layouts#NONE} if nobody has changed anything
 */
public record StateHead(List<Long> forgotten, List<GroupState> groupStates, OrderedMapsLayout layout) {
    public static Slice write(
            int founded, Truncation truncation, Executor executor, OrderedMapsLayout layout, Rules rules) {
        BinWriter out = new BinWriter(1024);
        List<Long> slots = truncation.agreed();
        for (int group = 0; group < founded; group++) {
            out.varint(Truncation.at(slots, group));
        }
        for (int group = 0; group < founded; group++) {
            executor.groupState(group).write(out);
        }
        if (layout.version() > 0) {
            Layouts.write(layout, out);
        }
        for (int group = founded; group < executor.count(); group++) {
            rules.added(executor.groupState(group)).write(out.varint(Truncation.at(slots, group)));
        }
        return out.toSlice();
    }

    /**
     * Reads one.
     *
     * @throws MalformedException if it is none
     */
    public static StateHead read(Slice head, int founded) {
        BinReader in = new BinReader(head);
        List<Long> forgotten = GroupEntry.slots(in, founded);
        List<GroupState> groupStates = new ArrayList<>();
        while (groupStates.size() < founded) {
            groupStates.add(GroupState.read(in));
        }
        OrderedMapsLayout layout = in.hasMore() ? Layouts.check(Layouts.read(in), founded) : Layouts.NONE;
        while (groupStates.size() < layout.groups().size()) {
            forgotten.addAll(GroupEntry.slots(in, 1));
            groupStates.add(GroupState.read(in));
        }
        in.requireEnd("a head of " + groupStates.size() + " groups");
        return new StateHead(forgotten, groupStates, layout);
    }
}
