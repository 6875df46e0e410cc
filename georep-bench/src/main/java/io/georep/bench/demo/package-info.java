/**
 * The demo: nodes as processes on loopback, one of them killed in the middle, and an account of every entry kept outside
 * of the nodes.
 */
@NullMarked
package io.georep.bench.demo;

import org.jspecify.annotations.NullMarked;
