/**
 * What nodes of ordered maps say to each other, store and are told: operations, their ids, entries of the logs, layouts.
 */
@NullMarked
package io.georep.geopaxos.core.messages;

import org.jspecify.annotations.NullMarked;
