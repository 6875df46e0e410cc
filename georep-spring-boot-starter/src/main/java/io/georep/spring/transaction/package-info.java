/** Sends that share the fate of a Spring transaction. */
@NullMarked
package io.georep.spring.transaction;

import org.jspecify.annotations.NullMarked;
