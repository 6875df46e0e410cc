package io.georep.funnel.core.messages;

import io.georep.model.NodeId;

/**
 * Name of a write. A node has one boot in a view, so no two writes have the same name.
 *
 * @param view in which it was made
 * @param head the node that made it
 * @param counter number among the writes of that node in that view, from 1
 */
public record WriteId(long view, NodeId head, long counter) {}
