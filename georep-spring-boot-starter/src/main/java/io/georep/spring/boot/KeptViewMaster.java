package io.georep.spring.boot;

import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keepers of views that the properties name. They are checked together with the node. */
final class KeptViewMaster implements ViewMaster.Factory {
    private static final String PREFIX = "georep.maps.master.";

    private final GeoRepProperties.MapMaster properties;

    KeptViewMaster(GeoRepProperties.MapMaster properties) {
        this.properties = properties;
    }

    @Override
    public ViewGroup group() {
        return new ViewGroup(
                properties.keepers().stream().map(NodeId::of).toList(),
                properties.founders().stream().map(NodeId::of).toList(),
                properties.membersMin());
    }

    @Override
    public ViewMaster create(ViewMaster.Place place) {
        return ViewMaster.Factory.keptBy(group()).create(place);
    }

    /**
     * Looks for properties that contradict each other.
     *
     * @param used what the node is given
     * @param faults gets what is wrong
     */
    static void check(GeoRepProperties.Maps maps, ViewMaster.@Nullable Factory used, List<String> faults) {
        GeoRepProperties.MapMaster master = maps.master();
        if (master.keepers().isEmpty()) {
            if (!master.founders().isEmpty()) {
                faults.add(withoutKeepers("founders"));
            }
            if (master.membersMin() != 0) {
                faults.add(withoutKeepers("members-min"));
            }
        } else if (maps.alone()) {
            faults.add("georep.maps.alone and " + PREFIX
                    + "keepers are both set: a node that is alone asks nobody. Leave one out");
        } else if (!(used instanceof KeptViewMaster)) {
            faults.add(PREFIX + "keepers is set, but the application has a ViewMaster.Factory of its own, which does"
                    + " not know them: leave one out");
        }
    }

    private static String withoutKeepers(String property) {
        return PREFIX + property + " set without " + PREFIX
                + "keepers, and counts for nothing: name the 3 or 5 nodes that keep the decisions, or leave it out";
    }
}
