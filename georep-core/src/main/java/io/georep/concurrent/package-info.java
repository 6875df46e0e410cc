/** Queues between threads and between protocols, and lists of listeners. */
@NullMarked
package io.georep.concurrent;

import org.jspecify.annotations.NullMarked;
