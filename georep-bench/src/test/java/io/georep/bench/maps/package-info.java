/** Replicated maps in processes of their own, under kills, pauses and partitions; what they answered is judged afterwards. */
@NullMarked
package io.georep.bench.maps;

import org.jspecify.annotations.NullMarked;
