package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;

import io.georep.funnel.View;

/** What tests of three nodes have: the nodes, and their first view. */
abstract class ThreeNodes {
    static final View ABC = view(1, "a", "b", "c");

    final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    final FunnelNodes.Node a = nodes.node("a");
    final FunnelNodes.Node b = nodes.node("b");
    final FunnelNodes.Node c = nodes.node("c");
}
