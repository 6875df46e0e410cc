/**
 * The replicated logs of the groups, their leaders, and how a node gets a state that it missed.
 */
@NullMarked
package io.georep.geopaxos.core.groups;

import org.jspecify.annotations.NullMarked;
