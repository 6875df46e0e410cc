/** Ready-made policies for which peers get the copies of an entry. */
@NullMarked
package io.georep.selection;

import org.jspecify.annotations.NullMarked;
