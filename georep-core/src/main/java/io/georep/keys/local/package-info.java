/** Connects the API of the key spaces with their protocol on one node, and adds both to the node. */
@NullMarked
package io.georep.keys.local;

import org.jspecify.annotations.NullMarked;
