/** Bytes of messages and stored records, and the bounds of what may be in them. */
@NullMarked
package io.georep.codec;

import org.jspecify.annotations.NullMarked;
