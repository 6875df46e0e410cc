/**
 * For authors of protocols: what they bring beside the protocol itself, which is its module, and what stands between it and the
 * application.
 */
@NullMarked
package io.georep.protocol.local;

import org.jspecify.annotations.NullMarked;
