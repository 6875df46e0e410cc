package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Replaces nodes for good, dead ones and others, adds some and removes some, and adds groups, in half of the runs. */
final class GeoOperator {
    private static final int NODES_MAX = 5;
    private static final int GROUPS_MAX = 5;

    private final GeoCluster cluster;
    private final Random random;
    private final boolean isBusy;
    private int added;

    /** Groups there are once what was asked last has been done. Until then all nodes of the last one must live. */
    private int groupsAsked;

    GeoOperator(GeoCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
        isBusy = random.nextInt(2) == 0;
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    /** Perhaps asks for a change, now and then for one while another one is under way. */
    void acts() {
        if (!isBusy
                || random.nextInt(5) > 0
                || added >= NODES_MAX
                || cluster.members.values().stream().noneMatch(GeoMember::runs)) {
            return;
        }
        OrderedMapsLayout layout = cluster.layout();
        boolean isSettled = cluster.isSettled();
        if (!isSettled && random.nextInt(4) > 0) {
            return;
        }
        // A group begins when all nodes have said that they have no log of it, and objects may be given to it before.
        boolean mayAdd = isSettled && !isAnyGone(layout) && layout.groups().size() < GROUPS_MAX;
        if (mayAdd && random.nextInt(2) == 0) {
            addGroup(layout);
            return;
        }
        NodeId removed = random.nextInt(4) == 0 ? null : pick(layout.nodes());
        NodeId wanted = null;
        if (removed == null || Layouts.votes(layout, removed) || random.nextBoolean()) {
            wanted = layout.replicas().isEmpty() || random.nextBoolean()
                    ? cluster.add("m" + ++added).id
                    : pick(layout.replicas());
        }
        // No other one may be lost until the seats are given to others.
        boolean isPossible = removed != null && Layouts.refusal(layout, removed, wanted) == null;
        if (isSettled
                && isPossible
                && !isAnyGone(layout)
                && cluster.losses.mayLose(cluster.members.get(removed))
                && layout.groups().size() >= groupsAsked
                && random.nextBoolean()) {
            GeoMember lost = cluster.members.get(removed);
            if (lost.runs()) {
                cluster.crash(lost);
            }
            lost.isGone = true;
        }
        for (int asked = random.nextInt(3); asked >= 0; asked--) {
            GeoMember contact = cluster.any(random);
            if (contact.runs()) {
                cluster.change(contact, removed, wanted);
            }
        }
    }

    /** At home with a new node, or with one that is the home of no group. */
    private void addGroup(OrderedMapsLayout layout) {
        List<NodeId> voters = new ArrayList<>(layout.nodes());
        Collections.shuffle(voters, random);
        voters.removeIf(each -> cluster.members.get(each).isGone);
        if (voters.size() < 3 || Layouts.refusal(layout, voters.subList(0, 3)) != null) {
            voters.add(0, cluster.add("m" + ++added).id);
        }
        GeoMember contact = cluster.any(random);
        if (contact.runs()) {
            groupsAsked = layout.groups().size() + 1;
            cluster.addGroup(contact, voters.subList(0, Math.min(3, voters.size())));
        }
    }

    private boolean isAnyGone(OrderedMapsLayout layout) {
        return layout.nodes().stream().anyMatch(id -> cluster.members.get(id).isGone);
    }

    /** All that is asked for has come to its end, and whoever is gone is replaced. */
    void ends() {
        OrderedMapsLayout layout = cluster.layout();
        for (NodeId id : layout.nodes()) {
            if (cluster.members.get(id).isGone) {
                NodeId next = cluster.add("m" + ++added).id;
                GeoMember contact = cluster.leader(0);
                cluster.run(2_000 * GeoCluster.MILLI);
                assertThat(cluster.change(contact, id, next)).isNull();
            }
        }
        assertThat(cluster.runUntil(cluster::isSettled, 30_000 * GeoCluster.MILLI))
                .as("J11: seats as they are wanted")
                .isTrue();
        cluster.run(1_000 * GeoCluster.MILLI);
    }
}
