/** Binary encodings of messages and stored records. */
@NullMarked
package io.georep.codec;

import org.jspecify.annotations.NullMarked;
