/**
 * Clusters inside one JVM for applications' own tests: real nodes and protocols, stores in memory, and a network whose
 * links can be cut. Built on the public API like an application; nothing else depends on it.
 */
@NullMarked
package io.georep.testing;

import org.jspecify.annotations.NullMarked;
