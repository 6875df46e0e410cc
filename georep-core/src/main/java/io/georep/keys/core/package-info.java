/** The protocol of key spaces: records by version, copies before a write completes, comparison of what nodes hold. */
@NullMarked
package io.georep.keys.core;

import org.jspecify.annotations.NullMarked;
