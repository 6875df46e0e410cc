package io.georep.spring;

import io.georep.NodeBuilder;

/**
 * Changes the settings of the node after the properties were applied and before the node starts. Beans of this type are called
 * in their order.
 */
@FunctionalInterface
public interface NodeBuilderCustomizer {
    /** Changes the builder. */
    void customize(NodeBuilder builder);
}
