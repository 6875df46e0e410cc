/** Load on whole clusters of node processes: throughput per CPU-second, adoption of many entries, large backlogs. */
@NullMarked
package io.georep.bench.cluster;

import org.jspecify.annotations.NullMarked;
