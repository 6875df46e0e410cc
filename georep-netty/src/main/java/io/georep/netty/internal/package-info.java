/** Everything between start and close of the links of a node: {@link LinkLayer} puts it together. Nothing here is API. */
@NullMarked
package io.georep.netty.internal;

import org.jspecify.annotations.NullMarked;
