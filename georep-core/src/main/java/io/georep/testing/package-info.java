/**
 * Clusters inside one JVM, for the tests of applications. Nodes and protocols are real, stores are in memory, and the links of
 * the network can be cut.
 */
@NullMarked
package io.georep.testing;

import org.jspecify.annotations.NullMarked;
