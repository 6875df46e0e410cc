/** Key spaces on one node: calls under way, and the module that brings the protocol to a node. */
@NullMarked
package io.georep.keys.local;

import org.jspecify.annotations.NullMarked;
