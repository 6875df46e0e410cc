/**
 * A {@link io.georep.funnel.ViewMaster} on Apache Ratis. {@link io.georep.funnel.ratis.RatisViewMaster} is where to begin; it needs
 * {@code org.apache.ratis:ratis-grpc}, {@code ratis-server} and {@code ratis-metrics-default} on the class path.
 */
@NullMarked
package io.georep.funnel.ratis;

import org.jspecify.annotations.NullMarked;
